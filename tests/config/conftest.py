"""Fixtures for settings: a profile of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.house import House


@pytest.fixture
def house(tmp_path: Path) -> House:
    home = tmp_path / "home"
    home.mkdir()
    return House(home)
