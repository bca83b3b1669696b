"""Approving, rejecting and editing what waits: exactly what was shown, or nothing, and once."""

from __future__ import annotations

import pytest

from memory.model import Action, Applied, Author, Limits, Origin, Unchanged
from memory.pending.model import PendingWrite
from memory.pending.resolve import Approved, Decided, Edited, Kept, Rejected, Resolution, Unknown
from tests.memory.pending.desk import ADA, BOB, MEMORY, USER, Desk
from tests.memory.shelf import add, patch, remove


def kept(desk: Desk, name: str, resolution: Resolution) -> str:
    """It waits on, and nothing of it is anywhere; why."""
    assert isinstance(resolution, Kept), resolution
    assert resolution.id == name
    assert desk.names() == [f"{each}.json" for each in desk.pendings.ids()]
    assert name in desk.waiting()
    assert desk.applied(name) == 0
    return resolution.why


def decided(resolution: Resolution) -> tuple[str, str, str]:
    assert isinstance(resolution, Decided), resolution
    return resolution.receipt.result, resolution.receipt.who, resolution.receipt.detail


# Approving


def test_an_approval_carries_it_out_and_lets_the_file_go(desk: Desk) -> None:
    name = desk.stage(add("tea"), by=Author(Origin.REVIEW, "session", "turn:3", BOB, chat="telegram:2"))
    approved = desk.approved(name)
    assert isinstance(approved.outcome, Applied)
    assert approved.outcome.usage.chars == 3
    assert (desk.entries(), desk.names()) == (["tea"], [])
    [record] = desk.stores.history()
    assert record.id == approved.outcome.id
    assert record.author == Author(Origin.REVIEW, "session", "turn:3", ADA, chat="telegram:2", pending=name)


def test_it_can_be_undone_afterwards(desk: Desk) -> None:
    approved = desk.approved(desk.stage(add("tea")))
    assert isinstance(approved.outcome, Applied)
    undone = desk.stores.undo(Author(Origin.COMMAND, who=ADA), approved.outcome.id)
    assert isinstance(undone, Applied)
    assert desk.entries() == []


def test_exactly_the_entry_that_was_shown_is_changed_wherever_it_stands(desk: Desk) -> None:
    desk.save(add("port 22"), add("tea"))
    patched, removed = desk.stage(patch("22", "2222")), desk.stage(remove("tea"))
    desk.write("before\n§\ntea\n§\nport 22 and more\n§\nport 22\n")
    desk.approved(patched)
    desk.approved(removed)
    assert desk.entries() == ["before", "port 22 and more", "port 2222"]


def test_an_entry_that_changed_since_is_left_alone(desk: Desk) -> None:
    desk.save(add("port 22"))
    patched, removed = desk.stage(patch("22", "2222")), desk.stage(remove("port"))
    desk.write("port 22022")
    for name in (patched, removed):
        assert "port 22" in kept(desk, name, desk.approve(name))
        assert desk.path().read_bytes() == b"port 22022"
    desk.write("port 22")
    desk.approved(patched)
    assert desk.entries() == ["port 2222"]


@pytest.mark.parametrize("now", ["Port 22", "port 22.", "port  22", "port\n22", ""])
def test_only_the_very_same_text_is_the_pinned_entry(desk: Desk, now: str) -> None:
    desk.save(add("port 22"))
    name = desk.stage(patch("22", "2222"))
    desk.write(now)
    kept(desk, name, desk.approve(name))
    assert desk.path().read_text(encoding="utf-8") == now


def test_a_batch_is_carried_out_whole_or_not_at_all(desk: Desk) -> None:
    desk.save(add("a"), add("b"))
    batch = (patch("a", "aa"), add("c"), remove("b"), patch("c", "cc"))
    name = desk.stage(*batch)
    desk.write("b2\n§\na")
    kept(desk, name, desk.approve(name))
    assert desk.entries() == ["b2", "a"]
    desk.write("b\n§\nx\n§\na")
    desk.approved(name)
    assert desk.entries() == ["x", "aa", "cc"]


def test_what_is_there_already_is_approved_without_a_change(desk: Desk) -> None:
    name = desk.stage(add("tea"))
    desk.write("tea")
    approved = desk.approved(name)
    assert isinstance(approved.outcome, Unchanged)
    assert (desk.entries(), desk.names()) == (["tea"], [])
    assert decided(desk.approve(name, BOB)) == ("approved", ADA, "")


