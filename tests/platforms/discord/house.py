"""An adapter on the fake Discord, with short patience, and an ear in the engine's place."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from platforms.contract import PATIENCE, Listening, eventually
from platforms.discord.adapter import DiscordAdapter
from platforms.discord.patience import Patience
from platforms.discord.settings import DiscordSettings
from platforms.manifest import AdapterContext, HouseServices
from platforms.messages import ChatRef
from tests.fakes.discord import DiscordServer, Person

QUICK = Patience(
    answer=2.0,
    connect=1.0,
    upload=5.0,
    start=5.0,
    deaf=10.0,
    rebuilds=4,
    pause=0.02,
    longest=0.1,
    calm=0.0,
    identify=0.02,
    stop=1.0,
    retry=0.01,
    hold=0.05,
    again=0.05,
    save=0.02,
    edit=0.05,
)
"""Waits that a test can afford."""


def quick(**changes: Any) -> Patience:
    return replace(QUICK, **changes)


def adapter_of(server: DiscordServer, folder: Path, patience: Patience = QUICK, **options: Any) -> DiscordAdapter:
    """An adapter that has not run yet. Further keywords are services of its house, and `settings`."""
    section = {"token": server.token, "api_url": server.api_url, "gateway_url": server.gateway_url}
    settings = DiscordSettings.model_validate(section | options.pop("settings", {})).model_dump()
    context = AdapterContext(settings, "default", str(folder), HouseServices(**options))
    return DiscordAdapter(context, patience=patience, locks=folder / "locks")


def direct(person: Person) -> ChatRef:
    return ChatRef("discord", str(person.chat.number))


@asynccontextmanager
async def open_adapter(adapter: DiscordAdapter, ear: Listening | None = None) -> AsyncIterator[Listening]:
    """The adapter receives for the length of the block, and is closed after it."""
    ear = ear or Listening()
    run = asyncio.create_task(adapter.run(ear))
    try:
        await eventually(lambda: adapter.listening or run.done())
        if run.done():
            run.result()
        yield ear
    finally:
        run.cancel()
        await asyncio.wait({run}, timeout=PATIENCE)
        await adapter.close()


def texts(ear: Listening) -> list[str]:
    """What was heard, each event once, in the order in which it came first."""
    return list({each.event_id: each.text for each in ear.heard}.values())


async def until_heard(ear: Listening, *expected: str) -> None:
    try:
        await eventually(lambda: len(texts(ear)) >= len(expected))
    finally:
        assert texts(ear) == list(expected), f"heard: {texts(ear)}"
