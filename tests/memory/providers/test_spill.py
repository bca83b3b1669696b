"""Which texts are passed whole, and what is shown of the others."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.providers.spill import Rules, ends, kept, preview, spill_output, spilled, write


@pytest.mark.parametrize(
    ("rules", "whole", "spills"),
    [
        (Rules(), 100_000, 100_001),
        (Rules(recall=True), 10_000, 10_001),
        (Rules(enabled=False), 100_000, 100_001),
        (Rules(enabled=False, recall=True), 100_000, 100_001),
        (Rules(max_chars=500), 100_000, 100_001),
        (Rules(max_chars=20_000), 200_000, 200_001),
        (Rules(max_chars=200_000, recall=True), 200_000, 200_001),
        (Rules(room=6_000), 6_000, 6_001),
    ],
)
def test_where_a_recall_becomes_a_file(rules: Rules, whole: int, spills: int) -> None:
    assert not rules.recall_spills("x" * whole)
    assert rules.recall_spills("x" * spills)


@pytest.mark.parametrize("recall", [True, False])
def test_outputs_go_by_their_own_rule_whatever_recalls_do(tmp_path: Path, recall: bool) -> None:
    text = "x" * 10_001
    assert spill_output(text[1:], Rules(recall=recall), tmp_path) == text[1:]
    assert spill_output(text, Rules(enabled=False, recall=recall), tmp_path) == text
    assert spilled(tmp_path) == []
    shown = spill_output(text, Rules(recall=recall), tmp_path)
    (path,) = spilled(tmp_path)
    assert len(shown) < 2_300
    assert str(path) in shown
    assert path.read_text() == text


@given(st.text(max_size=300), st.integers(0, 120))
def test_head_and_tail_are_the_ends_of_the_text(text: str, characters: int) -> None:
    shown = ends(text, characters)
    assert text.startswith(shown.head)
    assert text.endswith(shown.tail)
    assert len(shown.head) + shown.left_out + len(shown.tail) == len(text)
    assert shown.left_out == 0 or len(shown.head) + len(shown.tail) == characters


def test_the_same_text_is_one_file_for_its_owner_alone(tmp_path: Path) -> None:
    first, again = write(tmp_path / "spill", "今日は"), write(tmp_path / "spill", "今日は")
    assert first == again
    assert first.read_text("utf-8") == "今日は"
    assert first.stat().st_mode & 0o777 == 0o600
    assert first.parent.stat().st_mode & 0o777 == 0o700


def test_a_disk_that_takes_nothing_costs_the_file_and_not_the_preview(tmp_path: Path) -> None:
    (tmp_path / "spill").write_text("in the way")
    assert kept(tmp_path / "spill", "text") is None
    assert "could not be kept" in preview(ends("a" * 100, 10), None, 100)
    assert kept(tmp_path / "no\0name", "text") is None


def test_a_preview_with_room_for_everything_is_everything(tmp_path: Path) -> None:
    assert spill_output("x" * 1_500, Rules(max_chars=1_000, preview_chars=2_000), tmp_path) == "x" * 1_500


def test_several_may_keep_one_text_at_once(tmp_path: Path) -> None:
    text = "All work and no play. " * 100_000
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda _: kept(tmp_path, text), range(32)))
    assert {path.read_text() for path in paths if path is not None} == {text}
    assert None not in paths
    assert spilled(tmp_path) == [paths[0]]


def test_only_what_was_spilled_is_swept(tmp_path: Path) -> None:
    mine = write(tmp_path, "text")
    (tmp_path / "letter.txt").write_text("a person's own")
    (tmp_path / f"{'a' * 24}.txt").symlink_to(tmp_path / "letter.txt")
    (half := tmp_path / f"{'b' * 24}.12.part").write_text("half")
    assert spilled(tmp_path) == sorted([mine, half])
