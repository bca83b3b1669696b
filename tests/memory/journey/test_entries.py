"""Entries on the timeline: when each came, as what, and what became of it."""

from __future__ import annotations

from memory.journey.traces import hand_id
from memory.model import ERASED, Author, Origin, Target
from tests.memory.journey.pages import BOBS, REVIEWED, START, Pages
from tests.memory.shelf import add, patch, remove

TEA, BIKE = "Ada drinks green tea.", "Ada rides a bicycle."


def test_an_entry_is_dated_by_the_change_that_brought_it(pages: Pages) -> None:
    brought = pages.do(add(TEA))
    pages.time += 86_400
    pages.do(add("The host is bramble."), target=Target.MEMORY, by=REVIEWED)
    tea, host = pages.nodes()
    assert (tea.id, tea.kind, tea.at, tea.changed, tea.state) == (brought, "user", START + 1, START + 1, "kept")
    assert (tea.origin, tea.session, tea.message) == ("foreground", "20261130-1f2e3d4c", "turn:17")
    assert (tea.title, tea.text, tea.store, tea.dated) == (TEA, TEA, "USER.md", True)
    assert (host.kind, host.at, host.origin, host.store) == ("memory", START + 86_402, "review", "MEMORY.md")


def test_a_patch_changes_the_node_and_makes_no_new_one(pages: Pages) -> None:
    brought = pages.do(add(TEA))
    changed = pages.do(patch("green", "black"))
    (tea,) = pages.nodes()
    assert (tea.id, tea.text, tea.at, tea.changed, tea.state) == (
        brought,
        "Ada drinks black tea.",
        START + 1,
        START + 2,
        "changed",
    )
    pages.shelf.own.undo(Author(Origin.COMMAND), changed)
    (tea,) = pages.nodes()
    assert (tea.id, tea.text, tea.state) == (brought, TEA, "kept")


def test_what_was_removed_is_there_when_asked_for_and_comes_back_as_itself(pages: Pages) -> None:
    brought = pages.do(add(TEA))
    removed = pages.do(remove(TEA))
    assert pages.nodes() == []
    (tea,) = pages.nodes(gone=True)
    assert (tea.id, tea.text, tea.state) == (brought, TEA, "removed")
    pages.time += 1
    pages.shelf.own.undo(Author(Origin.COMMAND), removed)
    (tea,) = pages.nodes()
    assert (tea.id, tea.at, tea.changed, tea.state) == (brought, START + 1, START + 3, "kept")


def test_what_is_told_again_after_it_was_removed_is_learnt_again(pages: Pages) -> None:
    first = pages.do(add(TEA))
    pages.do(remove(TEA))
    second = pages.do(add(TEA))
    assert [(each.id, each.state) for each in pages.nodes(gone=True)] == [(first, "removed"), (second, "kept")]


def test_one_change_that_brings_several_entries_names_each(pages: Pages) -> None:
    brought = pages.do(add(TEA), add(BIKE))
    assert [(each.id, each.text) for each in pages.nodes()] == [(brought, TEA), (f"{brought}.2", BIKE)]


def test_an_entry_written_by_hand_stands_where_it_was_first_noticed(pages: Pages) -> None:
    pages.write(TEA)
    pages.time = START + 50
    name = hand_id("USER.md", TEA)
    (tea,) = pages.nodes()
    assert (tea.id, tea.at, tea.dated, tea.origin) == (name, START + 50, False, "")
    pages.seen[name], pages.time = START + 50, START + 9000
    assert pages.nodes()[0].at == START + 50
    pages.do(patch("green", "black"))
    (tea,) = pages.nodes()
    assert (tea.id, tea.text, tea.dated, tea.state) == (name, "Ada drinks black tea.", False, "changed")


def test_what_a_person_took_out_of_the_file_by_hand_is_gone(pages: Pages) -> None:
    pages.do(add(TEA), add(BIKE))
    pages.write(BIKE)
    assert [each.text for each in pages.nodes()] == [BIKE]
    pages.write(f"{BIKE}\n§\n{TEA}")
    assert [(each.text, each.dated) for each in pages.nodes()] == [(TEA, True), (BIKE, True)]


def test_what_was_erased_everywhere_is_nowhere(pages: Pages) -> None:
    pages.do(add(TEA))
    pages.do(add(BIKE))
    pages.do(remove(TEA))
    pages.shelf.own.erase([TEA])
    everything = pages.nodes(gone=True)
    assert [each.text for each in everything] == [BIKE]
    assert ERASED not in repr(everything)


def test_an_entry_whose_first_wording_was_erased_keeps_its_date(pages: Pages) -> None:
    brought = pages.do(add("Ada's code is 4711, and she drinks tea."))
    pages.do(patch("code is 4711, and she drinks", "habit is"))
    pages.shelf.own.erase(["4711"])
    (habit,) = pages.nodes(gone=True)
    assert (habit.id, habit.text, habit.at) == (brought, "Ada's habit is tea.", START + 1)


def test_files_that_are_not_shown_are_not_there(pages: Pages) -> None:
    pages.do(add("Bob swims."), file=BOBS)
    pages.do(add(TEA))
    assert [each.text for each in pages.nodes(gone=True)] == [TEA]
    pages.files = [(Target.USER, BOBS)]
    assert [(each.text, each.store) for each in pages.nodes(gone=True)] == [("Bob swims.", BOBS)]


def test_a_title_is_one_line_that_no_terminal_obeys(pages: Pages) -> None:
    pages.do(add("Red \x1b[31malert\nand\tmore " + "x" * 200))
    title = pages.nodes()[0].title
    assert title.startswith("Red \ufffd[31malert and more xxx")
    assert len(title) == 80
    assert title.isprintable()


def test_one_that_was_taken_out_by_hand_and_told_again_stands_once(pages: Pages) -> None:
    first = pages.do(add(TEA), add(BIKE))
    pages.write(BIKE)
    again = pages.do(add(TEA))
    assert [(each.id, each.text) for each in pages.nodes()] == [(f"{first}.2", BIKE), (again, TEA)]
    assert (pages.nodes(gone=True)[0].id, pages.nodes(gone=True)[0].state) == (first, "removed")


def test_no_two_entries_written_by_hand_have_one_id(pages: Pages) -> None:
    pages.write(TEA)
    pages.do(patch("green", "black"))
    pages.write(f"{pages.read()}\n§\n{TEA}")
    name = hand_id("USER.md", TEA)
    assert {each.id: each.text for each in pages.nodes()} == {name: "Ada drinks black tea.", f"{name}.2": TEA}


def test_one_that_was_removed_and_written_in_again_by_hand_goes_on(pages: Pages) -> None:
    brought = pages.do(add(TEA))
    pages.do(remove(TEA))
    pages.write(TEA)
    pages.do(patch("green", "black"))
    assert [(each.id, each.state) for each in pages.nodes(gone=True)] == [(brought, "changed")]
