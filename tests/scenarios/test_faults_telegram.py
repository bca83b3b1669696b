"""Telegram behind a bad network, in random rounds: every reply arrives once or is reported as uncertain, the bot
hears again, and /status never says that it hears while it is deaf.

A few rounds always, a hundred with `-m soak`. The judgement is `tests.scenarios.storm`'s.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from platforms.telegram.settings import TelegramSettings
from tests.fakes.guesthouse import OpenDoor, settings
from tests.fakes.telegram import BotApi, Fault, Refusal
from tests.fakes.telegram.faults import conflict, flood
from tests.platforms.telegram.house import adapter_of, quick
from tests.scenarios.storm import rounds
from tests.scenarios.test_kill import Say, say, seed_for

__all__ = ["say"]  # the fixture

IMPATIENT = quick(answer=0.3, connect=0.3, deaf=0.6, poll=0.15, stop=0.1, start=0.5, conflict=5.0)

WRITING = (*("sendMessage",) * 4, *("editMessageText",) * 2, "deleteMessage", "sendChatAction", "sendMessageDraft")
"""Most faults befall what matters most."""

ANYTHING = (*WRITING, "getUpdates")
SERVER_ERROR = Refusal(500, "Internal Server Error")

PASSING: Mapping[str, tuple[tuple[Fault | Refusal, ...], tuple[str, ...]]] = {
    "hang": ((Fault.HANG, Fault.ACCEPT_AND_HANG), ANYTHING),
    "cut": ((Fault.CUT, Fault.RESET, Fault.ACCEPT_AND_RESET), ANYTHING),
    "gateway": ((Fault.BAD_GATEWAY, Fault.ACCEPT_AND_BAD_GATEWAY), ANYTHING),
    "error": ((SERVER_ERROR,), ANYTHING),
    "flood": ((flood(0.1), flood(0.6)), ANYTHING),
    "conflict": ((conflict(),), ("getUpdates",)),
}
"""What befalls a few calls: the faults, and the methods that they may befall."""


class Telegram:
    """See `tests.scenarios.storm.Network`."""

    faults = ("refuse", "deaf", "twice", *PASSING)
    deaf_faults = ("refuse", "deaf")

    def __init__(self, server: BotApi, folder: Path) -> None:
        self._server = server
        self._ada = server.user(111, "Ada")
        self._away = False
        self.adapter = adapter_of(server, folder, IMPATIENT)
        self.settings = settings(
            platforms={"telegram": TelegramSettings(allowed_users=("111",)), "inprocess": OpenDoor()}
        )

    def says(self, text: str) -> None:
        self._ada.says(text)

    def seen(self) -> list[str]:
        return self._ada.texts()

    async def fault(self, name: str, chance: random.Random) -> None:
        match name:
            case "refuse":
                self._away = True
                await self._server.close()
            case "deaf":
                hung = self._server.hung
                self._server.misbehave("getUpdates", Fault.HANG, times=10_000)
                if not self._away:
                    await self._server.until(lambda: self._server.hung > hung)
            case "twice":
                if self._server.world.delivered:
                    self._server.deliver_again()
            case _:
                kinds, methods = PASSING[name]
                for _ in range(chance.randint(2, 4)):
                    fault, method = chance.choice(kinds), chance.choice(methods)
                    self._server.misbehave(method, fault, after=chance.randint(0, 1))

    async def heal(self) -> None:
        for method in set(ANYTHING):
            self._server.behave(method)
        if self._away:
            await self._server.open()
            self._away = False


@asynccontextmanager
async def telegram(folder: Path) -> AsyncIterator[Telegram]:
    async with BotApi() as server:
        network = Telegram(server, folder)
        try:
            yield network
        finally:
            await network.adapter.close()


async def test_a_few_rounds(tmp_path: Path, say: Say) -> None:
    async with telegram(tmp_path) as network:
        await rounds(tmp_path, network, seed_for(51), 4, say)


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_a_hundred_rounds(tmp_path: Path, say: Say) -> None:
    async with telegram(tmp_path) as network:
        await rounds(tmp_path, network, seed_for(52), 100, say)
