"""The part of the suite that every store passes which is about finding again what was said."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone

from gateway.state.contract import CHAT, NOON, ODD, session
from gateway.state.protocols import Store
from gateway.state.records import Row
from gateway.transcript import ToolCall
from platforms.messages import ChatRef

OTHER = ChatRef("discord", "77")
DAY = 86_400.0


async def said(store: Store, name: str, texts: Sequence[str], chat: ChatRef = CHAT, at: float = NOON) -> list[int]:
    """An ended session in which a person and the assistant said this by turns; the messages' ids."""
    await store.sessions.open(session(name, chat.key, chat, at))
    turn = await store.turns.begin(name, chat, [], [], at)
    rows = [Row("assistant" if number % 2 else "user", text) for number, text in enumerate(texts)]
    ids = await store.turns.add(turn, rows, at)
    await store.turns.finish(turn, "answered", at)
    await store.sessions.close(name, "new", at)
    return ids


async def indexed(store: Store) -> None:
    """Everything that there is to do for the index is done."""
    while await store.search.index():
        pass


async def found(store: Store, query: str, visible: Sequence[str] | None = None) -> list[str]:
    """The sessions that a query finds, in the order of their ids."""
    got = await store.search.discover(query, now=NOON, visible=visible, limit=50)
    assert not got.bounded
    return sorted(hit.session.id for hit in got.hits)


