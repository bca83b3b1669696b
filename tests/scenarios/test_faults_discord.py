"""Discord behind a bad network, in random rounds: every reply arrives once, the bot hears again, and /status never
says that it hears while it is deaf.

A few rounds always, a hundred with `-m soak`. The judgement is `tests.scenarios.storm`'s.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from platforms.contract import eventually
from platforms.discord.link import FATAL
from platforms.discord.settings import DiscordSettings
from tests.fakes.discord import ABNORMAL, GATEWAY_CODES, DiscordServer, Fault, Refusal, failed, rate_limited
from tests.fakes.guesthouse import OpenDoor, guesthouse, settings
from tests.platforms.discord.house import adapter_of, open_adapter, quick, until_heard
from tests.scenarios.storm import rounds
from tests.scenarios.test_kill import Say, say, seed_for

__all__ = ["say"]  # the fixture

ADA = 111222333444555666
IMPATIENT = quick(answer=0.3, connect=0.3, start=0.5, deaf=0.6, stop=0.1, rare=0.0)
HEARTBEAT = 0.15
"""Seconds between heartbeats, as the server asks for them."""

PASSING_CODES = tuple(code for code in GATEWAY_CODES if code not in FATAL)
WRITING = ("create_message", "create_message", "create_message", "edit_message", "delete_message", "typing")
ANYTHING = (*WRITING, "get_messages", "get_channel", "connect_gateway")

PASSING: Mapping[str, tuple[tuple[Fault | Refusal, ...], tuple[str, ...]]] = {
    "hang": ((Fault.HANG, Fault.ACCEPT_AND_HANG), ANYTHING),
    "cut": ((Fault.CUT, Fault.RESET, Fault.ACCEPT_AND_RESET), ANYTHING),
    "gateway": ((Fault.BAD_GATEWAY, Fault.ACCEPT_AND_BAD_GATEWAY), ANYTHING),
    "unavailable": ((Fault.UNAVAILABLE, Fault.ACCEPT_AND_UNAVAILABLE), ANYTHING),
    "error": ((failed(),), ANYTHING),
    "portal": ((Fault.HTML,), ANYTHING),
    "flood": ((rate_limited(0.1), rate_limited(0.6), rate_limited(0.3, "global")), ANYTHING),
}
"""What befalls a few calls: the faults, and the operations that they may befall."""


class Discord:
    """See `tests.scenarios.storm.Network`."""

    faults = (
        *(
            "refuse",
            "deaf",
            "shut out",
            "silent",
            "torn",
            "closed",
            "closed",
            "refused",
            "invalid",
            "resumable",
            "reconnect",
        ),
        *("forgotten", *PASSING),
    )
    deaf_faults = ("refuse", "deaf", "shut out")

    def __init__(self, server: DiscordServer, folder: Path) -> None:
        server.gateway.heartbeat_seconds = HEARTBEAT
        self._server = server
        self._ada = server.user(ADA, "Ada")
        self._away = False
        self.adapter = adapter_of(server, folder, IMPATIENT)
        self.settings = settings(
            platforms={"discord": DiscordSettings(allowed_users=(str(ADA),)), "inprocess": OpenDoor()}
        )

    def says(self, text: str) -> None:
        self._ada.says(text)

    def seen(self) -> list[str]:
        return self._ada.texts()

    async def fault(self, name: str, chance: random.Random) -> None:
        gateway = self._server.gateway
        match name:
            case "refuse":
                self._away = True
                await self._server.close()
            case "deaf":
                self._server.behave("connect_gateway")  # calls that were to go well before a fault
                self._server.misbehave("connect_gateway", Fault.HANG, times=10_000)
                gateway.go_silent()
            case "shut out":
                gateway.refuse_next(*[chance.choice(PASSING_CODES)] * 1000)
                gateway.close(ABNORMAL)
            case "silent":
                gateway.go_silent()
            case "torn":
                gateway.close(ABNORMAL)
            case "closed":
                gateway.close(chance.choice(PASSING_CODES))
            case "refused":
                gateway.refuse_next(chance.choice(PASSING_CODES))
                gateway.ask_to_reconnect()
            case "invalid" | "resumable":
                gateway.invalidate(resumable=name == "resumable")
            case "reconnect":
                gateway.ask_to_reconnect()
            case "forgotten":
                gateway.forget_sessions()
            case _:
                kinds, operations = PASSING[name]
                for _ in range(chance.randint(1, 3)):
                    fault, operation = chance.choice(kinds), chance.choice(operations)
                    self._server.misbehave(operation, fault, after=chance.randint(0, 2))

    def shut(self, code: int) -> None:
        """Discord closes every connection with this code."""
        self._server.gateway.close(code)

    async def heal(self) -> None:
        for operation in ANYTHING:
            self._server.behave(operation)
        self._server.gateway.refuse_no_more()
        if self._away:
            await self._server.open()
            self._away = False


async def met(server: DiscordServer, folder: Path) -> None:
    """The bot was here before: what Ada writes before it is back is missed, not unknown."""
    adapter, ada = adapter_of(server, folder, IMPATIENT), server.user(ADA, "Ada")
    async with open_adapter(adapter) as ear:
        ada.says("good day")
        await until_heard(ear, "good day")


@asynccontextmanager
async def discord(folder: Path) -> AsyncIterator[Discord]:
    async with DiscordServer() as server:
        await met(server, folder)
        network = Discord(server, folder)
        try:
            yield network
        finally:
            await network.adapter.close()


@pytest.mark.parametrize("code", FATAL)
async def test_a_close_that_is_final_is_said_and_leaves_the_other_platforms_up(tmp_path: Path, code: int) -> None:
    async with (
        discord(tmp_path) as network,
        guesthouse(tmp_path, more=[network.adapter], with_settings=network.settings) as house,
    ):
        engine = house.engine
        await eventually(lambda: engine.platforms["discord"].up)
        network.shut(code)
        await eventually(lambda: engine.platforms["discord"].final)
        assert engine.platforms["discord"].words.startswith(f"off: {FATAL[code]}")
        assert engine.platforms["inprocess"].up


async def test_a_few_rounds(tmp_path: Path, say: Say) -> None:
    async with discord(tmp_path) as network:
        await rounds(tmp_path, network, seed_for(61), 6, say)


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_a_hundred_rounds(tmp_path: Path, say: Say) -> None:
    async with discord(tmp_path) as network:
        await rounds(tmp_path, network, seed_for(62), 100, say)
