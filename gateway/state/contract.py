"""The suite that every store passes: what its parts share, events, facts and books; the rest is in `contract_*`.

Subclass the classes in a test module and give it a pytest fixture `store`, which yields an empty store; the tests
are coroutines (pytest-asyncio in mode auto). Owns what "a store" promises; leaves to each store's own tests how its
disk, its network or its other processes misbehave.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from gateway.errors import StaleEpoch
from gateway.state.protocols import Store
from gateway.state.records import PartDraft, Row, Session, Turn
from gateway.transcript import Usage
from platforms.messages import Attachment, Button, ChatKind, ChatRef, Inbound, Sender

CHAT = ChatRef("telegram", "-100")
ODD = "half \ud83d, whole \ud83d\ude00 and 🦔, zero \x00, end"
"""Text with a lone surrogate, a pair that was split, four bytes of UTF-8, and a zero."""

ODD_READ = "half \ufffd, whole 😀 and 🦔, zero \x00, end"
HALF = "half \ud83d, 🦔, zero \x00, end"
"""A lone surrogate, which JSON can hold; what is stored as JSON comes back with it."""

NOON = 1_796_040_000.0
"""2026-11-30, 12:00 UTC."""


def event(number: int, text: str = "hi", chat: ChatRef = CHAT) -> Inbound:
    """A message of a person in a chat; `number` is its id."""
    return Inbound("bot", f"e{number}", chat, ChatKind.DIRECT, Sender("7", "Ada"), text, NOON, f"m{number}")


def session(name: str = "s1", key: str = CHAT.key, chat: ChatRef = CHAT, at: float = NOON) -> Session:
    return Session(name, key, chat, f"prompt of {name}", "[]", None, 0, False, at, at)


@contextmanager
def refused() -> Iterator[None]:
    """What is tried inside must raise StaleEpoch."""
    try:
        yield
    except StaleEpoch:
        return
    raise AssertionError("a stale writer was let through")


async def begun(store: Store, number: int = 1, name: str = "s1", said: str = "hi") -> Turn:
    """A turn that answers one new event, in a session that is opened when there is none."""
    item = await store.inbox.accept(event(number, said), CHAT.key, NOON)
    assert item is not None
    await store.sessions.open(session(name))
    return await store.turns.begin(name, CHAT, [item.id], [Row("user", said)], NOON + number)


class InboxContract:
    """Events."""

    async def test_an_event_is_stored_once(self, store: Store) -> None:
        first = await store.inbox.accept(event(1), CHAT.key, NOON)
        assert first is not None
        assert (first.event, first.session_key, first.received_at) == (event(1), CHAT.key, NOON)
        assert await store.inbox.accept(event(1, "again"), CHAT.key, NOON + 1) is None
        assert await store.inbox.get(first.id) == first
        assert await store.inbox.get(first.id + 1000) is None

    async def test_of_many_deliveries_at_once_one_is_taken(self, store: Store) -> None:
        items = await asyncio.gather(*(store.inbox.accept(event(1), CHAT.key, NOON) for _ in range(20)))
        assert len([each for each in items if each is not None]) == 1
        assert len(await store.inbox.open_items()) == 1

    async def test_the_same_id_elsewhere_is_another_event(self, store: Store) -> None:
        other = replace(event(1), account="second bot")
        elsewhere = event(1, chat=ChatRef("discord", "-100"))
        for each in (event(1), other, elsewhere):
            assert await store.inbox.accept(each, each.chat.key, NOON) is not None

    async def test_new_events_come_in_the_order_of_arrival(self, store: Store) -> None:
        for number in (3, 1, 2):
            await store.inbox.accept(event(number), f"telegram:{number}", NOON - number)
        assert [each.event.event_id for each in await store.inbox.open_items()] == ["e3", "e1", "e2"]

    async def test_an_event_comes_back_as_it_was(self, store: Store) -> None:
        files = (Attachment("picture", HALF, "image/png", 5, "file:1"), Attachment("voice", "", "audio/ogg", 0, "x"))
        whole = replace(event(1, HALF), sender=Sender("7", HALF, True), media_group="g", attachments=files, units=9)
        item = await store.inbox.accept(whole, CHAT.key, NOON)
        assert item is not None
        found = await store.inbox.get(item.id)
        assert found is not None
        assert found.event == whole

    async def test_names_that_utf8_cannot_hold_are_found_again(self, store: Store) -> None:
        chat = ChatRef("console", HALF)
        item = await store.inbox.accept(replace(event(1, chat=chat), event_id=HALF), chat.key, NOON)
        assert item is not None
        assert await store.inbox.get(item.id) == item
        assert await store.inbox.accept(replace(event(1, chat=chat), event_id=HALF), chat.key, NOON) is None
        await store.inbox.hold([item.id])
        assert await store.inbox.held(chat.key) == [item]

    async def test_held_events_wait_for_a_word(self, store: Store) -> None:
        items = [await store.inbox.accept(event(number), CHAT.key, NOON) for number in (1, 2, 3)]
        ids = [each.id for each in items if each is not None]
        await store.inbox.hold(ids[:2])
        assert [each.id for each in await store.inbox.held(CHAT.key)] == ids[:2]
        assert await store.inbox.held("telegram:other") == []
        assert await store.inbox.held_keys() == [CHAT.key]
        assert [each.id for each in await store.inbox.open_items()] == ids[2:]
        await store.inbox.release(ids[:1])
        await store.inbox.done(ids[1:2])
        waiting = [(each.id, each.wanted) for each in await store.inbox.open_items()]
        assert waiting == [(ids[0], True), (ids[2], False)]
        assert await store.inbox.held_keys() == []

    async def test_a_message_is_found_with_its_edits(self, store: Store) -> None:
        first = replace(event(1, "before"), quoted="what?", quoted_from=Sender("8", HALF))
        changed = replace(first, event_id="e2", text="after", edited=True)
        pressed = replace(event(3), message_id="m1", pressed=True)
        elsewhere = event(4, chat=ChatRef("telegram", "-200"))
        for each in (first, changed, pressed, replace(elsewhere, message_id="m1")):
            await store.inbox.accept(each, each.chat.key, NOON)
        found = await store.inbox.versions(CHAT.key, "m1")
        assert [(each.item.event, each.state, each.turn_id) for each in found] == [
            (first, "new", None),
            (changed, "new", None),
        ]
        await store.inbox.amend(found[0].item.id, replace(first, text="after"), found[1].item.id)
        former, edit = await store.inbox.versions(CHAT.key, "m1")
        assert (former.item.event.text, former.state, edit.state) == ("after", "new", "done")

    async def test_what_no_turn_took_can_be_wanted_once(self, store: Store) -> None:
        turn = await begun(store)
        item = await store.inbox.accept(event(2), CHAT.key, NOON)
        assert item is not None
        assert not await store.inbox.reopen(item.id), "it is new still"
        await store.inbox.done([item.id])
        assert [await store.inbox.reopen(item.id) for _ in range(2)] == [True, False]
        assert [each.wanted for each in await store.inbox.open_items()] == [True]
        await store.turns.finish(turn, "answered", NOON, rows=[], parts=[])
        assert not await store.inbox.reopen(turn.inbox_ids[0])

    async def test_what_is_over_is_neither_held_nor_released(self, store: Store) -> None:
        turn = await begun(store)
        await store.inbox.hold(turn.inbox_ids)
        assert await store.inbox.held(CHAT.key) == []
        await store.turns.finish(turn, "answered", NOON)
        await store.inbox.release(turn.inbox_ids)
        assert await store.inbox.open_items() == []
        await store.inbox.done([])

    async def test_failures_are_counted_while_they_are_the_same(self, store: Store) -> None:
        item = await store.inbox.accept(event(1), CHAT.key, NOON)
        assert item is not None
        errors = ["a", "a", "b", "b", "b", "a", ODD, ODD]
        assert [await store.inbox.failed([item.id], each) for each in errors] == [1, 2, 1, 2, 3, 1, 1, 2]
        assert await store.inbox.failed([], "a") == 0

    async def test_events_that_fail_together_count_together(self, store: Store) -> None:
        items = [await store.inbox.accept(event(number), CHAT.key, NOON) for number in (1, 2)]
        ids = [each.id for each in items if each is not None]
        assert await store.inbox.failed(ids[:1], "a") == 1
        assert await store.inbox.failed(ids, "a") == 2
        assert await store.inbox.failed(ids, "b") == 1

    async def test_dead_letters_are_kept_with_their_reason(self, store: Store) -> None:
        turn = await begun(store)
        for _ in range(2):
            await store.inbox.bury(turn.inbox_ids, f"poison {ODD}", NOON + 5)
        await store.inbox.bury_raw("telegram", "bot", "e9", ODD, "not an update", NOON + 6)
        first, raw = await store.inbox.dead()
        assert (first.event_id, first.chat, first.error) == ("e1", CHAT.key, f"poison {ODD_READ}")
        assert (raw.event_id, raw.body, raw.error, raw.created_at) == ("e9", ODD_READ, "not an update", NOON + 6)
        await store.inbox.done(turn.inbox_ids)
        assert await store.inbox.accept(event(1), CHAT.key, NOON + 7) is None

    async def test_what_is_over_is_forgotten_and_nothing_else(self, store: Store) -> None:
        for number in range(1, 1205):
            item = await store.inbox.accept(event(number), CHAT.key, NOON + number)
            if number > 3:
                assert item is not None
                await store.inbox.done([item.id])
        assert await store.inbox.forget(NOON + 1204) == 1200
        assert len(await store.inbox.open_items()) == 3
        assert await store.inbox.accept(event(1204), CHAT.key, NOON) is None
        assert await store.inbox.accept(event(1203), CHAT.key, NOON) is not None

    async def test_the_number_of_a_forgotten_event_is_never_given_again(self, store: Store) -> None:
        turn = await begun(store)
        await store.outbox.put(CHAT, f"inbox:{turn.inbox_ids[0]}", [PartDraft("the answer then")], NOON)
        await store.turns.finish(turn, "answered", NOON)
        assert await store.inbox.forget(NOON + 1) == 1
        item = await store.inbox.accept(event(2), CHAT.key, NOON)
        assert item is not None
        assert item.id > turn.inbox_ids[0]


class FactsContract:
    """Small facts."""

    async def test_values_are_kept_by_scope_and_name(self, store: Store) -> None:
        values = [{"tools": True}, [1, "zwei", None], "text", HALF, 0, False, 1.5]
        for number, value in enumerate(values):
            await store.facts.put("scope", f"n{number}", value)
        assert [await store.facts.get("scope", f"n{number}") for number in range(len(values))] == values
        wanted = [("scope", "n4"), ("scope", "none"), ("other", "n0")]
        assert await store.facts.several(wanted) == [0, None, None]
        assert await store.facts.several([]) == []

    async def test_none_removes(self, store: Store) -> None:
        await store.facts.put("a:b", "n", 1)
        await store.facts.put("a:b", "n", 2)
        await store.facts.put("a", "n", 3)
        assert await store.facts.several([("a:b", "n"), ("a", "n")]) == [2, 3]
        for _ in range(2):
            await store.facts.put("a:b", "n", None)
        assert await store.facts.get("a:b", "n") is None
        assert await store.facts.get("a", "n") == 3

    async def test_no_count_is_lost(self, store: Store) -> None:
        counts = await asyncio.gather(*(store.facts.count("s", "n") for _ in range(30)))
        assert sorted(counts) == list(range(1, 31))
        assert await store.facts.count("s", "n", -30) == 0


class UsageContract:
    """Books."""

    async def test_calls_are_summed_by_model_and_task(self, store: Store) -> None:
        for number in range(3):
            await store.usage.add("s1", "h", "m", "chat", Usage(100, 90, 10, 1, 0.5, 2.0), NOON + number)
        await store.usage.add("s1", "h", "m", "compaction", Usage(7, 0, 1, 1, None, 1.0), NOON)
        await store.usage.add("s2", "h", "m", "chat", Usage(1, 0, 1, 1, None, 1.0), NOON)
        chat, compaction = await store.usage.of_session("s1")
        assert (chat.task, chat.host, chat.model, chat.calls, chat.input, chat.cached) == (
            "chat",
            "h",
            "m",
            3,
            300,
            270,
        )
        assert (chat.output, chat.cost, chat.seconds) == (30, 1.5, 6.0)
        assert (compaction.task, compaction.cost) == ("compaction", None)
        assert await store.usage.of_session("unknown") == []

    async def test_a_price_that_comes_later_is_counted(self, store: Store) -> None:
        for cost in (None, 0.25, None, 0.5):
            await store.usage.add("s1", "h", "m", "chat", Usage(1, 0, 0, 1, cost), NOON)
        assert [each.cost for each in await store.usage.of_session("s1")] == [0.75]

    async def test_a_day_ends_at_midnight_utc(self, store: Store) -> None:
        midnight = NOON + 12 * 3600
        for at in (NOON, midnight - 1, midnight, midnight + 5):
            await store.usage.add("s1", "h", "m", "chat", Usage(10, 0, 1, 1), at)
        await store.usage.add("s1", "h", "m", "cron", Usage(3, 0, 0, 1), midnight)
        assert await store.usage.tokens_today(NOON) == {"chat": 22}
        assert await store.usage.tokens_today(midnight) == {"chat": 22, "cron": 3}
        assert await store.usage.tokens_today(midnight + 86400) == {}
        assert [(each.task, each.calls) for each in await store.usage.since(NOON)] == [("chat", 4), ("cron", 1)]
        assert [(each.task, each.calls) for each in await store.usage.since(midnight)] == [("chat", 2), ("cron", 1)]


def buttons(*labels: str) -> tuple[tuple[Button, ...], ...]:
    """One row of buttons."""
    return (tuple(Button(each, f"/{each}") for each in labels),)
