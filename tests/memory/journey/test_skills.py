"""Skills on the timeline: those that were learnt here, and no others; and what they have to do with entries."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from memory.journey.model import Edge
from memory.model import Author, Origin
from memory.moments import EARLIEST, LATEST
from tests.memory.journey.pages import ADA, REVIEWED, START, Pages
from tests.memory.shelf import add
from tests.memory.skills.shed import create, delete, patch, skill


def test_a_skill_that_the_assistant_made_is_learnt_when_it_was_made(pages: Pages) -> None:
    pages.craft(create("deploy-web"), by=REVIEWED)
    (made,) = pages.nodes()
    assert (made.id, made.kind, made.at, made.state) == ("skill:deploy-web", "skill", START + 1, "kept")
    assert (made.origin, made.session, made.message) == ("review", "20261130-1f2e3d4c", "review:3")
    assert (made.title, made.text) == (
        "/deploy-web: Tidies notes. Use when they grow.",
        "Tidies notes. Use when they grow.",
    )
    pages.craft(patch("deploy-web", "Tidy", "Sort"))
    (made,) = pages.nodes()
    assert (made.at, made.changed, made.state) == (START + 1, START + 2, "changed")


def test_bundled_and_hand_written_skills_are_learnt_only_by_being_used(pages: Pages) -> None:
    for name in ("bundled", "by-hand"):
        pages.skills.library.root.joinpath(name).mkdir(parents=True)
        pages.skills.library.root.joinpath(name, "SKILL.md").write_text(skill(name))
    pages.skills.store.usage.created(["bundled"], "bundled")
    assert pages.nodes(gone=True) == []
    pages.time = START + 500
    pages.skills.store.usage.used(["bundled"])
    pages.skills.store.usage.viewed("by-hand")
    found = {each.id: each for each in pages.nodes()}
    assert {name: each.uses for name, each in found.items()} == {"skill:bundled": 1, "skill:by-hand": 1}
    assert (found["skill:by-hand"].at, found["skill:by-hand"].dated) == (START + 500, False)
    assert (found["skill:bundled"].at, found["skill:bundled"].dated) == (START, True)


def test_a_skill_that_a_person_ordered_is_no_thing_learnt_until_it_is_used(pages: Pages) -> None:
    pages.craft(create("ordered"), by=ADA)
    assert pages.nodes() == []
    pages.skills.store.usage.used(["ordered"])
    assert [(each.id, each.origin) for each in pages.nodes()] == [("skill:ordered", "command")]


def test_one_that_was_put_away_is_archived_and_one_that_nobody_uses_stale(pages: Pages) -> None:
    pages.craft(create("old"), create("gone"))
    pages.craft(delete("gone"))
    pages.time += 40 * 86_400
    assert [(each.id, each.state) for each in pages.nodes()] == [("skill:old", "stale")]
    states = {each.id: (each.state, each.text) for each in pages.nodes(gone=True)}
    assert states["skill:gone"] == ("archived", "Tidies notes. Use when they grow.")


def test_broken_figures_hide_no_entry(pages: Pages) -> None:
    pages.do(add("Ada drinks tea."))
    pages.craft(create("deploy-web"))
    (pages.skills.library.root / ".usage.json").write_text("{")
    assert "Ada drinks tea." in [each.text for each in pages.nodes(gone=True)]


@pytest.mark.parametrize(("written", "at"), [("-1e300", EARLIEST), ("NaN", EARLIEST), ("1e300", LATEST)])
def test_a_skill_of_a_date_that_no_clock_shows_is_shown_all_the_same(pages: Pages, written: str, at: float) -> None:
    pages.craft(create("deploy"))
    (plan,) = pages.skills.library.root.rglob("plan.json")
    text, found = re.subn(r'(?<="time": )[\d.]+', written, plan.read_text())
    plan.write_text(text)
    assert (found, [each.at for each in pages.nodes()]) == (1, [at])


def test_an_entry_that_names_a_skill_belongs_to_it(pages: Pages) -> None:
    pages.craft(create("deploy-web"), create("notes"), by=Author(Origin.FOREGROUND, "s1"))
    said = [
        ("After deploy-web, look at the log.", True, False),
        ("本番はdeploy-webで。", True, False),
        ("Ada takes notes in class.", False, False),
        ("For lists, use `notes`.", False, True),
        ("/notes is for lists.", False, True),
        ("The skill notes is for lists.", False, True),
        ("See https://example.org/notes/1 and my-deploy-web-2.", False, False),
    ]
    for number, (text, web, notes) in enumerate(said):
        brought = pages.do(add(text), by=Author(Origin.FOREGROUND, f"other-{number}"))
        named = {each.first for each in pages.timeline().edges if each.second == brought and each.why == "named"}
        expected = {name for name, there in (("skill:deploy-web", web), ("skill:notes", notes)) if there}
        assert named == expected, text


def test_skills_that_name_each_other_are_related(pages: Pages) -> None:
    pages.craft(create("roll-back"), by=Author(Origin.FOREGROUND, "s1"))
    text = skill("deploy", body="Run it; if it fails, see `roll-back`.\n")
    pages.craft(create("deploy", text), by=Author(Origin.FOREGROUND, "s2"))
    listed = skill("watch").replace("---\n\n", "metadata:\n  hermes:\n    related_skills: [deploy, gone]\n---\n\n")
    pages.craft(create("watch", listed), by=Author(Origin.FOREGROUND, "s3"))
    assert set(pages.timeline().edges) == {
        Edge("skill:roll-back", "skill:deploy", "related"),
        Edge("skill:deploy", "skill:watch", "related"),
    }


def test_what_came_from_one_session_is_a_chain(pages: Pages) -> None:
    ids = [pages.do(add(f"Fact {number}.")) for number in range(4)]
    pages.do(add("From elsewhere."), by=Author(Origin.FOREGROUND, "another"))
    pages.do(add("From the shell."), by=ADA)
    chain = [Edge(one, other, "session") for one, other in pairwise(ids)]
    assert list(pages.timeline().edges) == chain
