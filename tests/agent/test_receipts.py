"""The gateway's receipt for a wish, and its line about writes that nobody asked for."""

from __future__ import annotations

import pytest

from gateway.agent.receipts import Happened, Receipt, Waiting, notice, receipt
from gateway.agent.requests import Kind, Request
from memory.journal import Record
from memory.model import Action, Author, Change, Origin, Target

KEEP = Request(Kind.KEEP, "I am allergic to nuts")
CHANGE = Request(Kind.CHANGE, "I live in Ghent now")
FORGET = Request(Kind.FORGET, "my old address")

ADDED = Change(Action.ADD, 0, None, "Allergic to nuts.")
PATCHED = Change(Action.PATCH, 0, "Lives in Bruges.", "Lives in Ghent.")
REMOVED = Change(Action.REMOVE, 0, "Old address: Mill Lane 3.", None)


def record(*changes: Change, name: str = "c0ffee12", file: str = "USER.md") -> Record:
    return Record(name, 1000.0, Target.USER, file, Author(Origin.FOREGROUND), changes)


def waiting(name: str = "deadbeef") -> Waiting:
    return Waiting(name, Target.USER, "add «Allergic to nuts.»")


def labels(made: Receipt) -> list[tuple[str, str]]:
    return [(button.label, button.action) for row in made.buttons for button in row]


def test_what_was_saved_is_quoted_with_its_file_and_can_be_undone() -> None:
    made = receipt(KEEP, Happened([record(ADDED)]), 7)
    assert made.text == "💾 Saved in USER.md: «Allergic to nuts.»"
    assert labels(made) == [("Undo", "/memory undo c0ffee12")]
    assert made.saved


def test_what_was_changed_is_quoted_before_and_after() -> None:
    made = receipt(CHANGE, Happened([record(PATCHED)]), 7)
    assert made.text == "✏️ Changed in USER.md: «Lives in Ghent.» (it was: «Lives in Bruges.»)"
    assert made.saved


def test_what_was_removed_is_quoted() -> None:
    made = receipt(FORGET, Happened([record(REMOVED)]), 7)
    assert made.text == "🗑 Removed from USER.md: «Old address: Mill Lane 3.»"
    assert labels(made) == [("Undo", "/memory undo c0ffee12")]
    assert made.saved


def test_a_store_of_a_person_or_a_room_is_named_as_it_is() -> None:
    made = receipt(KEEP, Happened([record(ADDED, file="people/telegram-7.md")]), 7)
    assert made.text == "💾 Saved in people/telegram-7.md: «Allergic to nuts.»"


def test_what_waits_is_said_to_wait_and_is_not_saved() -> None:
    made = receipt(KEEP, Happened(waiting=[waiting()]), 7)
    assert made.text == "🕓 Waits for approval: add «Allergic to nuts.» (`deadbeef`)"
    assert made.buttons == ()
    assert not made.saved


def test_a_refusal_gives_the_reason_and_a_way_to_save_it_all_the_same() -> None:
    made = receipt(KEEP, Happened(refused=["USER.md is full.", "USER.md is full."]), 7)
    assert made.text == "⚠️ Not saved: USER.md is full.\n«I am allergic to nuts»"
    assert labels(made) == [("Save it", "/keep 7")]
    assert not made.saved


def test_when_nothing_happened_the_receipt_says_so_and_offers_to_save_the_persons_words() -> None:
    for request in (KEEP, CHANGE):
        made = receipt(request, Happened(), 42)
        assert made.text == f"⚠️ Nothing was saved.\n«{request.about}»"
        assert labels(made) == [("Save it", "/keep 42")]
        assert not made.saved


def test_when_nothing_was_forgotten_the_receipt_names_the_order_that_forgets() -> None:
    made = receipt(FORGET, Happened(), 42)
    assert made == Receipt("⚠️ Nothing was forgotten. /forget TEXT removes an entry.", (), False)


def test_a_refused_removal_was_not_forgotten() -> None:
    assert receipt(FORGET, Happened(refused=["Nothing matches."]), 1).text == "⚠️ Not forgotten: Nothing matches."


def test_what_was_there_before_needs_no_second_saving() -> None:
    made = receipt(KEEP, Happened(already=["Nothing was added: this entry is there already."]), 7)
    assert made.text == "☑️ Nothing was added: this entry is there already."
    assert made.buttons == ()
    assert made.saved


def test_a_try_that_failed_before_one_that_worked_is_called_a_try() -> None:
    made = receipt(KEEP, Happened([record(ADDED)], refused=["It was too long."]), 7)
    assert made.text == "💾 Saved in USER.md: «Allergic to nuts.»\n⚠️ A try was refused: It was too long."
    assert made.saved


