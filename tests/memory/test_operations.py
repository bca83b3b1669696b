"""What operations do to entries, the limit, and the words of a refusal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.entries import parse, serialise
from memory.model import Draft, Operation, Reason, Refused
from memory.operations import perform
from tests.memory.shelf import MEMORY, add, patch, remove

NOTES = "Net: router at .1\n\nDisk: nightly backup to the NAS\n\nMail: digest at 07:30"


def after(entries: list[str], *operations: Operation, limit: int = 2_200) -> list[str]:
    draft = perform(MEMORY, entries, operations, limit)
    assert isinstance(draft, Draft), draft
    return list(draft.after)


def refused(entries: list[str], *operations: Operation, limit: int = 2_200) -> Refused:
    refusal = perform(MEMORY, entries, operations, limit)
    assert isinstance(refusal, Refused), refusal
    return refusal


def test_a_patch_swaps_the_span_and_nothing_else() -> None:
    assert after([NOTES], patch("nightly backup", "hourly backup")) == [
        "Net: router at .1\n\nDisk: hourly backup to the NAS\n\nMail: digest at 07:30"
    ]


def test_the_whole_entry_as_old_text_rewrites_it() -> None:
    assert after(["first", NOTES], patch(NOTES, "  All is new.\r\n")) == ["first", "All is new."]


def test_an_indented_entry_keeps_its_indentation() -> None:
    entries = list(parse("  indented\n  more\n§\nx"))
    assert after(entries, patch("more", "less")) == ["  indented\n  less", "x"]


def test_a_span_may_end_in_spaces() -> None:
    assert after(["likes green tea"], patch("green ", "black ")) == ["likes black tea"]
    # Found by folding, the spaces around the quote belong to neither side.
    assert after(["likes green tea"], patch("likes  green ", "hates black ")) == ["hates black tea"]


def test_a_patch_at_an_edge_leaves_nothing_blank_there() -> None:
    assert after(["tea and milk"], patch("tea", "  \ncoffee")) == ["coffee and milk"]
    assert after(["tea and milk"], patch("milk", "sugar  \n")) == ["tea and sugar"]
    assert after(list(parse("  tea time\n§\nx")), patch("  tea", "  milk")) == ["  milk time", "x"]


def test_words_are_not_cut_out_by_an_empty_content() -> None:
    for content in ("", " \n"):
        refusal = refused(["likes green tea"], patch("green ", content))
        assert refusal.reason is Reason.INVALID
        assert "longer span" in refusal.message
        assert "remove" in refusal.message


def test_an_exact_duplicate_is_noted_and_not_added() -> None:
    draft = perform(MEMORY, ["tea"], [add(" tea\n")], 100)
    assert isinstance(draft, Draft)
    assert draft.after == ("tea",)
    assert draft.notes == ("Nothing was added: this entry is there already.",)


def test_a_patch_that_changes_nothing_is_noted() -> None:
    draft = perform(MEMORY, ["tea"], [patch("tea", "tea")], 100)
    assert isinstance(draft, Draft)
    assert not draft.changes
    assert "already" in draft.notes[0]


@pytest.mark.parametrize("content", ["first half\n§\nsecond half", "§", "text ending in\n§"])
def test_a_line_that_is_the_separator_is_refused(content: str) -> None:
    assert "exactly §" in refused([], add(content)).message
    assert "exactly §" in refused(["keep a line"], patch("keep a line", content)).message


def test_a_patch_cannot_make_a_separator_of_a_line() -> None:
    assert "exactly §" in refused(["above\nX\nbelow"], patch("X", "§")).message
    assert after(["above\nX\nbelow"], patch("X", "§ 5")) == ["above\n§ 5\nbelow"]


def test_the_exact_number_to_free_counts_the_separator() -> None:
    refusal = refused(["x" * 2_100], add("y" * 250))
    assert refusal.reason is Reason.OVER_LIMIT
    assert "153 characters" in refusal.message
    assert "ONE batch" in refusal.message
    assert refusal.entries == ("x" * 2_100,)
    assert refusal.usage is not None
    assert refusal.usage.fraction == "2,100/2,200"


def test_what_the_refusal_asks_for_is_enough() -> None:
    entries = ["x" * 1_900, "z" * 197]
    assert "153 characters" in refused(entries, add("y" * 250)).message
    assert after(entries, patch("x" * 1_900, "x" * 1_747), add("y" * 250)) == ["x" * 1_747, "z" * 197, "y" * 250]
    assert "1 character:" in refused(entries, patch("x" * 1_900, "x" * 1_748), add("y" * 250)).message


def test_an_entry_longer_than_the_whole_limit_is_told_so() -> None:
    assert "more than the whole limit of 100" in refused([], add("x" * 101), limit=100).message


def test_only_the_final_state_of_a_batch_is_measured() -> None:
    assert after(["x" * 90], add("y" * 80), remove("x" * 90), limit=100) == ["y" * 80]


def test_a_batch_is_all_or_nothing_and_numbers_what_failed() -> None:
    refusal = refused(["a", "b"], add("c"), patch("nowhere", "d"), remove("a"))
    assert refusal.operation == 2
    assert refusal.message.startswith("Operation 2 of 3 (patch): ")
    assert refusal.reason is Reason.NO_MATCH


def test_operations_of_a_batch_see_what_those_before_them_did() -> None:
    assert after(["a1", "b1"], patch("a1", "a2"), patch("a2", "a3"), remove("b1"), add("b1")) == ["a3", "b1"]


def test_a_batch_may_not_empty_a_store_and_one_removal_may() -> None:
    assert refused(["a", "b"], remove("a"), remove("b")).reason is Reason.EMPTIES
    assert after(["a", "b"], remove("a"), remove("b"), add("c")) == ["c"]
    assert after(["a"], remove("a")) == []
    # There is nothing to lose here.
    assert after([], add("a"), remove("a")) == []


def test_a_store_over_its_limit_accepts_only_what_shrinks_it() -> None:
    entries = ["x" * 60, "y" * 60, "z" * 60]
    assert refused(entries, add("n"), limit=100).reason is Reason.OVER_LIMIT
    assert refused(entries, patch("x" * 60, "n" * 60), limit=100).reason is Reason.OVER_LIMIT
    assert after(entries, remove("x" * 60), limit=100) == ["y" * 60, "z" * 60]
    assert after(entries, patch("x" * 60, "n" * 59), limit=100) == ["n" * 59, "y" * 60, "z" * 60]
    assert after(entries, remove("x" * 60), add("n"), limit=100) == ["y" * 60, "z" * 60, "n"]
    assert after(entries, add("x" * 60), limit=100) == entries


def test_what_cannot_be_found_is_answered_with_what_is_near() -> None:
    refusal = refused(["Likes green tea.", "Has a cat."], remove("likes green tea"))
    assert refusal.reason is Reason.NO_MATCH
    assert refusal.entries[0] == "Likes green tea."
    assert "is empty" in refused([], remove("tea")).message


def test_several_and_repeated_places_ask_for_more() -> None:
    refusal = refused(["red tea", "green tea"], patch("tea", "milk"))
    assert (refusal.reason, refusal.entries) == (Reason.AMBIGUOUS, ("red tea", "green tea"))
    assert refused(["tea and tea"], patch("tea", "milk")).reason is Reason.REPEATED
    assert after(["tea and tea", "milk"], remove("tea")) == ["milk"]


def test_a_folded_patch_reports_what_it_replaced() -> None:
    draft = perform(MEMORY, ["open 9–17"], [patch("9-17", "8-16")], 100)
    assert isinstance(draft, Draft)
    assert draft.after == ("open 8-16",)
    assert draft.changes[0].folded == "9–17"


texts = st.text(st.sampled_from("ab§ \n\r\t\ufeff\u2028記"), max_size=12)
operations = st.one_of(texts.map(add), st.tuples(texts, texts).map(lambda pair: patch(*pair)), texts.map(remove))


@given(st.lists(texts, max_size=4), st.lists(operations, max_size=5), st.integers(1, 60))
def test_whatever_is_accepted_comes_back_from_a_file(raw: list[str], wishes: list[Operation], limit: int) -> None:
    entries = parse(serialise(raw))
    result = perform(MEMORY, entries, wishes, limit)
    if isinstance(result, Draft):
        assert parse(serialise(result.after)) == result.after
        fits = len(serialise(result.after)) <= limit
        assert fits or len(serialise(result.after)) < len(serialise(entries)) or result.after == entries
