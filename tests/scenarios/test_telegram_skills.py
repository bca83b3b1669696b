"""Skills on Telegram: names as Telegram takes them in the menu, several at the head of a message, and the prompt that
stays as it is."""

from __future__ import annotations

import json
from pathlib import Path

from memory.skills.usage import Usage
from tests.memory.skills.pending_desk import text
from tests.scenarios.telegram_inn import PATIENCE, telegram_inn


def put(folder: Path, name: str, body: str) -> Path:
    path = folder / "skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(text(name, body))
    return path


async def test_the_menu_lists_them_by_names_that_telegram_takes(tmp_path: Path) -> None:
    for name in ("deploy", "tea-time", "a-b", "a.b", "status", "x" * 40):
        put(tmp_path, name, "Do it.\n")
    async with telegram_inn(tmp_path) as inn, inn.open():
        await inn.server.until(lambda: bool(inn.server.called("setMyCommands")), PATIENCE)
        commands = inn.server.called("setMyCommands")[-1]["commands"]
        given = json.loads(commands) if isinstance(commands, str) else commands
        listed = {each["command"]: each["description"] for each in given}
        assert listed["deploy"] == "How to do deploy"
        assert listed["tea_time"] == "How to do tea-time"
        assert listed["meeting_notes"]  # it came with the program
        assert listed["status"] == "how things stand"
        assert {"skill", "skills", "learn", "curator"} <= set(listed)
        assert not {"a_b", "tea-time", "x" * 40} & set(listed)


async def test_they_are_called_up_by_those_names_and_stacked(tmp_path: Path) -> None:
    put(tmp_path, "deploy", "Build first.\n")
    put(tmp_path, "tea-time", "Boil water.\n")
    for name in ("a-b", "a.b"):
        put(tmp_path, name, "Do it.\n")
    async with telegram_inn(tmp_path) as inn, inn.open():
        await inn.says("hello", "Hello.")
        prompt, tools = inn.prompt, inn.request.get("tools")
        assert await inn.says("/tea_time /deploy and quickly", "Done.") == "Done."
        assert inn.said.index("Boil water.") < inn.said.index("Build first.")
        assert inn.said.endswith("\nand quickly")
        assert (inn.prompt, inn.request.get("tools")) == (prompt, tools)
        assert Usage(tmp_path / "skills", lambda: 0.0).of("tea-time").uses == 1
        assert "/a_b may mean /a-b or /a.b" in await inn.says("/a_b now")
        assert "Did you mean /tea-time?" in await inn.says("/tea_tyme")
        assert await inn.says("/skill tea-time for two", "Tea.") == "Tea."
        assert inn.said.endswith("\nfor two")
