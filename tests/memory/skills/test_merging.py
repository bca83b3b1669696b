"""Skills that say nearly the same: merged only as a proposal, by a model that may fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from memory.model import Reason
from memory.skills.caretaker import NO_MODEL, Consolidation
from memory.skills.curator import Remembered, Sight
from memory.skills.merging import Merge, MergerDown, groups
from memory.skills.model import Skill, SkillRefused, SkillStaged
from memory.skills.report import markdown
from memory.skills.usage import Tally
from tests.memory.skills.care import RULES, Care
from tests.memory.skills.shed import Shed, create, delete, skill, tree


class Model:
    """Merges the group that has its `name`, and fails when it is `down`."""

    def __init__(self, down: bool = False) -> None:
        self.down = down
        self.asked: list[list[str]] = []
        self.expected: list[int] = []
        self.proposed: list[Merge] = []

    def merge(self, skills: Sequence[Skill]) -> Merge | None:
        assert self.expected, "it has to be said first how many calls are expected"
        self.asked.append([each.name for each in skills])
        if self.down:
            raise MergerDown("The host does not answer.")
        names = tuple(each.name for each in skills)
        return Merge(names, (create("both", skill("both")), *map(delete, names)))

    def propose(self, merge: Merge) -> SkillStaged | SkillRefused:
        self.proposed.append(merge)
        if len(self.proposed) > 1:
            return SkillRefused(Reason.INVALID, "There is a skill both already.")
        return SkillStaged("1f2e3d4c", "It waits.")

    @property
    def port(self) -> Consolidation:
        return Consolidation(self.merge, self.propose, self.expected.append)


def alike(shed: Shed) -> None:
    for name, about in (
        ("deploy-web", "Puts the web site on its servers."),
        ("deploy-site", "Puts the web site on its servers."),
        ("tidy-notes", "Sorts notes by topic and date."),
        ("sort-notes", "Sorts notes by topic and date."),
        ("cook-rice", "Rice for four."),
    ):
        shed.done(create(name, skill(name, about)))


def test_alike_ones_are_merged_only_as_a_proposal(shed: Shed) -> None:
    model = Model()
    alike(shed)
    before = tree(shed.root)
    report = Care(shed, replace(RULES, consolidate=True), model.port).taker.run()
    assert model.expected == [2]
    assert sorted(model.asked) == [["deploy-site", "deploy-web"], ["sort-notes", "tidy-notes"]]
    assert [each.pending_id for each in report.proposed] == ["1f2e3d4c", ""]
    assert report.proposed[1].why == "There is a skill both already."
    now = {name: kind for name, kind in tree(shed.root).items() if not name.startswith(".curator")}
    assert now == before


def test_without_the_setting_no_model_is_asked(shed: Shed) -> None:
    model = Model()
    alike(shed)
    Care(shed, RULES, model.port).taker.run()
    assert (model.asked, model.expected) == ([], [])


def test_where_no_model_can_be_asked_the_report_says_so(shed: Shed) -> None:
    alike(shed)
    report = Care(shed, replace(RULES, consolidate=True)).taker.run()
    assert (report.trouble, report.proposed) == (NO_MODEL, ())


def test_a_model_that_fails_changes_nothing(shed: Shed) -> None:
    model = Model(down=True)
    alike(shed)
    report = Care(shed, replace(RULES, consolidate=True), model.port).taker.run()
    assert (report.trouble, report.proposed, model.proposed) == ("The host does not answer.", (), [])
    assert len(shed.names()) == 5
    assert "Merging came to nothing: The host does not answer." in markdown(report)


def test_what_is_pinned_needed_or_not_its_own_is_not_merged() -> None:
    twins = [
        Skill(name, "Puts the web site on its servers.", Path("/s") / name, source="agent")
        for name in ("a-web", "b-web")
    ]
    seen = Sight(tuple(twins), {}, Remembered())
    assert len(groups(seen)) == 1
    assert groups(replace(seen, tallies={"a-web": Tally(pinned=True)})) == ()
    assert groups(replace(seen, referred=frozenset({"b-web"}))) == ()
    assert groups(replace(seen, skills=(twins[0], replace(twins[1], source="hub")))) == ()
