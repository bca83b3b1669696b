"""The part of the suite that every store passes which is about sessions from elsewhere."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from gateway.errors import StaleEpoch
from gateway.state.contract import CHAT, NOON, ODD, ODD_READ, session
from gateway.state.import_protocols import Past, session_note
from gateway.state.protocols import Store
from gateway.state.records import Row
from gateway.transcript import ToolCall

SCOPE = "import:elsewhere"
CALL = ToolCall("c1", "count", '{"a":1}')


def past(name: str = "s1", *texts: str, upto: int = 7) -> Past:
    """An ended session; its source is called `there NAME`."""
    rows = tuple((Row("user", text), NOON + number) for number, text in enumerate(texts or ("hello",)))
    ended = replace(session(name), active_at=NOON + 5, ended_at=NOON + 9, end_reason="imported")
    return Past(f"there {name}", ended, rows, upto)


class ImportsContract:
    """Imports."""

    async def test_a_session_from_elsewhere_is_read_as_it_was_held(self, store: Store) -> None:
        rows = (
            (Row("user", ODD), NOON + 1),
            (Row("assistant", "", tool_calls=(CALL,), model="m"), NOON + 2),
            (Row("tool", "1", tool_call_id="c1", untrusted="import"), NOON + 3),
        )
        held = replace(past(), rows=rows)
        assert await store.imports.add(SCOPE, [held]) == {"there s1": 3}
        assert await store.sessions.get("s1") == held.session
        assert await store.sessions.current(CHAT.key) is None
        stored = await store.turns.messages("s1")
        assert [(each.row, each.created_at) for each in stored] == [
            (replace(rows[0][0], content=ODD_READ), NOON + 1),
            *rows[1:],
        ]
        assert [each.turn_id for each in stored] == [None] * 3

    async def test_once_and_then_what_came_since(self, store: Store) -> None:
        assert await store.imports.add(SCOPE, [past(upto=7)]) == {"there s1": 1}
        assert await store.imports.add(SCOPE, [past(upto=7)]) == {}
        assert await store.imports.noted(SCOPE) == {session_note("there s1"): {"session": "s1", "upto": 7}}
        assert await store.imports.noted("import:other") == {}
        more = past("s1", "more", upto=9)
        later = replace(more, session=replace(more.session, active_at=NOON + 50, ended_at=NOON + 60))
        assert await store.imports.add(SCOPE, [later]) == {"there s1": 1}
        found = await store.sessions.get("s1")
        assert found is not None
        assert (found.active_at, found.ended_at, found.started_at) == (
            NOON + 50,
            NOON + 60,
            past().session.started_at,
        )
        assert [each.row.content for each in await store.turns.messages("s1")] == ["hello", "more"]

    async def test_two_imports_at_once_take_each_session_once(self, store: Store) -> None:
        many = [past(f"s{number}") for number in range(5)]
        counts = await asyncio.gather(*(store.imports.add(SCOPE, many) for _ in range(4)))
        assert sum(map(len, counts)) == 5
        assert len(await store.sessions.recent(100)) == 5

    async def test_a_batch_is_stored_whole_or_not_at_all(self, store: Store) -> None:
        broken = replace(past("s2"), rows=((Row("nobody", "x"), NOON),))  # type: ignore[arg-type]
        with pytest.raises(Exception, match="CHECK"):
            await store.imports.add(SCOPE, [past("s1"), broken])
        assert (await store.sessions.get("s1"), await store.imports.noted(SCOPE)) == (None, {})

    async def test_one_that_somebody_goes_on_with_is_theirs(self, store: Store) -> None:
        await store.imports.add(SCOPE, [past()])
        with pytest.raises(StaleEpoch):
            await store.sessions.take("s1")
        await store.sessions.resume("s1", CHAT.key, CHAT, NOON + 100)
        assert await store.imports.add(SCOPE, [past("s1", "more", upto=9)]) == {}
        assert len(await store.turns.messages("s1")) == 1

    async def test_one_whose_name_is_taken_is_left(self, store: Store) -> None:
        await store.sessions.open(session("s1"))
        assert await store.imports.add(SCOPE, [past()]) == {}
        assert await store.turns.messages("s1") == []

    async def test_no_review_is_due_for_them(self, store: Store) -> None:
        rows = tuple((Row("tool", "x", tool_call_id=f"c{number}"), NOON) for number in range(50))
        await store.imports.add(SCOPE, [replace(past(), rows=rows)])
        standing = await store.reviews.standing("s1", ("memory", "skill"))
        assert (dict(standing.counts), standing.unseen) == ({"memory": 0, "skill": 0}, frozenset())
        assert await store.reviews.offer("s1", ("memory", "skill"), "boundary", NOON) is None

    async def test_notes(self, store: Store) -> None:
        await store.imports.note(SCOPE, {"a": "taken", "b": [1]})
        await store.imports.note(SCOPE, {"a": "gone"})
        assert await store.imports.noted(SCOPE) == {"a": "gone", "b": [1]}
