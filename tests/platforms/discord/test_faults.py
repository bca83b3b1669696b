"""Rounds of faults at random: whatever breaks, every message is heard, and every answer arrives exactly once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from platforms.discord.adapter import DiscordAdapter
from platforms.errors import NotSent, RetryAfter, Uncertain
from platforms.messages import ChatRef, Outbound
from tests.fakes.discord import ABNORMAL, DiscordServer, Fault, Person, failed, rate_limited
from tests.platforms.discord.house import adapter_of, direct, open_adapter, quick, texts

ADA = 222333444555666777
CODES = (1000, 1001, ABNORMAL, 4000, 4001, 4002, 4003, 4005, 4007, 4008, 4009)
FAULTS = (*(each for each in Fault if each is not Fault.BANNED), failed(), rate_limited(0.02), rate_limited(0.1))


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as server:
        yield server


async def delivered(adapter: DiscordAdapter, part: Outbound) -> None:
    """As the engine does it: the same nonce again, until the platform confirms."""
    while True:
        try:
            await adapter.send(part)
            return
        except RetryAfter as error:
            await asyncio.sleep(error.seconds)
        except (NotSent, Uncertain):
            await asyncio.sleep(0.01)


async def let_down(server: DiscordServer, chance: random.Random, *, outages: bool) -> None:
    """One thing goes wrong, of whatever kind."""
    match chance.randrange(8 if outages else 7):
        case 0 | 1:
            server.gateway.close(chance.choice(CODES))
        case 2:
            server.gateway.ask_to_reconnect()
        case 3:
            server.gateway.invalidate(resumable=chance.random() < 0.5)
        case 4:
            server.gateway.forget_sessions()
        case 5:
            server.gateway.go_silent()
        case 6 if not server.queued("get_messages"):
            server.misbehave("get_messages", chance.choice(FAULTS))
        case 7:
            await server.close()
            await asyncio.sleep(chance.random() * 0.05)
            await server.open()
    server.misbehave("create_message", chance.choice(FAULTS), times=chance.randrange(3))


@pytest.mark.parametrize("rounds", [12, pytest.param(150, marks=[pytest.mark.soak, pytest.mark.timeout(600)])])
async def test_nothing_is_missed_and_nothing_is_said_twice(
    server: DiscordServer, tmp_path: Path, rounds: int
) -> None:
    chance, server.gateway.heartbeat_seconds = random.Random(rounds), 0.03
    lobby = server.guild(900100200300400000).channel(900100200300400500)
    ada: Person = server.user(ADA, "Ada")
    adapter = adapter_of(
        server, tmp_path, quick(deaf=0.2, stop=0.1, answer=0.1, connect=0.2, start=1.0, rebuilds=60, again=2.0)
    )
    said: dict[str, list[str]] = {"direct": [], "group": []}
    async with open_adapter(adapter) as ear:
        for number in range(rounds):
            for text in (f"{number} a", f"{number} b"):
                ada.says(text)
                said["direct"].append(text)
                await let_down(server, chance, outages=rounds > 100)
                ada.says(text, chat=lobby)
                said["group"].append(text)
            parts = [
                Outbound(chat, f"answer {number}", nonce=f"{number}:{chat.chat_id}"[:25])
                for chat in (direct(ada), ChatRef("discord", str(lobby.number)))
            ]
            async with asyncio.timeout(30):
                await asyncio.gather(*(delivered(adapter, part) for part in parts))
            assert ada.texts()[-1] == lobby.texts()[-1] == f"answer {number}"

        def heard(kind: str) -> list[str]:
            return list({each.event_id: each.text for each in ear.heard if each.kind == kind}.values())

        try:
            await server.until(lambda: len(texts(ear)) >= 4 * rounds)
        finally:
            assert {kind: sorted(heard(kind)) for kind in said} == {kind: sorted(each) for kind, each in said.items()}
        assert {kind: heard(kind) for kind in said} == said, "in order"
        expected = [f"answer {number}" for number in range(rounds)]
        assert ada.texts() == lobby.texts() == expected
        assert adapter.listening
