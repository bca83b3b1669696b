"""The commands about looking back: what waits and why, what came of it, price and yield, a review right now."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gateway.config.schema import Settings
from gateway.state.review_records import QueuedReview, WriteFate
from memory.model import Author, Origin
from platforms.messages import ChatKind
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, OpenDoor, guesthouse, settings
from tests.fakes.looking_back import COST, KINDS, LookingBack, looked_back
from tests.memory.skills.pending_desk import create
from tests.scenarios.keeping import BIKE, TEA, write
from tests.scenarios.shell import Home

OWNER: dict[str, Any] = {"access": {"owners": ["inprocess:ada"], "home_chats": ["inprocess:c1"]}}
GATED: dict[str, Any] = {"memory": {"write_approval": True}, "skills": {"write_approval": True}, **OWNER}
PLAIN = settings()


@dataclass(frozen=True)
class Why:
    """A review in the list, with the reason of whoever starts reviews."""

    review: QueuedReview
    why: str


@asynccontextmanager
async def house(folder: Path, with_settings: Settings = PLAIN, **more: Any) -> AsyncIterator[Guesthouse]:
    """A house in which ada said something."""
    async with guesthouse(folder, ["Fine."] * 9, with_memory=True, with_settings=with_settings, **more) as inn:
        await inn.adapter.reply_to("I drink green tea.")
        yield inn


async def fates(inn: Guesthouse) -> list[tuple[str, WriteFate]]:
    """What the books say of the last review's writes."""
    (result, *_) = await inn.store.review_books.results(1)
    return [(each.ref, each.fate) for each in result.writes]


async def session_id(inn: Guesthouse) -> str:
    session = await inn.store.sessions.current("inprocess:c1")
    assert session is not None
    return session.id


# The queue


async def test_without_any_there_is_little_to_say(tmp_path: Path) -> None:
    async with house(tmp_path) as inn:
        assert await inn.adapter.reply_to("/reviews") == "No review waits."
        assert await inn.adapter.reply_to("/reviews report") == "No review ended in the last 30 days."


async def test_the_queue_tells_age_state_and_why_each_waits(tmp_path: Path) -> None:
    clock = FakeClock()
    async with house(tmp_path, clock=clock) as inn:
        await inn.store.reviews.offer(await session_id(inn), KINDS, "cadence", clock.now())
        await clock.advance(180)

        async def standing() -> Sequence[Why]:
            return [Why(each, "the model host is not known to be idle") for each in await inn.store.reviews.queue()]

        inn.engine.reviews.attend(standing, lambda: None)
        line = f"- `{await session_id(inn)}` «I drink green tea.»: memory, it was due; asked for 3 min ago"
        assert await inn.adapter.reply_to("/reviews") == f"{line}, waits: the model host is not known to be idle"
        review = await LookingBack.begins(inn.house)
        assert ", runs" in await inn.adapter.reply_to("/reviews")
        await inn.store.reviews.put_back(review.review, "cancelled", clock.now(), reason="a prompt needed the host")
        assert (await inn.adapter.reply_to("/reviews")).endswith(" (gave way once so far)")


async def test_the_last_results_are_told_with_what_became_of_their_writes(tmp_path: Path) -> None:
    clock = FakeClock()
    async with house(tmp_path, settings(**OWNER), clock=clock) as inn:
        await looked_back(inn.house, TEA)
        await clock.advance(60)
        await inn.adapter.reply_to("And a bicycle.")
        dropped = await LookingBack.begins(inn.house)
        await dropped.is_dropped("it waited for 120 minutes")
        head = f"- `{await session_id(inn)}` «I drink green tea.», "
        assert (await inn.adapter.reply_to("/reviews")).split("\n") == [
            "No review waits.",
            "",
            "The last ones:",
            f"{head}a moment ago: given up: it waited for 120 minutes",
            f"{head}1 min ago: memory (1 kept); 2 calls, 40,000 in (97 % cached), 300 out, 4 s, $0.0100",
        ]


async def test_an_operator_sees_the_rooms_own_reviews_and_a_user_none(tmp_path: Path) -> None:
    access = {"owners": ["inprocess:ada"], "operators": ["inprocess:bob"]}
    rules = settings(access=access, platforms={"inprocess": OpenDoor(require_mention=False)})
    async with house(tmp_path, rules) as inn:
        await looked_back(inn.house)
        bobs = await inn.adapter.reply_to("/reviews", chat="bobs", sender="bob")
        assert bobs == "No review waits.", "the last ones are not his"
        assert "operator" in await inn.adapter.reply_to("/reviews", chat="evas", sender="eva")
        assert "operator" in await inn.adapter.reply_to("/refine", chat="evas", sender="eva")
        room = await inn.adapter.say("/reviews", chat="room", kind=ChatKind.GROUP)
        await inn.adapter.until(
            lambda: any(room.event_id in each.event_ids for each in inn.adapter.summaries("room"))
        )
        assert inn.adapter.texts("room") == ["No review waits."]
        assert "nothing worth keeping" in await inn.adapter.reply_to("/reviews")


