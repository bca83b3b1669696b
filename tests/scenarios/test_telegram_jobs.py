"""Jobs on Telegram, from the command that makes one to the answer that people go on from; also after a night away."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from gateway.schedule import phrases, times
from gateway.state.job_records import JobSpec
from gateway.state.store import SqliteStore
from tests.fakes.openai_server import Step
from tests.fakes.telegram import Room
from tests.scenarios.telegram_inn import PATIENCE, Inn, telegram_inn

GROUP, NEWS = -100777, 7
DIGEST = "1. Rain at noon.\n2. The boat is late."
DAY = 86_400.0


@pytest.fixture(autouse=True)
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock of the bot's token lies in the user's cache folder."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("user")))


def newsroom(inn: Inn) -> Room:
    """A forum of Ada's with a topic for news."""
    return inn.server.group(GROUP, "Inn", forum=True).topic(NEWS, "News")


def told(inn: Inn) -> list[list[str]]:
    """The messages of each request after the prompt."""
    return [[str(each["content"]) for each in chat.json()["messages"][1:]] for chat in inn.host.chats]


async def test_a_morning_digest_is_posted_to_a_topic_and_gone_on_from(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, access={"home_chats": ["telegram:111"]}) as inn, inn.open():
        room = newsroom(inn)
        inn.ada.says("/cron add daily at 7:00 | What is new?", chat=room, thread=NEWS)
        await inn.server.until(lambda: len(room.seen(NEWS)) == 1, PATIENCE)
        assert "7:00" in room.seen(NEWS)[0].text
        inn.host.script.append(Step(text=DIGEST))
        inn.ada.says("/cron run What", chat=room, thread=NEWS)
        await inn.server.until(lambda: any(each.text == DIGEST for each in room.seen(NEWS)), PATIENCE)
        digest = next(each for each in room.seen(NEWS) if each.text == DIGEST)
        inn.host.script.append(Step(text="The fog keeps it."))
        inn.ada.replies(digest.message_id, "expand 2", chat=room, thread=NEWS)
        await inn.server.until(lambda: room.seen(NEWS)[-1].text == "The fog keeps it.", PATIENCE)
        asked, going_on = told(inn)
        assert asked[0].endswith("What is new?")
        assert going_on[: len(asked) + 1] == [*asked, DIGEST]
        assert going_on[-1].endswith("expand 2")
        assert [each.text for each in room.seen(NEWS)].count(DIGEST) == 1
        assert inn.host.chats[0].json()["messages"][0] == inn.host.chats[1].json()["messages"][0]


async def test_a_gateway_that_was_away_over_the_time_catches_up_once(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn:
        async with inn.open():
            assert await inn.says("Hello", "Hello.") == "Hello."
        now = datetime.now(UTC)
        due = now - timedelta(minutes=7)
        schedule = times.dump(phrases.parse(f"daily at {due:%H:%M}", ZoneInfo("UTC"), now))
        spec = JobSpec("digest", "prompt", schedule, "UTC", "What is new?", chat_key="telegram:111")
        store = await SqliteStore.open(tmp_path / "state.db")
        await store.jobs.add(spec, "person", "telegram:111", time.time() - 3 * DAY)
        await store.close()
        inn.host.script.append(Step(text=DIGEST))
        async with inn.open():
            await inn.server.until(lambda: inn.ada.texts()[-1] == DIGEST, PATIENCE)
        async with inn.open():
            assert await inn.says("expand 2", "The fog.") == "The fog."
        assert inn.ada.texts() == ["Hello.", DIGEST, "The fog."]
        assert told(inn)[-1][-2:] == [DIGEST, "expand 2"]


async def test_a_failure_is_told_in_the_home_chat(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, access={"home_chats": ["telegram:111"]}) as inn, inn.open():
        room = newsroom(inn)
        inn.ada.says("/cron add daily at 7:00 | What is new?", chat=room, thread=NEWS)
        await inn.server.until(lambda: len(room.seen(NEWS)) == 1, PATIENCE)
        inn.host.script.append(Step(status=400, body={"error": {"message": "no"}}))
        inn.ada.says("/cron run What", chat=room, thread=NEWS)
        await inn.server.until(lambda: any("failed" in text for text in inn.ada.texts()), PATIENCE)
        assert len([text for text in inn.ada.texts() if "failed" in text]) == 1
        assert not [each for each in room.seen(NEWS) if "failed" in each.text]