class SearchContract:
    """Searching, before and after the index knows."""

    async def test_what_was_said_is_found_at_once_and_later(self, store: Store) -> None:
        await said(store, "s1", ["Where is the warranty?", "In the drawer, 保証書 too."])
        await said(store, "s2", ["We deploy C++ with node.js v1.2.3-rc4", "Mail bob@example.org about lib/util.py"])
        for _ in range(2):
            for query in ("warranty", "WARRANTY drawer -receipt", "保証", '"the drawer"', "draw*"):
                expected = [] if query == "WARRANTY drawer -receipt" else ["s1"]
                assert await found(store, query) == expected, query
            for query in ("c++", "node.js", "v1.2.3-rc4", "bob@example.org", "lib/util.py", "rc4"):
                assert await found(store, query) == ["s2"], query
            for query in ("c#", "nodejs", "v1.2.3-rc5", "証保", '"drawer the"', "warrant", "lib/utils.py"):
                assert await found(store, query) == [], query
            assert await found(store, "warranty OR node") == ["s1", "s2"]
            await indexed(store)

    async def test_a_hit_has_everything_around_it(self, store: Store) -> None:
        texts = [f"line {number}" for number in range(20)]
        texts[9] = "a needle in the middle " + "of much hay " * 60
        ids = await said(store, "s1", texts)
        for _ in range(2):
            got = await store.search.discover("needle", now=NOON)
            (hit,) = got.hits
            assert (hit.message.id, hit.message.text, hit.message.role) == (ids[9], texts[9], "assistant")
            assert hit.snippet.startswith("a **needle** in the middle")
            assert hit.snippet.endswith("…")
            assert len(hit.snippet) < 300
            assert [each.text for each in hit.before] == texts[7:9]
            assert [each.text for each in hit.after] == texts[10:12]
            assert [each.text for each in hit.first] == texts[:2]
            assert [each.text for each in hit.last] == texts[-2:]
            assert (hit.session.id, hit.session.session_key, hit.matches) == ("s1", CHAT.key, 1)
            assert (got.bounded, got.more, got.note) == (False, None, "")
            await indexed(store)

    async def test_one_hit_a_session_and_pages_show_each_once(self, store: Store) -> None:
        for number in range(23):
            await said(store, f"s{number:02}", ["the apple", "an apple a day", "pears"], at=NOON + number)
        for _ in range(2):
            seen: list[str] = []
            more = None
            for page in range(5):
                got = await store.search.discover("apple", now=NOON, limit=5, more=more)
                seen += [hit.session.id for hit in got.hits]
                more = got.more
                assert (more is None) == (page == 4)
            assert sorted(seen) == [f"s{number:02}" for number in range(23)]
            await indexed(store)

    async def test_long_sessions_do_not_hide_others(self, store: Store) -> None:
        await said(store, "small", ["apple pie"], OTHER)
        await said(store, "long", ["an apple"] * 250)
        await said(store, "live", ["apple"] * 150)
        await indexed(store)
        got = await store.search.discover("apple", now=NOON, exclude="live")
        assert {hit.session.id for hit in got.hits} == {"long", "small"}

    async def test_nobody_finds_what_is_not_his(self, store: Store) -> None:
        await said(store, "mine", ["my door code is 4711"])
        await said(store, "theirs", ["which door?", "the red door"] * 100, OTHER)
        for _ in range(2):
            assert await found(store, "door code", [OTHER.key]) == []
            assert await found(store, "door code", [CHAT.key]) == ["mine"]
            assert await found(store, "door code", []) == []
            got = await store.search.discover("door", now=NOON, visible=[CHAT.key])
            assert [hit.session.id for hit in got.hits] == ["mine"]
            assert not got.bounded
            await indexed(store)
        assert await store.search.read("mine", visible=[OTHER.key]) is None
        assert [each.session.id for each in await store.search.browse(visible=[OTHER.key])] == ["theirs"]
        assert await store.search.browse(visible=[]) == []

    async def test_what_went_on_in_another_chat_is_not_seen_by_that_chats_key(self, store: Store) -> None:
        (number, *_) = await said(store, "s1", ["The door code is 4711", "noted"])
        await said(store, "s2", ["The door is green", "yes"], OTHER)
        await store.sessions.resume("s1", OTHER.key, OTHER, NOON + 1)
        search, keys = store.search, (OTHER.key,)
        assert await found(store, "door") == ["s1", "s2"]
        assert await found(store, "door", keys) == ["s2"]
        assert await search.scroll("s1", number, 2, visible=keys) is None
        assert await search.read("s1", visible=keys) is None
        assert [each.session.id for each in await search.browse(visible=keys)] == ["s2"]
        assert [each.session.id for each in await store.sessions.recent(9, keys)] == ["s2"]
        assert await store.sessions.matching("s1", keys) == []
        assert len(await store.sessions.matching("s1")) == 1

    async def test_messages_keep_the_mark_of_where_they_came_from(self, store: Store) -> None:
        await store.sessions.open(session("s1", CHAT.key, CHAT, NOON))
        turn = await store.turns.begin("s1", CHAT, [], [Row("user", "a quoted needle", untrusted="quote")], NOON)
        await store.turns.finish(turn, "answered", NOON, rows=[Row("assistant", "I see")])
        (hit,) = (await store.search.discover("needle", now=NOON)).hits
        assert (hit.message.untrusted, hit.after[0].untrusted) == ("quote", "")

    async def test_days_are_those_of_a_zone(self, store: Store) -> None:
        at = datetime(2026, 11, 20, 23, 30, tzinfo=UTC).timestamp()
        await said(store, "s1", ["late tea", "yes"], at=at)
        for hours, expected in ((0, 0), (1, 1)):
            zone = timezone(timedelta(hours=hours))
            got = await store.search.discover("tea after:2026-11-21", now=NOON, zone=zone)
            assert len(got.hits) == expected

    async def test_a_chat_that_moves_takes_what_was_said_along(self, store: Store) -> None:
        await said(store, "s1", ["hello moon"])
        await indexed(store)
        await said(store, "s2", ["another moon"])
        await store.sessions.move_chat(CHAT, OTHER)
        await said(store, "s3", ["a third moon"], OTHER)
        await said(store, "s4", ["not that moon"])
        for _ in range(2):
            assert await found(store, "moon", [OTHER.key]) == ["s1", "s2", "s3"]
            assert await found(store, "moon", [CHAT.key]) == ["s4"]
            assert await found(store, "moon in:discord") == ["s1", "s2", "s3"]
            await indexed(store)
        await store.sessions.resume("s4", OTHER.key, OTHER, NOON)
        assert await found(store, "moon") == ["s1", "s2", "s3", "s4"]
        assert await found(store, "moon", [OTHER.key]) == ["s1", "s2", "s3"], "s4 was held where others were"
        assert await found(store, "moon", [CHAT.key]) == []

    async def test_days_places_and_roles(self, store: Store) -> None:
        for number in range(6):
            chat = OTHER if number % 2 else CHAT
            await said(store, f"s{number}", ["Ada: tea", "tea for Ada"], chat, NOON - number * DAY)
        for _ in range(2):
            assert await found(store, "tea after:2026-11-29") == ["s0", "s1"]
            assert await found(store, "tea before:2026-11-27") == ["s4", "s5"]
            assert await found(store, "before:2026-11-28 after:2026-11-26") == ["s3", "s4"]
            assert await found(store, "tea in:discord:77") == ["s1", "s3", "s5"]
            assert await found(store, "tea in:discord:7") == []
            assert await found(store, "in:telegram tea after:2026-11-28") == ["s0", "s2"]
            for asked, role in (("user", "user"), ("assistant", "assistant"), ("ada", "user")):
                got = await store.search.discover(f"tea from:{asked}", now=NOON)
                assert {hit.message.role for hit in got.hits} == {role}
            assert await found(store, "tea from:eve") == []
            await indexed(store)
        assert "nowhere" in (await store.search.discover("tea in:nowhere", now=NOON)).note

    async def test_what_left_is_not_found(self, store: Store) -> None:
        await said(store, "s1", ["the secret is hazelnut", "noted"])
        await said(store, "s2", ["hazelnut ice"])
        await indexed(store)
        await store.traces.erase(["the secret is hazelnut"])
        assert await found(store, "hazelnut") == ["s2"]
        assert await store.retention.leave("s2", NOON + DAY)
        assert await found(store, "hazelnut") == []
        while not (await store.retention.remove("s2")).gone:
            pass
        await indexed(store)
        assert await found(store, "hazelnut") == []
        assert await found(store, "noted") == ["s1"]

    async def test_any_text_is_a_query(self, store: Store) -> None:
        texts = [
            "NOTE: port",
            "left-pad",
            "#512",
            "can't",
            "30%",
            "$9",
            "really?",
            "x,y",
            'D:\\data "open',
            "AND",
            ODD,
        ]
        await said(store, "s1", texts)
        for _ in range(2):
            for query in [*texts, "NOT", "NEAR(", "*", "", '"', "(", "-", "OR", "AND OR", "a" * 5000, "before:", ":"]:
                got = await store.search.discover(query, now=NOON)
                assert (query in texts) <= bool(got.hits), query
                assert got.hits or got.note or query in ("NOT", "NEAR(", "*", "OR", "before:", "a" * 5000), query
            await indexed(store)

    async def test_the_next_page_of_nothing(self, store: Store) -> None:
        for more in ("", "x", "1.2", "1.2.3.4.5", "9" * 40):
            got = await store.search.discover("a", now=NOON, more=more)
            assert got.hits == ()
            assert got.note
        assert (await store.search.discover("a", now=NOON, more="10.2.3.4-5")).hits == ()

    async def test_results_of_tools_are_not_found(self, store: Store) -> None:
        await store.sessions.open(session())
        turn = await store.turns.begin("s1", CHAT, [], [Row("user", "list the files")], NOON)
        call = Row("assistant", "", tool_calls=(ToolCall("c1", "files", "{}"),))
        await store.turns.add(turn, [call, Row("tool", "marmalade.txt", tool_call_id="c1")], NOON)
        await store.turns.finish(turn, "answered", NOON, rows=[Row("assistant", "There is one.")])
        for _ in range(2):
            assert await found(store, "marmalade") == []
            assert await found(store, "one") == ["s1"]
            await indexed(store)
        stretch = await store.search.read("s1")
        assert stretch is not None
        assert [each.text for each in stretch.messages] == ["list the files", "There is one."]


