"""Whom a search is narrowed down to, and where: names of people and chats as they really are, and what they tell."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.state.contract import NOON
from gateway.state.contract_search import found, indexed, said
from gateway.state.search_discovery import FEW
from gateway.state.store import SqliteStore
from platforms.messages import ChatRef

ROOM, DIRECT = ChatRef("telegram", "-5"), ChatRef("telegram", "111")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open(tmp_path / "state.db")
    yield store
    await store.close()


@pytest.mark.parametrize("name", ["Ann (dev)", "Ann🌸", "J.R.", "田中", "Ann-Marie", "C++", "Zoë", "김", "@ann"])
async def test_people_are_found_by_their_whole_names_whatever_these_end_with(store: SqliteStore, name: str) -> None:
    await said(store, "s1", [f"{name}: the budget is five", "noted", "Bob: no budget"], ROOM)
    for _ in range(2):
        assert await found(store, f'from:"{name}" budget five') == ["s1"]
        assert await found(store, f'from:"{name}" no') == []
        await indexed(store)


async def test_a_name_is_no_beginning_of_another_one(store: SqliteStore) -> None:
    await said(store, "s1", ["Annette: the budget", "noted", "田中さん: 予算は五千"], ROOM)
    assert await found(store, "from:ann budget") == []
    assert await found(store, "from:田中 予算") == ["s1"]


@pytest.mark.parametrize("chat", ["Küche", "ÉTÉ", "家", "Straße", "Ünïted Room"])
async def test_chats_are_found_by_names_in_any_script(store: SqliteStore, chat: str) -> None:
    await said(store, "s1", ["an apple"], ChatRef("console", chat))
    await said(store, "s2", ["an apple"], ChatRef("console", "other"))
    for _ in range(2):
        for name in (chat, chat.lower(), chat.upper()):
            assert await found(store, f'in:"console:{name}" apple') == ["s1"]
        await indexed(store)


@pytest.mark.parametrize("many", [False, True])
async def test_no_session_of_another_chat_is_told_from_none(store: SqliteStore, many: bool) -> None:
    await said(store, "20261130-aaaaaaaa", ["an apple"] + ["so"] * (FEW if many else 0), ROOM)
    await said(store, "20261129-bbbbbbbb", ["an apple"], DIRECT)
    for _ in range(2):
        notes = []
        for place in (
            "20261129",
            "20261128",
            "20261129-bbbbbbbb",
            "20261129-cccccccc",
            "telegram:111",
            "telegram:112",
        ):
            got = await store.search.discover(f"in:{place} apple", now=NOON, visible=[ROOM.key])
            assert got.hits == ()
            notes.append(got.note.replace(place, "there"))
        assert len(set(notes[:4])) == len(set(notes[4:])) == 1
        await indexed(store)


async def test_pages_repeat_nothing_while_the_index_is_being_built(store: SqliteStore) -> None:
    for number in range(80):
        await said(store, f"s{number:04}", ["an apple"] * 8, ROOM, NOON + number)
    for query in ("apple", "in:telegram apple"):
        seen, more = list[str](), None
        while True:
            got = await store.search.discover(query, now=NOON, more=more)
            seen += [hit.session.id for hit in got.hits]
            assert not got.note.startswith("No chat")
            if (more := got.more) is None:
                break
        assert len(seen) == len(set(seen)) > 40
    got = await store.search.discover("in:telegram:-5 plum", now=NOON)
    assert (got.hits, got.note.startswith("No chat")) == ((), False)
    await indexed(store)
    got = await store.search.discover("in:telegram:-55 plum", now=NOON)
    assert got.note.startswith("No chat")
