"""A Hermes Agent home, and an Innkeeper that takes things over from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tests.importing.hermes import Hermes


@pytest.fixture
def innkeeper(tmp_path: Path) -> Shell:
    home = tmp_path / "innkeeper"
    home.mkdir(mode=0o700)
    return Shell(home)


@pytest.fixture
def hermes(tmp_path: Path) -> Hermes:
    return Hermes(tmp_path / "dot hermes")
