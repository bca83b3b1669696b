"""What a model's name means."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.clock import SystemClock
from gateway.models.catalogue import CATALOGUE, DEFAULT_MODEL, Wheel, entry_named, model_path, own_files
from gateway.models.errors import ModelMissing
from gateway.models.local import open_local


def test_every_entry_can_be_found_by_its_name_and_has_a_file_of_its_own() -> None:
    assert [entry_named(entry.name.upper()) for entry in CATALOGUE] == list(CATALOGUE)
    assert len({entry.file for entry in CATALOGUE}) == len(CATALOGUE)


def test_the_model_for_beginners_is_free_pinned_by_checksum_and_never_offered_tools() -> None:
    entry = entry_named(DEFAULT_MODEL)
    assert entry is not None
    assert (entry.license, entry.tools) == ("Apache-2.0", False)
    assert isinstance(entry.source, Wheel)
    assert len(entry.sha256 or "") == 64


def test_a_known_name_is_a_file_in_the_models_folder_there_or_not(tmp_path: Path) -> None:
    assert model_path("smollm2-135m", tmp_path) == tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf"


def test_a_file_that_someone_put_there_goes_by_its_name_with_or_without_its_ending(tmp_path: Path) -> None:
    mine = tmp_path / "mine.v2.gguf"
    mine.write_bytes(b"GGUF")
    assert model_path("mine.v2", tmp_path) == model_path("mine.v2.gguf", tmp_path) == mine
    assert own_files(tmp_path) == [mine]


def test_a_file_elsewhere_goes_by_its_full_path(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere" / "big.gguf"
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(b"GGUF")
    assert model_path(str(elsewhere), tmp_path / "models") == elsewhere


@pytest.mark.parametrize("name", ["", "gpt-9", "notes.txt", "../secret.gguf", "sub/model", "/nowhere/x.gguf"])
def test_anything_else_is_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "models"
    (folder / "sub").mkdir(parents=True)
    (folder / "notes.txt").write_text("no model")
    (folder / "sub" / "model.gguf").write_bytes(b"GGUF")
    (tmp_path / "secret.gguf").write_bytes(b"GGUF")
    with pytest.raises(ModelMissing):
        model_path(name, folder)


def test_a_refusal_names_what_would_do(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"'gpt-9': known are smollm2-135m, .*\.gguf file in"):
        model_path("gpt-9", tmp_path)


def test_no_folder_means_no_files(tmp_path: Path) -> None:
    assert own_files(tmp_path / "nowhere") == []


async def test_a_host_opened_by_name_knows_what_the_catalogue_knows(tmp_path: Path) -> None:
    host = open_local("auto", tmp_path / "models", tmp_path, clock=SystemClock())
    info = await host.info()
    assert (host.model, info.window, info.tools, info.local) == (DEFAULT_MODEL, 8192, False, True)
    assert host.pid == 0
    await host.close()
