"""What bounds a search and a step of the index: many matches, much text; never the number of others' messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest

from gateway.state.contract import CHAT, NOON
from gateway.state.contract_search import OTHER, indexed, said
from gateway.state.search_discovery import ALL, ENOUGH, FEW
from gateway.state.store import SqliteStore
from platforms.messages import ChatRef
from tests.state.house import opened

SMALL = ChatRef("telegram", "4711")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open(tmp_path / "state.db")
    yield store
    await store.close()


async def pages(store: SqliteStore, query: str, visible: list[str] | None = None) -> list[str]:
    """The sessions on all pages; none comes twice."""
    names: list[str] = []
    more = None
    while True:
        got = await store.search.discover(query, now=NOON, visible=visible, more=more)
        names += [hit.session.id for hit in got.hits]
        if (more := got.more) is None:
            assert len(set(names)) == len(names)
            return sorted(names)


@pytest.mark.parametrize("known", [True, False], ids=["indexed", "waiting"])
async def test_who_may_see_few_messages_gets_a_whole_answer(store: SqliteStore, known: bool) -> None:
    """However common the words, and however much others say."""
    theirs = ["the news of the day"] * 600
    await said(store, "theirs", theirs, OTHER)
    for number in range(10):
        await said(store, f"mine{number}", ["the tea", "the cup of tea", "the end", "of tea, the best"] * 5, SMALL)
    await said(store, "more of theirs", theirs, OTHER)
    if known:
        await indexed(store)
    everywhere = [f"mine{number}" for number in range(10)]
    expected = {"the": 20, "tea": 15, '"the cup"': 5, "the -tea": 5, "tea* of": 10, "of tea": 10}
    for query, matches in expected.items():
        got = await store.search.discover(query, now=NOON, visible=[SMALL.key], limit=20)
        assert (got.bounded, got.more, got.note) == (False, None, ""), query
        assert sorted(hit.session.id for hit in got.hits) == everywhere, query
        assert {hit.matches for hit in got.hits} == {matches}, query
        assert await pages(store, query, [SMALL.key]) == everywhere
    got = await store.search.discover("news", now=NOON, visible=[SMALL.key])
    assert (got.hits, got.bounded) == ((), False)
    assert "nowhere" in (await store.search.discover("tea in:nowhere", now=NOON, visible=[SMALL.key])).note


async def test_who_may_see_many_is_told_that_there_is_more(store: SqliteStore) -> None:
    for number in range(11):
        await said(store, f"s{number:02}", ["the tea"] * (FEW // 10), SMALL)
    await indexed(store)
    got = await store.search.discover("the", now=NOON, visible=[SMALL.key])
    assert got.bounded
    assert await pages(store, "the", [SMALL.key]) == [f"s{number:02}" for number in range(11)]


@pytest.mark.parametrize(("count", "bounded"), [(ENOUGH + 50, False), (ALL + 50, True)])
async def test_a_word_that_few_messages_have_is_looked_for_to_the_end(
    store: SqliteStore, count: int, bounded: bool
) -> None:
    for number in range(count):
        await said(store, f"s{number:03}", ["a needle", "in the hay"])
    await indexed(store)
    got = await store.search.discover("needle", now=NOON)
    assert (got.bounded, got.more is None) == (bounded, False)
    for query in ("needle", '"a needle"', "needle a"):
        assert await pages(store, query) == [f"s{number:03}" for number in range(count)], query


async def test_a_step_takes_the_fewer_messages_the_longer_they_are(store: SqliteStore) -> None:
    """Whoever has something to write waits for a step at most."""
    long = " ".join(f"word{number}x{number * 7919 % 1000}" for number in range(20_000))
    await said(store, "s1", [long] * 40, CHAT)
    waiting = [(await store.search.state()).waiting]
    while waiting[-1]:
        await store.search.index()
        waiting.append((await store.search.state()).waiting)
    taken = [before - after for before, after in pairwise(waiting) if before > after]
    assert taken[0] > 1, "nothing is known yet of how long it takes"
    assert taken[2:] == [1] * (len(taken) - 2)


async def test_the_log_is_brought_into_the_file_while_others_read(tmp_path: Path) -> None:
    path = tmp_path / "numbers.db"
    async with opened(path) as database:
        await database.checkpoint()
        before = path.stat().st_size
        filling = "INSERT INTO numbers SELECT 'n' || value || hex(randomblob(400)), 1 FROM json_each(?)"
        await database.write(lambda db: db.execute(filling, (str(list(range(500))),)))
        assert path.stat().st_size == before
        async with asyncio.timeout(60):
            while path.stat().st_size <= before + 400_000:  # it waits for nobody, and takes what is free
                await database.checkpoint()
        assert await database.read(lambda db: db.execute("SELECT count(*) FROM numbers").fetchone()[0]) == 500
