"""Who can hear a chat changes: its session ends where it must, and goes on where it may."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gateway.config.schema import Access, Settings
from gateway.config.sections import Gateway
from gateway.engine.sessions.session_notes import START
from memory.model import Limits
from memory.shelf import Shelf
from platforms.messages import ChatKind, ChatRef
from tests.fakes.guesthouse import guesthouse, settings
from tests.fakes.scripted_model import Turn
from tests.scenarios.places import (
    ADA_AND_BOB_MAY,
    ADA_IN_GROUP,
    ALONE,
    BOB_ALONE,
    BOTH,
    GROUP_OF_ADA,
    GROUP_OF_BOTH,
    HIS,
    ITS,
    LESSON,
    MINE,
    NOTES,
    OWNER,
    ROOM,
    Door,
    Spot,
    inn,
    keeps,
    rules,
    said,
    seen,
    sent,
)


@pytest.mark.parametrize(
    "after",
    [
        rules(door=Door(allowed_users=("ada", "bob"))),
        rules(door=Door(allowed_users=("ada", "*"))),
        rules(door=Door(allowed_chats=("g1",))),
        rules(door=Door(allowed_chats=("*",))),
        settings(
            platforms={"inprocess": Door()},
            access=Access(owners=("inprocess:ada",), operators=("inprocess:bob",)),
        ),
    ],
)
async def test_a_session_ends_when_others_come_to_be_heard(tmp_path: Path, after: Settings) -> None:
    async with inn(tmp_path, ["Hello, Ada.", "Hello again.", "Still here.", "Here."], rules(door=Door())) as house:
        await said(house, "It is my birthday", GROUP_OF_ADA)
        assert seen(house.model.requests) == MINE
        house.change(after)
        await said(house, "Hello", GROUP_OF_ADA)
        request = house.model.requests[1:]
        assert seen(request) == set()
        assert "birthday" not in sent(request)
        recent = await house.store.sessions.recent(9)
        reasons = {each.session.ended_at is not None: each.session.end_reason for each in recent}
        assert reasons == {True: "who can hear this chat changed", False: None}
        await said(house, "And now", GROUP_OF_ADA)
        assert len(await house.store.sessions.recent(9)) == 2, "it ends once"
        (old,) = [each.session for each in recent if each.session.ended_at is not None]
        await said(house, f"/resume {old.id}", GROUP_OF_ADA)
        await said(house, "And now", GROUP_OF_ADA)
        assert seen(house.model.requests[1:]) == set(), "nor does it come back by an order"


async def test_a_session_ends_when_the_rule_changes_and_not_otherwise(tmp_path: Path) -> None:
    async with inn(tmp_path, ["One.", "Two.", "Three."], rules("owner")) as house:
        await said(house, "1", BOB_ALONE)
        house.change(rules("owner", gateway=Gateway(busy="steer")))
        await said(house, "2", BOB_ALONE)
        assert len(await house.store.sessions.recent(9)) == 1
        house.change(rules("person"))
        await said(house, "3", BOB_ALONE)
        assert len(await house.store.sessions.recent(9)) == 2
        assert seen(house.model.requests[2:]) == {HIS}


async def test_a_turn_that_died_does_not_go_on_before_other_ears(tmp_path: Path) -> None:
    stuck = asyncio.Event()
    at_once = Gateway(drain_seconds=0)
    async with inn(tmp_path, [Turn(["Let me think.", stuck])], rules(door=Door(), gateway=at_once)) as house:
        await house.adapter.say("It is my birthday", chat="g1", kind=ChatKind.GROUP)
        await house.model.arrived(1)
    after = rules(door=Door(allowed_chats=("g1",)))
    async with guesthouse(tmp_path, ["Hello."], with_settings=after, with_memory=True) as house:
        await house.adapter.until(lambda: bool(house.adapter.texts("g1")))
        assert house.model.requests == []
        assert await said(house, "Hello", Spot("g1", "bob", ALONE)) == "Hello."
        assert seen(house.model.requests) == set()


async def test_a_groups_session_goes_on_in_its_owners_direct_chat(tmp_path: Path) -> None:
    async with inn(tmp_path, ["Hello.", "Hello again."], rules()) as house:
        await said(house, "Hello, house", ADA_IN_GROUP)
        (line,) = await house.store.sessions.recent(9)
        await said(house, f"/resume {line.session.id}", ADA_AND_BOB_MAY)
        await said(house, "Where were we?", ADA_AND_BOB_MAY)
        assert "Hello, house" in sent(house.model.requests[1:])
        assert house.model.requests[1].messages[0] == house.model.requests[0].messages[0]


async def test_a_session_of_an_older_version_goes_on(tmp_path: Path) -> None:
    async with inn(tmp_path, ["One.", "Two.", "Three."], rules()) as house:
        await said(house, "1", ADA_AND_BOB_MAY)
        (line,) = await house.store.sessions.recent(9)
        await house.store.facts.put(
            line.session.id, START, {"entries": {"memory": [NOTES], "user": [OWNER]}, "mark": "x"}
        )
        await said(house, "2", ADA_AND_BOB_MAY)
        assert len(await house.store.sessions.recent(9)) == 1
        assert house.model.requests[1].messages[-1].content.endswith("2")
        assert "[Innkeeper] Memory" not in sent(house.model.requests)
        (tmp_path / "memories" / "USER.md").write_text("Ada is small.")
        await said(house, "3", ADA_AND_BOB_MAY)
        assert "- user, changed: Ada is small. (was: Ada is tall.)" in house.model.requests[2].messages[-1].content


async def test_a_room_with_a_new_id_keeps_its_memory(tmp_path: Path) -> None:
    script = ["Hello.", keeps("memory", LESSON), "Done."]
    moved = Spot("g3", "bob", BOTH)
    async with inn(tmp_path, script, rules("room")) as house:
        await said(house, "Hello", GROUP_OF_BOTH)
        await house.engine.move(ChatRef("inprocess", "g2"), ChatRef("inprocess", "g3"))
        await said(house, "The gate squeaks", moved)
        assert ROOM in house.model.requests[1].messages[0].content
    for name in (ITS, "rooms/inprocess-g3.md"):
        assert (tmp_path / "memories" / name).read_text() == f"{ROOM}\n§\n{LESSON}"


async def test_what_a_killed_writer_left_of_a_persons_file_is_cleared_away(tmp_path: Path) -> None:
    left = tmp_path / "memories" / "people" / ".inprocess-bob.md.x1.tmp"
    left.parent.mkdir(parents=True)
    left.write_text("half")
    shelf = Shelf(tmp_path / "memories", Limits, lambda: 0.0)
    assert shelf.repair() == ["1 half-written files of people and rooms were removed"]
    assert not left.exists()
