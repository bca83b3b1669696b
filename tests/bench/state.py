"""The store by itself: each step of a message at 1, 10 and 100 callers at once; lists of a large archive."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import TypeVar

from gateway.state.contract import NOON, event, session
from gateway.state.records import PartDraft, Row
from gateway.state.store import SqliteStore
from platforms.messages import ChatRef
from tests.bench.figures import milliseconds

T = TypeVar("T")
STEPS = ("accept", "begin", "add", "finish", "mark")
MESSAGES = 100_000
TURNS = 20
"""Turns of a session, so that what is read of it has the usual length."""


class Watch:
    """Seconds that each kind of step took."""

    def __init__(self) -> None:
        self.taken: dict[str, list[float]] = {}

    async def time(self, name: str, step: Awaitable[T]) -> T:
        began = time.perf_counter()
        result = await step
        self.taken.setdefault(name, []).append(time.perf_counter() - began)
        return result


async def rows() -> list[tuple[str, str]]:
    out = []
    for callers, rounds in ((1, 300), (10, 60), (100, 15)):
        with tempfile.TemporaryDirectory() as folder:
            out += await _talk(Path(folder), callers, rounds)
    with tempfile.TemporaryDirectory() as folder:
        out += await _archive(Path(folder))
    return out


async def _talk(folder: Path, callers: int, rounds: int) -> list[tuple[str, str]]:
    store, watch = await SqliteStore.open(folder / "state.db"), Watch()
    began = time.perf_counter()
    await asyncio.gather(*(_caller(store, watch, number, rounds) for number in range(callers)))
    spent = time.perf_counter() - began
    await store.close()
    label = f"{callers} caller{'s at once' if callers > 1 else ''}"
    lines = [(f"store: {name}, {label}", milliseconds(watch.taken[name])) for name in (*STEPS, "read")]
    transactions = sum(len(watch.taken[name]) for name in STEPS)
    return [*lines, (f"store: transactions a second, {label}", f"{transactions / spent:,.0f}")]


async def _caller(store: SqliteStore, watch: Watch, number: int, rounds: int) -> None:
    for each in range(rounds):
        chat = ChatRef("bench", str(number), str(each // TURNS))
        if each % TURNS == 0:
            name = (await store.sessions.open(session(chat.key, chat.key, chat))).id
        said = event(number * rounds + each, "A question of usual length, about this and that.", chat)
        item = await watch.time("accept", store.inbox.accept(said, chat.key, NOON))
        assert item is not None
        step = store.turns.begin(name, chat, [item.id], [Row("user", said.text)], NOON)
        turn = await watch.time("begin", step)
        await watch.time("read", store.turns.conversation(name, turn.id))
        await watch.time("add", store.turns.add(turn, [Row("assistant", "x" * 200)], NOON))
        answer = "An answer of usual length. " * 20
        ends = store.turns.finish(turn, "answered", NOON, rows=[Row("assistant", answer)], parts=[PartDraft(answer)])
        await watch.time("finish", ends)
        for part in await store.outbox.queued(chat):
            await watch.time("mark", store.outbox.mark(part.id, "sent", NOON, remote_id="r"))


async def _archive(folder: Path) -> list[tuple[str, str]]:
    """What lists and clean-up cost when much was said: 20 sessions, all in one store."""
    store, watch = await SqliteStore.open(folder / "state.db"), Watch()
    await _fill(store)
    for _ in range(20):
        await watch.time("recent", store.sessions.recent(20))
        await watch.time("line", store.sessions.line("s0"))
        await watch.time("after", store.turns.messages("s0", after=MESSAGES - 1000))
    waiting: list[float] = []
    forgetting = asyncio.ensure_future(watch.time("forget", store.inbox.forget(NOON + 1)))
    while not forgetting.done():
        began = time.perf_counter()
        await store.facts.count("bench", "n")
        waiting.append(time.perf_counter() - began)
    await store.close()
    return [
        (f"store: recent sessions, {MESSAGES:,} messages", milliseconds(watch.taken["recent"])),
        (f"store: one session of {MESSAGES // 20:,} messages in a list", milliseconds(watch.taken["line"])),
        ("store: the end of its messages", milliseconds(watch.taken["after"])),
        ("store: forgetting 20,000 events", f"{watch.taken['forget'][0] * 1e3:.0f} ms"),
        ("store: a write meanwhile", milliseconds(waiting)),
    ]


async def _fill(store: SqliteStore) -> None:
    for number in range(20):
        chat = ChatRef("bench", str(number))
        await store.sessions.open(session(f"s{number}", chat.key, chat))
        items = [store.inbox.accept(event(number * 1000 + each, chat=chat), chat.key, NOON) for each in range(1000)]
        await store.inbox.done([item.id for item in await asyncio.gather(*items) if item is not None])
        turn = await store.turns.begin(f"s{number}", chat, [], [], NOON)
        said = [Row("assistant" if each % 2 else "user", f"line {each} " * 30) for each in range(MESSAGES // 20)]
        await store.turns.finish(turn, "answered", NOON, rows=said)


if __name__ == "__main__":
    print("| what | figure |\n| --- | --- |")
    for what, figure in asyncio.run(rows()):
        print(f"| {what} | {figure} |")
    sys.exit(0)
