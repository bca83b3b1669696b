"""A desk in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory.pending.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)
