"""The house's own jobs at their moments: by the owner's clock, in quiet hours, when the host is idle; each once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from gateway.models.idleness import HostState
from gateway.schedule.crontab import Crontab
from gateway.schedule.times import dump
from tests.fakes.past import Talk, had
from tests.fakes.scripted_model import Turn
from tests.maintenance.night import DAY, HOUR, MINUTE, NOON, night, rules


async def test_every_job_runs_once_a_night_one_after_the_other(tmp_path: Path) -> None:
    async with night(tmp_path) as at:
        await at.go(DAY)
        assert await at.hours("retention") == ["03:10"]
        assert await at.hours("cache-cleanup") == ["03:20"]
        assert await at.hours("weights-cleanup") == ["03:25"]
        assert await at.hours("database-check") == ["03:30"]
        assert await at.hours("backup") == ["03:40"]
        assert await at.hours("pending-digest") == ["09:00"]
        assert len(await at.runs("curator-check")) == 24
        everything = [run for name in at.tasks for run in await at.runs(name)]
        assert [run for run in everything if run.state not in ("done", "silent")] == []
        assert at.guests.adapter.summaries() == [], "what went well is not told"


async def test_the_thorough_check_is_once_a_week(tmp_path: Path) -> None:
    async with night(tmp_path) as at:  # a Friday
        await at.go(MINUTE)
        nexts = {each.name: each.next_run for each in await at.desk.tasks()}
        assert str(nexts["database-integrity"]) == "2027-01-17 04:10:00+00:00"
        assert str(nexts["backup"]) == "2027-01-16 03:40:00+00:00"


async def test_it_is_the_owners_night(tmp_path: Path) -> None:
    async with night(tmp_path, gateway={"timezone": "Asia/Tokyo"}) as at:
        await at.go(DAY)
        assert await at.hours("backup") == ["18:40"]
        assert await at.hours("pending-digest") == ["00:00"]


async def test_quiet_hours_that_lie_elsewhere_are_the_night(tmp_path: Path) -> None:
    async with night(tmp_path, gateway={"quiet_hours": "14:00-20:00"}) as at:
        await at.go(DAY)
        assert await at.hours("retention") == ["14:20"]
        assert await at.hours("backup") == ["14:50"]


async def test_heavy_ones_wait_for_an_idle_host_and_for_whoever_is_answered(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with night(tmp_path, [Turn(["Once", gate])]) as at:
        at.host.state = HostState.BUSY
        await at.go(16 * HOUR)
        assert await at.hours("weights-cleanup") == ["03:25"], "it is light"
        assert [run.state for run in await at.runs("backup")] == ["waiting"]
        event = await at.guests.adapter.say("a story")
        await at.guests.model.arrived(1)
        at.host.state = HostState.IDLE
        await at.go(5 * MINUTE)
        assert [run.state for run in await at.runs("backup")] == ["waiting"]
        gate.set()
        await at.guests.adapter.until(
            lambda: any(event.event_id in one.event_ids for one in at.guests.adapter.summaries())
        )
        await at.go(5 * MINUTE)
        assert [run.state for run in await at.runs("backup")] == ["silent"]


async def test_other_settings_move_what_nobody_moved(tmp_path: Path) -> None:
    async with night(tmp_path) as at:
        await at.go(MINUTE)
        backup = await at.guests.store.jobs.named("backup")
        assert backup is not None
        moved = replace(backup.spec, schedule=dump(Crontab.parse("0 23 * * *")))
        await at.guests.store.jobs.edit(backup.id, moved, "inprocess:ada", at.clock.now())
        at.guests.change(rules(gateway={"digest_hour": 18, "quiet_hours": "14:00-20:00"}))
        await at.go(DAY)
        assert await at.hours("pending-digest") == ["20:00"], "when the quiet hours end"
        assert await at.hours("retention") == ["14:20"]
        assert await at.hours("backup") == ["23:00"]


async def test_a_machine_that_is_off_at_night_does_each_once_by_day(tmp_path: Path) -> None:
    async with night(tmp_path) as at:
        await at.go(MINUTE)
        clock = at.clock
    await clock.advance(3 * DAY)
    async with night(tmp_path, clock=clock) as at:
        await at.go(5 * MINUTE)
        assert {name: len(await at.runs(name)) for name in at.tasks if name != "database-integrity"} == dict.fromkeys(
            [name for name in at.tasks if name != "database-integrity"], 1
        )
        assert len(list((tmp_path / "backups").glob("*.zip"))) == 1


async def test_old_sessions_leave_at_night(tmp_path: Path) -> None:
    async with night(tmp_path, lambda request: "Yes.", sessions={"retention_days": 90}) as at:
        await had(at.guests.store, Talk("old", 100), Talk("soon", 89.9), Talk("live"), now=at.clock.now())
        await at.go(DAY)
        (run,) = await at.runs("retention")
        assert run.answer == "2 sessions older than 90 days left, with 4 messages (0.0 MB)"
        left = [each.session.id for each in await at.guests.store.sessions.recent(10)]
        assert left == ["live"]


async def test_a_failure_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    async with night(tmp_path, access={"owners": ["inprocess:ada"], "home_chats": ["inprocess:home"]}) as at:
        (tmp_path / "backups").write_text("no folder")
        await at.go(DAY)
        assert [run.state for run in await at.runs("backup")] == ["failed"]
        assert [run.state for run in await at.runs("database-check")] == ["silent"]
        await at.guests.adapter.until_text("backup", "home")


async def test_in_a_chat_a_task_is_run_and_answered(tmp_path: Path) -> None:
    async with night(tmp_path, start=NOON) as at:
        await at.go(MINUTE)
        asked = asyncio.ensure_future(at.desk.run("back", "inprocess:ada", dry=True))
        while not asked.done():
            await at.clock.advance(1)
            await asyncio.sleep(0.01)
        name, came = asked.result()
        assert (name, came.state, came.dry) == ("backup", "done", True)
        assert came.said.startswith("it would copy ")
        assert not (tmp_path / "backups").exists()
