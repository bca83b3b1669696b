"""The whole engine over Telegram: the real library on the fake Bot API server, and a scripted model."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from gateway.clock import Clock, SystemClock
from gateway.models.client import Request
from gateway.tools.tool import Tool
from platforms.telegram.settings import TelegramSettings
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.scripted_model import Script
from tests.fakes.telegram import BotApi, Person
from tests.platforms.telegram.house import adapter_of, quick


@asynccontextmanager
async def inn(
    folder: Path,
    script: Script,
    clock: Clock | None = None,
    *,
    memory: bool = False,
    tools: Sequence[Tool] = (),
    **sections: Any,
) -> AsyncIterator[tuple[Guesthouse, BotApi, Person]]:
    """A house with Telegram, in which Ada (111) is the owner. `sections` replace those of the settings; with `memory`
    there are MEMORY.md and USER.md."""
    clock = clock or SystemClock()
    async with BotApi(now=clock.now) as server:
        open_to_ada = settings(**{"platforms": {"telegram": TelegramSettings(allowed_users=("111",))}, **sections})
        adapter = adapter_of(server, folder, quick(answer=0.3), now=clock.now)
        ada = server.user(111, "Ada")
        opened = guesthouse(
            folder,
            script,
            more=[adapter],
            with_settings=open_to_ada,
            clock=clock,
            with_memory=memory,
            tools=tools,
        )
        try:
            async with opened as house:
                await adapter.listening.wait()
                yield house, server, ada
        finally:
            await adapter.close()


def last(request: Request) -> str:
    """What the person said last as the model read it, without the line with the time."""
    return re.sub(r"\A\[\w+day, [^\n]*\]\n", "", request.messages[-1].content)


async def settled(server: BotApi) -> None:
    """Everything that people sent has been heard and thought about."""
    await server.until_confirmed()
    await asyncio.sleep(0.05)


async def at_rest(house: Guesthouse) -> None:
    """No turn runs: nobody writes in the very moment in which an answer ends."""
    async with asyncio.timeout(30):
        while house.engine.workers.running:
            await asyncio.sleep(0.01)


def number(update: dict[str, Any] | None) -> int:
    """The id of the message that somebody wrote."""
    assert update is not None
    return int(update["message"]["message_id"])
