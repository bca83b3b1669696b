"""Whose memory a chat has: every place, by every rule; what the model was sent, and which files were written."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from gateway.config.sections import Gateway
from platforms.messages import ChatKind
from tests.fakes.scripted_model import Turn
from tests.scenarios.places import (
    ADA_ALONE,
    ADA_AND_BOB_MAY,
    ADA_IN_GROUP,
    BOB,
    BOB_ALONE,
    BOTH,
    FACT,
    FILES,
    GROUP_OF_ADA,
    GROUP_OF_BOTH,
    HERS,
    HIS,
    ITS,
    LESSON,
    MINE,
    NOTES,
    ROOM,
    ROOM_OF_ALL,
    SHARED,
    Door,
    Spot,
    call,
    inn,
    keeps,
    offered,
    rules,
    said,
    seen,
    sent,
    written,
)
from tests.scenarios.props import held

TABLE = [
    # scope, place, files shown without `share`, file for `user`, file for `memory`
    *(
        (scope, spot, MINE, "USER.md", "MEMORY.md")
        for scope in ("owner", "person", "room")
        for spot in (ADA_ALONE, ADA_AND_BOB_MAY, GROUP_OF_ADA)
    ),
    ("owner", BOB_ALONE, set(), None, None),
    ("owner", GROUP_OF_BOTH, set(), None, None),
    ("owner", ROOM_OF_ALL, set(), None, None),
    ("owner", ADA_IN_GROUP, set(), None, None),
    ("person", BOB_ALONE, {HIS}, HIS, None),
    ("person", GROUP_OF_BOTH, set(), HIS, None),
    ("person", ROOM_OF_ALL, set(), HIS, None),
    ("person", ADA_IN_GROUP, set(), HERS, None),
    ("room", BOB_ALONE, {HIS}, HIS, None),
    ("room", GROUP_OF_BOTH, {ITS}, HIS, ITS),
    ("room", ROOM_OF_ALL, {ITS}, HIS, ITS),
    ("room", ADA_IN_GROUP, {ITS}, HERS, ITS),
]


@pytest.mark.parametrize("share", [False, True])
@pytest.mark.parametrize(("scope", "spot", "shown", "user", "memory"), TABLE)
async def test_the_table(
    tmp_path: Path, scope: str, share: bool, spot: Spot, shown: set[str], user: str | None, memory: str | None
) -> None:
    script = [keeps("user", FACT), "Done.", keeps("memory", LESSON), "Done."]
    async with inn(tmp_path, script, rules(scope, share, spot.door)) as house:
        await said(house, "Good morning", spot)
        await said(house, "And now", spot)
        requests = house.model.requests
        assert seen(requests) == shown | ({SHARED} if share else set())
        targets = [target for target, file in (("memory", memory), ("user", user)) if file is not None]
        assert offered(requests[0]) == targets
        assert {each.messages[0] for each in requests} == {requests[0].messages[0]}
        assert {repr(each.tools) for each in requests} == {repr(requests[0].tools)}
        assert ("Memory: keep with the memory tool" in requests[0].messages[0].content) == bool(targets)
    expected = {file: text for file, text in ((user, FACT), (memory, LESSON)) if file is not None}
    assert written(tmp_path) == expected


async def test_both_blocks_stand_in_a_room_of_a_team_the_shared_one_first(tmp_path: Path) -> None:
    async with inn(tmp_path, ["Hello."], rules("room", True)) as house:
        await said(house, "Hello", GROUP_OF_BOTH)
        prompt = house.model.requests[0].messages[0].content
        assert 0 < prompt.index(NOTES) < prompt.index(ROOM)
        assert prompt.count("MEMORY (your personal notes)") == 2


@pytest.mark.parametrize("scope", ["owner", "person", "room"])
async def test_nothing_of_a_direct_chat_comes_to_a_group(tmp_path: Path, scope: str) -> None:
    secret = "The door code is 4711."
    script = [keeps("user", secret), "Kept.", keeps("user", FACT), "Done.", "Nothing."]
    async with inn(tmp_path, script, rules(scope, door=BOTH)) as house:
        await said(house, f"Remember: {secret}", BOB_ALONE if scope != "owner" else ADA_AND_BOB_MAY)
        direct = len(house.model.requests)
        await said(house, "Search the door code", GROUP_OF_BOTH)
        await said(house, "What do you know of me?", GROUP_OF_BOTH)
        assert "4711" not in sent(house.model.requests[direct:])
        assert "4711" not in "".join(house.adapter.texts("g2"))


ATTEMPTS = [
    {"action": "remove", "old_text": "bald"},
    {"action": "patch", "old_text": "bald", "content": "x"},
    {"action": "remove", "old_text": "nothing like it"},
    {"operations": [{"action": "add", "content": "x"}, {"action": "remove", "old_text": "Bob"}]},
    {"action": "add", "content": "y" * 1_370},
]


@pytest.mark.parametrize("scope", ["person", "room"])
@pytest.mark.parametrize("attempt", ATTEMPTS)
async def test_in_a_group_no_answer_shows_what_is_in_a_persons_file(
    tmp_path: Path, scope: str, attempt: dict[str, Any]
) -> None:
    async with inn(tmp_path, [call(target="user", **attempt), "I cannot."], rules(scope)) as house:
        await said(house, "Forget that I am bald", GROUP_OF_BOTH)
        answer = json.loads(house.model.requests[1].messages[-1].content)
        assert (answer["success"], set(answer)) == (False, {"success", "error"})
        assert "direct chat" in answer["error"]
        assert BOB not in sent(house.model.requests)
        assert BOB not in "".join(house.adapter.texts("g2"))
    assert written(tmp_path) == {}


async def test_a_rooms_own_file_is_worked_on_as_any_other(tmp_path: Path) -> None:
    script = [call(target="memory", action="patch", old_text="four", content="five"), "Five it is."]
    async with inn(tmp_path, script, rules("room")) as house:
        await said(house, "Tea moved", GROUP_OF_BOTH)
        assert json.loads(house.model.requests[1].messages[-1].content)["rewritten"][0]["before"] == ROOM
    assert written(tmp_path) == {ITS: "Tea is at five."}


async def test_each_speaker_has_a_file_and_nobody_sees_anothers(tmp_path: Path) -> None:
    door = Door(allowed_users=("ada", "bob", "eve"))
    eve = Spot("c3", "eve", door)
    script = [keeps("user", "Bob swims."), "Done.", keeps("user", "Eve sings."), "Done.", "Hello."]
    async with inn(tmp_path, script, rules("person", door=door)) as house:
        await said(house, "I swim", GROUP_OF_BOTH)
        await said(house, "I sing", Spot("g2", "eve", door))
        before = len(house.model.requests)
        await said(house, "Hello", eve)
        request = sent(house.model.requests[before:])
        assert "Eve sings." in request
        assert "Bob" not in request
        assert seen(house.model.requests) == set()
        for order in ("/memory", "/memory history", "/memory doctor"):
            assert "Bob" not in await said(house, order, eve), order
    assert written(tmp_path) == {HIS: "Bob swims.", "people/inprocess-eve.md": "Eve sings."}


async def test_when_several_speak_in_one_turn_nothing_is_kept_about_either(tmp_path: Path) -> None:
    started, gate = asyncio.Event(), asyncio.Event()
    script = [Turn(calls=[("count", {"word": "one"})]), keeps("user", FACT), "Nobody's."]
    steering = rules("person", gateway=Gateway(busy="steer"))
    async with inn(tmp_path, script, steering, tools=[held(started, gate)]) as house:
        await house.adapter.say("I am Ada", chat="g2", kind=ChatKind.GROUP)
        await started.wait()
        await house.adapter.say("and I like figs", chat="g2", sender="bob", kind=ChatKind.GROUP)
        gate.set()
        await house.adapter.until_text("Nobody's.", "g2")
        assert "and I like figs" in sent(house.model.requests[1:2])
        assert not json.loads(house.model.requests[2].messages[-1].content)["success"]
    assert written(tmp_path) == {}


async def test_a_chat_is_told_of_changes_to_what_it_sees_and_of_no_others(tmp_path: Path) -> None:
    script = ["One."] * 6
    async with inn(tmp_path, script, rules("room", True)) as house:
        for spot in (GROUP_OF_BOTH, BOB_ALONE, ADA_AND_BOB_MAY):
            await said(house, "Hello", spot)
        for name in FILES:
            path = tmp_path / "memories" / name
            path.write_text(f"{path.read_text()}\n§\nNew in {name}.")
        told = {}
        for spot in (GROUP_OF_BOTH, BOB_ALONE, ADA_AND_BOB_MAY):
            await said(house, "And now", spot)
            request = repr(house.model.requests[-1])
            told[spot] = {name for name in FILES if f"New in {name}." in request}
        assert told == {GROUP_OF_BOTH: {SHARED, ITS}, BOB_ALONE: {SHARED, HIS}, ADA_AND_BOB_MAY: MINE}
