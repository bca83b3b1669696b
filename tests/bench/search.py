"""The archive's search: a million messages, every kind of query, what the index costs to build and to keep.

What is timed is the tool's whole answer, the way to what its asker may see included. `found` counts queries whose
first answer has something.

`python -m tests.bench search [--messages N] [--corpus FOLDER]`; the corpus is kept in the folder when one is given.
"""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TypeVar

from gateway.clock import SystemClock
from gateway.config.schema import Settings
from gateway.engine.arrival.earshot import sight, strange
from gateway.state.contract import CHAT, session
from gateway.state.records import Row
from gateway.state.search_upkeep import keep_up
from gateway.state.store import SqliteStore
from gateway.tools.session_search import Onlooker, session_search_tool
from gateway.tools.tool import ToolContext
from platforms.messages import ChatRef
from tests.bench.archive import END, QUIET_CHAT, Writer, archive, progress
from tests.bench.figures import percentile

T = TypeVar("T")
MESSAGES = 1_000_000
ROUNDS = 5
"""How often each query is asked; the first time the disk's cache may be cold."""

PHRASES = 50
"""Phrases of each kind that are taken from old messages."""

RARE = 2_000
"""Words that are said less often than so many others are rare here."""

Scope = Mapping[str, str]
"""`chat`: the key of the chat that asks, in which others than owners are heard; `live`: the session that asks."""

EVERYTHING: Scope = {}
"""Whoever asks at the console: everything is seen."""

Asking = dict[str, list[tuple[str, Scope]]]


