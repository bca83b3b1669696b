"""The part of the suite that every store passes which is about turns and their rows."""

from __future__ import annotations

import asyncio

from gateway.state.contract import CHAT, NOON, ODD, ODD_READ, begun, event, refused, session
from gateway.state.protocols import Store
from gateway.state.records import Compaction, KeptFile, PartDraft, Row
from gateway.transcript import ToolCall


class TurnsContract:
    """Turns and message rows."""

    async def test_a_turn_from_beginning_to_end(self, store: Store) -> None:
        turn = await begun(store)
        assert (turn.state, turn.starts, turn.chat, turn.epoch) == ("running", 1, CHAT, 1)
        assert await store.inbox.open_items() == []
        assert [each.id for each in await store.inbox.of_turn(turn.id)] == list(turn.inbox_ids)
        assert await store.turns.running() == [turn]
        call = Row("assistant", "", tool_calls=(ToolCall("c1", "memory", '{"a":1}'),), model="h/m")
        ids = await store.turns.add(turn, [call, Row("tool", "ok", tool_call_id="c1")], NOON + 2)
        last = Row("assistant", "done", note="a note")
        await store.turns.finish(turn, "answered", NOON + 3, rows=[last], parts=[PartDraft("done")], reason="why")
        stored = await store.turns.messages("s1")
        assert [each.row for each in stored] == [Row("user", "hi"), call, Row("tool", "ok", tool_call_id="c1"), last]
        assert [each.id for each in stored[1:3]] == ids
        assert await store.turns.messages("s1", after=ids[0]) == stored[2:]
        assert await store.turns.ids("s1") == [each.id for each in stored]
        assert await store.turns.messages_of_turn(turn.id) == stored
        assert [each.text for each in await store.outbox.of_source(f"turn:{turn.id}")] == ["done"]
        assert await store.turns.running() == []
        ended = await store.turns.last("s1")
        assert ended is not None
        assert ended.state == "answered"
        assert await store.turns.last("unknown") is None

    async def test_rows_hold_any_text(self, store: Store) -> None:
        turn = await begun(store, said=ODD)
        row = Row("assistant", ODD, ODD, (ToolCall(ODD, ODD, '{"a":"\ud83d"}'),), ODD, ODD)
        await store.turns.add(turn, [row], NOON)
        said, read = [each.row for each in await store.turns.messages("s1")]
        assert said.content == ODD_READ
        calls = (ToolCall(ODD_READ, ODD_READ, '{"a":"\ufffd"}'),)
        assert read == Row("assistant", ODD_READ, ODD_READ, calls, ODD_READ, ODD_READ)

    async def test_rows_keep_their_files_and_open_sessions_use_them(self, store: Store) -> None:
        turn = await begun(store)
        files = tuple(KeptFile("picture", ODD, "image/png", f"/cache/{number}") for number in range(2))
        rows = [Row("user", "a", files=files[:1]), Row("user", "b", files=files[1:])]
        ids = await store.turns.add(turn, rows, NOON)
        read = [each.row.files for each in await store.turns.messages("s1")]
        assert read == [(), *((KeptFile("picture", ODD_READ, "image/png", f"/cache/{each}"),) for each in range(2))]
        assert await store.turns.files_in_use() == {"/cache/0", "/cache/1"}
        await store.turns.compact("s1", Compaction(ids[0], "summary"), NOON)
        assert await store.turns.files_in_use() == {"/cache/1"}
        await store.sessions.close("s1", "new", NOON)
        assert await store.turns.files_in_use() == frozenset()

    async def test_a_turn_needs_an_open_session(self, store: Store) -> None:
        item = await store.inbox.accept(event(1), CHAT.key, NOON)
        assert item is not None
        await store.sessions.open(session())
        await store.sessions.close("s1", "new", NOON)
        for name in ("s1", "unknown"):
            with refused():
                await store.turns.begin(name, CHAT, [item.id], [Row("user", "hi")], NOON)
        assert await store.inbox.open_items() == [item]
        assert await store.turns.messages("s1") == []

    async def test_an_event_is_answered_by_one_turn(self, store: Store) -> None:
        turn = await begun(store)
        with refused():
            await store.turns.begin("s1", CHAT, turn.inbox_ids, [Row("user", "hi")], NOON)
        await store.turns.add(turn, [Row("assistant", "still mine")], NOON)
        await store.turns.finish(turn, "answered", NOON)
        with refused():
            await store.turns.begin("s1", CHAT, turn.inbox_ids, [Row("user", "hi")], NOON)
        assert len(await store.turns.messages("s1")) == 2

    async def test_of_two_takers_the_last_one_writes(self, store: Store) -> None:
        first = await begun(store)
        second = await store.turns.take_over(first)
        assert (second.starts, second.epoch, second.inbox_ids) == (2, 2, first.inbox_ids)
        with refused():
            await store.turns.add(first, [Row("assistant", "late")], NOON)
        with refused():
            await store.turns.finish(first, "answered", NOON, parts=[PartDraft("late")])
        await store.turns.add(second, [Row("assistant", "in time")], NOON)
        assert [each.row.content for each in await store.turns.messages("s1")] == ["hi", "in time"]
        assert await store.outbox.of_source(f"turn:{first.id}") == []

    async def test_takers_at_once(self, store: Store) -> None:
        turn = await begun(store)
        takers = await asyncio.gather(*(store.turns.take_over(turn) for _ in range(5)))
        ends = [store.turns.finish(each, "answered", NOON, rows=[Row("assistant", "x")]) for each in takers]
        results = await asyncio.gather(*ends, return_exceptions=True)
        assert results.count(None) == 1
        assert len(await store.turns.messages("s1")) == 2

    async def test_a_turn_that_is_over_is_not_taken(self, store: Store) -> None:
        turn = await begun(store)
        await store.turns.finish(turn, "answered", NOON)
        for _ in range(2):
            with refused():
                await store.turns.take_over(turn)
            with refused():
                await store.turns.finish(turn, "failed", NOON, rows=[Row("assistant", "twice")])
        assert len(await store.turns.messages("s1")) == 1
        await begun(store, 2)

    async def test_a_dropped_turn_writes_nothing_more(self, store: Store) -> None:
        turn = await begun(store)
        await store.turns.drop("s1", "would not end", NOON)
        for step in (
            store.turns.add(turn, [Row("assistant", "late")], NOON),
            store.turns.finish(turn, "answered", NOON, parts=[PartDraft("late")]),
        ):
            with refused():
                await step
        assert await store.turns.running() == []
        assert await store.inbox.open_items() == []
        dropped = await store.turns.last("s1")
        assert dropped is not None
        assert dropped.state == "dropped"
        assert (await begun(store, 2)).epoch == turn.epoch + 2

    async def test_a_closed_session_takes_nothing_more(self, store: Store) -> None:
        turn = await begun(store)
        await store.sessions.close("s1", "new", NOON)
        with refused():
            await store.turns.add(turn, [Row("assistant", "late")], NOON)
        with refused():
            await store.turns.take_over(turn)
        await store.sessions.resume("s1", CHAT.key, CHAT, NOON)
        with refused():
            await store.turns.add(turn, [Row("assistant", "late")], NOON)
        assert [each.row.content for each in await store.turns.messages("s1")] == ["hi"]

    async def test_an_event_is_steered_into_a_running_turn(self, store: Store) -> None:
        turn, item = await begun(store), await store.inbox.accept(event(2, "and"), CHAT.key, NOON)
        assert item is not None
        await store.turns.add(turn, [Row("user", "and")], NOON, inbox_ids=[item.id])
        assert [each.id for each in await store.inbox.of_turn(turn.id)] == [*turn.inbox_ids, item.id]
        assert (await store.turns.take_over(turn)).inbox_ids == (*turn.inbox_ids, item.id)

    async def test_a_step_that_fails_leaves_nothing(self, store: Store) -> None:
        turn = await begun(store)
        with refused():
            await store.turns.add(turn, [Row("assistant", "x")], NOON, inbox_ids=turn.inbox_ids)
        assert len(await store.turns.messages("s1")) == 1

    async def test_the_newest_summary_stands_for_what_it_covers(self, store: Store) -> None:
        first = await begun(store, 1, said="one")
        await store.turns.finish(first, "answered", NOON, rows=[Row("assistant", "1")])
        second = await begun(store, 2, said="two")
        nothing, rows = await store.turns.conversation("s1", second.id)
        assert nothing is None
        assert [each.row.content for each in rows] == ["one", "1", "two"]
        await store.turns.compact("s1", Compaction(rows[0].id, "old"), NOON)
        await store.turns.compact("s1", Compaction(rows[2].id, f"new {ODD}"), NOON)
        newest, left = await store.turns.conversation("s1", second.id)
        assert newest == Compaction(rows[2].id, f"new {ODD_READ}")
        assert left == rows[2:]
        assert await store.turns.messages("s1") == rows
