"""An adapter on the fake Bot API server, with short patience, and an ear in the engine's place."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from platforms.contract import PATIENCE, Listening
from platforms.manifest import AdapterContext, HouseServices
from platforms.messages import ChatRef
from platforms.telegram.adapter import TelegramAdapter
from platforms.telegram.patience import Patience
from platforms.telegram.settings import TelegramSettings
from tests.fakes.telegram import BotApi

QUICK = Patience(
    poll=5.0,
    answer=2.0,
    connect=1.0,
    deaf=20.0,
    start=5.0,
    stop=1.0,
    conflict=0.3,
    calm=2.0,
    pause=0.01,
    interval=0.01,
    edit=0.05,
)
"""Waits that a test can afford."""


def quick(**changes: Any) -> Patience:
    return replace(QUICK, **changes)


def adapter_of(server: BotApi, folder: Path, patience: Patience = QUICK, **options: Any) -> TelegramAdapter:
    """An adapter that has not run yet. Further keywords are services of its house, and `settings`."""
    section = {"token": server.token, "base_url": server.root} | options.pop("settings", {})
    settings = TelegramSettings.model_validate(section).model_dump()
    context = AdapterContext(settings, "default", str(folder), HouseServices(**options))
    return TelegramAdapter(context, patience=patience, locks=folder / "locks")


def direct(number: int = 111) -> ChatRef:
    return ChatRef("telegram", str(number))


@asynccontextmanager
async def open_adapter(adapter: TelegramAdapter, ear: Listening | None = None) -> AsyncIterator[Listening]:
    """The adapter receives for the length of the block, and is closed after it."""
    ear = ear or Listening()
    run = asyncio.create_task(adapter.run(ear))
    try:
        async with asyncio.timeout(PATIENCE):
            listens = asyncio.create_task(adapter.listening.wait())
            await asyncio.wait({run, listens}, return_when=asyncio.FIRST_COMPLETED)
            listens.cancel()
            if run.done():
                run.result()
        yield ear
    finally:
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)
        await adapter.close()
