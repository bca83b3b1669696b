"""The part of the suite that every store passes which is about parts on their way to a chat."""

from __future__ import annotations

from gateway.state.contract import CHAT, NOON, ODD, ODD_READ, begun, buttons, event, refused, session
from gateway.state.protocols import Store
from gateway.state.records import Part, PartDraft
from platforms.messages import ChatRef, OutFile


async def part_of(store: Store, source: str, number: int = 0) -> Part:
    return (await store.outbox.of_source(source))[number]


class OutboxContract:
    """Parts."""

    async def test_what_is_put_twice_is_there_once(self, store: Store) -> None:
        item = await store.inbox.accept(event(1), CHAT.key, NOON)
        assert item is not None
        drafts = [PartDraft("one", reply_to="m1"), PartDraft("two", buttons("yes", "no"))]
        await store.outbox.put(CHAT, "inbox:1", drafts, NOON, finishes=[item.id])
        await store.outbox.put(CHAT, "inbox:1", [PartDraft("other"), PartDraft("parts")], NOON + 1)
        one, two = await store.outbox.queued(CHAT)
        assert (one.text, one.reply_to, one.part, one.state, one.preview) == ("one", "m1", 0, "queued", False)
        assert (two.text, two.buttons, two.part, two.created_at) == ("two", buttons("yes", "no"), 1, NOON)
        assert (one.remote_id, one.tried_at) == (None, None)
        assert await store.inbox.open_items() == []
        assert await store.outbox.of_source("inbox:1") == [one, two]

    async def test_an_empty_reply_still_ends_its_event(self, store: Store) -> None:
        item = await store.inbox.accept(event(1), CHAT.key, NOON)
        assert item is not None
        await store.outbox.put(CHAT, "inbox:1", [], NOON, finishes=[item.id])
        assert await store.inbox.open_items() == []

    async def test_a_part_has_one_name_for_good(self, store: Store) -> None:
        await store.outbox.put(CHAT, "a:1", [PartDraft("x"), PartDraft("x")], NOON)
        await store.outbox.put(CHAT, "a", [PartDraft("x")], NOON)
        nonces = [each.nonce for each in await store.outbox.queued(CHAT)]
        assert len(set(nonces)) == 3
        assert {len(each) for each in nonces} == {25}

    async def test_parts_hold_any_text(self, store: Store) -> None:
        await store.outbox.put(CHAT, ODD, [PartDraft(ODD, buttons(ODD), ODD)], NOON)
        part = await part_of(store, ODD)
        assert (part.text, part.buttons, part.reply_to) == (ODD_READ, buttons(ODD_READ), ODD_READ)

    async def test_the_files_that_parts_name(self, store: Store) -> None:
        files = [OutFile(name, "text/plain", f"/out/{name}") for name in "ab"]
        for each in files:
            await store.outbox.put(CHAT, each.name, [PartDraft("x"), PartDraft("", file=each)], NOON)
        await store.outbox.mark((await part_of(store, "a", 1)).id, "sent", NOON, remote_id="r1")
        assert await store.outbox.files() == {"/out/a", "/out/b"}
        await store.outbox.forget(NOON + 1)
        assert await store.outbox.files() == {"/out/b"}

    async def test_what_the_buttons_of_a_message_offer(self, store: Store) -> None:
        topic = ChatRef(CHAT.platform, CHAT.chat_id, "5")
        for source, chat in (("a", CHAT), ("b", topic), ("c", CHAT)):
            await store.outbox.put(chat, source, [PartDraft("x", buttons(f"/{source}"))], NOON)
        assert await store.outbox.offers(CHAT, "r1") == frozenset(), "nothing was sent yet"
        offered = {source: {each.action for row in buttons(f"/{source}") for each in row} for source in "abc"}
        for source in "ab":
            await store.outbox.mark((await part_of(store, source)).id, "sent", NOON, remote_id="r1")
        assert await store.outbox.offers(CHAT, "r1") == offered["a"]
        assert await store.outbox.offers(topic, "r1") == offered["b"]
        assert await store.outbox.offers(CHAT, "r2") == frozenset()
        for state in ("sending", "uncertain"):  # it may be there, under an id that nobody knows
            await store.outbox.mark((await part_of(store, "c")).id, state, NOON)
            assert await store.outbox.offers(CHAT, "r2") == offered["c"]
            assert await store.outbox.offers(topic, "r2") == frozenset()

    async def test_chats_with_something_to_do(self, store: Store) -> None:
        topic = ChatRef("telegram", "-100", "5")
        await store.outbox.put(CHAT, "a", [PartDraft("x")], NOON)
        await store.outbox.put(topic, "b", [PartDraft("y"), PartDraft("z")], NOON)
        assert {each.key for each in await store.outbox.chats()} == {CHAT.key, topic.key}
        await store.outbox.mark((await part_of(store, "a")).id, "sent", NOON, remote_id="r1")
        assert await store.outbox.chats() == [topic]
        assert await store.outbox.queued(CHAT) == []

    async def test_a_chat_is_read_as_it_was_written(self, store: Store) -> None:
        chats = [
            ChatRef("matrix", "!a:b.example"),
            ChatRef("matrix", "!a", "b.example"),
            ChatRef("c", "1%3A#", "x:y"),
        ]
        for number, chat in enumerate(chats):
            await store.sessions.open(session(f"s{number}", chat.key, chat))
            turn = await store.turns.begin(f"s{number}", chat, [], [], NOON)
            await store.turns.finish(turn, "answered", NOON, parts=[PartDraft("x")])
            found = await store.sessions.current(chat.key)
            assert found is not None
            assert (found.chat, found.id) == (chat, f"s{number}")
            assert [each.chat for each in await store.outbox.queued(chat)] == [chat]
        assert sorted(each.key for each in await store.outbox.chats()) == sorted(each.key for each in chats)

    async def test_a_try_of_unknown_end_keeps_its_time(self, store: Store) -> None:
        await store.outbox.put(CHAT, "a", [PartDraft("x")], NOON)
        part = await part_of(store, "a")
        steps = [
            ("sending", NOON + 1, False, NOON + 1),
            ("queued", NOON + 2, True, NOON + 1),  # the connection broke
            ("sending", NOON + 3, False, NOON + 1),
            ("queued", NOON + 4, False, None),  # certainly not sent
            ("sending", NOON + 5, False, NOON + 5),
            ("uncertain", NOON + 6, False, None),
        ]
        for state, at, doubt, tried in steps:
            await store.outbox.mark(part.id, state, at, doubt=doubt, error=ODD)  # type: ignore[arg-type]
            now = await part_of(store, "a")
            assert (now.state, now.tried_at) == (state, tried)

    async def test_a_crash_leaves_parts_in_doubt(self, store: Store) -> None:
        for source in ("a", "b", "c"):
            await store.outbox.put(CHAT, source, [PartDraft(source)], NOON)
        await store.outbox.mark((await part_of(store, "a")).id, "sending", NOON + 1)
        await store.outbox.mark((await part_of(store, "b")).id, "sent", NOON + 1, remote_id="r")
        assert await store.outbox.recover() == 1
        assert await store.outbox.recover() == 0
        waiting = {each.source: each.tried_at for each in await store.outbox.queued(CHAT)}
        assert waiting == {"a": NOON + 1, "c": None}

    async def test_settled_parts_are_forgotten(self, store: Store) -> None:
        for number in range(1003):
            await store.outbox.put(CHAT, f"s{number}", [PartDraft("x")], NOON + number)
            if number > 1:
                await store.outbox.mark((await part_of(store, f"s{number}")).id, "sent", NOON, remote_id="r")
        assert await store.outbox.forget(NOON + 1002) == 1000
        assert [each.source for each in await store.outbox.queued(CHAT)] == ["s0", "s1"]
        assert len(await store.outbox.of_source("s1002")) == 1


