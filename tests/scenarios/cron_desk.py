"""What the scenarios about jobs share: a house by the clock of Berlin, and what is said and pressed there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from gateway.config.schema import Access, Settings
from gateway.config.sections import Gateway
from gateway.state.job_records import Job
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.scripted_model import Script, ScriptedModel, Turn
from tests.scenarios.places import Door, Spot

ADA = Spot("c1", "ada", Door())
EVE = Spot("c2", "eve", Door())
BOB = Spot("c3", "bob", Door())
ROOM = Spot("g1", "bob", Door())
ADA_IN_ROOM = Spot("g1", "ada", Door())
EVE_IN_ROOM = Spot("g1", "eve", Door())
"""Ada owns the house, Eve is an operator, Bob only talks here; all of them are heard in the room."""

NOTES = "summarise my unread notes"


def berlin(*homes: str, **more: Any) -> Settings:
    """FakeClock begins on Friday, 15 January 2027, at 9:00 in Berlin."""
    access = Access(owners=("inprocess:ada",), operators=("inprocess:eve",), home_chats=homes)
    door = Door(allowed_users=("ada", "eve", "bob"))
    return settings(platforms={"inprocess": door}, access=access, gateway=Gateway(timezone="Europe/Berlin"), **more)


@asynccontextmanager
async def office(
    folder: Path,
    script: Script | ScriptedModel = ("Fine.",) * 9,
    *homes: str,
    clock: FakeClock | None = None,
    **more: Any,
) -> AsyncIterator[Guesthouse]:
    """A house with jobs, in which nothing starts them; `homes` are the operators' home chats, `more` further keys."""
    clock = clock or FakeClock()
    async with guesthouse(
        folder, script, with_settings=berlin(*homes, **more), with_memory=True, clock=clock
    ) as house:
        yield house


async def press(house: Guesthouse, label: str, spot: Spot = ADA) -> str:
    """Somebody taps the newest button of this label in the chat; what answers."""
    adapter = house.adapter
    before = set(adapter.transcript(spot.chat))
    event = await adapter.press(spot.chat, label, spot.sender)
    await adapter.until(lambda: any(event.event_id in each.event_ids for each in adapter.summaries(spot.chat)))
    return "\n\n".join(seen.text for seen in adapter.transcript(spot.chat) if seen not in before)


async def job(house: Guesthouse, number: int = 1) -> Job:
    """As it is stored."""
    found = await house.store.jobs.get(number)
    assert found is not None
    return found


async def jobs(house: Guesthouse) -> list[str]:
    return [each.name for each in await house.store.jobs.all()]


def labels(house: Guesthouse, spot: Spot = ADA) -> tuple[str, ...]:
    """The buttons of the chat's last message."""
    return house.adapter.transcript(spot.chat)[-1].labels


def proposes(when: str = "weekdays at 9am", prompt: str = NOTES, **more: Any) -> Turn:
    return Turn(calls=[("cronjob", {"action": "propose", "when": when, "prompt": prompt, **more})])


def tool_answers(house: Guesthouse) -> Sequence[str]:
    """What the last request says that tools answered."""
    return [each.content for each in house.model.requests[-1].messages if each.role == "tool"]