@pytest.mark.parametrize(
    ("request_", "change", "line"),
    [
        (FORGET, ADDED, "⚠️ Nothing was forgotten. /forget TEXT removes an entry."),
        (KEEP, REMOVED, "⚠️ Nothing was saved."),
        (CHANGE, REMOVED, "⚠️ Nothing was saved."),
    ],
)
def test_another_thing_than_the_one_asked_for_is_no_answer(request_: Request, change: Change, line: str) -> None:
    made = receipt(request_, Happened([record(change)]), 7)
    assert line in made.text.splitlines()
    assert ("Undo", "/memory undo c0ffee12") in labels(made)
    assert not made.saved


def test_several_changes_have_an_undo_each_the_last_first() -> None:
    made = receipt(KEEP, Happened([record(ADDED, name="aaaa1111"), record(PATCHED, name="bbbb2222")]), 7)
    assert labels(made) == [("Undo 2", "/memory undo bbbb2222"), ("Undo 1", "/memory undo aaaa1111")]


def test_an_entry_is_quoted_whole_up_to_300_characters_on_one_line() -> None:
    exact, longer = "x" * 300, "x" * 301
    whole = receipt(KEEP, Happened([record(Change(Action.ADD, 0, None, exact))]), 7).text
    cut = receipt(KEEP, Happened([record(Change(Action.ADD, 0, None, longer))]), 7).text
    assert f"«{exact}»" in whole
    assert f"«{'x' * 299}…»" in cut
    lines = receipt(KEEP, Happened([record(Change(Action.ADD, 0, None, "one\ntwo"))]), 7).text
    assert lines == "💾 Saved in USER.md: «one two»"


def test_a_very_long_list_is_cut_and_counted_but_says_what_failed() -> None:
    many = [Change(Action.ADD, at, None, f"fact {at}") for at in range(40)]
    lines = receipt(KEEP, Happened([record(*many)], refused=["full"]), 7).text.splitlines()
    assert len(lines) == 16
    assert lines[-2] == "… and 26 more: /memory history"
    assert lines[-1] == "⚠️ A try was refused: full"


def test_where_others_read_along_no_entry_is_quoted_and_nothing_is_offered() -> None:
    happened = Happened([record(ADDED, PATCHED, REMOVED)], [waiting()])
    made = receipt(KEEP, happened, 7, alone=False)
    assert made.text.splitlines() == [
        "💾 Saved in USER.md.",
        "✏️ Changed in USER.md.",
        "🗑 Removed from USER.md.",
        "🕓 Waits for approval (`deadbeef`)",
    ]
    assert made.buttons == ()
    assert receipt(KEEP, Happened(), 7, alone=False) == Receipt("⚠️ Nothing was saved.", (), False)


def test_buttons_fit_a_messenger_and_hold_no_text() -> None:
    big = 2**63 - 1
    made = [receipt(KEEP, Happened(), big), receipt(KEEP, Happened([record(ADDED)]), big)]
    told = [notice(Happened([record(ADDED)]), "on"), notice(Happened(waiting=[waiting()]), "on")]
    actions = [action for each in [*made, *(one for one in told if one)] for _, action in labels(each)]
    assert len(actions) == 6
    assert all(len(action.encode()) <= 64 for action in actions)
    assert not any("nuts" in action for action in actions)


def test_a_notice_is_one_short_line_with_undo_edit_and_why() -> None:
    made = notice(Happened([record(ADDED), record(PATCHED, name="bbbb2222")]), "on")
    assert made is not None
    assert made.text == "💾 Memory updated"
    assert labels(made) == [
        ("Undo", "/memory undo bbbb2222"),
        ("Edit", "/memory revise bbbb2222"),
        ("Why", "/memory why bbbb2222"),
    ]


def test_a_notice_says_what_waits() -> None:
    both = notice(Happened([record(ADDED)], [waiting()]), "on")
    only = notice(Happened(waiting=[waiting()]), "on")
    assert both is not None
    assert only is not None
    assert both.text == "💾 Memory updated · waits: 1"
    assert only.text == "🕓 Memory is unchanged · waits: 1"
    assert not only.saved
    assert labels(only) == [("Show", "/memory show deadbeef")]


def test_a_verbose_notice_shows_each_change() -> None:
    made = notice(Happened([record(ADDED, PATCHED, REMOVED)], [waiting()], ["too long"]), "verbose")
    assert made is not None
    assert made.text.splitlines() == [
        "💾 Memory updated · waits: 1",
        "➕ «Allergic to nuts.»",
        "✏️ «Lives in Ghent.»",
        "➖ «Old address: Mill Lane 3.»",
        "🕓 add «Allergic to nuts.» (`deadbeef`)",
    ]


def test_no_notice_without_a_change_or_when_they_are_off() -> None:
    assert notice(Happened(refused=["full"]), "verbose") is None
    assert notice(Happened(), "on") is None
    assert notice(Happened([record(ADDED)]), "off") is None