async def rows(messages: int = MESSAGES, corpus: str = "") -> list[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(corpus or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        path, lines = await _indexed(folder, messages)
        store = await SqliteStore.open(path)
        try:
            old = {kind: [(each, EVERYTHING) for each in asked] for kind, asked in (await planted(store)).items()}
            for kind, asked in {**queries(Writer().words), **old}.items():
                lines.append((f"search in {messages:,}: {kind}", await _asked(store, asked)))
            lines.append(("scroll", await _scrolled(store)))
            lines += await _kept_up(store)
        finally:
            await store.close()
    return lines


def queries(words: list[str]) -> Asking:
    """By kind; words are in the order of how often they are said."""
    draw = random.Random(5)

    def some(low: int, high: int, count: int = 8) -> list[str]:
        return [words[number] for number in draw.sample(range(low, min(high, len(words))), count)]

    def plain(texts: list[str], **scope: str) -> list[tuple[str, Scope]]:
        return [(text, scope) for text in texts]

    rare, middling, common = some(12_000, 20_000), some(300, 3_000), some(20, 200)
    pairs = [f"{one} {other}" for one, other in zip(common, some(20, 200), strict=True)]
    few = ["the", *common[:3], middling[0], '"of the"', "京都", "the -of"]
    return {
        "rare words": plain(["xylophonist", *rare]),
        "common words": plain(common + middling),
        "very common words": plain(["the", "of", "and", "to", "in"]),
        "absent words": plain(["zzyzx", "qqqqq", "the zzyzx"]),
        "several common words": plain(["the of and", *pairs, *(f"the {each}" for each in rare)]),
        "phrases of common words": plain(
            ['"of the"', '"to be in"', '"the of and"', *(f'"{each}"' for each in pairs)]
        ),
        "absent phrases": plain(['"of that it for you"', '"the the the of"', f'"{common[0]} the {common[1]} of"']),
        "two characters, present": plain(["京都", "会议", "再起"]),
        "two characters, absent": plain(["鬱鬯", "龘龘", "麤鱻"]),
        "four characters, present": plain(["東京大学", "人工知能", "天气预报"]),
        "four characters, absent": plain(["京都会议大学", "東京天气", "鬱鬯龘龘"]),
        "-word": plain(["the -of", f"{middling[0]} -the", f"{rare[0]} -{common[0]}"]),
        "OR": plain(["the OR of", " OR ".join(rare[:3]), f"{common[0]} OR {rare[0]} OR the"]),
        "prefix": plain(["th*", "t*", "st*", "sto*", "inv*", f"{rare[0][:4]}*", "gr* the", "zzz*"]),
        "names and signs": plain(["c++", "c#", ".net", "node.js", "don't", "at&t", "🎉", "#release", "example.org"]),
        "codes and paths": plain(["INV-2026-00017", "$4,200.50", "v1.2.3-rc4", "/srv/the", "bob@example.org"]),
        "mixed": plain([f"{middling[0]} c++", f'"of the" 京都 -{rare[0]}', f"redis {common[0]} after:2024-01"]),
        "old days": plain(
            ["the before:2022-03", f"{rare[0]} before:2023", '"of the" before:2022-02 after:2022-01-09']
        ),
        "a chat in which little was said": plain(few, chat=QUIET_CHAT),
        "a chat of middling size": [
            *plain(few, chat="telegram:1145"),
            *plain(few, chat="telegram:1110"),
        ],
        "a chat in which much was said": plain(few, chat="telegram:1000"),
        "without the live session": plain(few, live="20260101-00000001"),
    }


async def planted(store: SqliteStore, count: int = PHRASES) -> dict[str, list[str]]:
    """Queries by kind, each of five words that follow each other in a message of the older half."""
    draw, ranks = random.Random(3), {word: rank for rank, word in enumerate(Writer().words)}
    found: dict[str, list[str]] = {
        "old phrases": [],
        "old phrases with two rare words": [],
        "words of old messages": [],
    }
    newest = await store.database.read(lambda db: db.execute("SELECT max(id) FROM messages").fetchone()[0])
    while min(map(len, found.values())) < count:
        text = await store.database.read(_text_of(draw.randrange(1, newest // 2)))
        words = text.rstrip(".?!").lower().split()
        at = draw.randrange(max(1, len(words) - 5))
        if len(piece := words[at : at + 5]) < 5 or not all(each in ranks for each in piece):
            continue
        rare = sum(ranks[each] >= RARE for each in piece) >= 2
        for kind, fits in zip(found, (not rare, rare, True), strict=True):
            if fits and len(found[kind]) < count:
                found[kind].append(" ".join(piece) if kind == "words of old messages" else f'"{" ".join(piece)}"')
    return found


def _text_of(number: int) -> Callable[[sqlite3.Connection], str]:
    return lambda db: str(db.execute("SELECT content FROM messages WHERE id = ?", (number,)).fetchone()[0])


async def _indexed(folder: Path, messages: int) -> tuple[Path, list[tuple[str, str]]]:
    """The database with its index, and what building that came to. It is built as in the background of a house."""
    raw = await archive(folder, messages)
    path = folder / "searched.db"
    for each in folder.glob("searched.db*"):
        each.unlink()
    shutil.copy(raw, path)  # nobody has it open
    store = await SqliteStore.open(path)
    size, done = path.stat().st_size, 0
    taken: list[float] = []
    began = time.monotonic()
    while step := await _timed(taken, store.search.index()):
        done += step
        if len(taken) % 200 == 0:
            progress("indexing", min(done, messages), messages, began)
    spent = time.monotonic() - began
    progress("indexing", messages, messages, began)
    await store.close()
    lines = [
        ("search: messages indexed a second", f"{messages / spent:,.0f}"),
        ("search: a step of that, which others who write wait for", _figures(taken)),
        ("search: database before and with its index", f"{size / 1e6:.0f} MB, {path.stat().st_size / 1e6:.0f} MB"),
    ]
    return path, lines


async def _asked(store: SqliteStore, asked: list[tuple[str, Scope]]) -> str:
    """How long the tool's answers took, and what they were."""
    onlooker = Onlooker(sight(Settings, store.sessions), strange(Settings, store.facts))
    tool = session_search_tool(store.search, onlooker, lambda: END)
    taken: list[float] = []
    work: list[float] = []
    bounded = found = 0
    for text, scope in asked:
        context = await _context(store, scope)
        for turn in range(ROUNDS):
            began = time.process_time()
            result = await _timed(taken, tool.run({"query": text}, context))
            work.append(time.process_time() - began)
            if not turn:
                answer = json.loads(result.text)
                bounded += bool(answer.get("bounded"))
                found += bool(answer.get("results"))
    own, many = percentile(work, 0.95) * 1e3, len(asked)
    return f"{_figures(taken)}, processor p95 {own:.2f} ms; {found} of {many} found, {bounded} bounded"


async def _context(store: SqliteStore, scope: Scope) -> ToolContext:
    """Where a call comes from: the console, where everything is seen, or a chat that sees itself."""
    if (chat := scope.get("chat")) is None:
        return ToolContext(ChatRef("console", "bench"), scope.get("live", "bench"), 1, "console:bench")
    there, own = ChatRef.parse(chat), f"bench-{chat}"
    if await store.sessions.get(own) is None:
        await store.sessions.open(session(own, chat, there, END))
    return ToolContext(there, own, 1, "telegram:1")


async def _scrolled(store: SqliteStore) -> str:
    taken: list[float] = []
    found = await store.search.discover("the", now=END)
    for hit in found.hits:
        for _ in range(50):
            await _timed(taken, store.search.scroll(hit.session.id, hit.message.id, 5))
    return _figures(taken)


async def _kept_up(store: SqliteStore) -> list[tuple[str, str]]:
    """What a message costs on top when it is said, and then its way into the index."""
    writer = Writer(1)
    saying: list[float] = []
    indexing: list[float] = []
    await store.sessions.open(session("bench", CHAT.key, at=END))
    turn = await store.turns.begin("bench", CHAT, [], [], END)
    for _ in range(200):
        row = Row("assistant", writer.message())
        await _timed(saying, store.turns.add(turn, [row], END))
        await _timed(indexing, store.search.index())
    lines = [("store: a message more", _figures(saying)), ("search: its way into the index", _figures(indexing))]
    waited: list[float] = []
    await store.search.rebuild("to be measured")
    keeping = asyncio.ensure_future(keep_up(store.search, SystemClock()))
    for _ in range(1_000):
        await asyncio.sleep(0.01)
        await _timed(waited, store.turns.add(turn, [Row("assistant", writer.message())], END))
    keeping.cancel()
    return [*lines, ("store: a message more, while the index is built", _figures(waited))]


async def _timed(taken: list[float], step: Awaitable[T]) -> T:
    began = time.perf_counter()
    result = await step
    taken.append(time.perf_counter() - began)
    return result


def _figures(taken: list[float]) -> str:
    p50, p95, p99 = (percentile(taken, share) * 1e3 for share in (0.5, 0.95, 0.99))
    return f"p50 {p50:.2f} ms, p95 {p95:.2f} ms, p99 {p99:.2f} ms"
