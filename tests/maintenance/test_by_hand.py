"""The house's own jobs at the shell: listed, foretold and done, beside a gateway or without one."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from gateway.maintenance.desk import MaintenanceDesk
from tests.cli.shell import Shell
from tests.fakes.past import Talk, had
from tests.maintenance.night import MINUTE, night

UTC = ZoneInfo("UTC")
NAMES = [
    "pending-digest",
    "curator-check",
    "retention",
    "cache-cleanup",
    "weights-cleanup",
    "database-check",
    "backup",
    "database-integrity",
]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def told(shell: Shell, *words: str) -> Any:
    result = shell("maintenance", *words, "--json")
    return json.loads(result.stdout)


def test_all_of_them_are_listed_before_the_gateway_ever_ran(shell: Shell) -> None:
    rows = told(shell, "list")
    assert [each["name"] for each in rows] == NAMES
    assert all(each["what"] and each["next_run"] and each["last"] is None for each in rows)
    assert [each["name"] for each in rows if each["deletes"]] == [
        "retention",
        "cache-cleanup",
        "weights-cleanup",
        "backup",
    ]
    listed = json.loads(shell("cron", "list", "--json").stdout)
    assert sorted(each["name"] for each in listed if each["kind"] == "maintenance") == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_is_foretold_and_done(shell: Shell, name: str) -> None:
    dry = told(shell, "run", name, "--dry-run")
    assert (dry["name"], dry["result"], dry["dry_run"]) == (name, "done", True)
    done = told(shell, "run", name)
    assert (done["result"], done["dry_run"]) == ("done", False)
    assert done["figures"]
    (row,) = [each for each in told(shell, "list") if each["name"] == name]
    assert row["last"]["detail"] == done["detail"]


def test_a_dry_backup_makes_none(shell: Shell) -> None:
    assert told(shell, "run", "backup", "--dry-run")["detail"].startswith("it would copy ")
    assert not shell.profile.backups.exists()
    assert told(shell, "run", "back")["figures"]["jobs"] == len(NAMES)
    assert len(list(shell.profile.backups.glob("*.zip"))) == 1


def test_a_name_that_is_none_says_which_there_are(shell: Shell) -> None:
    result = shell("maintenance", "run", "laundry")
    assert result.exit_code == 1
    assert result.output.strip() == f"There is no task 'laundry'. There are {', '.join(NAMES)}."
    assert shell("maintenance", "run", "database").exit_code == 1, "two begin so"


def test_what_is_paused_runs_by_hand_all_the_same(shell: Shell) -> None:
    told(shell, "list")
    assert shell("cron", "pause", "backup").exit_code == 0
    standing = {each["name"]: (each["standing"], each["next_run"]) for each in told(shell, "list")}
    assert standing["backup"] == ("paused", None)
    assert standing["cache-cleanup"][0] == "on"
    assert told(shell, "run", "backup")["result"] == "done"
    assert {each["name"]: (each["standing"], each["next_run"]) for each in told(shell, "list")} == standing


async def test_one_that_is_no_job_any_more_is_done_without_a_history(tmp_path: Path) -> None:
    async with night(tmp_path) as at:
        await at.go(MINUTE)
        job = await at.guests.store.jobs.named("retention")
        assert job is not None
        await at.guests.store.jobs.remove(job.id, "inprocess:ada", at.clock.now())
        (row,) = [each for each in await at.desk.tasks() if each.name == "retention"]
        assert (row.standing, row.next_run) == ("removed", None)
        assert (await at.desk.run("retention", "inprocess:ada", dry=False))[1].state == "done"
        (tmp_path / "backups").write_text("no folder")
        backup = await at.guests.store.jobs.named("backup")
        assert backup is not None
        await at.guests.store.jobs.remove(backup.id, "inprocess:ada", at.clock.now())
        _, came = await at.desk.run("backup", "inprocess:ada", dry=False)
        assert came.state == "failed"
        assert "backups" in came.said


def test_a_damaged_database_is_a_failure_that_says_what_to_do(shell: Shell) -> None:
    told(shell, "list")
    with closing(sqlite3.connect(shell.profile.database, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = DELETE")
        (page,) = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'outbox'").fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    file = shell.profile.database
    data = file.read_bytes()
    file.write_bytes(data[: (page - 1) * size] + b"\xff" * 64 + data[(page - 1) * size + 64 :])
    result = shell("maintenance", "run", "database-check", "--json")
    assert result.exit_code == 1
    came = json.loads(result.stdout)
    assert came["result"] == "failed"
    assert "is damaged" in came["detail"]
    assert "innkeeper backup list" in came["detail"]


async def test_messages_that_the_index_lost_are_found_again(tmp_path: Path) -> None:
    async with night(tmp_path) as at:
        await had(at.guests.store, Talk("s1", 3, turns=20))
        while await at.guests.store.search.index():
            pass
        await at.guests.store.database.write(_emptied)
        dry = await at.tasks["database-check"].run(True)
        assert "would be built anew" in dry.summary
        done = await at.tasks["database-check"].run(False)
        assert "is built anew" in done.summary
        assert done.tell
        while await at.guests.store.search.index():
            pass
        again = await at.tasks["database-check"].run(False)
        assert again.summary.endswith("and the search index has what was said")


async def test_beside_the_gateway_a_run_is_done_once(tmp_path: Path) -> None:
    async with night(tmp_path) as at:
        await at.go(MINUTE)
        shell = MaintenanceDesk(at.guests.store, at.clock, lambda: UTC, lambda: at.tasks)
        name, came = await shell.run("backup", "shell", dry=False)
        assert came.state == "done"
        assert [(run.state, run.cause, run.who) for run in await at.runs(name)] == [("silent", "person", "shell")]
        assert len(list((tmp_path / "backups").glob("*.zip"))) == 1


async def test_a_window_that_stays_open_does_what_is_due(tmp_path: Path) -> None:
    async with night(tmp_path) as at:
        await at.go(MINUTE)
        await at.stop()
        window = MaintenanceDesk(at.guests.store, at.clock, lambda: UTC, lambda: at.tasks)
        assert await window.due() == []
        await at.clock.advance(22 * 60 * MINUTE)
        due = await window.due()
        assert due == [name for name in NAMES if name != "database-integrity"]
        for name in due:
            await window.catch_up(name)
        assert await window.due() == []
        assert [run.cause for run in await at.runs("backup")] == ["schedule"]


def _emptied(db: sqlite3.Connection) -> None:
    db.execute("INSERT INTO search_words_1 (search_words_1) VALUES ('delete-all')")
