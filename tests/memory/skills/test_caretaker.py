"""Skills that nobody uses: put away, brought back, reported; and never against a pin, a job, or the truth."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import FunctionType

import pytest

from memory.files import FileTrouble
from memory.skills.caretaker import Caretaker, rehearse, see
from memory.skills.curator import DAY, HOUR
from memory.skills.model import SkillApplied
from memory.skills.report import as_json, markdown
from tests.memory.skills.care import RULES, Care, T
from tests.memory.skills.shed import ADA, Shed, create, tree, write_file


@pytest.fixture
def care(shed: Shed) -> Care:
    return Care(shed)


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
    assert isinstance(care.shed.store.restore("deploy", ADA), SkillApplied)
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
    """The kinds of everything that can be reached from a value by its fields and parts; none has methods that do."""
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
