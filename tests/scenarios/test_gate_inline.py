"""A write that waits where somebody sits: the turn asks, and goes on with the answer. Where nobody sits, it waits."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from gateway.config.sections import Memory
from platforms.console.client import Window
from platforms.console.protocol import Done, Kind, Message
from tests.cli.shell import Shell
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.scripted_model import Turn
from tests.scenarios.gate import BIKE, GATED, TEA, adds, waiting, wishes
from tests.scenarios.telegram_inn import Inn, telegram_inn

SAID = "The end."


def keeps(text: str) -> Turn:
    return Turn(calls=[("memory", {"target": "user", "action": "add", "content": text})])


def answer(inn: Guesthouse) -> dict[str, Any]:
    """What the model was told by its last call."""
    told: dict[str, Any] = json.loads(inn.model.requests[-1].messages[-1].content)
    return told


def entries(folder: Path) -> str:
    path = folder / "memories" / "USER.md"
    return path.read_text() if path.exists() else ""


@asynccontextmanager
async def asking(folder: Path, *script: Turn | str) -> AsyncIterator[Guesthouse]:
    """A gated house in the middle of a turn that asks whoever sits at c1 about the first write."""
    with_settings = settings(memory=Memory(write_approval=True))
    async with guesthouse(folder, script or [keeps(TEA), SAID], with_settings=with_settings, with_memory=True) as inn:
        inn.adapter.watch()
        await inn.adapter.say("I like tea.")
        await inn.adapter.until_text("waits for you")
        assert entries(folder) == ""
        assert SAID not in inn.adapter.texts()
        yield inn


async def test_allowed_it_is_written_and_the_model_knows(tmp_path: Path) -> None:
    async with asking(tmp_path) as inn:
        await inn.adapter.press("c1", "✅ Approve")
        await inn.adapter.until_text(SAID)
        assert entries(tmp_path) == TEA
        assert (answer(inn)["success"], answer(inn).get("staged")) == (True, None)
        assert "Saved" in answer(inn)["message"]
        await inn.adapter.until_text("💾 Memory updated")


async def test_denied_nothing_is_written_and_the_model_is_not_to_try_again(tmp_path: Path) -> None:
    async with asking(tmp_path) as inn:
        await inn.adapter.press("c1", "❌ Reject")
        await inn.adapter.until_text(SAID)
        assert (entries(tmp_path), waiting(tmp_path)) == ("", [])
        assert answer(inn)["success"] is False
        assert "turned down" in answer(inn)["error"]


async def test_edited_it_is_asked_about_once_more(tmp_path: Path) -> None:
    async with asking(tmp_path) as inn:
        old = waiting(tmp_path)[0]["id"]
        await inn.adapter.press("c1", "✏️ Edit")
        await inn.adapter.until_text(f"/memory edit {old} {TEA}")
        await inn.adapter.say(f"/memory edit {old} {BIKE}")
        await inn.adapter.until_text("It waits as")
        assert SAID not in inn.adapter.texts()
        shown = [text for text in inn.adapter.texts() if BIKE in text]
        await inn.adapter.press("c1", "✅ Approve")
        await inn.adapter.until_text(SAID)
        assert entries(tmp_path) == BIKE
        assert "Saved" in answer(inn)["message"]
        assert len(shown) == 1, "who edits it sees it in the answer"


async def test_put_off_it_waits_and_is_asked_about_in_the_next_turn(tmp_path: Path) -> None:
    async with asking(tmp_path, keeps(TEA), keeps(TEA), SAID, keeps(TEA), "And now?") as inn:
        await inn.adapter.press("c1", "🕓 Later")
        await inn.adapter.until_text(SAID)
        assert answer(inn)["staged"] is True
        assert answer(inn)["pending_id"] == waiting(tmp_path)[0]["id"]
        assert sum("waits for you" in text for text in inn.adapter.texts()) == 1, "not twice in one turn"
        await inn.adapter.say("I really like tea.")
        await inn.adapter.until(lambda: sum("waits for you" in text for text in inn.adapter.texts()) == 2)
        await inn.adapter.press("c1", "✅ Approve")
        await inn.adapter.until_text("And now?")
        assert entries(tmp_path) == TEA


async def test_the_shell_may_answer_instead(tmp_path: Path) -> None:
    for number, (order, saved) in enumerate((("approve", True), ("reject", False))):
        folder = tmp_path / str(number)
        folder.mkdir()
        async with asking(folder) as inn:
            told = await asyncio.to_thread(Shell(folder).json, "memory", order, waiting(folder)[0]["id"])
            assert told["result"] in ("approved", "rejected")
            await inn.adapter.until_text(SAID)
            assert answer(inn)["success"] is saved
            assert (entries(folder) == TEA) is saved


async def test_whoever_leaves_is_waited_for_no_longer(tmp_path: Path) -> None:
    async with asking(tmp_path) as inn:
        inn.adapter.watch(away=True)
        await inn.adapter.until_text(SAID)
        assert answer(inn)["staged"] is True
        assert len(waiting(tmp_path)) == 1


async def test_a_question_holds_up_no_other_command_and_stop_ends_it(tmp_path: Path) -> None:
    async with asking(tmp_path) as inn:
        assert "state" in await inn.adapter.reply_to("/status")
        assert TEA in await inn.adapter.reply_to("/memory pending")
        assert "Stopped" in await inn.adapter.reply_to("/stop")
        assert len(waiting(tmp_path)) == 1
        assert "approved" in await inn.adapter.reply_to("/memory approve")
        assert entries(tmp_path) == TEA


@pytest.fixture
async def inn(tmp_path: Path) -> AsyncIterator[Inn]:
    async with telegram_inn(tmp_path, memory={"write_approval": "auto"}) as made:
        yield made


BOTH = ("telegram", "console")


@asynccontextmanager
async def window_on(folder: Path, chat: str, kind: Kind = "chat") -> AsyncIterator[Window]:
    """A window, as soon as the gateway takes one."""
    while not (folder / "gateway.sock").exists():
        await asyncio.sleep(0.01)
    async with Window(folder, chat, kind) as window:
        yield window


async def heard(window: Window, end: type[Any] = Done, part: str = "") -> Any:
    async with asyncio.timeout(30):
        async for event in window.events():
            if isinstance(event, end) and part in getattr(event, "text", ""):
                return event
    raise AssertionError("the window closed")


async def test_auto_waits_on_telegram_and_is_free_on_the_console(inn: Inn, tmp_path: Path) -> None:
    async with inn.open(only=BOTH):
        await wishes(inn, "I like tea.", adds(TEA))
        assert (inn.file("USER.md"), len(waiting(tmp_path))) == ("", 1)
        async with window_on(tmp_path, "desk") as window:
            inn.host.script.extend([adds(BIKE)])
            await window.say("I ride a bicycle.")
            await heard(window)
        assert inn.file("USER.md") == BIKE
        assert len(waiting(tmp_path)) == 1


async def test_true_asks_at_a_window_and_not_in_a_script(inn: Inn, tmp_path: Path) -> None:
    inn.settle(**GATED)
    async with inn.open(only=BOTH):
        async with window_on(tmp_path, "pipe", "ask") as script:
            inn.host.script.extend([adds(TEA)])
            await script.say("I like tea.")
            await heard(script)
        assert (inn.file("USER.md"), len(waiting(tmp_path))) == ("", 1)
        async with window_on(tmp_path, "desk") as window:
            inn.host.script.extend([adds(BIKE)])
            await window.say("I ride a bicycle.")
            card = await heard(window, Message, "waits for you")
            assert BIKE in card.text
            await window.press(card.buttons[0][0].action, card.id)
            await heard(window)
            await heard(window)
        assert inn.file("USER.md") == BIKE
        assert [each["author"] for each in waiting(tmp_path)] == ["console:owner"]
    assert "console:owner" in (tmp_path / "memories" / "journal.jsonl").read_text()
