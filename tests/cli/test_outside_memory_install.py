"""`innkeeper memory setup NAME --install`: an environment of a provider's own, on request and never by itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gateway.providers.environment import place_of
from tests.cli.shell import Shell
from tests.providers.test_environment import wheel

MODULE = """
from memory.providers.protocol import ProviderManifest, Silent, Unreachable

class Lodger(Silent):
    name = "lodger"

    def __init__(self, context):
        self.environment = context.environment

    async def start(self):
        if self.environment is None:
            raise Unreachable("lodger is not installed")

manifest = ProviderManifest("lodger", "lodgers:Lodger", "a lodger", packages=({packages!r},))
"""


@pytest.fixture
def shell(innkeeper: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A plugin's outside memory that needs a package in an environment of its own."""
    plugins = tmp_path / "plugins"
    distribution = plugins / "lodgers-1.0.dist-info"
    distribution.mkdir(parents=True)
    (plugins / "lodgers.py").write_text(MODULE.format(packages=str(wheel(tmp_path))))
    (distribution / "METADATA").write_text("Metadata-Version: 2.1\nName: lodgers\nVersion: 1.0\n")
    (distribution / "entry_points.txt").write_text("[innkeeper.providers]\nlodger = lodgers:manifest\n")
    monkeypatch.syspath_prepend(str(plugins))
    monkeypatch.delitem(sys.modules, "lodgers", raising=False)
    return innkeeper


def test_nothing_is_installed_before_somebody_asks(shell: Shell) -> None:
    refused = shell("memory", "setup", "lodger")
    assert refused.exit_code == 1
    assert "lodger is not installed" in refused.stdout
    assert not place_of(shell.profile.cache, "lodger").exists()
    done = shell("memory", "setup", "lodger", "--install")
    assert done.exit_code == 0, done.output
    assert "✅ Installed in" in done.stdout
    assert "memory.provider is lodger" in done.stdout
    assert shell.json("memory", "status")["well"] is True


def test_one_that_cannot_be_installed_is_not_switched_to(shell: Shell) -> None:
    """What pip says of a package that is not there: tests/providers/test_environment.py."""
    place = place_of(shell.profile.cache, "lodger")
    place.parent.parent.mkdir(parents=True, exist_ok=True)
    place.parent.write_text("a file where the folder of environments would lie")
    failed = shell("memory", "setup", "lodger", "--install")
    assert failed.exit_code == 1
    assert "lodger was not installed" in failed.stdout
    assert shell.json("memory", "status") == {"provider": None}


def test_one_that_needs_none_says_so(shell: Shell) -> None:
    refused = shell("memory", "setup", "honcho", "--install")
    assert refused.exit_code == 2
    assert "honcho needs no environment of its own" in refused.output
