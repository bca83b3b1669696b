"""An environment of a provider's own: made when it is asked for, whole or not at all."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from gateway.providers.environment import NotInstalled, install, installed


def wheel(folder: Path) -> Path:
    """A package of one module, as a file that pip installs."""
    made = folder / "lodger-1.0-py3-none-any.whl"
    info = "lodger-1.0.dist-info"
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("lodger.py", "print('at home')\n")
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: lodger\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return made


def test_it_holds_what_was_asked_for(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert installed(cache, "lodger") is None
    place = install(cache, "lodger", [str(wheel(tmp_path))], os.environ)
    assert installed(cache, "lodger") == place
    assert place.is_relative_to(cache)
    said = subprocess.run([place / "bin" / "python", "-m", "lodger"], capture_output=True, text=True, check=True)
    assert said.stdout == "at home\n"


def test_one_that_fails_leaves_nothing_and_says_why(tmp_path: Path) -> None:
    with pytest.raises(NotInstalled) as failed:
        install(tmp_path, "lodger", [str(tmp_path / "absent-1.0-py3-none-any.whl")], os.environ)
    assert "absent-1.0" in str(failed.value)
    assert "\n" not in str(failed.value)
    assert installed(tmp_path, "lodger") is None
    assert list((tmp_path / "environments").iterdir()) == []


def test_one_that_was_interrupted_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "environments" / "lodger" / "bin").mkdir(parents=True)
    assert installed(tmp_path, "lodger") is None
