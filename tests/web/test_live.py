"""Live updates: what changed is told to whoever listens, whoever changed it; and nobody listens in who may not."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from gateway.config.paths import Profile
from gateway.config.profiles import prepare
from gateway.state.contract_search import said
from gateway.web.desk import DashboardDesk
from gateway.web.live import EACH, Live
from gateway.web.pulse import Pulse
from tests.fakes.clock import FakeClock
from tests.web.stage import OPERATOR, USER, Chromium, Stage, Visitor, dashboard_stage, follows
from tests.web.wishes import keep, wish_to_add

PATIENCE = 20.0


def live(stage: Stage) -> Live:
    desk = stage.dashboard
    assert isinstance(desk, DashboardDesk)
    assert desk._running is not None
    return desk._running.live


class Stream:
    """A browser's end of `/live`."""

    def __init__(self, lines: AsyncIterator[str]) -> None:
        self._lines = lines

    async def until(self, topic: str) -> None:
        """Wait for news of this topic."""
        async with asyncio.timeout(PATIENCE):
            async for line in self._lines:
                if line.startswith("data: ") and topic in json.loads(line.removeprefix("data: ")):
                    return
        raise AssertionError("the stream ended")

    async def end(self) -> None:
        """Wait for its end."""
        async with asyncio.timeout(PATIENCE):
            async for _ in self._lines:
                pass


@asynccontextmanager
async def listening(stage: Stage, visitor: Visitor) -> AsyncIterator[Stream]:
    """A stream on which everything is told from now on."""
    async with visitor.stream("GET", "/live", timeout=PATIENCE) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        stream = Stream(answer.aiter_lines())
        await stream.until("ready")
        yield stream


async def test_changes_are_told_by_topic_whoever_made_them(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage, listening(stage, await stage.client()) as stream:
        keep(stage, "She drinks tea.")
        await stream.until("memory")
        wish_to_add(stage, "She bakes.")
        await stream.until("pending")
        (stage.profile.memories / "MEMORY.md").write_text("Somebody with an editor.\n")
        await stream.until("memory")
        skill = stage.profile.skills / "mine" / "SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text("---\nname: mine\ndescription: By hand.\n---\nGo.\n")
        await stream.until("skills")
        await said(stage.app.engine.house.store, "20261130-a", ["Hello.", "Good evening."])
        await stream.until("sessions")
        with closing(sqlite3.connect(stage.profile.database, isolation_level=None)) as other:  # another process
            other.execute("UPDATE sessions SET title = 'Evening' WHERE id = '20261130-a'")
        await stream.until("sessions")


async def test_it_is_looked_only_while_somebody_listens(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        ada = await stage.client()
        assert (live(stage).listeners, live(stage)._looking) == (0, None)
        async with listening(stage, ada):
            assert live(stage).listeners == 1
        async with asyncio.timeout(PATIENCE):
            while live(stage).listeners:
                await asyncio.sleep(0.01)
        assert live(stage)._looking is None


async def test_whoever_has_no_part_in_the_house_does_not_hear_what_others_do(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        ada, eve = await stage.client(), await stage.client(USER)
        async with listening(stage, ada) as hers, listening(stage, eve):
            (theirs,) = [each for each in live(stage)._streams if each.guest]
            wish_to_add(stage, "She bakes.")
            keep(stage, "She drinks tea.")
            await hers.until("pending")
            live(stage).tell("sessions", "health", "reviews")
            await hers.until("sessions")
            assert theirs.topics == set()
            assert theirs.due() == {"memory", "skills", "sessions", "jobs"}  # by the clock, whether or not


async def test_a_stream_ends_with_its_login_and_no_other(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        ada, bob = await stage.client(), await stage.client(OPERATOR)
        async with listening(stage, ada) as hers, listening(stage, bob) as his:
            await ada.submit("/logout")
            await hers.end()
            keep(stage, "She drinks tea.")
            await his.until("memory")
            await stage.dashboard.sign_out_all()
            await his.end()


async def test_streams_are_few_and_none_is_for_strangers(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        ada = await stage.client()
        assert (await stage.stranger().get("/live")).status_code == 401
        async with asyncio.TaskGroup() as group:
            held = [group.create_task(_held(stage, ada)) for _ in range(EACH)]
            async with asyncio.timeout(PATIENCE):
                while live(stage).listeners < EACH:
                    await asyncio.sleep(0.01)
            assert (await ada.get("/live")).status_code == 429
            live(stage).end_all()
        assert all(task.result() for task in held)


async def _held(stage: Stage, visitor: Visitor) -> bool:
    """Listen until the stream ends."""
    async with visitor.stream("GET", "/live", timeout=PATIENCE) as answer:
        await Stream(answer.aiter_lines()).end()
        return answer.status_code == 200


async def test_the_house_closes_while_somebody_listens(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        task = asyncio.create_task(_held(stage, await stage.client()))
        async with asyncio.timeout(PATIENCE):
            while not live(stage).listeners:
                await asyncio.sleep(0.01)
        desk = stage.dashboard
        assert isinstance(desk, DashboardDesk)
        await desk.close()
        assert await task is True


async def test_a_pulse_knows_what_is_different(tmp_path: Path) -> None:
    profile, clock = prepare(Profile("default", tmp_path, tmp_path)), FakeClock()
    number, tables = [1], {"sessions": (1,), "jobs": (1,)}

    async def version() -> int:
        return number[0]

    async def marks() -> dict[str, tuple[object, ...]]:
        return dict(tables)

    pulse = Pulse(profile, version, marks, clock)
    await pulse.begin()
    assert await pulse.changed() == []
    (profile.pending / "memory" / "a.json").write_text("{}")
    assert await pulse.changed() == ["pending"]
    (profile.pending / "memory" / "a.json").unlink()
    assert await pulse.changed() == ["pending"]
    tables["jobs"] = (2,)
    assert await pulse.changed() == []  # nothing was committed, so nobody looked
    number[0] = 2
    assert await pulse.changed() == ["jobs"]
    await clock.advance(15)
    assert await pulse.changed() == ["health"]
    assert await pulse.changed() == []


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_a_page_follows_without_losing_what_somebody_does(tmp_path: Path, chromium: Chromium) -> None:
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        page = await stage.browser()
        await follows(page)
        await page.get_by_text("Nothing. What the assistant wants to keep").wait_for()
        link = page.get_by_role("link", name="Read what is kept")
        await link.focus()
        wish_to_add(stage, "She bakes.")
        await page.get_by_text("1 for memory").wait_for()
        assert await link.evaluate("each => each === document.activeElement")
        assert await page.locator("#live-says").inner_text() == "Updated: Waits for a yes"
        keep(stage, "She drinks tea.")
        await page.get_by_text("USER.md, 1 entry").wait_for()
        assert await link.evaluate("each => each === document.activeElement")  # its card was swapped, it is the same
        await stage.dashboard.sign_out_all()
        await page.get_by_role("alert").get_by_text("not logged in here any more").wait_for()
        assert [fault for fault in stage.faults if "401" not in fault] == []
