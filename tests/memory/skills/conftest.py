"""A shed in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory.skills.shed import Shed


@pytest.fixture
def shed(tmp_path: Path) -> Shed:
    made = Shed(tmp_path / "home")
    made.root.mkdir(parents=True)
    return made
