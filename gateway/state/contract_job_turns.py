"""The part of the suite that every store passes which is about turns that a job's run asks for."""

from __future__ import annotations

from gateway.state.contract import CHAT, NOON, refused, session
from gateway.state.protocols import Store
from gateway.state.records import PartDraft, Row

ASKED = Row("user", "[job digest] What is new?", untrusted="job")


class JobTurnsContract:
    """Turns without a person's message."""

    async def test_a_run_is_answered_by_one_turn(self, store: Store) -> None:
        await store.sessions.open(session())
        turn = await store.turns.begin("s1", CHAT, [], [ASKED], NOON + 9, run=7)
        assert (turn.run, turn.unsaid) == (7, False)
        assert await store.turns.of_run(7) == turn
        assert await store.turns.of_run(8) is None
        with refused():
            await store.turns.begin("s1", CHAT, [], [ASKED], NOON + 9, run=7)
        assert await store.turns.running() == [turn]
        await store.turns.finish(
            turn, "answered", NOON + 10, rows=[Row("assistant", "Much.")], parts=[PartDraft("Much.")]
        )
        with refused():
            await store.turns.begin("s1", CHAT, [], [ASKED], NOON + 11, run=7)
        assert [each.row.content for each in await store.turns.messages("s1")] == [ASKED.content, "Much."]
        current = await store.sessions.get("s1")
        assert current is not None
        assert current.active_at == NOON + 10

    async def test_what_nobody_was_told_is_no_part_of_the_conversation(self, store: Store) -> None:
        opened = await store.sessions.open(session())
        talk = await store.turns.begin("s1", CHAT, [], [Row("user", "hi")], NOON)
        await store.turns.finish(talk, "answered", NOON, rows=[Row("assistant", "hello")])
        turn = await store.turns.begin("s1", CHAT, [], [ASKED], NOON + 50, run=7)
        _, running = await store.turns.conversation("s1", turn.id)
        assert [each.row.content for each in running] == ["hi", "hello", ASKED.content]
        await store.turns.finish(turn, "answered", NOON + 60, rows=[Row("assistant", "[silent]")], unsaid=True)
        assert [each.row.content for each in await store.turns.messages("s1")] == ["hi", "hello"]
        following = await store.turns.begin("s1", CHAT, [], [Row("user", "and?")], NOON + 70)
        _, shown = await store.turns.conversation("s1", following.id)
        assert [each.row.content for each in shown] == ["hi", "hello", "and?"]
        assert len(await store.turns.messages_of_turn(turn.id)) == 2
        await store.turns.finish(following, "answered", NOON + 71)
        last, current = await store.turns.last("s1"), await store.sessions.get("s1")
        assert last is not None
        assert last.id == following.id
        assert current is not None
        assert current.active_at == NOON + 71 > opened.active_at

    async def test_a_job_that_says_nothing_keeps_no_session_awake(self, store: Store) -> None:
        opened = await store.sessions.open(session())
        turn = await store.turns.begin("s1", CHAT, [], [ASKED], NOON + 500, run=7)
        await store.turns.finish(turn, "failed", NOON + 600, reason="no host", unsaid=True)
        current, failed = await store.sessions.get("s1"), await store.turns.of_run(7)
        assert current is not None
        assert current.active_at == opened.active_at
        assert failed is not None
        assert (failed.state, failed.unsaid, failed.reason) == ("failed", True, "no host")

    async def test_a_run_whose_turn_was_dropped_gets_another_one(self, store: Store) -> None:
        await store.sessions.open(session())
        first = await store.turns.begin("s1", CHAT, [], [ASKED], NOON, run=7)
        await store.turns.drop("s1", "new", NOON + 1)
        dropped = await store.turns.of_run(7)
        assert dropped is not None
        assert (dropped.state, dropped.unsaid, dropped.reason) == ("dropped", True, "new")
        with refused():
            await store.turns.finish(first, "answered", NOON + 2)
        second = await store.turns.begin("s1", CHAT, [], [ASKED], NOON + 3, run=7)
        assert await store.turns.of_run(7) == second
        assert [each.row.content for each in await store.turns.messages("s1")] == [ASKED.content]
