"""Topics through the whole engine: whatever the house sends belongs into the topic in which it was spoken to."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gateway.models.client import ToolSchema
from gateway.models.errors import HostDown
from gateway.state.records import KeptFile
from gateway.tools.tool import Tool, ToolContext, ToolResult
from platforms.telegram.settings import TelegramSettings
from tests.fakes.scripted_model import Script, Turn
from tests.fakes.telegram import BotApi, Person, Room
from tests.platforms.telegram.inn import at_rest, inn, last, number, settled

GROUP = -100777
PLATFORMS = {"telegram": TelegramSettings(allowed_users=("111",), allowed_chats=(str(GROUP),))}
SIGNS = {"platforms": {"telegram": {"reactions": "on"}}}
PLACED = ("sendMessage", "sendPhoto", "sendDocument", "sendChatAction", "sendMessageDraft")
"""The calls that name a topic. Those that name a message are in its topic already."""


def gives(folder: Path) -> Tool:
    """A tool that hands out a picture and a document."""
    (folder / "plan").write_bytes(b"a plan of the inn")

    async def run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        path = str(folder / "plan")
        picture = KeptFile("picture", "plan.png", "image/png", path)
        return ToolResult("given", files=(picture, KeptFile("document", "plan.txt", "text/plain", path)))

    return Tool(ToolSchema("plan", "Hands out the plan.", {"type": "object", "properties": {}}), run)


def place(server: BotApi, ada: Person, where: str) -> tuple[Room, dict[str, Any], int | None]:
    """A room, what a message there says of its thread, and the thread that answers must name."""
    match where:
        case "a topic of a forum":
            return server.group(GROUP, "Forum", forum=True).topic(42), {"thread": 42}, 42
        case "the topic General":
            return server.group(GROUP, "Forum", forum=True), {}, None
        case "a row of replies in a plain group":
            return server.group(GROUP), {"thread": 7, "topic": False}, None
        case "a topic of a private chat":
            return ada.chat.topic(3), {"thread": 3}, 3
    raise LookupError(where)


@pytest.mark.parametrize(
    ("where", "key"),
    [
        ("a topic of a forum", f"telegram:{GROUP}:42"),
        ("the topic General", f"telegram:{GROUP}"),
        ("a row of replies in a plain group", f"telegram:{GROUP}"),
        ("a topic of a private chat", "telegram:111:3"),
    ],
)
async def test_every_call_goes_where_the_question_came_from(tmp_path: Path, where: str, key: str) -> None:
    begin, gate = asyncio.Event(), asyncio.Event()
    plan = Turn([begin, "One moment", gate, "."], calls=[("plan", {})])
    script: Script = [plan, "Here it is.", HostDown("away"), "Back again."]
    async with inn(tmp_path, script, tools=[gives(tmp_path)], platforms=PLATFORMS, display=SIGNS) as found:
        house, server, ada = found
        room, fields, thread = place(server, ada, where)
        asked = number(ada.says("@inn_bot the plan, please", chat=room, **fields))
        await server.until(lambda: bool(room.actions) and room.marks == {asked: "👀"})
        begin.set()
        await server.until(lambda: "One moment" in room.texts())
        ada.says("@inn_bot are you there?", chat=room, **fields)
        await server.until(lambda: any("Noted" in each for each in room.texts()))
        gate.set()
        await server.until(lambda: "Retry" in room.labels())
        ada.presses("Retry", room)
        await server.until(lambda: "Back again." in room.texts())
        ada.says("/status@inn_bot", chat=room, **fields)
        await server.until(lambda: "state" in room.texts()[-1] or "fine" in room.texts()[-1])
        placed = [call for call in server.calls if call.method in PLACED]
        assert {call.method for call in placed} >= {"sendMessage", "sendPhoto", "sendDocument", "sendChatAction"}
        assert {call.given.get("message_thread_id") for call in placed} == {thread}
        assert {call.given["chat_id"] for call in server.calls if "chat_id" in call.given} == {room.number}
        assert [each.file.name for each in room.seen() if each.file] == ["plan.png", "plan.txt"]
        assert [each.session.session_key for each in await house.store.sessions.recent(9)] == [key]


async def test_topics_of_one_forum_are_conversations_of_their_own(tmp_path: Path) -> None:
    async with inn(tmp_path, ["Roses.", "Soup."], platforms=PLATFORMS) as (house, server, ada):
        forum = server.group(GROUP, "Forum", forum=True).topic(42, "Garden").topic(43, "Kitchen")
        ada.says("@inn_bot what grows?", chat=forum, thread=42)
        await server.until(lambda: [each.text for each in forum.seen(42)] == ["Roses."])
        ada.says("@inn_bot what cooks?", chat=forum, thread=43)
        await server.until(lambda: [each.text for each in forum.seen(43)] == ["Soup."])
        assert len(house.model.requests[1].messages) == 2
        assert last(house.model.requests[1]) == "Ada: what cooks?"


async def test_in_a_group_the_bot_answers_who_means_it(tmp_path: Path) -> None:
    async with inn(tmp_path, ["One.", "Two.", "Three."], platforms=PLATFORMS) as (house, server, ada):
        group, bob = server.group(GROUP), server.user(222, "Bob")
        bob.says("hello all", chat=group)
        bob.says("/new@other_bot", chat=group)
        bob.says("@inn_bot one", chat=group)
        await server.until(lambda: group.texts() == ["One."])
        await at_rest(house)
        bob.replies(group.seen()[0].message_id, "two", chat=group)
        await server.until(lambda: group.texts() == ["One.", "Two."])
        await at_rest(house)
        bob.says("/new@inn_bot", chat=group)
        await server.until(lambda: len(group.texts()) == 3)
        ada.says("and now @inn_bot?", chat=group)
        await server.until(lambda: group.texts()[3:] == ["Three."])
        await settled(server)
        assert len(house.model.requests) == 3
        assert len(house.model.requests[2].messages) == 2, "the command to us was carried out"
