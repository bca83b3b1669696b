"""The part of the suite that every store passes which is about sessions that leave the archive."""

from __future__ import annotations

from dataclasses import replace

from gateway.state.contract import CHAT, NOON, begun, event, session
from gateway.state.protocols import Store
from gateway.state.records import Compaction, KeptFile, PartDraft, Row, Turn
from gateway.state.retention_protocols import Bulk
from gateway.state.review_records import ReviewKind
from gateway.transcript import Usage
from platforms.messages import OutFile

DAY = 86400.0
KINDS: tuple[ReviewKind, ...] = ("memory",)
USED = Usage(input=10, cached=2, output=3, calls=1, cost=0.5, seconds=1.0)


async def ended(store: Store, name: str = "s1", number: int = 1, *, rows: int = 1, reply: bool = True) -> Turn:
    """A session with one answered turn, ended at NOON + 10; its reply was sent."""
    turn = await begun(store, number, name, f"said in {name}")
    picture = KeptFile("picture", "a.png", "image/png", f"/cache/{name}")
    answer = [Row("assistant", f"answer {at} in {name}") for at in range(rows)]
    parts = [PartDraft(f"reply in {name}", file=OutFile("r.txt", "text/plain", f"/out/{name}"))] if reply else []
    await store.turns.add(turn, [Row("user", "", files=(picture,))], NOON)
    await store.turns.finish(turn, "answered", NOON + 1, rows=answer, parts=parts)
    for part in await store.outbox.of_source(f"turn:{turn.id}"):
        await store.outbox.mark(part.id, "sent", NOON + 2, remote_id="r")
    await store.sessions.close(name, "new", NOON + 10)
    return turn


async def gone(store: Store, name: str) -> tuple[Bulk, frozenset[str]]:
    """Take it out to the end."""
    bulk, files = Bulk(), frozenset[str]()
    for _ in range(1000):
        step = await store.retention.remove(name)
        bulk, files = bulk.plus(step.bulk), files | step.files
        if step.gone:
            return bulk, files
    raise AssertionError("it never ends")


