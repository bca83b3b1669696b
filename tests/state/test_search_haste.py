"""What was said long ago is found, however short the time of a search: none ends with nothing before its last moment,
and one that has to says so."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.state.contract import NOON
from gateway.state.contract_search import indexed
from gateway.state.search import SqliteSearch
from gateway.state.search_candidates import Candidates, Patience
from gateway.state.search_discovery import WALL, WORK, Haste
from gateway.state.search_index import serving
from gateway.state.search_query import parse
from gateway.state.search_question import Counts, Question, Scope
from gateway.state.store import SqliteStore
from tests.bench.archive import END, archive
from tests.bench.search import planted
from tests.fakes.long_ago import COMMONEST, EVERYWHERE, LATE, long_ago

HASTY = Haste(work=0.0, wall=600.0)
"""A search that does no more as soon as something is found."""


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open(tmp_path / "state.db")
    yield store
    await store.close()


async def pages(search: SqliteSearch, query: str) -> list[list[str]]:
    """The sessions on each page up to the first one on which there are any."""
    found: list[list[str]] = []
    more = None
    while True:
        got = await search.discover(query, now=NOON, more=more)
        found.append([hit.session.id for hit in got.hits])
        assert got.bounded == (got.more is not None), "a page that is not the last one says so"
        if got.hits or (more := got.more) is None:
            return found


@pytest.mark.parametrize(
    "query",
    [
        '"{0}"',
        '"{0} will you"',
        '"{0}" OR "you {0}"',
        '"{0}" -nothing',
        '"{0}" in:telegram',
        '"{0}" from:user',
        '"{0}" wi*',
    ],
)
async def test_a_search_without_a_hit_goes_on_although_its_work_is_done(store: SqliteStore, query: str) -> None:
    await long_ago(store)
    query = query.format(EVERYWHERE)
    assert await pages(SqliteSearch(store.database, HASTY), query) == [["old"]]
    late = await pages(SqliteSearch(store.database, LATE), query)
    assert late[-1] == ["old"], "what there was no time for is on a further page"


async def test_a_quick_one_says_that_it_has_not_looked_at_everything_and_the_next_page_goes_on(
    store: SqliteStore,
) -> None:
    await long_ago(store)
    search = SqliteSearch(store.database, HASTY)
    first = await search.discover(f'"{EVERYWHERE}"', now=NOON, quick=True)
    assert (first.hits, first.bounded) == ((), True)
    (hit,) = (await search.discover(f'"{EVERYWHERE}"', now=NOON, more=first.more, quick=True)).hits
    assert hit.session.id == "old"


async def test_it_stops_when_something_is_found_and_at_the_last_moment(store: SqliteStore) -> None:
    await long_ago(store)
    for query in ("the", f"{COMMONEST[1]} {COMMONEST[2]}"):
        got = await SqliteSearch(store.database, HASTY).discover(query, now=NOON)
        assert got.hits
        assert got.bounded
    got = await SqliteSearch(store.database, LATE).discover(f'"{EVERYWHERE}"', now=NOON)
    assert (got.hits, got.bounded) == ((), True)
    assert got.more is not None


@pytest.mark.parametrize(
    "query", ['"{0} zzyzx"', "{0} zzyzx", '"the zzyzx of"', "zzyzx", '"remember of the"', "you zzy* of"]
)
async def test_one_rare_word_is_enough_to_know_that_there_is_nothing(store: SqliteStore, query: str) -> None:
    """There is an end, however common the other words are and however little time there is."""
    await long_ago(store)
    assert await pages(SqliteSearch(store.database, LATE), query.format(EVERYWHERE)) == [[]]


class Dear(Question):
    """One that takes a second, if it is about everything."""

    def cost(self, counts: Counts) -> float:
        return 1.0


class Slow(Candidates):
    """An index that finds nothing and takes its time for every id."""

    asked: list[int]

    def _ids(self, low: int, high: int, within: list[str], size: int) -> list[int]:
        end = time.thread_time() + (high - low) * AN_ID
        while time.thread_time() < end:
            pass
        self.asked.append(high - low)
        return []


AN_ID, IDS = 3e-7, 3_000_000


async def test_no_single_question_takes_long_however_often_the_patience_begins_again(store: SqliteStore) -> None:
    await long_ago(store)

    def asked(db: sqlite3.Connection) -> list[int]:
        generation = serving(db)
        assert generation is not None
        scope = Scope(None, (), (), ((0, IDS),))
        slow = Slow(db, generation, parse("the", NOON), scope, Patience(WORK, WALL, lambda: True))
        slow._question, slow.asked = Dear((), (), (), direct=False), []
        for _ in slow.batches(100):
            pass
        return slow.asked

    sizes = await store.database.consult(asked)
    assert len(sizes) > 10
    assert max(sizes) * AN_ID < 10 * WORK


async def test_phrases_from_an_old_part_of_an_archive_are_found_at_once(tmp_path: Path) -> None:
    store = await SqliteStore.open(await archive(tmp_path, 4_000))
    try:
        await indexed(store)
        search = SqliteSearch(store.database, HASTY)
        for kind, asked in (await planted(store, 25)).items():
            missed = [query for query in asked if not (await search.discover(query, now=END)).hits]
            assert not missed, kind
    finally:
        await store.close()