class PreviewContract:
    """Parts that are shown while they are written."""

    async def test_a_streamed_part_takes_the_final_text(self, store: Store) -> None:
        turn = await begun(store)
        source = f"turn:{turn.id}"
        part = await store.outbox.preview(CHAT, source, 0, PartDraft("He"), NOON)
        assert (part.state, part.preview, part.tried_at) == ("sending", True, NOON)
        await store.outbox.mark(part.id, "preview", NOON, remote_id="r7")
        drafts = [PartDraft("Hello", buttons("ok")), PartDraft("you")]
        await store.turns.finish(turn, "answered", NOON, parts=drafts)
        first, second = await store.outbox.queued(CHAT)
        assert (first.id, first.text, first.remote_id, first.tried_at) == (part.id, "Hello", "r7", None)
        assert (first.buttons, first.nonce) == (buttons("ok"), part.nonce)
        assert (second.text, second.remote_id, second.preview) == ("you", None, False)

    async def test_a_preview_is_begun_once(self, store: Store) -> None:
        turn = await begun(store)
        first = await store.outbox.preview(CHAT, f"turn:{turn.id}", 0, PartDraft("a"), NOON)
        again = await store.outbox.preview(CHAT, f"turn:{turn.id}", 0, PartDraft("ab"), NOON + 1)
        assert (again.id, again.text, again.tried_at) == (first.id, "ab", NOON)
        await store.outbox.drop_preview(first.id)
        assert await store.outbox.of_source(f"turn:{turn.id}") == []

    async def test_a_preview_that_is_there_is_not_dropped(self, store: Store) -> None:
        turn = await begun(store)
        part = await store.outbox.preview(CHAT, f"turn:{turn.id}", 0, PartDraft("a"), NOON)
        await store.outbox.mark(part.id, "preview", NOON, remote_id="r")
        await store.outbox.drop_preview(part.id)
        assert (await part_of(store, f"turn:{turn.id}")).remote_id == "r"

    async def test_the_final_text_is_final(self, store: Store) -> None:
        turn = await begun(store)
        source = f"turn:{turn.id}"
        part = await store.outbox.preview(CHAT, source, 0, PartDraft("a"), NOON)
        await store.turns.finish(turn, "answered", NOON, parts=[PartDraft("all")])
        with refused():
            await store.outbox.preview(CHAT, source, 0, PartDraft("late"), NOON)
        with refused():
            await store.outbox.preview(CHAT, source, 1, PartDraft("late"), NOON)
        await store.outbox.mark(part.id, "sending", NOON + 1)
        await store.outbox.put(CHAT, source, [PartDraft("other")], NOON)
        now = await part_of(store, source)
        assert (now.text, now.state, now.tried_at) == ("all", "sending", NOON)
        await store.outbox.drop_preview(part.id)
        await store.outbox.forget_try(part.id)
        now = await part_of(store, source)
        assert (now.preview, now.tried_at) == (False, None)

    async def test_a_part_whose_message_is_gone_begins_anew_under_another_name(self, store: Store) -> None:
        turn = await begun(store)
        source = f"turn:{turn.id}"
        part = await store.outbox.preview(CHAT, source, 0, PartDraft("al"), NOON)
        await store.outbox.mark(part.id, "preview", NOON, remote_id="r1")
        await store.turns.finish(turn, "answered", NOON, parts=[PartDraft("all")])
        anew = await store.outbox.unbind(part.id)
        assert (anew.text, anew.state, anew.preview, anew.remote_id, anew.tried_at) == (
            "all",
            "queued",
            False,
            None,
            None,
        )
        assert len(anew.nonce) == len(part.nonce)
        assert anew.nonce != part.nonce
        assert await store.outbox.queued(CHAT) == [anew]

    async def test_what_was_streamed_too_much_is_taken_back(self, store: Store) -> None:
        turn = await begun(store)
        source = f"turn:{turn.id}"
        parts = [await store.outbox.preview(CHAT, source, number, PartDraft("x"), NOON) for number in range(3)]
        for number in (0, 1):
            await store.outbox.mark(parts[number].id, "preview", NOON, remote_id=f"r{number}")
        await store.turns.finish(turn, "answered", NOON, parts=[PartDraft("all")])
        kept, gone = await store.outbox.queued(CHAT)
        assert (kept.text, kept.remote_id, gone.text, gone.remote_id) == ("all", "r0", "", "r1")
        assert (await part_of(store, source, 2)).state == "dropped"
        assert await store.outbox.recover() == 0
        assert len(await store.outbox.queued(CHAT)) == 2

    async def test_a_dropped_turn_takes_its_preview_back(self, store: Store) -> None:
        turn = await begun(store)
        source = f"turn:{turn.id}"
        shown = await store.outbox.preview(CHAT, source, 0, PartDraft("x"), NOON)
        await store.outbox.mark(shown.id, "preview", NOON, remote_id="r0")
        on_the_wire = await store.outbox.preview(CHAT, source, 1, PartDraft("y"), NOON)
        await store.turns.drop("s1", "would not end", NOON)
        assert [(each.text, each.remote_id) for each in await store.outbox.queued(CHAT)] == [("", "r0")]
        await store.outbox.mark(on_the_wire.id, "preview", NOON, remote_id="r1")
        assert [(each.text, each.remote_id) for each in await store.outbox.queued(CHAT)] == [("", "r0"), ("", "r1")]

    async def test_a_crash_leaves_a_preview_to_its_turn(self, store: Store) -> None:
        turn = await begun(store)
        await store.outbox.preview(CHAT, f"turn:{turn.id}", 0, PartDraft("a"), NOON)
        assert await store.outbox.recover() == 0
        taken = await store.turns.take_over(turn)
        await store.turns.finish(taken, "answered", NOON, parts=[PartDraft("all")])
        part = (await store.outbox.queued(CHAT))[0]
        assert (part.text, part.preview, part.tried_at) == ("all", True, NOON)

    async def test_a_preview_of_a_running_turn_is_kept(self, store: Store) -> None:
        turn = await begun(store)
        part = await store.outbox.preview(CHAT, f"turn:{turn.id}", 0, PartDraft("a"), NOON)
        await store.outbox.mark(part.id, "preview", NOON, remote_id="r")
        assert await store.outbox.forget(NOON + 9) == 0
