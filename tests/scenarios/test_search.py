"""Searching earlier conversations: by the model in a turn, by people in chats, and who finds what."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from gateway.config.schema import Access, Agent, Settings
from gateway.config.sections import Memory, Sessions
from gateway.models.client import Request
from gateway.state.search import SqliteSearch
from gateway.tools.search_guidance import guidance
from platforms.messages import ChatKind
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.long_ago import EVERYWHERE, LATE, long_ago
from tests.fakes.past import Talk, had
from tests.fakes.scripted_model import Turn
from tests.scenarios.gate import waiting
from tests.scenarios.places import (
    ADA_ALONE,
    ADA_IN_GROUP,
    BOB_ALONE,
    BOTH,
    GROUP_OF_ADA,
    GROUP_OF_BOTH,
    Door,
    Spot,
    inn,
    rules,
    said,
)

CODE = "My door code is 4711."


def echo(request: Request) -> str:
    return f"You said {request.messages[-1].content.split(']' + chr(10))[-1]}."


def searching(request: Request) -> Turn | str:
    """Calls the tool with what stands behind `call ` (backwards, lest it be found itself); the rest is noted."""
    last = request.messages[-1]
    _, wanted, words = last.content.rpartition("call ")
    return Turn(calls=[("session_search", json.loads(words[::-1]))]) if wanted and last.role == "user" else "Noted."


async def searched(house: Guesthouse, spot: Spot, **arguments: Any) -> dict[str, Any]:
    """What the tool answers to a model in this chat."""
    await said(house, f"call {json.dumps(arguments)[::-1]}", spot)
    results = [each for each in house.model.requests[-1].messages if each.role == "tool"]
    answer: dict[str, Any] = json.loads(results[-1].content)
    return answer


async def sessions_found(house: Guesthouse, spot: Spot, query: str) -> list[str]:
    return [hit["chat"] for hit in (await searched(house, spot, query=query)).get("results", [])]


async def told(house: Guesthouse, spot: Spot, text: str) -> None:
    """Somebody says something in a session that ends behind it."""
    await said(house, text, spot)
    await said(house, "/new", spot)


async def answered(house: Guesthouse, label: str) -> str:
    """What a tap brings."""
    before = set(house.adapter.transcript())
    event = await house.adapter.press("c1", label)
    await house.adapter.until(lambda: any(event.event_id in each.event_ids for each in house.adapter.summaries("c1")))
    return "\n".join(seen.text for seen in house.adapter.transcript() if seen not in before)


# The model searches


async def test_a_model_finds_what_was_said_and_reads_around_it(tmp_path: Path) -> None:
    async with inn(tmp_path, searching, rules()) as house:
        await told(house, ADA_ALONE, "The boiler is serviced by Kovacs, 555-0199")
        answer = await searched(house, ADA_ALONE, query="boiler")
        (hit,) = answer["results"]
        assert hit["snippet"] == "The **boiler** is serviced by Kovacs, 555-0199"
        shown = await searched(house, ADA_ALONE, session_id=hit["session_id"], around_message_id=hit["message_id"])
        assert [each["text"] for each in shown["messages"]] == [
            "The boiler is serviced by Kovacs, 555-0199",
            "Noted.",
        ]
        read = await searched(house, ADA_ALONE, session_id=hit["session_id"])
        assert read["messages"] == shown["messages"]
        listed = await searched(house, ADA_ALONE)
        assert [each["session_id"] for each in listed["sessions"]] == [hit["session_id"]]
        assert house.model.requests[0].messages[0].content.count(guidance()) == 1


async def test_the_prefix_stays_and_older_sessions_keep_the_tools_they_have(tmp_path: Path) -> None:
    without = settings(agent=Agent(disabled_toolsets=("session_search",)))
    async with guesthouse(tmp_path, ["One."], with_settings=without, with_memory=True) as house:
        await house.adapter.reply_to("before the update")
        first = house.model.requests[0]
        assert "session_search" not in repr(first)
    script = ["Two.", "Three.", "Four."]
    async with guesthouse(tmp_path, script, with_memory=True) as house:
        await house.adapter.reply_to("behind it")
        again = house.model.requests[0]
        assert (again.tools, again.messages[0]) == (first.tools, first.messages[0])
        await house.adapter.reply_to("/new")
        await house.adapter.reply_to("fresh")
        await house.adapter.reply_to("and on")
        fresh, on = house.model.requests[1:]
        assert "session_search" in [each.name for each in fresh.tools]
        assert (on.tools, on.messages[: len(fresh.messages)]) == (fresh.tools, fresh.messages)


async def test_what_an_owner_finds_of_others_makes_what_is_kept_wait(tmp_path: Path) -> None:
    wish = {"target": "memory", "action": "add", "content": "The spare key is under the pot."}
    script: list[Turn | str] = [
        "Noted.",
        Turn(calls=[("session_search", {"query": "spare key"})]),
        Turn(calls=[("memory", wish)]),
        "It waits.",
    ]
    free = rules().model_copy(update={"memory": Memory(write_approval=False)})
    async with inn(tmp_path, script, free) as house:
        await said(house, "The spare key is under the pot.", BOB_ALONE)
        await said(house, "What do people say?", ADA_ALONE)
        assert "never instructions" in house.model.requests[2].messages[-1].content
        (waits,) = waiting(tmp_path)
        assert waits["flags"][0] == "untrusted:others"


async def test_what_an_owner_finds_of_their_own_may_be_kept(tmp_path: Path) -> None:
    wish = {"target": "memory", "action": "add", "content": "The spare key is under the pot."}
    script: list[Turn | str] = [
        "Noted.",
        Turn(calls=[("session_search", {"query": "spare key"})]),
        Turn(calls=[("memory", wish)]),
        "Kept.",
    ]
    free = rules().model_copy(update={"memory": Memory(write_approval=False)})
    async with inn(tmp_path, script, free) as house:
        await told(house, ADA_ALONE, "The spare key is under the pot.")
        await said(house, "Keep what I said of the key", ADA_ALONE)
        assert waiting(tmp_path) == []
        assert "under the pot" in (tmp_path / "memories" / "MEMORY.md").read_text()


# Who finds what


async def test_each_finds_what_may_be_seen_where_they_ask(tmp_path: Path) -> None:
    async with inn(tmp_path, searching, rules()) as house:
        await told(house, ADA_ALONE, CODE)
        await told(house, BOB_ALONE, "The code of my bike is 1234.")
        await told(house, GROUP_OF_BOTH, "The code of conduct is short.")
        mine, bobs, group = "inprocess:c1", "inprocess:c2", "inprocess:g2"
        assert sorted(await sessions_found(house, ADA_ALONE, "code")) == [mine, bobs, group]
        assert await sessions_found(house, BOB_ALONE, "code") == [bobs]
        for spot in (GROUP_OF_BOTH, ADA_IN_GROUP):
            assert await sessions_found(house, spot, "code") == [group]
            assert await sessions_found(house, spot, "4711 OR 1234") == []
            assert await sessions_found(house, spot, "in:inprocess:c1") == []
            assert {each["chat"] for each in (await searched(house, spot))["sessions"]} == {group}


async def test_a_group_of_owners_finds_all_until_others_may_talk_in_it(tmp_path: Path) -> None:
    async with inn(tmp_path, searching, rules(door=Door())) as house:
        await told(house, ADA_ALONE, CODE)
        await said(house, "We meet in the group", GROUP_OF_ADA)
        assert await sessions_found(house, GROUP_OF_ADA, "4711") == ["inprocess:c1"]
        (session,) = [each for each in await house.store.sessions.recent(9) if each.session.chat.chat_id == "c1"]
        house.change(rules(door=BOTH))
        bob = Spot("g1", "bob", BOTH)
        for spot in (bob, Spot("g1", "ada", BOTH)):
            assert await sessions_found(house, spot, "4711") == []
            assert 'success": false' in json.dumps(await searched(house, spot, session_id=session.session.id))
            assert await sessions_found(house, spot, "meet") == ["inprocess:g1"]
        house.change(rules(door=Door()))
        assert await sessions_found(house, GROUP_OF_ADA, "4711") == ["inprocess:c1"]


async def test_a_session_that_went_on_in_a_group_stays_the_owners(tmp_path: Path) -> None:
    async with inn(tmp_path, searching, rules(door=Door())) as house:
        await told(house, ADA_ALONE, CODE)
        (own,) = [each.session for each in await house.store.sessions.recent(9)]
        assert "Back in" in await said(house, f"/resume {own.id}", GROUP_OF_ADA)
        await told(house, GROUP_OF_ADA, "and on it goes")
        house.change(rules(door=BOTH))
        bob = Spot("g1", "bob", BOTH)
        assert await sessions_found(house, bob, "4711") == []
        for order in ("/search 4711", f"/sessions show {own.id}", f"/resume {own.id}", "/sessions"):
            assert "4711" not in await said(house, order, bob)
        assert await sessions_found(house, ADA_ALONE, "4711") == ["inprocess:g1"]


async def test_where_each_has_a_session_of_their_own_nobody_finds_anothers(tmp_path: Path) -> None:
    apart = rules().model_copy(update={"sessions": Sessions(group_scope="person")})
    async with inn(tmp_path, searching, apart) as house:
        await told(house, ADA_IN_GROUP, CODE)
        assert await sessions_found(house, GROUP_OF_BOTH, "4711") == []
        assert await sessions_found(house, ADA_IN_GROUP, "4711") == ["inprocess:g2"]
        assert "Nothing was found" in await said(house, "/search 4711", GROUP_OF_BOTH)


# People search


def owner() -> Settings:
    return settings(platforms={"inprocess": BOTH}, access=Access(owners=("inprocess:ada",)))


async def test_a_search_in_a_chat_shows_pages_what_is_around_and_the_way_back(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, echo, with_settings=owner()) as house:
        talks = [
            Talk(f"old{n:02}", 30 - n, turns=9, title=f"talk {n}", say="tea {turn} *or* {id}") for n in range(12)
        ]
        await had(house.store, *talks)
        await house.adapter.reply_to("hello")
        shown = await house.adapter.reply_to('/search tea -coffee "4 or"')
        assert "`tea 4 *or* old" in shown
        assert house.adapter.transcript()[-1].labels == (
            *(f"🔎 {number}" for number in range(1, 6)),
            *(f"↩️ {number}" for number in range(1, 6)),
            "More",
        )
        pages = [shown]
        for _ in range(2):
            pages.append(await answered(house, "More"))
        assert "More" not in house.adapter.transcript()[-1].labels
        found = [re.findall("talk [0-9]+", page) for page in pages]
        assert [len(each) for each in found] == [5, 5, 2]
        assert len({each for page in found for each in page}) == 12
        around = await answered(house, "🔎 1")
        assert "➡️ **user**: tea 4 *or* old" in around
        assert "**assistant**: answer 5 in old" in around
        assert "tea 7" in await answered(house, "Later")
        assert f"Back in «{found[2][0]}»" in await answered(house, "↩️ 1")


async def test_what_there_is_to_say_to_a_search(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, echo, with_settings=owner()) as house:
        await house.adapter.reply_to("the router is in the attic")
        found = await house.adapter.reply_to("/search router")
        assert "🤖 You said the **router** is in the attic." in found
        assert house.adapter.transcript()[-1].labels == ("🔎 1",)  # we are in it
        assert "Say what to look for" in await house.adapter.reply_to("/search")
        assert "nothing to search for" in await house.adapter.reply_to("/search ''")
        assert "Nothing was found." in await house.adapter.reply_to("/search cellar")
        assert "🗣 the **router**" in await house.adapter.reply_to("/search router from:me")
        await house.adapter.press("c1", "🔎 1")
        around = await house.adapter.until_text("➡️")
        assert "You said the router is in the attic." in around.text


async def test_a_search_that_stopped_before_the_end_says_so_and_goes_on(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, echo, with_settings=owner()) as house:
        await long_ago(store := house.store)
        store.search = SqliteSearch(store.database, LATE)
        told = await house.adapter.reply_to(f'/search "{EVERYWHERE}"')
        assert "stopped before the end" in told
        assert "Nothing" not in told
        assert house.adapter.transcript()[-1].labels == ("More",)


async def test_others_find_their_own_chat_only(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, echo, with_settings=owner()) as house:
        await house.adapter.reply_to(CODE)
        await house.adapter.say("/search 4711", chat="g2", sender="bob", kind=ChatKind.GROUP)
        await house.adapter.until_text("Nothing was found", chat="g2")
        await house.adapter.say("/search_page 1 2", chat="g2", sender="bob", kind=ChatKind.GROUP)
        await house.adapter.until_text("Search again", chat="g2")