# A review right now


async def test_one_that_is_asked_for_wakes_whoever_starts_reviews(tmp_path: Path) -> None:
    woken: list[str] = []
    async with house(tmp_path, settings(auxiliary={"background_review": {"enabled": False}})) as inn:
        inn.engine.reviews.attend(inn.store.reviews.queue, lambda: woken.append("now"))  # type: ignore[arg-type]
        assert (await inn.adapter.reply_to("/refine")).startswith("🔎 Looking back")
        assert woken == ["now"]
        await LookingBack.begins(inn.house)
        assert "yours follows it" in await inn.adapter.reply_to("/refine")


async def test_where_there_is_nothing_to_look_at_or_to_write_it_says_so(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, with_memory=True) as inn:
        assert await inn.adapter.reply_to("/refine") == "Nothing was said in this session yet."
        assert "at most 500 characters" in await inn.adapter.reply_to(f"/refine {'x' * 501}")
    async with guesthouse(tmp_path / "bare", ["Fine."]) as inn:
        await inn.adapter.reply_to("Hello")
        assert "neither memory nor skills" in await inn.adapter.reply_to("/refine")
        assert await inn.store.reviews.queue() == []


async def test_only_what_the_conversation_could_write_is_looked_for(tmp_path: Path) -> None:
    no_skills = settings(agent={"disabled_toolsets": ["skills"]})
    async with house(tmp_path, no_skills) as inn:
        await inn.adapter.reply_to("/refine")
        (waits,) = await inn.store.reviews.queue()
        assert waits.kinds == frozenset({"memory"})


# What becomes of writes


async def test_a_write_that_is_approved_is_kept_and_then_undone(tmp_path: Path) -> None:
    async with house(tmp_path, settings(**GATED)) as inn:
        (waits,) = await looked_back(inn.house, TEA)
        assert await fates(inn) == [(waits, "waiting")]
        await inn.adapter.reply_to(f"/memory approve {waits}")
        ((change, fate),) = await fates(inn)
        assert (fate, change != waits) == ("kept", True)
        await inn.adapter.reply_to(f"/memory undo {change}")
        assert await fates(inn) == [(change, "undone")]
        assert inn.house.memories is not None
        undo = (await asyncio.to_thread(inn.house.memories.shelf.changes))[-1]
        await inn.adapter.reply_to(f"/memory undo {undo.id}")
        assert await fates(inn) == [(change, "kept")], "brought back"


async def test_a_write_that_is_rejected(tmp_path: Path) -> None:
    async with house(tmp_path, settings(**GATED)) as inn:
        (waits,) = await looked_back(inn.house, TEA)
        await inn.adapter.reply_to("/memory reject all")
        assert await fates(inn) == [(waits, "rejected")]


async def test_a_write_that_is_edited_goes_on_under_its_new_id(tmp_path: Path) -> None:
    async with house(tmp_path, settings(**GATED)) as inn:
        (waits,) = await looked_back(inn.house, TEA)
        await inn.adapter.reply_to(f"/memory edit {waits} {BIKE}")
        ((now, fate),) = await fates(inn)
        assert (fate, now != waits) == ("waiting", True)
        await inn.adapter.reply_to(f"/memory approve {now}")
        assert [fate for _, fate in await fates(inn)] == ["kept"]


async def test_what_waits_is_decided_while_the_review_still_runs(tmp_path: Path) -> None:
    async with house(tmp_path, settings(**GATED)) as inn:
        review = await LookingBack.begins(inn.house)
        waits = await review.keeps(TEA)
        await inn.adapter.reply_to(f"/memory reject {waits}")
        await review.ends()
        assert await fates(inn) == [(waits, "rejected")]


async def test_skills_alike(tmp_path: Path) -> None:
    async with house(tmp_path, settings(**GATED)) as inn:
        review = await LookingBack.begins(inn.house)
        first, second = await review.learns(create("deploy")), await review.learns(create("tidy"))
        await review.ends("skill")
        await inn.adapter.reply_to(f"/skills approve {first}")
        await inn.adapter.reply_to(f"/skills reject {second}")
        assert sorted(fate for _, fate in await fates(inn)) == ["kept", "rejected"]
        await inn.adapter.reply_to("/skills undo")
        assert sorted(fate for _, fate in await fates(inn)) == ["rejected", "undone"]


