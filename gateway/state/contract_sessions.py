"""The part of the suite that every store passes which is about sessions and about chats that move."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from gateway.state.contract import CHAT, NOON, ODD, ODD_READ, begun, event, refused, session
from gateway.state.protocols import Store
from gateway.state.records import PartDraft, Row
from platforms.messages import ChatRef


class SessionsContract:
    """Sessions."""

    async def test_a_session_is_read_as_it_was_opened(self, store: Store) -> None:
        opened = await store.sessions.open(replace(session(), prompt=ODD, title=ODD, pinned=True, tools='[{"a":1}]'))
        assert (opened.prompt, opened.title, opened.pinned, opened.epoch) == (ODD_READ, ODD_READ, True, 0)
        assert await store.sessions.current(CHAT.key) == opened
        assert await store.sessions.get("s1") == opened
        assert await store.sessions.get("s2") is None
        assert await store.sessions.current("telegram:other") is None

    async def test_one_session_is_open_for_a_key(self, store: Store) -> None:
        opened = await asyncio.gather(*(store.sessions.open(session(f"s{number}")) for number in range(10)))
        assert len({each.id for each in opened}) == 1
        assert len(await store.sessions.recent(100)) == 1

    async def test_a_closed_session_makes_room(self, store: Store) -> None:
        await store.sessions.open(session("s1"))
        await store.sessions.close("s1", "new", NOON + 5)
        await store.sessions.close("s1", "again", NOON + 9)
        closed = await store.sessions.get("s1")
        assert closed is not None
        assert (closed.ended_at, closed.end_reason) == (NOON + 5, "new")
        assert await store.sessions.current(CHAT.key) is None
        assert (await store.sessions.open(session("s2"))).id == "s2"

    async def test_the_epoch_grows_with_each_taker(self, store: Store) -> None:
        await store.sessions.open(session())
        assert sorted(await asyncio.gather(*(store.sessions.take("s1") for _ in range(5)))) == [1, 2, 3, 4, 5]
        await store.sessions.close("s1", "new", NOON)
        for name in ("s1", "unknown"):
            with refused():
                await store.sessions.take(name)

    async def test_a_list_shows_the_open_ones_or_the_pinned_ones(self, store: Store) -> None:
        other = ChatRef("console", "a'b")
        await store.sessions.open(session("s1"))
        await store.sessions.close("s1", "new", NOON)
        await store.sessions.pin("s1", True)
        await store.sessions.open(session("s2"))
        await store.sessions.open(replace(session("s3"), session_key=other.key, chat=other))
        sessions, here = store.sessions, (CHAT.key,)
        assert {each.session.id for each in await sessions.recent(9, only="open")} == {"s2", "s3"}
        assert [each.session.id for each in await sessions.recent(9, only="pinned")] == ["s1"]
        assert [each.session.id for each in await sessions.recent(9, here, only="open")] == ["s2"]
        assert await sessions.recent(9, (), only="open") == []
        assert await sessions.keys() == [other.key, CHAT.key]

    async def test_a_session_is_resumed_in_place_of_the_open_one(self, store: Store) -> None:
        await store.sessions.open(session("s1"))
        await store.sessions.close("s1", "new", NOON)
        await store.sessions.open(session("s2"))
        await store.sessions.resume("s1", CHAT.key, CHAT, NOON + 9)
        first, second = await store.sessions.get("s1"), await store.sessions.get("s2")
        assert first is not None
        assert second is not None
        assert (first.ended_at, first.end_reason, first.active_at) == (None, "resumed", NOON + 9)
        assert second.ended_at == NOON + 9
        assert await store.sessions.current(CHAT.key) == first
        assert first.prompt == "prompt of s1"
        await begun(store)
        going_on = await store.sessions.get("s1")
        assert going_on is not None
        assert going_on.end_reason is None
        await store.turns.begin("s1", CHAT, [], [], NOON + 10)
        again = await store.sessions.get("s1")
        assert again is not None
        assert again.end_reason is None

    async def test_a_session_is_resumed_in_another_chat(self, store: Store) -> None:
        turn, desk = await begun(store), ChatRef("console", "desk")
        await store.sessions.resume("s1", desk.key, desk, NOON + 9)
        assert await store.sessions.current(CHAT.key) is None
        moved = await store.sessions.current(desk.key)
        assert moved is not None
        assert (moved.id, moved.chat) == ("s1", desk)
        with refused():
            await store.turns.finish(turn, "answered", NOON)
        assert await store.turns.running() == []

    async def test_resuming_what_is_not_there_changes_nothing(self, store: Store) -> None:
        await store.sessions.open(session())
        await store.sessions.resume("unknown", CHAT.key, CHAT, NOON)
        assert await store.sessions.current(CHAT.key) == session()

    async def test_sessions_are_found_by_the_start_of_their_name(self, store: Store) -> None:
        for number, name in enumerate(("20261130-a%b", "20261130-a_b", "20261201-ab")):
            await store.sessions.open(session(name, f"k{number}", at=NOON + number))
        names = [each.session.id for each in await store.sessions.matching("20261130")]
        assert names == ["20261130-a_b", "20261130-a%b"]
        assert [each.session.id for each in await store.sessions.matching("20261130-a_")] == ["20261130-a_b"]
        assert len(await store.sessions.matching("")) == 3
        assert [each.session.id for each in await store.sessions.matching("2026", ("k2", "k9"))] == ["20261201-ab"]
        assert await store.sessions.matching("2026", ()) == []

    async def test_recent_sessions_come_with_what_was_said(self, store: Store) -> None:
        turn = await begun(store, said="Where is the key?")
        rows = [Row("assistant", ""), Row("tool", "found", tool_call_id="c"), Row("assistant", "In the drawer.")]
        await store.turns.finish(turn, "answered", NOON + 50, rows=rows)
        await store.sessions.open(session("s2", "other", at=NOON + 20))
        first, second = await store.sessions.recent(5)
        assert (first.session.id, first.messages, first.opening) == ("s1", 2, "Where is the key?")
        assert (second.session.id, second.messages, second.opening) == ("s2", 0, "")
        assert await store.sessions.line("s1") == first
        assert await store.sessions.line("unknown") is None
        assert await store.sessions.recent(1) == [first]
        assert await store.sessions.recent(5, ("other",)) == [second]

    async def test_a_title_is_given(self, store: Store) -> None:
        await store.sessions.open(session())
        await store.sessions.rename("s1", ODD)
        named = await store.sessions.get("s1")
        assert named is not None
        assert named.title == ODD_READ


class MovingContract:
    """A chat that got a new id."""

    new = ChatRef("telegram", "-200")

    async def test_everything_goes_along(self, store: Store) -> None:
        turn = await begun(store)
        await store.inbox.accept(event(2), f"{CHAT.key}#9", NOON)
        await store.outbox.put(CHAT, "inbox:2", [PartDraft("later")], NOON)
        await store.facts.put(CHAT.key, "model", "a/b")
        await store.facts.put(f"{CHAT.key}#9", "next_title", "x")
        await store.sessions.move_chat(CHAT, self.new)
        moved = await store.sessions.current(self.new.key)
        assert moved is not None
        assert (moved.id, moved.chat) == ("s1", self.new)
        assert [each.text for each in await store.outbox.queued(self.new)] == ["later"]
        assert await store.outbox.queued(CHAT) == []
        assert [each.session_key for each in await store.inbox.open_items()] == [f"{self.new.key}#9"]
        assert await store.facts.get(self.new.key, "model") == "a/b"
        assert await store.facts.get(f"{self.new.key}#9", "next_title") == "x"
        assert await store.facts.get(CHAT.key, "model") is None
        assert [each.chat for each in await store.turns.running()] == [self.new]
        await store.turns.finish(turn, "answered", NOON)

    async def test_other_chats_stay(self, store: Store) -> None:
        old = ChatRef("console", "a_b")
        neighbours = ["console:axb", "console:axb#1", "console:a_b:topic", "console:a_bc", "console:A_B"]
        for number, key in enumerate(neighbours):
            await store.sessions.open(session(f"s{number}", key, ChatRef.parse(key.partition("#")[0])))
        await store.sessions.move_chat(old, ChatRef("console", "z"))
        assert sorted(each.session.session_key for each in await store.sessions.recent(9)) == sorted(neighbours)

    async def test_the_old_session_goes_on_in_the_new_chat(self, store: Store) -> None:
        await store.sessions.open(session("old"))
        await store.sessions.open(session("young", self.new.key, self.new))
        await store.facts.put(self.new.key, "model", "young")
        await store.facts.put(CHAT.key, "model", "old")
        await store.sessions.move_chat(CHAT, self.new)
        current, young = await store.sessions.current(self.new.key), await store.sessions.get("young")
        assert current is not None
        assert young is not None
        assert (current.id, young.end_reason) == ("old", "the chat moved")
        assert await store.facts.get(self.new.key, "model") == "old"

    async def test_a_running_turn_in_the_new_chat_is_left_alone(self, store: Store) -> None:
        item = await store.inbox.accept(event(1, chat=self.new), self.new.key, NOON)
        assert item is not None
        await store.sessions.open(session("young", self.new.key, self.new))
        turn = await store.turns.begin("young", self.new, [item.id], [Row("user", "hi")], NOON)
        await store.sessions.open(session("old"))
        await store.sessions.move_chat(CHAT, self.new)
        await store.turns.finish(turn, "answered", NOON)
        assert await store.sessions.current(CHAT.key) is None
