"""What came with the messages of a turn: waited for before the turn begins, and told to who sent it.

Fetching and reading are gateway.attachments' matter; this is where the engine meets them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from gateway.attachments.brought import Brought
from gateway.attachments.wording import told
from gateway.engine.house import House
from gateway.state.records import InboxItem
from platforms.messages import Inbound

FIRST_SIGN = 0.5
SIGN_EVERY = 4.0
"""Seconds before the first sign of life while files are fetched, and between two."""


async def brought(house: House, items: Sequence[InboxItem]) -> Mapping[str, Sequence[Brought]]:
    """What came with these events, by event id. While it is fetched the chat shows that something happens."""
    if house.intake is None or not any(each.event.attachments for each in items):
        return {}
    fetching = asyncio.ensure_future(house.intake.brought(items))
    signs = asyncio.ensure_future(_signs(house, items[0].event))
    try:
        return await fetching
    finally:
        fetching.cancel()
        signs.cancel()


async def _signs(house: House, event: Inbound) -> None:
    pause = FIRST_SIGN
    while True:
        await house.clock.sleep(pause)
        pause = SIGN_EVERY
        with house.delivery.cosmetic(event.chat) as adapter:
            if adapter is not None:
                await adapter.typing(event.chat)
                await adapter.progress(event.chat, "fetching what you sent")


def only_deaf(events: Sequence[Inbound], came: Mapping[str, Sequence[Brought]]) -> str | None:
    """What is to be said when all that was sent is a voice that nobody understood; None when there is more."""
    all_of_it = [one for each in events for one in came.get(each.event_id, ())]
    if not all_of_it or not all(one.deaf for one in all_of_it) or any(each.text.strip() for each in events):
        return None
    return all_of_it[0].told


async def say_heard(house: House, items: Sequence[InboxItem], came: Mapping[str, Sequence[Brought]]) -> None:
    """Tell the person what their voice messages were taken for, each once."""
    for item in items:
        lines = dict.fromkeys(one.told for one in came.get(item.event.event_id, ()) if one.told)
        if lines:
            await house.delivery.post(item.event.chat, f"heard:{item.id}", "\n".join(lines))


def named(event: Inbound) -> list[Brought]:
    """The files of an event that nobody fetched."""
    return [Brought(told(each)) for each in event.attachments]