async def test_erased_everywhere_what_waited_is_rejected(tmp_path: Path) -> None:
    write(tmp_path, "Ada lives in Delft.")
    async with house(tmp_path, settings(**GATED)) as inn:
        (waits,) = await looked_back(inn.house, "Ada lives in Delft, too.")
        await inn.adapter.reply_to("/forget --everywhere Ada lives in Delft")
        await inn.adapter.press("c1", "Erase it")
        await inn.adapter.until(lambda: any("that waited for a yes" in each for each in inn.adapter.texts()))
        assert await fates(inn) == [(waits, "rejected")]


async def test_what_no_command_told_is_found_when_the_books_are_read(tmp_path: Path) -> None:
    """Another process decided, or this one died in between."""
    async with house(tmp_path, settings(**GATED)) as inn:
        waits = await looked_back(inn.house, TEA, BIKE, "Ada likes plums.")
        assert inn.house.memories is not None
        resolver, shelf = inn.house.memories.resolver, inn.house.memories.shelf
        await asyncio.to_thread(resolver.edit, waits[0], "Ada drinks tea.", "shell")
        (edited,) = set(await asyncio.to_thread(resolver.pendings.ids)) - set(waits)
        await asyncio.to_thread(resolver.approve, edited, "shell")
        await asyncio.to_thread(resolver.approve, waits[1], "shell")
        await asyncio.to_thread(shelf.own.undo, Author(Origin.COMMAND, who="shell"))
        assert [fate for _, fate in await fates(inn)] == ["waiting"] * 3
        assert "memory (1 kept, 1 waits, 1 undone)" in await inn.adapter.reply_to("/reviews")
        assert sorted(fate for _, fate in await fates(inn)) == ["kept", "undone", "waiting"]


# Price and yield


async def test_the_report_tells_price_and_yield_by_model(tmp_path: Path) -> None:
    clock = FakeClock()
    async with house(tmp_path, settings(**OWNER), clock=clock) as inn:
        change, _ = await looked_back(inn.house, TEA, BIKE)
        await inn.adapter.reply_to(f"/memory undo {change}")
        await inn.adapter.reply_to("And more.")
        await looked_back(inn.house)
        await inn.adapter.reply_to("And more.")
        await (await LookingBack.begins(inn.house)).is_dropped("nobody was quiet")
        assert (await inn.adapter.reply_to("/reviews report 7")).split("\n") == [
            "Reviews of the last 7 days:",
            "- **no model asked**: 1 review (1 given up); 0 calls, 0 in, 0 out, 0 s; writes: none",
            "- **scripted/script**: 2 reviews (1 memory, 1 nothing worth keeping); 4 calls, 80,000 in (97 % cached), "
            "600 out, 8 s, $0.0200; writes: 1 kept, 1 undone, 80,600 tokens a write that was kept",
        ]
        await clock.advance(8 * 86_400)
        assert "No review ended" in await inn.adapter.reply_to("/reviews report 7")
        assert "from 1 to 3660" in await inn.adapter.reply_to("/reviews report ever")


# The shell


@pytest.fixture
async def home(tmp_path: Path) -> Home:
    """A home whose gateway is gone, with a review that waits and one that is over."""
    async with house(tmp_path, settings(**OWNER)) as inn:
        await looked_back(inn.house, TEA)
        await inn.adapter.reply_to("And a bicycle.")
        await inn.store.reviews.offer(await session_id(inn), KINDS, "boundary", inn.house.clock.now())
    return Home(tmp_path, "model: {provider: openai, model: m, base_url: 'http://127.0.0.1:9', api_key: none}\n")


async def test_the_shell_has_the_same_as_data(home: Home) -> None:
    said, report = await asyncio.gather(
        home.innkeeper("reviews", "--json"), home.innkeeper("reviews", "report", "--json")
    )
    assert (said.code, report.code) == (0, 0), said.err + report.err
    waits, over = json.loads(said.out)
    assert (waits["state"], waits["why"], waits["cause"]) == ("waiting", "the gateway is not running", "boundary")
    assert (over["outcome"], over["writes"]["kept"], over["input"]) == ("memory", 1, COST.input)
    (line,) = json.loads(report.out)
    assert (line["model"], line["reviews"], line["writes"]["kept"], line["cost"]) == ("script", 1, 1, COST.cost)