@pytest.mark.parametrize(("over", "words"), [(1, "1 character "), (7, "7 characters")])
def test_a_store_that_is_full_by_then_says_how_much_to_free(desk: Desk, over: int, words: str) -> None:
    desk.limits = Limits(memory=50)
    name = desk.stage(add("x" * 20))
    desk.save(add("y" * (27 + over)))
    assert f"Free at least {words.strip()}" in kept(desk, name, desk.approve(name))
    assert desk.entries() == ["y" * (27 + over)]
    desk.write("y" * 27)
    desk.approved(name)
    assert desk.stores.usage(MEMORY).chars == 50


def test_a_text_longer_than_a_limit_that_was_lowered_since_is_told_apart(desk: Desk) -> None:
    name = desk.stage(add("x" * 20))
    desk.limits = Limits(memory=10)
    why = kept(desk, name, desk.approve(name))
    assert "whole limit" in why
    assert "Free at least" not in why


def test_a_store_that_is_off_by_then_takes_nothing(desk: Desk) -> None:
    name = desk.stage(add("tea"))
    desk.limits = Limits(enabled=frozenset({USER}))
    assert "off" in kept(desk, name, desk.approve(name))
    assert "off" in kept(desk, name, desk.resolver.edit(name, "milk", ADA))
    assert not desk.path().exists()
    desk.limits = Limits()
    desk.approved(name)


def test_what_the_scan_has_learned_since_counts(desk: Desk) -> None:
    name = desk.stage(add("tea"))
    desk.evil = "tea"
    assert "threat scan" in kept(desk, name, desk.approve(name))
    assert desk.entries() == []
    assert isinstance(desk.resolver.reject(name, ADA), Rejected)


def test_a_file_that_drifted_takes_adds_alone(desk: Desk) -> None:
    desk.save(add("tea"))
    added, patched = desk.stage(add("milk")), desk.stage(patch("tea", "green tea"))
    desk.write("tea\n\n§\n\ncoffee")
    assert "edited by hand" in kept(desk, patched, desk.approve(patched))
    desk.approved(added)
    assert "milk" in desk.entries()


def test_the_rule_of_the_gate_does_not_stop_what_was_approved(desk: Desk) -> None:
    name = desk.stage(add("tea"), by=Author(Origin.FOREGROUND, flags=("untrusted:web",)))
    desk.approved(name)
    [record] = desk.stores.history()
    assert record.author.flags == ("untrusted:web",)


# Rejecting


def test_a_rejection_changes_nothing_and_is_remembered(desk: Desk) -> None:
    name = desk.stage(add("tea"))
    write = desk.get(name)
    assert desk.resolver.reject(name, BOB) == Rejected(name, write)
    assert (desk.entries(), desk.names(), desk.stores.history()) == ([], [], [])
    assert decided(desk.approve(name)) == ("rejected", BOB, "")


# Editing


def edit(desk: Desk, name: str, text: str) -> PendingWrite:
    resolution = desk.resolver.edit(name, text, ADA)
    assert isinstance(resolution, Edited), resolution
    assert resolution.former.id == name
    return resolution.write


def test_an_edited_write_waits_under_a_new_id(desk: Desk) -> None:
    desk.save(add("likes tea"))
    author = Author(Origin.REVIEW, chat="telegram:2", flags=("untrusted:web",))
    old = desk.stage(patch("tea", "milk"), by=author)
    age = desk.get(old).created_at
    desk.time += 100
    write = edit(desk, old, "  likes green tea\r\n ")
    assert write.id != old
    assert desk.waiting() == [write.id]
    assert desk.get(write.id) == write
    assert (write.changes[0].before, write.changes[0].after) == ("likes tea", "likes green tea")
    assert write.created_at == age  # it has waited since the first
    assert set(write.author.flags) == {"untrusted:web", f"replaces:{old}"}
    assert desk.entries() == ["likes tea"]


def test_the_old_button_never_stands_for_the_new_text(desk: Desk) -> None:
    old = desk.stage(add("tea"))
    new = edit(desk, old, "coffee").id
    for resolution in (desk.approve(old), desk.resolver.reject(old, BOB), desk.resolver.edit(old, "x", BOB)):
        assert decided(resolution) == ("edited", ADA, new)
    assert desk.entries() == []
    desk.approved(new)
    assert desk.entries() == ["coffee"]
    assert decided(desk.approve(old)) == ("edited", ADA, new)


