"""Calls that nobody sits in front of: a job's, a group's, a script's; and what shell and doctor say of tools."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

from gateway.tools.tool import ToolContext
from gateway.transcript import ToolCall
from platforms.messages import ChatRef
from tests.cli.shell import Shell
from tests.fakes.openai_server import Step
from tests.scenarios.far_tools import calls, far_inn, opened, server, until, waiting
from tests.scenarios.gate import carded, pressed
from tests.scenarios.telegram_inn import PATIENCE
from tests.scenarios.test_gate_inline import heard, window_on
from tests.tools.mcp.stand import log

WRITES = calls("mcp_fake_write", word="inn")


async def test_a_jobs_call_waits_and_its_result_is_answered_in_the_jobs_chat(tmp_path: Path) -> None:
    async with far_inn(tmp_path, {"fake": server(tmp_path)}) as inn:
        async with opened(inn):
            await inn.says("/cron add daily at 7:00 | Call the writer.")
            inn.host.script.extend([WRITES, Step(text="It waits for a yes.")])
            await inn.says("/cron run Call")
            await inn.server.until(lambda: "It waits for a yes." in inn.ada.chat.texts(), PATIENCE)
            (call,) = waiting(tmp_path)
            assert call["origin"] == "cron"
            assert call["flags"] == ["untrusted:job"]
            card = await carded(inn, inn.ada.chat)
            assert "[auto]" in card.text
            inn.host.script.append(Step(text="The job's word is written."))
            await pressed(inn, inn.ada.chat, card, "✅ Approve")
            await inn.server.until(lambda: "The job's word is written." in inn.ada.chat.texts(), PATIENCE)
            assert log(tmp_path) == [{"tool": "write", "word": "inn"}]


async def test_in_a_group_the_result_comes_to_the_group(tmp_path: Path) -> None:
    async with far_inn(tmp_path, {"fake": server(tmp_path)}) as inn:
        room = inn.server.group(-100777, "Inn")
        async with opened(inn):
            inn.host.script.extend([WRITES, Step(text="It waits.")])
            inn.ada.says("@inn_bot Call the writer.", chat=room)
            await inn.server.until(lambda: "It waits." in room.texts(), PATIENCE)
            card = await carded(inn, inn.ada.chat)
            inn.host.script.append(Step(text="Written, all of you."))
            await pressed(inn, inn.ada.chat, card, "✅ Approve")
            await inn.server.until(lambda: "Written, all of you." in room.texts(), PATIENCE)
            assert inn.said.endswith("[The call of mcp_fake_write that was approved has been made.]")
            assert "Written, all of you." not in inn.ada.chat.texts()


async def test_a_script_is_told_that_it_waits(tmp_path: Path) -> None:
    async with far_inn(tmp_path, {"fake": server(tmp_path)}) as inn:
        async with inn.open(only=("telegram", "console")) as app:
            remote = app.engine.house.remote
            assert remote is not None
            await until(lambda: remote.servers.all[0].state == "ready")
            async with window_on(tmp_path, "pipe", "ask") as script:
                inn.host.script.extend([WRITES, Step(text="It waits.")])
                await script.say("Call the writer.")
                await heard(script)
            assert len(waiting(tmp_path)) == 1
            assert log(tmp_path) == []


async def test_a_review_calls_nothing_that_needs_a_yes(tmp_path: Path) -> None:
    async with far_inn(tmp_path, {"fake": server(tmp_path)}) as inn:
        async with opened(inn) as app:
            review = ToolContext(ChatRef("telegram", "111"), "s1", 0, "telegram:111")
            toolset = app.engine.house.toolset
            said = await toolset.run(ToolCall("c", "mcp_fake_write", '{"word": "inn"}'), review)
            assert "is not used while looking back" in said.text
            assert (waiting(tmp_path), log(tmp_path)) == ([], [])
            read = await toolset.run(ToolCall("c", "mcp_fake_echo", '{"word": "inn"}'), review)
            assert read.ok


async def test_the_shell_and_the_doctor_know_what_is_configured(tmp_path: Path) -> None:
    servers = {"fake": server(tmp_path, approvals={"fail": "ask"}), "gone": {"command": "/nowhere/at/all"}}
    async with far_inn(tmp_path, servers) as inn:
        shell = Shell(tmp_path)
        rows = await asyncio.to_thread(shell.json, "doctor")
        levels = {row["text"]: row["level"] for row in rows if row["check"] == "mcp servers"}
        assert levels["fake is configured and was not reached yet; /status of a running gateway says more"] == "ok"
        assert levels["gone: there is no program /nowhere/at/all"] == "problem"
        async with inn.open():
            await until(lambda: (tmp_path / "cache" / "mcp" / "fake.json").exists())
        rows = await asyncio.to_thread(shell.json, "doctor")
        said = {row["text"] for row in rows if row["check"] == "mcp servers"}
        assert "fake offered 12 tools when it was last reached; 2 wait for a yes" in said
        told = {each["name"]: each for each in await asyncio.to_thread(shell.json, "tools")}
        assert {each["tool"] for each in told["fake"]["tools"]} >= {"echo", "write", "fail"}
        assert told["gone"]["tools"] == []
        plain = await asyncio.to_thread(shell, "tools", "list", "fake")
        assert "write: auto" in plain.output
        assert "fail: ask, reads" in plain.output
        set_ = await asyncio.to_thread(shell.json, "tools", "deny", "write")
        assert set_ == {"server": "fake", "tool": "write", "rule": "deny"}
        config = (tmp_path / "config.yaml").read_text()
        assert '"write": deny' in config or "write: deny" in config
        assert (await asyncio.to_thread(shell, "tools", "deny", "nothing")).exit_code == 1
        assert json.loads((tmp_path / "cache" / "mcp" / "fake.json").read_text())["tools"]


async def test_the_shell_says_how_the_gateway_last_saw_each_server(tmp_path: Path) -> None:
    servers = {"fake": server(tmp_path), "gone": {"command": "/nowhere/at/all"}}
    async with far_inn(tmp_path, servers) as inn:
        shell = Shell(tmp_path)
        never = (await asyncio.to_thread(shell, "tools")).output
        assert never.count("not looked at here, and no gateway has reached it yet; 0 tools known from before") == 2

        async def told() -> None:
            for order in ("tools", "status"):
                said = (await asyncio.to_thread(shell, order)).output
                assert re.search(r"ready since \d{4}-\S+ \S+ UTC when the gateway last looked; 12 tools", said)
                assert re.search(r"⚠️ down since \d{4}-\S+ \S+ UTC when the gateway last looked: .*/nowhere", said)
            data = (await asyncio.to_thread(shell.json, "status"))["mcp_servers"]
            assert [data["fake"][key] for key in ("state", "tools", "why")] == ["ready", 12, ""]
            assert (data["gone"]["state"], "/nowhere/at/all" in data["gone"]["why"]) == ("down", True)

        async with opened(inn, wait=False) as app:
            remote = app.engine.house.remote
            assert remote is not None
            standing = tmp_path / "cache" / "mcp" / "standing"
            await until(lambda: {each.name for each in standing.glob("*.json")} == {"fake.json", "gone.json"})
            await told()
            call = calls("mcp_fake_write", word="inn")
            await inn.says("Call the writer.", call, "It waits.")
            (name,) = [each["id"] for each in waiting(tmp_path)]
            done = await asyncio.to_thread(shell, "tools", "approve", name)
            assert "write of fake is called once by the running gateway" in done.output
        await told()


async def test_a_windows_own_engine_makes_the_consoles_calls_alone(tmp_path: Path) -> None:
    async with far_inn(tmp_path, {"fake": server(tmp_path)}) as inn:
        async with inn.open(only=("telegram", "console")) as app:
            remote = app.engine.house.remote
            assert remote is not None
            await until(lambda: remote.servers.all[0].state == "ready")
            await inn.says("Call the writer.", calls("mcp_fake_write", word="telegram"), "It waits.")
            async with window_on(tmp_path, "pipe", "ask") as script:
                inn.host.script.extend([calls("mcp_fake_write", word="console"), Step(text="It waits.")])
                await script.say("Call the writer.")
                await heard(script)
        done = await asyncio.to_thread(Shell(tmp_path), "tools", "approve", "all")
        assert "2 of 2 done" in done.output
        inn.host.script.append(Step(text="Written."))
        async with inn.open(only=("console",)):
            await until(lambda: "console" in str(log(tmp_path)))
            await until(lambda: len(list((tmp_path / "pending" / "calls" / "approved").iterdir())) == 1)
            assert [each["word"] for each in log(tmp_path)] == ["console"]
        inn.host.script.append(Step(text="Written here as well."))
        async with opened(inn):
            await inn.server.until(lambda: "Written here as well." in inn.ada.chat.texts(), PATIENCE)
            assert [each["word"] for each in log(tmp_path)] == ["console", "telegram"]
