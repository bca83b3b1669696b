"""Calls of MCP servers' tools that need a yes: on a card, at the console, over a restart; once, exactly as shown."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from platforms.console.protocol import Message
from tests.cli.shell import Shell
from tests.fakes.openai_server import Step
from tests.scenarios.far_tools import answers, calls, far_inn, opened, server, until, waiting
from tests.scenarios.gate import carded, cards, pressed
from tests.scenarios.telegram_inn import PATIENCE, Inn
from tests.scenarios.test_gate_inline import heard, window_on
from tests.tools.mcp.stand import log

WISH = "Call the writer with inn."
WRITES = calls("mcp_fake_write", word="inn")
IT_WAITS = "I asked for a yes."


async def wished(inn: Inn) -> str:
    """Ada wants something done that needs a yes; the id under which it waits."""
    assert await inn.says(WISH, WRITES, IT_WAITS) == IT_WAITS
    (call,) = waiting(inn.folder)
    return str(call["id"])


async def test_it_waits_is_shown_in_full_and_its_result_is_answered(tmp_path: Path) -> None:
    async with far_inn(tmp_path, {"fake": server(tmp_path)}) as inn:
        async with opened(inn):
            name = await wished(inn)
            told = json.loads(answers(inn)[0])
            assert (told["staged"], told["pending_id"]) == (True, name)
            assert "has not been done" in told["message"]
            assert log(tmp_path) == []
            card = await carded(inn, inn.ada.chat)
            assert "write of fake" in card.text
            assert '{\n  "word": "inn"\n}' in card.text
            assert "by telegram:111" in card.text
            inn.host.script.append(Step(text="It is written."))
            assert "approved" in await pressed(inn, inn.ada.chat, card, "✅ Approve")
            await inn.server.until(lambda: "It is written." in inn.ada.chat.texts(), PATIENCE)
            assert log(tmp_path) == [{"tool": "write", "word": "inn"}]
            assert "[The call of mcp_fake_write that was approved has been made.]" in inn.said
            assert "[Result of the tool write of the MCP server fake" in inn.said
            assert "\nwrote inn\n" in inn.said
            assert waiting(tmp_path) == []
            assert list((tmp_path / "pending" / "calls" / "approved").iterdir()) == []


async def test_what_came_of_it_is_text_from_outside(tmp_path: Path) -> None:
    keeps = calls("memory", target="memory", action="add", content="The gate is blue.")
    async with far_inn(tmp_path, {"fake": server(tmp_path)}) as inn:
        async with opened(inn):
            name = await wished(inn)
            inn.host.script.extend([keeps, Step(text="Well.")])
            await inn.says(f"/tools approve {name}")
            await inn.server.until(lambda: "Well." in str(inn.ada.chat.texts()), PATIENCE)
            (path,) = (tmp_path / "pending" / "memory").glob("*.json")
            assert json.loads(path.read_text())["flags"][0] == "untrusted:mcp"
            assert inn.file("MEMORY.md") == ""


async def test_turned_down_the_session_hears_of_it_with_the_next_message(tmp_path: Path) -> None:
    async with far_inn(tmp_path, {"fake": server(tmp_path)}) as inn:
        async with opened(inn):
            name = await wished(inn)
            assert "rejected" in await inn.says(f"/tools reject {name}")
            await inn.says("Well?", "It was turned down.")
            assert f"telegram:111 turned down the call of mcp_fake_write {name}: it was not made" in inn.said
            await inn.says("And now?", "Nothing.")
            assert "turned down" not in inn.said
            assert log(tmp_path) == []


async def test_approved_twice_it_is_made_once(tmp_path: Path) -> None:
    async with far_inn(tmp_path, {"fake": server(tmp_path, {"seconds": 1})}) as inn:
        async with opened(inn):
            name = await wished(inn)
            card = await carded(inn, inn.ada.chat)
            inn.host.script.append(Step(text="It is written."))
            first, second = await asyncio.gather(
                pressed(inn, inn.ada.chat, card, "✅ Approve"),
                asyncio.to_thread(Shell(tmp_path), "tools", "approve", name),
            )
            assert sorted(["already" in first, "already" in second.output]) == [False, True]
            await inn.server.until(lambda: "It is written." in inn.ada.chat.texts(), PATIENCE)
            assert "already" in await inn.says(f"/tools approve {name}")
            assert log(tmp_path) == [{"tool": "write", "word": "inn"}]


async def test_it_waits_over_a_restart_and_may_be_approved_meanwhile(tmp_path: Path) -> None:
    async with far_inn(tmp_path, {"fake": server(tmp_path)}) as inn:
        async with opened(inn):
            name = await wished(inn)
            card = await carded(inn, inn.ada.chat)
        assert "1 call of tools: /tools pending" in (await asyncio.to_thread(Shell(tmp_path), "status")).output
        told = await asyncio.to_thread(Shell(tmp_path).json, "tools", "pending")
        assert [(each["id"], each["server"], each["arguments"]) for each in told] == [(name, "fake", {"word": "inn"})]
        done = await asyncio.to_thread(Shell(tmp_path), "tools", "approve", name)
        assert "write of fake is called once when the gateway is started next" in done.output
        assert log(tmp_path) == []
        inn.host.script.append(Step(text="It is written."))
        async with opened(inn):
            await inn.server.until(lambda: "It is written." in inn.ada.chat.texts(), PATIENCE)
            assert "already" in await pressed(inn, inn.ada.chat, card, "✅ Approve")
            assert log(tmp_path) == [{"tool": "write", "word": "inn"}]


async def test_where_the_conversation_has_ended_its_chat_is_told(tmp_path: Path) -> None:
    async with far_inn(tmp_path, {"fake": server(tmp_path)}) as inn:
        async with opened(inn):
            name = await wished(inn)
            await inn.says("/new")
            await inn.says(f"/tools approve {name}")
            await inn.server.until(lambda: "Its conversation has ended" in str(inn.ada.chat.texts()), PATIENCE)
            assert "wrote inn" in str(inn.ada.chat.texts())
            await inn.says("Hello.", "Hello.")
            assert "wrote inn" not in str(inn.request["messages"])


async def test_a_result_that_waits_for_a_turn_never_reaches_the_next_session(tmp_path: Path) -> None:
    async with far_inn(tmp_path, {"fake": server(tmp_path)}) as inn:
        async with opened(inn):
            name = await wished(inn)
            inn.host.script.append(Step(text="Once upon", gate=asyncio.Event()))
            inn.ada.says("A story.")
            await until(lambda: "A story." in inn.said)
            inn.ada.says(f"/tools approve {name}")
            await until(lambda: log(tmp_path) != [])
            await until(lambda: list((tmp_path / "pending" / "calls" / "approved").iterdir()) == [])
            inn.ada.says("/new")
            await inn.server.until(lambda: "Its conversation has ended" in str(inn.ada.chat.texts()), PATIENCE)
            assert "wrote inn" in str(inn.ada.chat.texts())
            await inn.says("Hello.", "Hello.")
            assert "wrote inn" not in str(inn.request["messages"])


async def test_a_call_during_which_the_process_died_is_told_and_not_repeated(tmp_path: Path) -> None:
    async with far_inn(tmp_path, {"fake": server(tmp_path)}) as inn:
        async with opened(inn):
            name = await wished(inn)
        await asyncio.to_thread(Shell(tmp_path), "tools", "approve", name)
        approved = tmp_path / "pending" / "calls" / "approved"
        (approved / f"{name}.json").rename(approved / f"{name}.running")
        inn.host.script.append(Step(text="I do not know whether it was written."))
        async with opened(inn):
            await inn.server.until(lambda: "I do not know whether it was written." in inn.ada.chat.texts(), PATIENCE)
            assert "Nobody knows whether it was carried out; it is not repeated." in inn.said
            assert log(tmp_path) == []


async def test_what_is_approved_and_gone_is_said(tmp_path: Path) -> None:
    later = [{"name": "shout", "description": "", "inputSchema": {"type": "object"}}]
    async with far_inn(tmp_path, {"fake": server(tmp_path, {"later": later})}) as inn:
        async with opened(inn):
            name = await wished(inn)
            await inn.says("Rename.", calls("mcp_fake_rename"), "Done.")
            await until(lambda: "shout" in (tmp_path / "cache" / "mcp" / "fake.json").read_text())
            inn.host.script.append(Step(text="It is gone."))
            await inn.says(f"/tools approve {name}")
            await inn.server.until(lambda: "It is gone." in inn.ada.chat.texts(), PATIENCE)
            assert "The tool is not there any more, or is denied. Nothing was done." in inn.said


async def test_what_is_approved_and_takes_other_arguments_by_now_is_not_called(tmp_path: Path) -> None:
    other = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    later = [{"name": "write", "description": "Deletes.", "inputSchema": other}]
    async with far_inn(tmp_path, {"fake": server(tmp_path, {"later": later})}) as inn:
        async with opened(inn):
            name = await wished(inn)
            await inn.says("Rename.", calls("mcp_fake_rename"), "Done.")
            await until(lambda: "Deletes." in (tmp_path / "cache" / "mcp" / "fake.json").read_text())
            inn.host.script.append(Step(text="It is another one."))
            await inn.says(f"/tools approve {name}")
            await inn.server.until(lambda: "It is another one." in inn.ada.chat.texts(), PATIENCE)
            assert "takes other arguments by now than when it was asked about. Nothing was done." in inn.said
            assert [each["tool"] for each in log(tmp_path)] == ["rename"]


@pytest.mark.parametrize(
    ("rules", "made", "offered"),
    [
        ({"approval": "allow"}, 1, True),
        ({"approvals": {"write": "allow"}}, 1, True),
        ({"approval": "deny"}, 0, False),
    ],
)
async def test_allowed_it_is_made_at_once_and_denied_not_offered(
    tmp_path: Path, rules: dict[str, Any], made: int, offered: bool
) -> None:
    async with far_inn(tmp_path, {"fake": server(tmp_path, **rules)}) as inn:
        async with opened(inn):
            await inn.says(WISH, WRITES, "Well.")
            assert len(log(tmp_path)) == made
            assert ("mcp_fake_write" in inn.tools) is offered
            assert waiting(tmp_path) == []


async def test_a_tool_that_says_it_reads_is_free_where_only_owners_are_heard(tmp_path: Path) -> None:
    telegram = {"allowed_users": [111, 222]}
    async with far_inn(tmp_path, {"fake": server(tmp_path)}) as inn:
        config = json.loads((tmp_path / "config.yaml").read_text())
        config["platforms"]["telegram"] |= telegram
        (tmp_path / "config.yaml").write_text(json.dumps(config))
        bert = inn.server.user(222, "Bert")
        async with opened(inn):
            await inn.says("Echo.", calls("mcp_fake_echo", word="a"), "a")
            assert len(log(tmp_path)) == 1
            await inn.says("Echo.", calls("mcp_fake_echo", word="b"), "It waits.", by=bert)
            assert len(log(tmp_path)) == 1
            (call,) = waiting(tmp_path)
            assert call["author"] == "telegram:222"
            assert "for an operator" in await inn.says(f"/tools approve {call['id']}", by=bert)
            assert len(waiting(tmp_path)) == 1


async def test_rules_are_changed_by_the_owner_and_in_force_at_once(tmp_path: Path) -> None:
    async with far_inn(tmp_path, {"fake": server(tmp_path)}) as inn:
        async with opened(inn):
            shown = await inn.says("/tools")
            assert "echo: auto, reads" in shown
            assert "write: auto" in shown
            assert "Set: write of fake is called without asking." in await inn.says("/tools allow fake/write")
            await inn.says(WISH, WRITES, "Done.")
            assert log(tmp_path) == [{"tool": "write", "word": "inn"}]
            assert "ask" not in json.dumps(waiting(tmp_path))
            await inn.says("/tools deny write")
            await inn.says(WISH, WRITES, "Denied.")
            assert len(log(tmp_path)) == 1
            told = await asyncio.to_thread(Shell(tmp_path).json, "tools")
            rules = {each["tool"]: each["approval"] for each in told[0]["tools"]}
            assert (rules["write"], rules["echo"]) == ("deny", "auto")


BOTH = ("telegram", "console")


async def test_the_console_asks_and_the_turn_goes_on_with_the_answer(tmp_path: Path) -> None:
    async with far_inn(tmp_path, {"fake": server(tmp_path)}) as inn:
        async with inn.open(only=BOTH) as app:
            remote = app.engine.house.remote
            assert remote is not None
            await until(lambda: remote.servers.all[0].state == "ready")
            async with window_on(tmp_path, "desk") as window:

                async def asked(label: str) -> list[str]:
                    inn.host.script.extend([WRITES, Step(text="The end.")])
                    await window.say(WISH)
                    question = await heard(window, Message, "be called with this?")
                    assert '"word": "inn"' in question.text
                    (button,) = [each for row in question.buttons for each in row if each.label == label]
                    await window.press(button.action, question.id)
                    await heard(window, Message, "The end.")
                    return answers(inn)

                assert "It was not done; do not try again" in (await asked("❌ Deny"))[-1]
                assert log(tmp_path) == []
                assert "wrote inn" in (await asked("✅ Allow once"))[-1]
                assert "wrote inn" in (await asked("✅ This session"))[-1]
                inn.host.script.extend([WRITES, Step(text="At once.")])
                await window.say(WISH)
                await heard(window, Message, "At once.")
                assert len(log(tmp_path)) == 3
            assert waiting(tmp_path) == []
            assert cards(inn.ada.chat) == []
