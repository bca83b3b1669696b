"""What the scenarios about waiting writes share: a gated inn, what waits in its folder, the cards in a room."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.fakes.openai_server import Step
from tests.fakes.telegram import Room
from tests.fakes.telegram.world import Seen
from tests.scenarios.telegram_inn import PATIENCE, Inn

TEA = "Ada drinks green tea."
BIKE = "Ada rides a bicycle."
GATED: dict[str, Any] = {"memory": {"write_approval": True}}
HOME: dict[str, Any] = {"owners": ["telegram:111"], "home_chats": ["telegram:111"]}
SOON = 0.2
"""Seconds that a card waits for more, instead of a minute."""

TOGETHER = 1.0
"""The same where several writes of one turn must come on one card, on a busy machine too."""

CARD = "wait for you:"
ONE = "waits for you:"


def adds(*texts: str, target: str = "user") -> Step:
    """The model asks to keep several entries, one call each."""
    wishes = [{"target": target, "action": "add", "content": text} for text in texts]
    calls = [{"id": f"id{at}", "name": "memory", "arguments": wish} for at, wish in enumerate(wishes)]
    return Step(calls=calls)


def waiting(folder: Path) -> list[dict[str, Any]]:
    """The files of what waits, the oldest first."""
    files = [json.loads(path.read_text()) for path in (folder / "pending" / "memory").glob("*.json")]
    return sorted(files, key=lambda each: (each["created_at"], each["id"]))


def cards(room: Room) -> list[Seen]:
    return [each for each in room.seen() if "🔏" in each.text and each.buttons]


async def carded(inn: Inn, room: Room, count: int = 1) -> Seen:
    """Wait until the room shows so many cards; the last one."""
    await inn.server.until(lambda: len(cards(room)) >= count, PATIENCE)
    return cards(room)[-1]


async def pressed(inn: Inn, room: Room, card: Seen, label: str, by: int = 111) -> str:
    """Somebody taps a button of this very message; what the room reads next, cards aside."""
    before = {each.message_id for each in room.seen()}

    def told() -> list[str]:
        new = [each.text for each in room.seen() if each.message_id not in before]
        return [text for text in new if not text.startswith("🔏")]

    query = inn.server.press(room.number, card.message_id, label, by)
    await inn.server.until(lambda: bool(told()) and answered(inn, query), PATIENCE)
    return told()[0]


async def wishes(inn: Inn, text: str, step: Step, room: Room | None = None) -> str:
    """Ada says something that the model wants to keep; the last word, which is the gateway's."""
    place = room or inn.ada.chat
    before = len(place.seen())
    inn.host.script.extend([step, Step(text="Well, well.")])
    inn.ada.says(text, chat=room)
    await inn.server.until(lambda: any("Memory" in each for each in place.texts()[before:]), PATIENCE)
    return next(each for each in place.texts()[before:] if "Memory" in each)


def answered(inn: Inn, query: str) -> bool:
    return inn.server.world.queries[query].answered
