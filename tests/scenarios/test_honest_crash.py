"""A turn that was to save something, and whose process ended in the middle: the same receipt, and once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gateway.config.paths import Profile
from gateway.engine.gates.gatekeeper import memories
from gateway.state.records import Row
from gateway.state.store import SqliteStore
from gateway.transcript import ToolCall
from memory.model import Action, Author, Operation, Origin, Target
from tests.fakes.guesthouse import guesthouse, settings
from tests.fakes.scripted_model import Turn
from tests.scenarios.keeping import ENTRY, NUTS, WISH, adds, kept, taps, with_memory
from tests.scenarios.props import START, event

GATED = with_memory(write_approval=True)


async def _dies(folder: Path, *, at: str, gated: bool = False) -> None:
    """A process opens a session, begins a turn that asks for a write, and dies at a point: after the `call` was
    stored, when the entry was `written`, or when the tool's `row` was stored."""
    async with guesthouse(folder, ["Hello."], with_memory=True) as inn:
        await inn.adapter.reply_to("Hello")
        session = await inn.store.sessions.current("inprocess:c1")
        assert session is not None
    store = await SqliteStore.open(folder / "state.db")
    call = ToolCall("call-1", "memory", f'{{"target": "user", "action": "add", "content": "{ENTRY}"}}')
    item = await store.inbox.accept(event(WISH, "x1"), "inprocess:c1", START)
    assert item is not None
    turn = await store.turns.begin(session.id, session.chat, [item.id], [Row("user", WISH)], START)
    await store.turns.add(turn, [Row("assistant", "", tool_calls=(call,))], START)
    if at != "call":
        author = Author(Origin.FOREGROUND, session.id, f"turn:{turn.id}", chat="inprocess:c1")
        rules = GATED if gated else settings()
        shelf = memories(Profile("default", folder, folder), lambda: rules, lambda: START).shelf
        shelf.own.apply(Target.USER, [Operation(Action.ADD, ENTRY)], author)
    if at == "row":
        done = '{"success": true, "done": true, "message": "Saved: 1 added."}'
        await store.turns.add(turn, [Row("tool", done, tool_call_id="call-1")], START)
    await store.close()


@pytest.mark.parametrize("at", ["written", "row"])
async def test_after_a_crash_the_receipt_is_the_same_and_comes_once(tmp_path: Path, at: str) -> None:
    await _dies(tmp_path, at=at)
    async with guesthouse(tmp_path, ["I will keep that in mind."], with_memory=True) as inn:
        receipt = await inn.adapter.until_text("Saved in")
        assert receipt.text == f"💾 Saved in USER.md: «{ENTRY}»"
        assert receipt.labels == ("Undo",)
        assert inn.adapter.texts() == ["I will keep that in mind.", receipt.text]
        assert kept(tmp_path) == ENTRY
    async with guesthouse(tmp_path, [], with_memory=True) as inn:
        await inn.adapter.reply_to("/status")
        assert len(inn.adapter.texts()) == 1, "it is not said again"


async def test_a_model_that_asks_once_more_after_a_crash_changes_nothing_about_the_receipt(tmp_path: Path) -> None:
    await _dies(tmp_path, at="written")
    async with guesthouse(tmp_path, [adds(ENTRY), "I will keep that in mind."], with_memory=True) as inn:
        receipt = await inn.adapter.until_text("Saved in")
        assert receipt.text == f"💾 Saved in USER.md: «{ENTRY}»"
        assert kept(tmp_path) == ENTRY


async def test_a_write_that_waits_is_told_the_same_after_a_crash(tmp_path: Path) -> None:
    await _dies(tmp_path, at="written", gated=True)
    async with guesthouse(tmp_path, ["I see."], with_memory=True, with_settings=GATED) as inn:
        receipt = await inn.adapter.until_text("Waits for approval")
        assert receipt.text.startswith(f"🕓 Waits for approval: add «{ENTRY}»")
        assert len(inn.adapter.texts()) == 2


async def test_after_a_crash_before_the_write_nothing_is_claimed(tmp_path: Path) -> None:
    await _dies(tmp_path, at="call")
    async with guesthouse(tmp_path, ["I am not sure that I kept it."], with_memory=True) as inn:
        receipt = await inn.adapter.until_text("Nothing was saved")
        assert receipt.labels == ("Save it",)
        await taps(inn, "Save it")
        assert kept(tmp_path) == NUTS


async def test_a_drained_turn_goes_on_and_ends_with_its_receipt(tmp_path: Path) -> None:
    never = asyncio.Event()
    soon = settings(gateway={"drain_seconds": 0})
    async with guesthouse(tmp_path, [adds(ENTRY), Turn([never])], with_memory=True, with_settings=soon) as inn:
        await inn.adapter.say(WISH)
        await inn.model.arrived(2)
        adapter = inn.adapter
        assert not any("Saved" in text for text in adapter.texts())
    async with guesthouse(tmp_path, ["I will keep that in mind."], with_memory=True) as inn:
        receipt = await inn.adapter.until_text("Saved in")
        assert inn.adapter.texts() == ["I will keep that in mind.", receipt.text]