class RetentionContract:
    """Sessions leave."""

    async def test_what_ended_before_a_moment_is_due(self, store: Store) -> None:
        await ended(store)
        assert await store.retention.due(NOON + 10) == []
        (line,) = await store.retention.due(NOON + 11)
        assert (line.session.id, line.messages, line.opening) == ("s1", 2, "said in s1")

    async def test_an_open_one_is_never_due(self, store: Store) -> None:
        await begun(store)
        assert await store.retention.due(NOON + 1000 * DAY) == []
        assert not await store.retention.leave("s1", NOON + 1000 * DAY)

    async def test_a_pinned_one_stays(self, store: Store) -> None:
        await ended(store)
        await store.sessions.pin("s1", True)
        assert await store.retention.due(NOON + DAY) == []
        assert not await store.retention.leave("s1", NOON + DAY)
        await store.sessions.pin("s1", False)
        assert await store.retention.leave("s1", NOON + DAY)

    async def test_one_with_a_reply_on_its_way_stays(self, store: Store) -> None:
        turn = await begun(store)
        await store.turns.finish(turn, "answered", NOON, parts=[PartDraft("late")])
        await store.sessions.close("s1", "new", NOON + 10)
        assert await store.retention.due(NOON + DAY) == []
        assert not await store.retention.leave("s1", NOON + DAY)

    async def test_one_with_a_review_that_waits_stays(self, store: Store) -> None:
        await ended(store)
        await store.reviews.offer("s1", KINDS, "boundary", NOON + 10)
        assert await store.retention.due(NOON + DAY) == []
        assert not await store.retention.leave("s1", NOON + DAY)

    async def test_everything_goes_with_it(self, store: Store) -> None:
        turn = await ended(store, rows=450)
        await store.turns.compact("s1", Compaction(1, "a summary"), NOON)
        await store.facts.put("s1", "compaction_tried", 5)
        await store.usage.add("s1", "h", "m", "chat", USED, NOON)
        expected = await store.retention.bulk("s1")
        assert await store.retention.leave("s1", NOON + DAY)
        bulk, files = await gone(store, "s1")
        assert (bulk.messages, bulk) == (452, expected)
        assert files == {"/cache/s1", "/out/s1"}
        assert await store.sessions.get("s1") is None
        assert await store.turns.messages("s1") == []
        assert await store.turns.last("s1") is None
        assert await store.outbox.of_source(f"turn:{turn.id}") == []
        assert await store.facts.get("s1", "compaction_tried") is None
        assert await store.turns.conversation("s1", 0) == (None, [])
        assert (await store.retention.remove("s1")).gone

    async def test_what_it_cost_stays_in_the_sums(self, store: Store) -> None:
        for number, name in enumerate(("s1", "s2", "s3")):
            await ended(store, name, number)
            await store.usage.add(name, "h", "m", "chat", USED, NOON)
        before = await store.usage.since(NOON)
        for name in ("s1", "s2"):
            assert await store.retention.leave(name, NOON + DAY)
            await gone(store, name)
        assert await store.usage.since(NOON) == before
        assert await store.usage.of_session("s1") == []
        assert await store.usage.of_session("s3") != []

    async def test_a_redelivered_event_is_still_known_and_says_nothing(self, store: Store) -> None:
        await ended(store)
        assert await store.retention.leave("s1", NOON + DAY)
        await gone(store, "s1")
        assert await store.inbox.accept(event(1, "said in s1"), CHAT.key, NOON + DAY) is None
        (version,) = await store.inbox.versions(CHAT.key, "m1")
        assert (version.item.event.text, version.state, version.turn_id) == ("", "dead", None)
        assert not await store.inbox.reopen(version.item.id)
        assert await store.inbox.dead() == []
        assert await store.inbox.forget(NOON + 7 * DAY) == 1

    async def test_one_that_leaves_is_in_no_list_and_cannot_be_resumed(self, store: Store) -> None:
        await ended(store, rows=450)
        assert await store.retention.leave("s1", NOON + DAY)
        await store.retention.remove("s1")
        await store.sessions.resume("s1", CHAT.key, CHAT, NOON + DAY)
        assert await store.sessions.current(CHAT.key) is None
        assert await store.sessions.recent(10) == []
        assert await store.sessions.matching("s") == []
        assert await store.sessions.get("s1") is None
        assert await store.sessions.line("s1") is None
        assert [each.session.id for each in await store.retention.due(0.0)] == ["s1"]  # a crash left it half way
        assert await store.retention.leave("s1", 0.0)

    async def test_one_that_was_resumed_meanwhile_stays(self, store: Store) -> None:
        await ended(store)
        assert len(await store.retention.due(NOON + DAY)) == 1
        await store.sessions.resume("s1", CHAT.key, CHAT, NOON + 20)
        assert not await store.retention.leave("s1", NOON + DAY)
        removed = await store.retention.remove("s1")
        assert (removed.bulk, removed.gone) == (Bulk(), True)
        assert len(await store.turns.messages("s1")) == 3

    async def test_files_that_others_name_are_told_apart(self, store: Store) -> None:
        await ended(store, "s1", 1)
        await ended(store, "s2", 2)
        shared = {"/cache/s1", "/out/s1", "/cache/s2", "/out/s2", "/cache/none"}
        assert await store.retention.unnamed(shared) == {"/cache/none"}
        assert await store.retention.leave("s1", NOON + DAY)
        await gone(store, "s1")
        assert await store.retention.unnamed(shared) == {"/cache/none", "/cache/s1", "/out/s1"}
        assert await store.retention.unnamed(()) == frozenset()

    async def test_turns_and_events_name_their_session(self, store: Store) -> None:
        turn = await ended(store)
        assert await store.retention.of_turns([turn.id, 999]) == {"s1"}
        assert await store.retention.of_events([*turn.inbox_ids, 999]) == {"s1"}
        assert await store.retention.of_turns(range(1000, 2200)) == frozenset()

    async def test_a_title_is_given_once(self, store: Store) -> None:
        await ended(store, "s1", 1)
        await begun(store, 2, "s2")
        await store.sessions.close("s2", "new", NOON + 10)
        assert await store.sessions.untitled(NOON - DAY, 10) == ["s1"]
        assert await store.sessions.untitled(NOON + DAY, 10) == []
        assert await store.sessions.entitle("s1", "A title")
        assert not await store.sessions.entitle("s1", "Another")
        line = await store.sessions.line("s1")
        assert line is not None
        assert line.session.title == "A title"
        assert await store.sessions.untitled(NOON - DAY, 10) == []

    async def test_lists_and_transcripts_are_read_in_pages(self, store: Store) -> None:
        for number in range(5):
            made = replace(session(f"s{number}", f"{CHAT.key}#{number}"), active_at=NOON + number)
            await store.sessions.open(made)
        names = [each.session.id for offset in (0, 2, 4) for each in await store.sessions.recent(2, None, offset)]
        assert names == ["s4", "s3", "s2", "s1", "s0"]
        await store.turns.begin("s0", CHAT, [], [Row("user", f"{each}") for each in range(5)], NOON)
        first = await store.turns.messages("s0", limit=2)
        rest = await store.turns.messages("s0", first[-1].id)
        assert [each.row.content for each in (*first, *rest)] == ["0", "1", "2", "3", "4"]
        space = await store.retention.space()
        assert 0 <= space.free < space.size