class ArchiveContract:
    """Reading sessions from the archive."""

    async def test_scrolling_around_a_message(self, store: Store) -> None:
        ids = await said(store, "s1", [f"line {number}" for number in range(20)])
        (elsewhere,) = await said(store, "s2", ["line"], OTHER)
        for at, window, expected, earlier, later in (
            (10, 2, range(8, 13), True, True),
            (0, 3, range(4), False, True),
            (19, 50, range(20), False, False),
            (5, 0, range(5, 6), True, True),
        ):
            stretch = await store.search.scroll("s1", ids[at], window)
            assert stretch is not None
            assert [each.id for each in stretch.messages] == [ids[number] for number in expected]
            assert (stretch.earlier, stretch.later) == (earlier, later)
        assert await store.search.scroll("s1", elsewhere, 3) is None
        assert await store.search.scroll("none", ids[0], 3) is None
        assert await store.search.scroll("s1", ids[0], 3, visible=[OTHER.key]) is None

    async def test_reading_from_the_beginning_and_on(self, store: Store) -> None:
        ids = await said(store, "s1", [f"line {number}" for number in range(5)])
        first = await store.search.read("s1", limit=3)
        assert first is not None
        assert ([each.id for each in first.messages], first.earlier, first.later) == (ids[:3], False, True)
        rest = await store.search.read("s1", after=first.messages[-1].id, limit=3)
        assert rest is not None
        assert ([each.id for each in rest.messages], rest.earlier, rest.later) == (ids[3:], True, False)
        end = await store.search.read("s1", after=ids[-1])
        assert end is not None
        assert (end.messages, end.earlier, end.later) == ((), True, False)
        assert await store.search.read("none") is None

    async def test_browsing_what_was_active_last(self, store: Store) -> None:
        for number in range(4):
            chat = OTHER if number % 2 else CHAT
            await said(store, f"s{number}", [f"hello {number}", "hi", "bye"], chat, NOON + number)
        recent = await store.search.browse(limit=3, exclude="s3")
        assert [each.session.id for each in recent] == ["s2", "s1", "s0"]
        assert [each.text for each in recent[0].first] == ["hello 2", "hi"]
        assert [each.text for each in recent[0].last] == ["hi", "bye"]
        assert [each.session.id for each in await store.search.browse(visible=[OTHER.key])] == ["s3", "s1"]

    async def test_the_index_says_how_it_is_doing(self, store: Store) -> None:
        await indexed(store)
        await said(store, "s1", ["one", "two"])
        state = await store.search.state()
        assert (state.waiting, state.failed, state.building, state.damaged) == (2, 0, "", False)
        await store.search.rebuild("a person asked")
        assert (await store.search.state()).building == "a person asked"
        await indexed(store)
        state = await store.search.state()
        assert (state.waiting, state.failed, state.building, state.damaged) == (0, 0, "", False)
        assert await found(store, "two") == ["s1"]
        assert await store.search.check() == []