def test_an_edit_may_be_edited(desk: Desk) -> None:
    first = desk.stage(add("a"))
    second = edit(desk, first, "b").id
    third = edit(desk, second, "c").id
    assert len({first, second, third}) == 3
    desk.approved(third)
    assert desk.entries() == ["c"]
    assert decided(desk.approve(second)) == ("edited", ADA, third)


def test_an_edit_passes_the_same_checks(desk: Desk) -> None:
    desk.save(add("tea"))
    desk.limits = Limits(memory=20)
    name = desk.stage(patch("tea", "milk"))
    for text, why in (
        ("evil", "threat scan"),
        ("x" * 30, "limit"),
        ("", "empty"),
        (" \r\n", "empty"),
        ("a\n§\nb", "§"),
        ("tea", "change nothing"),
    ):
        assert why in kept(desk, name, desk.resolver.edit(name, text, ADA))
    assert desk.get(name).changes[0].after == "milk"


def test_an_edit_into_what_is_there_already_is_no_write(desk: Desk) -> None:
    desk.save(add("tea"))
    name = desk.stage(add("milk"))
    assert "change nothing" in kept(desk, name, desk.resolver.edit(name, "tea", ADA))


def test_an_edit_of_an_entry_that_changed_is_refused(desk: Desk) -> None:
    desk.save(add("tea"))
    name = desk.stage(patch("tea", "milk"))
    desk.write("coffee")
    assert "changed" in kept(desk, name, desk.resolver.edit(name, "green tea", ADA))


def test_removals_and_batches_have_no_one_text(desk: Desk) -> None:
    desk.save(add("tea"))
    for name in (desk.stage(remove("tea")), desk.stage(add("a"), add("b"))):
        assert "reject it" in kept(desk, name, desk.resolver.edit(name, "x", ADA))


# Once


def test_who_comes_late_learns_who_decided_and_when_also_after_a_restart(desk: Desk) -> None:
    name = desk.stage(add("tea"))
    desk.time += 3600
    approved = desk.approved(name)
    for later in (desk, Desk(desk.folder)):
        for resolution in (later.approve(name, BOB), later.resolver.reject(name, BOB), later.resolver.became(name)):
            assert isinstance(resolution, Decided)
            assert resolution.receipt.time == desk.time
            assert isinstance(approved.outcome, Applied)
            assert decided(resolution) == ("approved", ADA, approved.outcome.id)
    assert desk.entries() == ["tea"]


def test_the_outcome_of_a_decision_made_elsewhere_is_told(desk: Desk) -> None:
    write = desk.get(desk.stage(add("tea")))
    approved = Desk(desk.folder).approved(write.id)
    outcome = desk.resolver.stands(write)
    assert isinstance(outcome, Applied)
    assert isinstance(approved.outcome, Applied)
    assert (outcome.id, outcome.changes[0].after) == (approved.outcome.id, "tea")


def test_nothing_and_nobody_is_unknown(desk: Desk) -> None:
    assert desk.approve("00000000") == desk.resolver.became("00000000") == Unknown("00000000")
    assert desk.resolver.edit("00000000", "x", ADA) == Unknown("00000000")
    assert desk.entries() == []


def test_a_file_that_is_put_back_after_the_decision_is_not_carried_out_again(desk: Desk) -> None:
    for number, decide in enumerate((desk.resolver.approve, desk.resolver.reject)):
        name = desk.stage(add(f"tea {number}"))
        data = desk.file(name).read_bytes()
        desk.time += 1
        decide(name, ADA)
        desk.write("")
        desk.file(name).write_bytes(data)  # from a backup, say
        assert isinstance(desk.approve(name, BOB), Decided)
        assert (desk.entries(), desk.names()) == ([], [])


@pytest.mark.parametrize(
    "who", ["", "shell", "a/b:c.d", "telegram:" + "9" * 300, "ü" * 200, "x\ud800", "../..", "\n"]
)
def test_any_decider_fits(desk: Desk, who: str) -> None:
    name = desk.stage(add("tea"))
    assert isinstance(desk.approve(name, who), Approved)
    assert desk.entries() == ["tea"]
    assert isinstance(desk.approve(name), Decided)


