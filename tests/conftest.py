"""Fixtures that several rooms share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gateway.models.catalogue import DEFAULT_MODEL
from gateway.models.pull import ensure_weights


@pytest.fixture(scope="session")
def weights() -> Path:
    """The small model's file, fetched once for all runs: into INNKEEPER_TEST_WEIGHTS, else the user's cache."""
    named = os.environ.get("INNKEEPER_TEST_WEIGHTS")
    folder = Path(named) if named else Path.home() / ".cache" / "innkeeper-tests" / "models"
    return ensure_weights(folder, DEFAULT_MODEL, lambda done, total: None)
