"""Pages to learn on, fresh for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory.journey.pages import Pages


@pytest.fixture
def pages(tmp_path: Path) -> Pages:
    return Pages(tmp_path)
