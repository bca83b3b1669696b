"""What the scenarios about saving share: how a model asks for a write, taps on buttons, what a chat reads then."""

from __future__ import annotations

import json
from pathlib import Path

from gateway.config.schema import Settings
from memory.model import Target
from platforms.in_process import Seen
from tests.fakes.guesthouse import Guesthouse, settings
from tests.fakes.scripted_model import Turn

WISH = "remember that I am allergic to nuts"
NUTS = "I am allergic to nuts"
ENTRY = "Ada is allergic to nuts."
TEA = "Ada drinks green tea."
BIKE = "Ada rides a bicycle."


def adds(text: str, target: str = "user") -> Turn:
    """The model asks to keep an entry."""
    return Turn(calls=[("memory", {"target": target, "action": "add", "content": text})])


def patches(old: str, new: str) -> Turn:
    return Turn(calls=[("memory", {"target": "user", "action": "patch", "old_text": old, "content": new})])


def removes(old: str) -> Turn:
    return Turn(calls=[("memory", {"target": "user", "action": "remove", "old_text": old})])


def with_memory(**memory: object) -> Settings:
    """Settings with some keys of the section `memory` changed."""
    return settings(memory=memory)


def kept(folder: Path, name: str = "USER.md") -> str:
    """What a memory file holds; empty when it is not there."""
    path = folder / "memories" / name
    return path.read_text() if path.exists() else ""


def write(folder: Path, text: str, name: str = "USER.md") -> None:
    """A person edits a memory file."""
    path = folder / "memories" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def changes(inn: Guesthouse) -> list[str]:
    """The ids of the changes in the journal, the oldest first."""
    assert inn.house.stores is not None
    journal = inn.house.stores.path(Target.USER).with_name("journal.jsonl")
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    return [each["id"] for each in lines if each["state"] == "begun"]


async def says(inn: Guesthouse, text: str, chat: str = "c1", sender: str = "ada") -> list[Seen]:
    """Somebody writes; the messages that answer it, oldest first."""
    before = {each.message_id for each in inn.adapter.transcript(chat)}
    await inn.adapter.reply_to(text, chat=chat, sender=sender)
    return [each for each in inn.adapter.transcript(chat) if each.message_id not in before]


async def taps(inn: Guesthouse, label: str, chat: str = "c1", sender: str = "ada") -> Seen:
    """Somebody taps the newest button with this label; what answers it."""
    before = {each.message_id for each in inn.adapter.transcript(chat)}
    event = await inn.adapter.press(chat, label, sender)
    adapter = inn.adapter
    await adapter.until(lambda: any(event.event_id in one.event_ids for one in adapter.summaries(chat)))
    reply = next(each.reply for each in adapter.summaries(chat) if event.event_id in each.event_ids)
    return next(each for each in adapter.transcript(chat) if each.message_id not in before and each.text == reply)
