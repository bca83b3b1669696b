"""Skills that nobody uses: stale, archived, brought back; and never against a pin, a job, or the truth."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from types import FunctionType

import pytest

from memory.files import FileTrouble
from memory.model import Reason
from memory.skills.caretaker import Caretaker, Consolidation, rehearse, see
from memory.skills.curator import DAY, HOUR, Remembered, Rules, Sight, due, observed, plan
from memory.skills.merging import Merge, MergerDown, groups
from memory.skills.model import Skill, SkillApplied, SkillRefused, SkillStaged
from memory.skills.report import as_json, markdown
from memory.skills.usage import Tally
from tests.memory.skills.shed import ADA, Shed, create, delete, skill, tree, write_file

T = 1_800_000_000.0
RULES = Rules()


def sight(*names: str, remembered: Remembered | None = None, referred: Sequence[str] = (), **tallies: Tally) -> Sight:
    skills = tuple(Skill(name, "Does things.", Path("/skills") / name) for name in names)
    return Sight(skills, tallies, remembered or Remembered(), frozenset(referred))


def states(what: Sight, now: float, rules: Rules = RULES) -> dict[str, str]:
    return {
        each.name: f"{each.state}{f' {each.kept}' if each.kept else ''}" for each in plan(what, rules, now).verdicts
    }


class Care:
    """A caretaker over a shed; `jobs` are the names that jobs refer to."""

    def __init__(self, shed: Shed, rules: Rules = RULES, consolidation: Consolidation | None = None) -> None:
        self.shed = shed
        self.jobs: set[str] = set()
        self.taker = Caretaker(
            shed.library, shed.store.usage, shed.store, lambda: rules, lambda: shed.time, self.refers, consolidation
        )

    def refers(self, name: str) -> bool:
        return name in self.jobs

    def later(self, days: float) -> None:
        self.shed.time += days * DAY


@pytest.fixture
def care(shed: Shed) -> Care:
    return Care(shed)


# The plan


@pytest.mark.parametrize(
    ("days", "state"),
    [(0, "active"), (29.9, "active"), (30, "stale"), (89.9, "stale"), (90, "overdue"), (5_000, "overdue")],
)
def test_by_the_days_since_it_was_last_used(days: float, state: str) -> None:
    for tally in (Tally(used=T), Tally(viewed=T), Tally(patched=T, created=T - 900 * DAY), Tally(created=T)):
        assert states(sight("a", a=tally), T + days * DAY) == {"a": state}


def test_pinned_and_referred_to_ones_are_kept_and_it_is_said(care: Care) -> None:
    what = sight("a", "b", "c", referred=["b"], a=Tally(used=T, pinned=True), b=Tally(used=T), c=Tally(used=T))
    assert states(what, T + 100 * DAY) == {"a": "overdue pinned", "b": "overdue referred to", "c": "overdue"}
    assert [each.name for each in plan(what, RULES, T + 100 * DAY).archive] == ["c"]
    assert [each.name for each in plan(what, RULES, T + 100 * DAY).stale] == ["a", "b"]


def test_one_that_was_never_used_is_not_archived_before_it_would_be_stale() -> None:
    strict = Rules(stale_after_days=30, archive_after_days=5)
    what = sight("new", "used", new=Tally(created=T), used=Tally(created=T, used=T))
    assert states(what, T + 10 * DAY, strict) == {"new": "overdue new", "used": "overdue"}
    assert states(what, T + 31 * DAY, strict) == {"new": "overdue", "used": "overdue"}


def test_one_without_dates_counts_from_when_it_was_first_seen() -> None:
    assert states(sight("a"), T) == {"a": "active"}
    assert states(sight("a", remembered=Remembered(seen={"a": T})), T + 95 * DAY) == {"a": "overdue"}


def test_a_clock_that_was_set_back_makes_nobody_old() -> None:
    assert states(sight("a", a=Tally(used=T + 999 * DAY)), T) == {"a": "active"}


def test_external_skills_are_none_of_its_business() -> None:
    what = sight("a", a=Tally(used=1.0))
    what = replace(what, skills=tuple(replace(each, external=True) for each in what.skills))
    assert plan(what, RULES, T).verdicts == ()


# When it runs


@pytest.mark.parametrize(
    ("rules", "hours", "idle", "runs"),
    [
        (RULES, 168, 2, True),
        (RULES, 167.9, 2, False),
        (RULES, 168, 1.9, False),
        (replace(RULES, enabled=False), 999, 99, False),
    ],
)
def test_it_runs_after_a_week_when_nobody_talks(rules: Rules, hours: float, idle: float, runs: bool) -> None:
    assert due(Remembered(since=T), rules, T + hours * HOUR, idle * HOUR) is runs
    assert due(Remembered(since=0, last=T), rules, T + hours * HOUR, idle * HOUR) is runs
    assert not due(Remembered(since=T, paused=True), rules, T + hours * HOUR, idle * HOUR)


def test_a_moment_to_come_is_not_waited_for() -> None:
    assert observed(Remembered(since=T + 9e9, last=T + 9e9), T) == Remembered(since=T)


def test_the_first_observation_only_sets_the_clock(care: Care) -> None:
    care.shed.put("old/SKILL.md")
    care.shed.store.usage.used(["old"])
    care.later(400)
    assert care.taker.tick(999 * HOUR) is None
    assert care.taker.remembered().since == care.shed.time
    assert care.shed.names() == ["old"]
    care.later(6.9)
    assert care.taker.tick(999 * HOUR) is None
    care.later(0.1)
    assert care.taker.tick(1 * HOUR) is None
    report = care.taker.tick(2 * HOUR)
    assert report is not None
    assert [each.name for each in report.archived] == ["old"]
    assert care.taker.tick(2 * HOUR) is None


def test_paused_it_does_not_run_by_itself(care: Care) -> None:
    care.taker.tick(0)
    care.taker.pause()
    care.later(30)
    assert care.taker.tick(99 * HOUR) is None
    care.taker.pause(False)
    assert care.taker.tick(99 * HOUR) is not None


# What it does


def test_from_active_to_archived_and_back_byte_for_byte(care: Care) -> None:
    shed = care.shed
    shed.done(create("deploy", category="ops"), write_file("deploy", "references/hosts", "a\r\nb\n"))
    (shed.root / "ops/deploy/scripts").mkdir()
    (shed.root / "ops/deploy/scripts/run.bin").write_bytes(bytes(range(256)))
    (shed.root / "ops/deploy/scripts/run.bin").chmod(0o750)
    (shed.root / "ops/deploy/.draft").write_text("hidden\n")
    before = tree(shed.root / "ops")
    shed.store.usage.used(["deploy"])
    care.taker.tick(0)
    care.later(31)
    first = care.taker.tick(3 * HOUR)
    assert first is not None
    assert [each.name for each in first.plan.stale] == ["deploy"]
    assert shed.names() == ["deploy"]
    care.later(60)
    second = care.taker.tick(3 * HOUR)
    assert second is not None
    assert [(each.name, each.days) for each in second.archived] == [("deploy", 91)]
    assert shed.names() == []
    assert (shed.root / second.archived[0].where / "SKILL.md").exists()
    care.later(10)
    assert isinstance(care.taker.restore("deploy", ADA), SkillApplied)
    assert tree(shed.root / "ops") == before
    assert shed.store.usage.of("deploy").uses == 1
    care.later(20)
    third = care.taker.run()
    assert third.archived == ()
    assert [each.days for each in third.plan.verdicts] == [20]


def test_one_that_came_back_by_another_way_is_not_put_away_at_once(care: Care) -> None:
    care.shed.done(create("deploy"))
    care.later(100)
    assert len(care.taker.run().archived) == 1
    care.shed.store.restore("deploy", ADA)
    care.later(8)
    assert care.taker.run().archived == ()
    care.later(91)
    assert len(care.taker.run().archived) == 1


def test_a_job_or_a_pin_keeps_it(care: Care) -> None:
    care.shed.done(create("a"), create("b"), create("c"))
    care.jobs.add("a")
    assert care.taker.pin("b")
    assert not care.taker.pin("nobody")
    care.later(200)
    assert [each.name for each in care.taker.run().archived] == ["c"]
    care.taker.pin("b", False)
    care.jobs.clear()
    assert [each.name for each in care.taker.run().archived] == ["a", "b"]


def test_what_is_used_while_it_works_stays(shed: Shed) -> None:
    class Busy:
        """A store during whose first work somebody calls up the other skill."""

        def archive(self, name: str, by: object) -> object:
            shed.store.usage.used(["b"])
            return shed.store.archive(name, ADA)

        restore = None

    shed.done(create("a"), create("b"))
    taker = Caretaker(shed.library, shed.store.usage, Busy(), lambda: RULES, lambda: shed.time, lambda _: False)  # type: ignore[arg-type]
    shed.time += 100 * DAY
    report = taker.run()
    assert [each.name for each in report.archived] == ["a"]
    assert [(each.name, each.why) for each in report.left] == [("b", "It is in use again since the plan was made.")]
    assert shed.names() == ["b"]


def test_one_that_cannot_be_put_away_stops_no_other(care: Care) -> None:
    care.shed.done(create("a"), create("b"))
    (care.shed.root / "a/huge.bin").touch()
    with (care.shed.root / "a/huge.bin").open("r+b") as file:
        file.truncate(40 << 20)
    care.later(100)
    report = care.taker.run()
    assert [each.name for each in report.archived] == ["b"]
    assert report.left[0].name == "a"
    assert "huge.bin" in report.left[0].why
    assert care.shed.names() == ["a"]


@pytest.mark.parametrize("file", [".curator.json", ".usage.json"])
def test_records_that_cannot_be_read_stop_it_before_anything(file: str, care: Care) -> None:
    care.shed.done(create("a"))
    care.shed.put(file, "{")
    care.later(100)
    before = tree(care.shed.root, ours=True)
    with pytest.raises(FileTrouble):
        care.taker.run()
    assert tree(care.shed.root, ours=True) == before


# The dry run


def test_a_dry_run_says_what_a_run_does_and_writes_nothing(care: Care) -> None:
    shed = care.shed
    shed.done(create("a"), create("b"), create("c"))
    care.later(40)
    shed.store.usage.used(["b"])
    care.later(60)
    before = {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in shed.home.rglob("*")}
    dry = care.taker.dry_run()
    assert {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in shed.home.rglob("*")} == before
    assert dry.dry
    wet = care.taker.run()
    assert [each.name for each in dry.archived] == [each.name for each in wet.archived] == ["a", "c"]
    assert dry.plan == wet.plan


def reachable(value: object) -> set[str]:
    """The kinds of everything that can be reached from a value by its fields, its parts and its own methods' names."""
    kinds = {type(value).__name__}
    if is_dataclass(value):
        own = {name for name, each in vars(type(value)).items() if isinstance(each, FunctionType) and name[0] != "_"}
        assert own <= {"place"}, own
        parts = [getattr(value, each.name) for each in fields(value)]
    elif isinstance(value, dict):
        parts = [*value, *value.values()]
    else:
        parts = list(value) if isinstance(value, tuple | list | set | frozenset) else []
    return kinds.union(*map(reachable, parts)) if parts else kinds


