"""What a review kept is told in its chat: as loud as the owner wants it, once, and only what is really there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from gateway.config.schema import Settings
from memory.model import Action, Operation
from platforms.in_process import Seen
from platforms.messages import ChatKind
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, OpenDoor, guesthouse, settings
from tests.fakes.looking_back import KINDS, LookingBack, looked_back, telling
from tests.memory.skills.pending_desk import create, patch
from tests.scenarios.keeping import BIKE, TEA, kept, taps, write

CHOICES = ("Undo", "Edit", "Why")
HOME: dict[str, Any] = {"access": {"owners": ["inprocess:ada"], "home_chats": ["inprocess:c1"]}}
PLAIN = settings()


def at(level: str, **more: Any) -> Settings:
    """Settings with this level of notices, in which everybody who may talk is an owner."""
    return settings(display={"memory_notifications": level}, **more)


@asynccontextmanager
async def house(folder: Path, with_settings: Settings = PLAIN, **more: Any) -> AsyncIterator[Guesthouse]:
    """A house in which ada said something, and whose notices run."""
    async with guesthouse(folder, ["Fine."] * 9, with_memory=True, with_settings=with_settings, **more) as inn:
        async with telling(inn.engine):
            await inn.adapter.reply_to("I drink green tea.")
            yield inn


async def told(inn: Guesthouse, count: int = 1) -> list[Seen]:
    """What the chat reads after the reply, once there is so much of it."""
    await inn.adapter.until(lambda: len(inn.adapter.transcript()) > count)
    return inn.adapter.transcript()[1:]


async def silence(inn: Guesthouse) -> None:
    """Whatever can be told is told, and the chat reads nothing new."""
    before = inn.adapter.texts()
    await inn.engine.review_notices.look()
    assert inn.adapter.texts() == before


# How loud


@pytest.mark.parametrize(
    ("level", "text"), [("on", "💾 Memory updated"), ("verbose", f"💾 Memory updated\n➕ «{TEA}»")]
)
async def test_a_line_about_what_it_kept(tmp_path: Path, level: str, text: str) -> None:
    async with house(tmp_path, at(level)) as inn:
        await looked_back(inn.house, TEA)
        (notice,) = await told(inn)
        assert (notice.text, notice.labels) == (text, CHOICES)
        await silence(inn)


async def test_off_is_silent_and_writes(tmp_path: Path) -> None:
    async with house(tmp_path, at("off")) as inn:
        await looked_back(inn.house, TEA)
        await silence(inn)
        assert kept(tmp_path) == TEA


async def test_a_platform_may_differ(tmp_path: Path) -> None:
    display = {"memory_notifications": "off", "platforms": {"inprocess": {"memory_notifications": "on"}}}
    async with house(tmp_path, settings(display=display)) as inn:
        await looked_back(inn.house, TEA)
        (notice,) = await told(inn)
        assert notice.text == "💾 Memory updated"


async def test_one_that_found_nothing_says_nothing(tmp_path: Path) -> None:
    async with house(tmp_path, at("verbose")) as inn:
        await looked_back(inn.house)
        await silence(inn)


# What is named


async def test_changes_of_skills_are_named_one_by_one(tmp_path: Path) -> None:
    async with house(tmp_path) as inn:
        review = await LookingBack.begins(inn.house)
        await review.keeps(TEA)
        await review.learns(create("deploy"), create("tidy-up"))
        await review.learns(patch("deploy", "copy", "send"))
        await review.ends("memory+skill")
        (notice,) = await told(inn)
        assert notice.text.split("\n") == [
            "💾 Memory updated",
            "💾 Skill created: deploy",
            "💾 Skill created: tidy-up",
            "💾 Skill changed: deploy (SKILL.md)",
        ]
        assert notice.labels == (*CHOICES, "Undo skill")
        assert "Taken back: deploy." in (await taps(inn, "Undo skill")).text


async def test_what_waits_is_said_to_wait(tmp_path: Path) -> None:
    write(tmp_path, TEA)
    async with house(tmp_path, settings(**HOME)) as inn:
        review = await LookingBack.begins(inn.house)
        waits = await review.patches("green", "white")
        await review.keeps(BIKE)
        await review.ends()
        (notice,) = await told(inn)
        assert (notice.text, notice.labels) == ("💾 Memory updated · waits: 1", CHOICES)
        assert f"`{waits}` [auto] patch" in await inn.adapter.reply_to("/memory pending")
        assert kept(tmp_path) == f"{TEA}\n§\n{BIKE}"


async def test_with_everything_gated_nothing_is_said_to_be_kept(tmp_path: Path) -> None:
    async with house(
        tmp_path, settings(memory={"write_approval": True}, skills={"write_approval": True}, **HOME)
    ) as inn:
        review = await LookingBack.begins(inn.house)
        await review.keeps(TEA)
        skill = await review.learns(create("deploy"))
        await review.ends("memory+skill")
        (notice,) = await told(inn)
        first, second = notice.text.split("\n")
        assert first == "🕓 Memory is unchanged · waits: 1"
        assert second.startswith("🕓 Waits for a yes: create 'deploy'")
        assert second.endswith(f"(`{skill}`)")
        assert notice.labels == ("Show", "Show")


async def test_what_was_taken_back_or_decided_before_its_end_is_not_named(tmp_path: Path) -> None:
    write(tmp_path, TEA)
    async with house(tmp_path, settings(**HOME)) as inn:
        review = await LookingBack.begins(inn.house)
        change = await review.keeps(BIKE)
        waits = await review.patches("green", "white")
        assert "Removed from USER.md" in await inn.adapter.reply_to(f"/memory undo {change}")
        assert "approved" in await inn.adapter.reply_to(f"/memory approve {waits}")
        await review.ends()
        await silence(inn)


async def test_what_it_wrote_before_it_gave_way_and_went_into_a_newer_one_is_told(tmp_path: Path) -> None:
    async with house(tmp_path) as inn:
        first = await LookingBack.begins(inn.house)
        await first.keeps(TEA)
        await inn.adapter.reply_to("And I ride a bicycle.")
        reviews, now = inn.store.reviews, inn.house.clock.now()
        newer = await reviews.offer(first.review.session_id, KINDS, "cadence", now)
        assert newer is not None
        await reviews.put_back(first.review, "cancelled", now)
        second = await LookingBack.begins(inn.house)
        assert second.review.id == newer.id
        await second.ends("none")
        assert (await told(inn, 2))[-1].text == "💾 Memory updated"


# Once


async def test_a_process_that_dies_before_it_told_tells_it_when_it_is_back(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["Fine."], with_memory=True) as inn:
        await inn.adapter.reply_to("I drink green tea.")
        review = await LookingBack.begins(inn.house)
        await review.keeps(TEA)
        await review.is_over()
    async with guesthouse(tmp_path, with_memory=True) as inn, telling(inn.engine):
        await inn.adapter.until_text("💾 Memory updated")
    async with guesthouse(tmp_path, with_memory=True) as inn, telling(inn.engine):
        await silence(inn)
        await inn.store.facts.put("reviews", "told", None)  # it died before it noted that
        await silence(inn)


async def test_what_is_a_week_old_is_no_news(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, ["Fine."], with_memory=True, clock=clock) as inn:
        await inn.adapter.reply_to("I drink green tea.")
        review = await LookingBack.begins(inn.house)
        await review.keeps(TEA)
        await review.is_over()
        await clock.advance(8 * 86_400)
        await silence(inn)


async def test_in_quiet_hours_it_is_told_afterwards(tmp_path: Path) -> None:
    night = {"quiet_hours": "08:00-09:00", "timezone": "UTC"}
    clock = FakeClock()  # 2027-01-15 08:00 UTC
    async with guesthouse(
        tmp_path, ["Fine."], with_memory=True, clock=clock, with_settings=settings(gateway=night)
    ) as inn:
        await inn.adapter.reply_to("I drink green tea.")
        await looked_back(inn.house, TEA)
        await silence(inn)
        await clock.advance(3600)
        await inn.engine.review_notices.look()
        await inn.adapter.until_text("💾 Memory updated")


async def test_a_journal_that_cannot_be_read_puts_it_off(tmp_path: Path) -> None:
    async with house(tmp_path) as inn:
        review = await LookingBack.begins(inn.house)
        await review.keeps(TEA)
        journal = tmp_path / "memories" / "journal.jsonl"
        lines = journal.read_bytes()
        journal.unlink()
        journal.mkdir()
        await review.is_over()
        await silence(inn)
        assert inn.notes.named("reviews.untold")
        journal.rmdir()
        journal.write_bytes(lines)
        await inn.engine.review_notices.look()
        assert [each.text for each in await told(inn)] == ["💾 Memory updated"]


# Buttons


async def test_why_says_that_a_review_of_this_conversation_wrote_it(tmp_path: Path) -> None:
    async with house(tmp_path, clock=FakeClock()) as inn:
        await looked_back(inn.house, TEA)
        await told(inn)
        answer = (await taps(inn, "Why")).text
        assert f"now: {TEA}\nA review of this conversation wrote it on 20" in answer
        await inn.adapter.reply_to("/new")
        await inn.adapter.reply_to("Hello again.")
        later = (await taps(inn, "Why")).text
        assert "\nA review of session 20" in later


async def test_why_of_one_that_waited_says_that_it_was_approved(tmp_path: Path) -> None:
    async with house(tmp_path, settings(memory={"write_approval": True}, **HOME)) as inn:
        (waits,) = await looked_back(inn.house, TEA)
        await inn.adapter.reply_to(f"/memory approve {waits}")
        assert inn.house.memories is not None
        (record,) = await asyncio.to_thread(inn.house.memories.shelf.changes)
        answer = await inn.adapter.reply_to(f"/memory why {record.id}")
        assert "A review of this conversation wished for it; it was approved on 20" in answer


async def test_undo_and_edit_act_on_what_the_review_kept(tmp_path: Path) -> None:
    async with house(tmp_path) as inn:
        await looked_back(inn.house, TEA)
        await told(inn)
        assert TEA in (await taps(inn, "Edit")).text
        await taps(inn, "Undo")
        assert kept(tmp_path) == ""


async def test_in_a_group_there_is_no_button_and_no_preview(tmp_path: Path) -> None:
    only_ada = {"inprocess": OpenDoor(allowed_users=("ada",), require_mention=False)}
    async with guesthouse(
        tmp_path, ["Fine."], with_memory=True, with_settings=at("verbose", platforms=only_ada)
    ) as inn:
        async with telling(inn.engine):
            await inn.adapter.say("I drink green tea.", chat="room", kind=ChatKind.GROUP)
            await inn.adapter.until_text("Fine.", "room")
            await inn.adapter.until(lambda: bool(inn.adapter.summaries("room")))
            await looked_back(inn.house, TEA, key="inprocess:room")
            notice = await inn.adapter.until_text("Memory", "room")
            assert (notice.text, notice.labels) == ("💾 Memory updated", ())


# Without a home chat


async def test_where_no_home_chat_hears_of_it_the_notice_is_the_one_line(tmp_path: Path) -> None:
    clock = FakeClock()
    rules = at("on", memory={"write_approval": True})
    async with house(tmp_path, rules, clock=clock) as inn:
        await looked_back(inn.house, TEA)
        assert [each.text for each in await told(inn)] == ["🕓 Memory is unchanged · waits: 1"]
        await clock.advance(120)
        await silence(inn)


async def test_with_notices_off_it_is_told_that_something_waits_all_the_same(tmp_path: Path) -> None:
    clock = FakeClock()
    async with house(tmp_path, at("off", memory={"write_approval": True}), clock=clock) as inn:
        await looked_back(inn.house, TEA)
        async with asyncio.timeout(30):  # what waits is noticed in a thread, and only then told after a while
            while len(inn.adapter.transcript()) < 2:
                await clock.advance(30)
                await asyncio.sleep(0.01)
        assert "A write to memory waits for a yes" in (await told(inn))[0].text


# Asked for


async def test_who_asks_for_a_review_hears_what_it_found_even_where_notices_are_off(tmp_path: Path) -> None:
    async with house(tmp_path, at("off")) as inn:
        said = await inn.adapter.reply_to("/refine what I drink")
        assert said == "🔎 Looking back at this conversation, above all for «what I drink». I tell what I find."
        (waits,) = await inn.store.reviews.queue()
        assert (waits.cause, waits.focus) == ("person", "what I drink")
        assert waits.kinds == frozenset(KINDS)
        await looked_back(inn.house, TEA)
        assert (await told(inn, 2))[-1].text == f"💾 Memory updated\n➕ «{TEA}»"


async def test_who_asks_hears_that_nothing_was_worth_keeping(tmp_path: Path) -> None:
    async with house(tmp_path, at("off")) as inn:
        assert await inn.adapter.reply_to("/refine") == "🔎 Looking back at this conversation. I tell what I find."
        await looked_back(inn.house)
        notice = (await told(inn, 2))[-1]
        assert notice.text == "🔎 I looked back at this conversation and found nothing worth keeping."


async def test_who_asks_hears_that_it_failed_and_what_it_had_kept(tmp_path: Path) -> None:
    async with house(tmp_path) as inn:
        await inn.adapter.reply_to("/refine")
        review = await LookingBack.begins(inn.house)
        await review.keeps(TEA)
        await review.is_dropped("it failed 3 times, the last time so: the host is down")
        await inn.engine.review_notices.look()
        notice = (await told(inn, 2))[-1]
        assert notice.text.split("\n") == [
            "💾 Memory updated",
            f"➕ «{TEA}»",
            "⚠️ The review of this conversation was given up: it failed 3 times, the last time so: the host is down.",
        ]


async def test_who_asks_hears_when_everything_was_decided_before_the_end(tmp_path: Path) -> None:
    async with house(tmp_path) as inn:
        await inn.adapter.reply_to("/refine")
        review = await LookingBack.begins(inn.house)
        change = await review.remembers(Operation(Action.ADD, content=TEA))
        await inn.adapter.reply_to(f"/memory undo {change}")
        await review.ends()
        assert (await told(inn, 3))[-1].text.startswith("🔎 I looked back at this conversation; what I found was")
