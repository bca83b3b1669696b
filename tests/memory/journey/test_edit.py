"""Changing what was learnt by the ids of the timeline: by the stores' own checks, and so that it can be undone."""

from __future__ import annotations

from pathlib import Path

from memory.gate import Gate
from memory.journey import edit as editing
from memory.journey.edit import done_already
from memory.journey.meant import Changed, Done, Unknown, node_of
from memory.journey.model import Node
from memory.model import Author, Draft, Origin, Reason, Refused, Staged, Target, Unchanged
from memory.skills.model import SkillApplied, SkillRefused
from tests.memory.journey.pages import ADA, Pages, change_id
from tests.memory.shelf import add
from tests.memory.skills.shed import create, skill

TEA, BIKE = "Ada drinks green tea.", "Ada rides a bicycle."


def edit(pages: Pages, name: str, text: str, was: str | None = None, by: Author = ADA) -> Changed | Unknown:
    pages.time += 1
    return editing.edit(pages.book, _node(pages, name), text, by, was)


def delete(pages: Pages, name: str, by: Author = ADA) -> Changed | Unknown:
    pages.time += 1
    return editing.delete(pages.book, _node(pages, name), by)


def undo(pages: Pages, name: str = "") -> Changed | Unknown:
    pages.time += 1
    return editing.undo(pages.book, pages.timeline(gone=True), name, ADA)


def _node(pages: Pages, name: str) -> Node:
    node = node_of(pages.timeline(gone=True), name)
    assert isinstance(node, Node), node
    return node


def refused(done: Changed | Unknown) -> Reason:
    assert isinstance(done, Changed)
    assert isinstance(done.outcome, Refused | SkillRefused), done
    return done.outcome.reason


def test_an_entry_is_rewritten_removed_and_brought_back_step_by_step(pages: Pages) -> None:
    name = pages.do(add(TEA))
    change_id(edit(pages, name, "Ada drinks mate."))
    change_id(delete(pages, name))
    assert (pages.nodes(), pages.read()) == ([], "")
    change_id(undo(pages, name))
    assert pages.read() == "Ada drinks mate."
    change_id(undo(pages, name))
    assert pages.read() == TEA
    nothing = undo(pages, name)
    assert isinstance(nothing, Unknown), "how it came is no change of it"
    assert pages.read() == TEA


def test_what_was_never_to_have_come_comes_back_all_the_same(pages: Pages) -> None:
    name = pages.do(add(TEA))
    change_id(undo(pages))
    assert pages.read() == ""
    told = editing.delete(pages.book, _node(pages, name), ADA)
    assert told == Unknown(f"{name} was removed; /journey undo {name} brings it back.")
    change_id(undo(pages, name))
    assert (pages.read(), [each.id for each in pages.nodes()]) == (TEA, [name])


def test_what_somebody_took_out_of_the_file_by_hand_comes_back_as_something_new(pages: Pages) -> None:
    name = pages.do(add(TEA))
    change_id(edit(pages, name, "Ada drinks mate."))
    pages.write("")
    again = change_id(undo(pages, name))
    assert (pages.read(), [each.id for each in pages.nodes()]) == ("Ada drinks mate.", [again])
    done = undo(pages, name)
    assert isinstance(done, Changed)
    assert isinstance(done.outcome, Unchanged), "it is there already"


def test_a_change_is_taken_back_by_its_own_id_and_without_one_the_last(pages: Pages) -> None:
    tea, bike = pages.do(add(TEA)), pages.do(add(BIKE))
    first = change_id(edit(pages, tea, "Ada drinks mate."))
    change_id(edit(pages, bike, "Ada walks."))
    assert isinstance(undo(pages, first), Changed)
    assert pages.read() == f"{TEA}\n§\nAda walks."
    change_id(undo(pages))
    assert pages.read() == f"{TEA}\n§\n{BIKE}"
    done = undo(pages, first)
    assert refused(done) is Reason.CHANGED, "it was taken back already"


def test_an_undo_refuses_what_changed_since(pages: Pages) -> None:
    name = pages.do(add(TEA))
    change = change_id(edit(pages, name, "Ada drinks mate."))
    edit(pages, name, "Ada drinks water.")
    assert refused(undo(pages, change)) is Reason.CHANGED
    assert pages.read() == "Ada drinks water."


def test_an_editor_that_was_open_for_long_overwrites_nothing(pages: Pages) -> None:
    name = pages.do(add(TEA))
    edit(pages, name, "Ada drinks mate.")
    assert refused(edit(pages, name, "Ada drinks cocoa.", was=TEA)) is Reason.CHANGED
    assert pages.read() == "Ada drinks mate."
    change_id(edit(pages, name, "Ada drinks cocoa.", was="Ada drinks mate."))
    assert pages.read() == "Ada drinks cocoa."


def test_a_page_that_was_open_for_long_removes_nothing_that_it_did_not_show(pages: Pages) -> None:
    name = pages.do(add(TEA))
    change_id(edit(pages, name, "Ada drinks mate."))
    assert refused(editing.delete(pages.book, _node(pages, name), ADA, was=TEA)) is Reason.CHANGED
    assert pages.read() == "Ada drinks mate."
    change_id(editing.delete(pages.book, _node(pages, name), ADA, was="Ada drinks mate."))
    assert pages.read() == ""


def test_the_checks_of_the_store_hold(pages: Pages) -> None:
    name = pages.do(add(TEA))
    assert refused(edit(pages, name, "")) is Reason.INVALID
    assert refused(edit(pages, name, "one\n§\ntwo")) is Reason.INVALID
    assert refused(edit(pages, name, "x" * 1400)) is Reason.OVER_LIMIT
    assert pages.read() == TEA