def test_a_dry_run_has_nothing_to_write_with(care: Care) -> None:
    care.shed.done(create("a"))
    care.taker.tick(0)
    seen = see(care.shed.library, care.shed.store.usage, care.refers)
    assert reachable(seen) <= {
        *("Sight", "Skill", "Tally", "Remembered", "PosixPath"),
        *("tuple", "dict", "frozenset", "str", "float", "int", "bool", "NoneType"),
    }
    assert rehearse(seen, RULES, T + 100 * DAY).archived[0].name == "a"


# The report


def test_the_report_is_kept_for_people_and_programs(care: Care) -> None:
    care.shed.done(create("deploy", category="ops"), create("tidy"), create("fresh"))
    care.jobs.add("tidy")
    care.later(95)
    care.shed.store.usage.used(["fresh"])
    report = care.taker.run()
    assert report.gist == "Curator: 3 skills, 1 stale, 1 archived."
    page = markdown(report)
    assert page.startswith("# Curator\n\n2027-04-20T08:00:00+00:00. Curator: 3 skills, 1 stale, 1 archived.\n")
    assert "- `ops/deploy`: never used in 95 days, now in `.archive/ops/deploy@" in page
    assert "- `tidy`: never used in 95 days; kept: a job or something else needs it\n" in page
    assert page.endswith("## Active\n\n`fresh`\n")
    document = json.loads(as_json(report))
    assert document["archived"][0]["from"] == "ops/deploy"
    assert {each["name"]: each["state"] for each in document["skills"]} == {
        "deploy": "stale",
        "fresh": "active",
        "tidy": "stale",
    }
    kept = sorted(path.name for path in (care.shed.root / ".curator").iterdir())
    assert kept == ["run-20270420T080000Z.json", "run-20270420T080000Z.md"]
    assert (care.shed.root / ".curator" / kept[1]).read_text() == page
    dry = care.taker.dry_run()
    assert "# Curator, dry run" in markdown(dry)
    assert "Nothing was changed." in markdown(dry)


def test_of_old_reports_some_are_kept(care: Care) -> None:
    for _ in range(55):
        care.taker.run()
    assert len(list((care.shed.root / ".curator").iterdir())) == 100


def test_a_linked_report_folder_is_not_followed(care: Care, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (care.shed.root / ".curator").symlink_to(tmp_path / "elsewhere")
    assert care.taker.run().archived == ()
    assert list((tmp_path / "elsewhere").iterdir()) == []


# Merging


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
