"""Jobs on Telegram and at a console beside it: ordered on a phone, proposed by the assistant, confirmed by a tap."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from platforms.console.client import Window
from platforms.console.protocol import Edit, Message
from tests.cli.shell import Shell
from tests.fakes.openai_server import Step
from tests.fakes.telegram import Room
from tests.scenarios.cron_desk import NOTES
from tests.scenarios.gate import pressed
from tests.scenarios.telegram_inn import PATIENCE, Inn, telegram_inn

PROPOSES = Step(
    calls=[{"name": "cronjob", "arguments": {"action": "propose", "when": "weekdays at 9am", "prompt": NOTES}}]
)


async def listed(folder: Path) -> list[dict[str, Any]]:
    """The jobs as another process sees them, but for maintenance."""
    found: list[dict[str, Any]] = await asyncio.to_thread(Shell(folder).json, "cron", "list")
    return [each for each in found if each["kind"] == "prompt"]


async def card(inn: Inn, room: Room) -> Any:
    await inn.server.until(lambda: any("proposes a job" in text for text in room.texts()), PATIENCE)
    return next(seen for seen in reversed(room.seen()) if "proposes a job" in seen.text)


async def test_a_job_is_made_shown_paused_and_removed_with_a_thumb(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn, inn.open():
        told = await inn.says(f"/cron add weekdays at 9am | zone: Europe/Berlin | {NOTES}")
        assert f"{NOTES}: weekdays at 9:00 (Europe/Berlin)" in told
        assert "its answers come here" in told
        (job,) = await listed(tmp_path)
        assert (job["chat"], job["owner"], len(job["next_runs"])) == ("telegram:111", "telegram:111", 3)
        assert told.split()[4] == str(job["id"])
        assert "paused until it is resumed" in await inn.presses("⏸ Pause")
        assert "It goes on" in await inn.presses("⏯ Resume")
        assert f"Removed: {job['id']}" in await inn.presses("🗑 Remove")
        assert await listed(tmp_path) == []
        told = await inn.presses("↩️ Undo")
        (back,) = await listed(tmp_path)
        assert back["prompt"] == NOTES
        assert f"as number {back['id']}" in told
        assert "write a bar" in (await inn.says("/cron add in 30m stretch")).lower()


async def test_a_run_now_answers_in_the_chat_and_is_in_the_history(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn, inn.open():
        await inn.says(f"/cron add weekdays at 9am | name: Digest | {NOTES}")
        inn.host.script.append(Step(text="1. Bread. 2. Roof."))
        assert "Digest starts" in await inn.presses("▶️ Run now")
        await inn.server.until(lambda: "1. Bread. 2. Roof." in inn.ada.chat.texts(), PATIENCE)
        assert NOTES in str(inn.request["messages"])
        assert "1. Bread. 2. Roof." in str(await history(inn, "digest"))
        (job,) = await listed(tmp_path)
        assert f"/cron history {job['id']}" in "".join(inn.ada.chat.texts())
        assert await inn.says("Expand 2.", "It leaks.") == "It leaks."
        assert "1. Bread. 2. Roof." in str(inn.request["messages"])


async def history(inn: Inn, name: str) -> list[dict[str, Any]]:
    """The ended runs of a job, as another process sees them."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found: list[dict[str, Any]] = await asyncio.to_thread(Shell(inn.folder).json, "cron", "history", name)
            if found and all(each["state"] == "done" and each["delivery"] == "delivered" for each in found):
                return found
            await asyncio.sleep(0.05)


async def test_a_proposal_waits_for_a_tap_over_a_restart(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn:
        async with inn.open():
            inn.host.script.extend([PROPOSES, Step(text="I proposed it.")])
            inn.ada.says("Sum up my notes on weekdays at nine.")
            shown = await card(inn, inn.ada.chat)
            assert shown.buttons == (("✅ Yes", "❌ No", "🔎 Show"),)
            await inn.server.until(lambda: "I proposed it." in inn.ada.chat.texts(), PATIENCE)
            assert "cronjob" in inn.tools
            assert [each["state"] for each in await listed(tmp_path)] == ["proposed"]
        async with inn.open():
            assert "✅ Accepted." in await pressed(inn, inn.ada.chat, shown, "✅ Yes")
            assert [each["state"] for each in await listed(tmp_path)] == ["active"]
            assert "was accepted already" in await pressed(inn, inn.ada.chat, shown, "✅ Yes")


async def test_in_a_topic_a_member_can_neither_order_nor_confirm(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn:
        bob = inn.server.user(222, "Bob")
        group = inn.server.group(-300, "Team")
        door = {"token": inn.server.token, "base_url": inn.server.root, "allowed_users": [111, 222]}
        inn.settle(access={"owners": ["telegram:111"]}, platforms={"telegram": door | {"require_mention": False}})
        async with inn.open():
            inn.host.script.extend([PROPOSES, Step(text="I proposed it.")])
            inn.ada.says("Sum up our notes.", chat=group)
            shown = await card(inn, group)
            await inn.server.until(lambda: "I proposed it." in group.texts(), PATIENCE)
            assert "is for an operator of this bot" in await pressed(inn, group, shown, "✅ Yes", 222)
            assert "is for an operator" in await inn.says("/cron add in 30m | x", by=bob, chat=group)
            assert [each["state"] for each in await listed(tmp_path)] == ["proposed"]
            assert "✅ Accepted." in await pressed(inn, group, shown, "✅ Yes")
            assert NOTES in await inn.says("/cron", by=bob, chat=group)
            assert "There are no jobs here" in await inn.says("/cron", by=bob)


async def test_a_job_of_the_console_answers_in_the_home_chat(tmp_path: Path) -> None:
    home = {"home_chats": ["telegram:111"]}
    async with telegram_inn(tmp_path, access=home) as inn, AsyncExitStack() as stack:
        async with inn.open(only=("telegram", "console")):
            assert "There are no jobs here" in await inn.says("/cron")
            window = await stack.enter_async_context(Window(tmp_path, "main"))
            read = reading(window)
            await window.say(f"/cron add daily at 8:00 | {NOTES}")
            text, buttons = await read(lambda text: "It is noted" in text)
            assert "its answers go to telegram:111" in text
            assert [each.label for each in buttons] == ["▶️ Run now", "⏸ Pause", "🗑 Remove"]
            await window.press(buttons[1].action, "0")
            assert "paused until it is resumed" in (await read(lambda text: "⏸" in text))[0]
            assert NOTES in await inn.says("/cron")


def reading(window: Window) -> Callable[[Callable[[str], bool]], Any]:
    """Waits for a message in the window that fits, and gives it with its buttons."""
    events = window.events()

    async def until(fits: Callable[[str], bool]) -> tuple[str, list[Any]]:
        async with asyncio.timeout(PATIENCE):
            async for event in events:
                if isinstance(event, Message | Edit) and fits(event.text):
                    return event.text, [each for row in event.buttons for each in row]
        raise AssertionError("the window closed")

    return until