def test_lines_that_people_spoilt_in_the_journal_are_passed_over(desk: Desk) -> None:
    name = desk.stage(add("tea"))
    desk.approved(name)
    journal = desk.folder / "memories" / "journal.jsonl"
    spoilt = (f'{{"state": "decided", "pending": "{name}"}}', '{"state": "decided", "time": 7}', "decided", "[]")
    journal.write_text("\n".join([*spoilt, journal.read_text(encoding="utf-8"), *spoilt, ""]), encoding="utf-8")
    assert decided(desk.approve(name, BOB))[:2] == ("approved", ADA)
    assert len(desk.stores.history()) == 1


def test_receipts_stand_between_changes_and_disturb_neither_history_nor_undo(desk: Desk) -> None:
    for number in range(3):
        desk.approved(desk.stage(add(f"tea {number}")))
        desk.resolver.reject(desk.stage(add(f"milk {number}")), ADA)
    assert len(desk.stores.history()) == 3
    assert desk.stores.repair() == []
    undone = desk.stores.undo(Author(Origin.COMMAND, who=ADA))
    assert isinstance(undone, Applied)
    assert undone.changes[0].action is Action.REMOVE
    assert desk.entries() == ["tea 0", "tea 1"]


# What cannot be written


def test_a_receipt_that_cannot_be_written_leaves_no_doubt(desk: Desk) -> None:
    """The journal is lost between the change and its receipt: what was carried out does not wait again."""
    journal, aside = desk.folder / "memories" / "journal.jsonl", desk.folder / "aside"

    def lose() -> None:
        journal.rename(aside)
        journal.mkdir()

    name = desk.stage(add("tea"))
    assert isinstance(Desk(desk.folder, receipt=lose).approve(name), Approved)
    assert desk.waiting() == []
    journal.rmdir()
    aside.rename(journal)
    assert desk.entries() == ["tea"]
    assert decided(desk.resolver.reject(name, BOB))[:2] == ("approved", ADA)
    assert (desk.applied(name), desk.names()) == (1, [])


def test_an_edit_whose_receipt_cannot_be_written_leaves_one_write(desk: Desk) -> None:
    name = desk.stage(add("tea"))
    journal = desk.folder / "memories" / "journal.jsonl"
    resolution = Desk(desk.folder, receipt=lambda: journal.mkdir(parents=True)).resolver.edit(name, "milk", ADA)
    assert isinstance(resolution, Edited)
    journal.rmdir()
    assert decided(desk.approve(name)) == ("edited", ADA, resolution.write.id)
    assert desk.waiting() == [resolution.write.id]


def test_a_rejection_that_cannot_be_recorded_waits_on(desk: Desk) -> None:
    name = desk.stage(add("tea"))
    journal = desk.folder / "memories" / "journal.jsonl"
    journal.unlink(missing_ok=True)
    journal.mkdir(parents=True)
    assert isinstance(desk.resolver.reject(name, ADA), Kept)
    journal.rmdir()
    assert desk.resolver.mend() == [f"{name} was claimed by {ADA} and not decided; it waits again"]
    assert desk.waiting() == [name]


def test_all_that_waits_is_approved_one_by_one_the_oldest_first(desk: Desk) -> None:
    """Ten wait and three no longer fit: seven are applied and three are told, in their order."""
    desk.save(add("port 22"), add("tea"), add("milk"))
    names = [desk.stage(add(f"fact {number}")) for number in range(4)]
    stale = [desk.stage(patch("port 22", "port 2222"))]
    names += [*stale, *(desk.stage(add(f"fact {number}")) for number in range(4, 7))]
    stale.append(desk.stage(remove("tea")))
    forbidden = desk.stage(add("cursed"))
    desk.write("port 22022\n§\ngreen tea\n§\nmilk")
    desk.evil = "cursed"
    names += [stale[1], forbidden]
    assert [write.id for write in desk.pendings.waiting()] == names
    told = [desk.approve(write.id) for write in desk.pendings.waiting()]
    assert [type(each).__name__ for each in told] == [
        *["Approved"] * 4,
        "Kept",
        *["Approved"] * 3,
        "Kept",
        "Kept",
    ]
    assert desk.waiting() == [*stale, forbidden]
    assert desk.entries() == ["port 22022", "green tea", "milk", *(f"fact {number}" for number in range(7))]
    assert [record.changes[0].after for record in desk.stores.history()[6::-1]] == [f"fact {n}" for n in range(7)]
