"""Fixtures that several rooms share."""

from __future__ import annotations

import gc
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import certifi
import pytest

from gateway.models.catalogue import DEFAULT_MODEL
from gateway.models.pull import ensure_weights

_MEMORY = Path("/dev/shm")
_ROOM = 4 << 30  # bytes that must be free there


def pytest_configure(config: pytest.Config) -> None:
    _compile_once()
    _keep_files_in_memory(config)
    _trust_one_certificate(config)


def _keep_files_in_memory(config: pytest.Config) -> None:
    """Folders of tests lie in memory, where the system offers room for it: half of the suite's time went into waiting
    for a disk to sync, over and over. What is soaked stays on the disk, and so does everything with `--basetemp` or
    PYTEST_DEBUG_TEMPROOT."""
    if "soak" in config.option.markexpr.replace("not soak", "") or not _MEMORY.is_dir():
        return
    if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


def _compile_once() -> None:
    """Modules are compiled once for all processes.

    Images of machines often forbid Python to keep what it compiled. Each of the many processes that tests start
    would compile the whole house, and each worker all tests: minutes of nothing but that.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def _trust_one_certificate(config: pytest.Config) -> None:
    """Every HTTP client reads all authorities of the world, 20 ms of each test that makes one, and here they talk to
    this machine only, without TLS. Processes that tests start read them all, as ever."""
    folder = tempfile.TemporaryDirectory(prefix="innkeeper-tests-")
    config.add_cleanup(folder.cleanup)
    end = "-----END CERTIFICATE-----\n"
    one = Path(folder.name) / "one.pem"
    one.write_text(Path(certifi.where()).read_text("ascii").partition(end)[0] + end, "ascii")
    patch = pytest.MonkeyPatch()
    patch.setattr(certifi, "where", lambda: str(one))
    config.add_cleanup(patch.undo)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nearly all that is made while tests are gathered stays to the end: nobody need look for rubbish among it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


_ROUNDS = re.compile("kill|race|crash|fault|storm")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What kills, races or breaks something on purpose gets no second try where others do (ADR 0009): there, one
    failure in many rounds is the finding."""
    for item in items:
        if _ROUNDS.search(item.path.name) or item.get_closest_marker("soak"):
            item.add_marker(pytest.mark.flaky(reruns=0))


@pytest.fixture(scope="session")
def weights() -> Path:
    """The small model's file, fetched once for all runs: into INNKEEPER_TEST_WEIGHTS, else the user's cache."""
    named = os.environ.get("INNKEEPER_TEST_WEIGHTS")
    folder = Path(named) if named else Path.home() / ".cache" / "innkeeper-tests" / "models"
    return ensure_weights(folder, DEFAULT_MODEL, lambda done, total: None)
