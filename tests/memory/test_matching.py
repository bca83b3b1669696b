"""Which entry a quoted text means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.matching import Match, Missing, Repeated, Several, find, preview


def span(entries: list[str], quoted: str) -> str:
    """What a patch would replace."""
    found = find(entries, quoted, span=True)
    assert isinstance(found, Match), found
    return entries[found.index][found.start : found.end]


def test_a_unique_part_is_enough() -> None:
    assert find(["likes tea", "has a cat"], "cat", span=True) == Match(1, 6, 9)


def test_equality_with_a_whole_entry_beats_containment() -> None:
    assert find(["port 22 is closed", "port 22"], "port 22", span=True) == Match(1, 0, 7)
    assert find(["port 22 is closed", "port 22"], " port 22\n", span=True) == Match(1, 0, 7)


def test_different_entries_are_shown_around_the_place() -> None:
    long = "x " * 60 + "the build box" + " y" * 60
    found = find([long, "the build box has two cores", "other"], "build box", span=False)
    assert isinstance(found, Several)
    assert found.previews[1] == "the build box has two cores"
    assert "the build box" in found.previews[0]
    assert len(found.previews[0]) <= 82


def test_entries_that_are_the_same_to_the_letter_count_as_one() -> None:
    assert find(["twice", "once", "twice"], "twi", span=True) == Match(0, 0, 3)


def test_a_patch_needs_the_one_place_and_a_removal_only_the_entry() -> None:
    assert find(["a cat and a cat"], "cat", span=True) == Repeated(2)
    assert find(["aaa"], "aa", span=True) == Repeated(2)
    assert find(["a cat and a cat"], "cat", span=False) == Match(0, 2, 5)


@pytest.mark.parametrize(
    ("entry", "quoted", "meant"),
    [
        ("a nightly backup runs", "nightly  backup", "nightly backup"),
        ("a nightly\n  backup runs", "nightly backup", "nightly\n  backup"),
        ("a nightly backup runs", " nightly backup\n", "nightly backup"),
        ("open 9–17", "9-17", "9–17"),
        ("it’s “fine”", 'it\'s "fine"', "it’s “fine”"),
        ("Café Noir", "Cafe\u0301 Noir", "Café Noir"),
        ("Cafe\u0301 Noir is nice", "Café", "Cafe\u0301"),
        ("ＡＢＣ 記憶", "ABC 記憶", "ＡＢＣ 記憶"),
        ("wait… then go", "wait...", "wait…"),
        ("a\u00a0b", "a b", "a\u00a0b"),
        ("각 방", "\u1100\u1161\u11a8", "각"),
    ],
)
def test_a_patch_finds_what_is_only_written_differently(entry: str, quoted: str, meant: str) -> None:
    found = find([entry], quoted, span=True)
    assert isinstance(found, Match)
    assert found.folded
    assert span([entry], quoted) == meant


def test_a_removal_is_to_the_letter() -> None:
    assert isinstance(find(["a nightly backup runs"], "nightly  backup", span=False), Missing)


def test_half_a_sign_is_no_match() -> None:
    # Folded, "ﬁ" is "fi" and "½" is "1⁄2": a part of such a sign cannot be replaced.
    assert isinstance(find(["the ﬁle"], "ile", span=True), Missing)
    assert isinstance(find(["½ cup"], "2 cup", span=True), Missing)


def test_folding_must_be_unique_as_well() -> None:
    assert isinstance(find(["9–17", "from 9—17 on"], "9‑17 ", span=True), Match)
    assert isinstance(find(["open 9–17", "from 9—17 on"], "9‑17", span=True), Several)
    assert find(["9–17 and 9—17"], "9-17", span=True) == Repeated(2)


def test_nothing_found_names_the_nearest() -> None:
    found = find(
        ["Likes green tea.", "Lives in Kyoto.", "Has a cat called Miso.", "Works at night."], "green teas", span=True
    )
    assert isinstance(found, Missing)
    assert found.closest[0] == "Likes green tea."
    assert len(found.closest) == 3


def test_long_neighbours_are_cut() -> None:
    found = find(["x" * 900], "yyyy", span=True)
    assert isinstance(found, Missing)
    assert [len(entry) for entry in found.closest] == [300]


def test_a_preview_is_one_line() -> None:
    assert preview("a\n\nb", 0, 1) == "a b"


signs = st.text(st.sampled_from("ab \n-–’'ﬁ½e\u0301é각\u1100\u1161\u3000ﾊﾞ\u200d\u0903\u09c7\u09be"), max_size=25)


@given(st.lists(signs.filter(str.strip), max_size=4), signs.filter(str.strip))
def test_a_match_is_a_span_of_an_entry(entries: list[str], quoted: str) -> None:
    found = find(entries, quoted, span=True)
    if isinstance(found, Match):
        assert 0 <= found.start < found.end <= len(entries[found.index])
        assert entries[found.index][found.start : found.end].strip()


@given(signs, signs.filter(str.strip), signs)
def test_a_part_to_the_letter_is_never_missing(before: str, part: str, behind: str) -> None:
    assert not isinstance(find([before + part + behind], part, span=True), Missing)