def test_the_gate_decides_as_for_any_change_by_hand(tmp_path: Path) -> None:
    waiting: list[Draft] = []

    def put(draft: Draft, author: Author, file: str, why: str) -> Staged:
        waiting.append(draft)
        return Staged(draft.target, "1f2e3d4c", why)

    gate = Gate(lambda: True, lambda chat: False, lambda who: who == "telegram:111", put)
    pages = Pages(tmp_path, decide=gate)
    name = pages.do(add(TEA), by=ADA)
    guest = Author(Origin.COMMAND, who="telegram:222")
    for done in (edit(pages, name, "Ada drinks mate.", by=guest), delete(pages, name, by=guest)):
        assert isinstance(done, Changed)
        assert isinstance(done.outcome, Staged)
    assert (pages.read(), len(waiting)) == (TEA, 2)
    change_id(edit(pages, name, "Ada drinks mate.", by=ADA))
    assert pages.read() == "Ada drinks mate."


def test_an_entry_that_is_part_of_another_one_is_the_one_that_is_changed(pages: Pages) -> None:
    short = pages.do(add("tea"))
    pages.do(add("Ada drinks tea."))
    change_id(delete(pages, short))
    assert pages.read() == "Ada drinks tea."


def test_a_skill_is_rewritten_put_away_and_brought_back(pages: Pages) -> None:
    pages.craft(create("deploy-web"))
    name = "skill:deploy-web"
    text = editing.text_of(pages.book, pages.node(name))
    assert text == skill("deploy-web")
    done = edit(pages, "deploy-web", skill("deploy-web", body="1. Wait.\n"), was=str(text))
    assert isinstance(done, Changed)
    assert isinstance(done.outcome, SkillApplied)
    put_away = delete(pages, name)
    assert isinstance(put_away, Changed)
    assert isinstance(put_away.outcome, SkillApplied)
    assert put_away.outcome.archived[0].startswith(".archive/deploy-web@")
    assert pages.nodes() == []
    change_id(undo(pages, name))
    assert "1. Wait." in pages.skills.library.view("deploy-web")
    change_id(undo(pages, name))
    assert pages.skills.library.view("deploy-web") == text


def test_a_skill_that_does_not_hold_together_is_refused(pages: Pages) -> None:
    pages.craft(create("deploy-web"))
    assert refused(edit(pages, "skill:deploy-web", "just text")) is Reason.INVALID
    assert pages.skills.library.view("deploy-web") == skill("deploy-web")


def test_what_the_curator_put_away_comes_back(pages: Pages) -> None:
    pages.craft(create("deploy-web"))
    pages.time += 91 * 86_400
    pages.skills.caretaker.run()
    assert [each.state for each in pages.nodes(gone=True)] == ["archived"]
    change_id(undo(pages, "skill:deploy-web"))
    assert [each.id for each in pages.nodes()] == ["skill:deploy-web"]


def test_ids_may_be_shortened_as_long_as_they_mean_one_thing(pages: Pages) -> None:
    name = pages.do(add(TEA), add(BIKE))
    assert isinstance(node_of(pages.timeline(), name[:3]), Unknown), "the second one begins so as well"
    found = node_of(pages.timeline(), name)
    assert isinstance(found, Node), "the whole id is the first one's"
    assert found.text == TEA
    assert isinstance(node_of(pages.timeline(), ""), Unknown)
    assert isinstance(node_of(pages.timeline(), "zzz"), Unknown)


def test_what_is_gone_can_only_be_brought_back(pages: Pages) -> None:
    name = pages.do(add(TEA))
    delete(pages, name)
    for done in (edit(pages, name, BIKE), delete(pages, name)):
        assert isinstance(done, Unknown)
        assert f"/journey undo {name}" in done.message


def test_an_order_that_is_given_twice_is_known_by_its_message(pages: Pages) -> None:
    name = pages.do(add(TEA))
    order = Author(Origin.COMMAND, message="inbox:7", who="telegram:111")
    assert done_already(pages.book, order) is None
    change = change_id(delete(pages, name, by=order))
    assert done_already(pages.book, order) == Done(change, TEA)
    assert done_already(pages.book, Author(Origin.COMMAND, message="inbox:8", who="telegram:111")) is None
    assert done_already(pages.book, ADA) is None, "the shell's orders have no message"


def test_entries_of_files_that_are_not_shown_are_out_of_reach(pages: Pages) -> None:
    name = pages.do(add(TEA))
    pages.files = [(Target.USER, "people/telegram-222.md")]
    assert isinstance(node_of(pages.timeline(gone=True), name), Unknown)
    assert isinstance(undo(pages, name), Unknown)
    assert isinstance(undo(pages), Unknown)
    assert pages.read() == TEA


def test_what_was_shown_is_compared_whatever_its_line_ends(pages: Pages) -> None:
    pages.craft(create("deploy"))
    file = pages.skills.library.root / "deploy" / "SKILL.md"
    file.write_bytes(skill("deploy").replace("\n", "\r\n").encode())
    late = edit(pages, "skill:deploy", skill("deploy", body="1. Ask.\n"), was=skill("deploy", body="1. Read.\n"))
    assert refused(late) is Reason.CHANGED
    change_id(edit(pages, "skill:deploy", skill("deploy", body="1. Ask.\n"), was=skill("deploy")))
    assert "1. Ask." in file.read_text()
    file.write_bytes(skill("deploy").replace("\n", "\r").encode())
    node = _node(pages, "skill:deploy")
    assert refused(editing.delete(pages.book, node, ADA, skill("deploy", body=""))) is Reason.CHANGED
    change_id(editing.delete(pages.book, node, ADA, skill("deploy").replace("\n", "\r\n")))
