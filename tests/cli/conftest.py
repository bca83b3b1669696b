"""Fixtures for the shell: a home of its own and a runner."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.shell import Shell


@pytest.fixture
def innkeeper(tmp_path: Path) -> Shell:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    return Shell(home)
