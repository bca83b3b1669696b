"""Looking for a text that is to be gone, in values and in files of any size."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memory.spellings import BLOCK, Sought

TEXT = 'Grüße,\n"Ada"'


@pytest.mark.parametrize(
    "kept",
    [
        TEXT,
        TEXT.replace("\n", "\r\n"),
        json.dumps({"content": TEXT}),
        json.dumps({"content": TEXT}, ensure_ascii=False),
        json.dumps({"raw": json.dumps({"content": TEXT})}),
    ],
)
def test_a_text_is_found_as_it_stands_and_within_json(tmp_path: Path, kept: str) -> None:
    path = tmp_path / "kept.txt"
    path.write_bytes(f"before {kept} after".encode())
    assert Sought([TEXT]).in_file(path)
    assert not Sought(["Grüße, Bob"]).in_file(path)


@pytest.mark.parametrize("before", [0, 1, BLOCK - 3, BLOCK - 1, BLOCK, 2 * BLOCK - 2])
def test_it_is_found_over_the_border_of_two_pieces(tmp_path: Path, before: int) -> None:
    path = tmp_path / "kept.bin"
    path.write_bytes(b"\0" * before + b"7391")
    assert Sought(["7391"]).in_file(path)
    assert not Sought(["7392"]).in_file(path)


def test_the_names_of_fields_are_nobodys_words() -> None:
    assert Sought(["inn"]).among({"place": ["the", ("inn",)]})
    assert not Sought(["place", "true"]).among({"place": True, "n": 1, "none": None})


def test_without_a_text_nothing_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "kept.txt"
    path.write_text("anything  \n")
    nothing = Sought(["", "  \n"])
    assert not nothing.in_file(path)
    assert not nothing.said("anything")


def test_what_is_gone_holds_nothing_and_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    assert not Sought(["7391"]).in_file(tmp_path / "gone.txt")
    (tmp_path / "real.txt").write_text("7391")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    os.mkfifo(tmp_path / "pipe.txt")
    for name in ("link.txt", "pipe.txt"):
        with pytest.raises(OSError, match=name):
            Sought(["7391"]).in_file(tmp_path / name)
