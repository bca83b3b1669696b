"""A memory file's text becomes entries and comes back the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.entries import objection, parse, round_trips, serialise, tidy

# Few letters, many of the signs that matter: separators, line ends, marks, joiners, exotic line breaks.
contents = st.text(st.sampled_from("ab§ \n\r\t\ufeff\u200d\u2028\x0b\x85\U0001f468記é"), max_size=40) | st.text(
    max_size=60
)
accepted = contents.map(tidy).filter(lambda content: objection(content) is None)


@given(st.lists(accepted, max_size=8).map(tuple))
def test_what_is_accepted_comes_back_the_same(entries: tuple[str, ...]) -> None:
    assert parse(serialise(entries)) == entries
    assert round_trips(serialise(entries))


@given(st.lists(accepted, max_size=5).map(tuple))
def test_an_editor_may_leave_its_traces(entries: tuple[str, ...]) -> None:
    edited = "\ufeff" + serialise(entries).replace("\n", "\r\n") + "\r\n"
    assert parse(edited) == entries
    assert round_trips(edited)


@given(contents)
def test_any_text_parses_to_entries_that_stay_what_they_are(text: str) -> None:
    entries = parse(text)
    assert [entry for entry in entries if not entry.strip() or "§" in entry.split("\n")] == []
    assert parse(serialise(entries)) == entries
    assert round_trips(serialise(entries))


@given(contents)
def test_tidying_twice_is_tidying_once(content: str) -> None:
    assert tidy(tidy(content)) == tidy(content)


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("", ()),
        ("\ufeff", ()),
        ("one", ("one",)),
        ("one\n", ("one",)),
        ("one\n§\ntwo\nlines\n\nand a gap", ("one", "two\nlines\n\nand a gap")),
        ("price 5 § 6\n§\n §\nx\n§\n§ two\n  ", ("price 5 § 6", " §\nx", "§ two")),
        ("one\n\ufeff§\n\ufefftwo", ("one", "two")),
        ("  indented\n  more", ("  indented\n  more",)),
        ("§\n§\n\n§\nonly\n§", ("only",)),
        ("a\u2028§\u2028b", ("a\u2028§\u2028b",)),
    ],
)
def test_reading_a_file(text: str, entries: tuple[str, ...]) -> None:
    assert parse(text) == entries


@pytest.mark.parametrize(
    "content", ["first half\n§\nsecond half", "§", "text ending in\n§", "§\nx", "a\r§\rb", "a\n\ufeff§\nb"]
)
def test_a_separator_line_is_refused_with_a_reason(content: str) -> None:
    reason = objection(tidy(content))
    assert reason is not None
    assert "exactly §" in reason


@pytest.mark.parametrize(("content", "word"), [("", "empty"), (" \n\ufeff\t", "empty"), ("lone \ud83d", "surrogate")])
def test_other_refusals_say_why(content: str, word: str) -> None:
    assert word in (objection(tidy(content)) or "")


@pytest.mark.parametrize("content", ["price 5 § 6", " § ", "§§", "👨‍👩‍👧", "می\u200cخواهم"])
def test_what_merely_holds_the_sign_or_a_joiner_is_accepted(content: str) -> None:
    # " § " is tidied to the bare sign, which is a separator.
    assert (objection(tidy(content)) is None) == (content != " § ")


@pytest.mark.parametrize("text", ["a\n§\n§\nb", "§\na", "a\n§\n", "a\n\n§\nb"])
def test_a_file_edited_out_of_shape_is_noticed(text: str) -> None:
    assert not round_trips(text)
