"""The gateway of these tests: sessions, what they hear, and how they end, seen through the real client library."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import discord
import pytest

from tests.fakes.clock import FakeClock
from tests.fakes.discord import ABNORMAL, GATEWAY_CODES, DiscordServer, Fault
from tests.fakes.discord.client import Bot, all_intents, running

FATAL = {4004, 4010, 4011, 4012, 4013, 4014}
"""Codes after which the library gives up."""

FRESH = {4003, 4007, 4009}
"""Codes after which there is nothing to resume."""


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def server(clock: FakeClock) -> AsyncIterator[DiscordServer]:
    async with DiscordServer(now=clock.now) as server:
        yield server


@pytest.fixture
async def bot(server: DiscordServer) -> AsyncIterator[Bot]:
    async with running(server) as bot:
        yield bot


def without_content() -> discord.Intents:
    return discord.Intents.default()


async def test_a_guild_comes_with_its_channels_and_threads(server: DiscordServer) -> None:
    inn = server.guild(900, "The Inn")
    lobby = inn.channel(901, "lobby")
    ada = server.user(111, "Ada")
    ada.starts_thread("old talk", lobby)
    async with running(server) as bot:
        (guild,) = bot.guilds
        assert (guild.name, [each.name for each in guild.text_channels]) == ("The Inn", ["lobby"])
        assert [each.name for each in guild.threads] == ["old talk"]
        assert guild.me.guild_permissions.send_messages
        inn.channel(902, "kitchen")
        server.guild(800, "Another")
        await server.until(lambda: len(bot.guilds) == 2 and bot.get_channel(902) is not None)
        inn.throws_out_the_bot()
        await server.until(lambda: [each.id for each in bot.guilds] == [800])
    assert server.gateway.heartbeats > 0


async def test_without_the_intent_only_what_is_meant_for_the_bot_can_be_read(server: DiscordServer) -> None:
    lobby = server.guild(900).channel(901)
    async with running(server, without_content()) as bot:
        ada = server.user(111)
        sent = await bot.get_partial_messageable(901).send("mine")
        ada.says("not for you", chat=lobby)
        ada.says("for you", chat=lobby, mention=True)
        ada.says("an answer", chat=lobby, reply_to=sent.id)
        ada.says("in private")
        await server.until(lambda: len(bot.texts) == 4)
        assert bot.texts == ["", f"<@{server.world.bot.id}> for you", "an answer", "in private"]


async def test_a_bot_that_is_not_let_in(server: DiscordServer) -> None:
    with pytest.raises(discord.LoginFailure):
        async with running(server, token="wrong"):
            pass
    server.gateway.privileged = 0
    with pytest.raises(discord.PrivilegedIntentsRequired):
        async with running(server):
            pass
    server.gateway.token = "another"
    with pytest.raises(discord.ConnectionClosed, match="4004"):
        async with running(server):
            pass
    assert server.gateway.identified == 0


async def test_a_session_goes_on_where_it_was(server: DiscordServer, bot: Bot) -> None:
    ada = server.user(111)
    for code in (4000, 1000, 1001, ABNORMAL, 4008):
        before = server.gateway.resumed
        server.gateway.close(code)
        ada.says(f"during {code}")
        await server.until(lambda before=before: server.gateway.resumed == before + 1)  # type: ignore[misc]
        ada.says(f"after {code}")
    await server.until(lambda: len(bot.texts) == 10)
    assert bot.texts == [f"{when} {code}" for code in (4000, 1000, 1001, 1006, 4008) for when in ("during", "after")]
    assert (server.gateway.identified, bot.told.count("RESUMED")) == (1, 5)


@pytest.mark.parametrize("code", [code for code in GATEWAY_CODES if code not in FATAL])
async def test_every_code_after_which_a_client_comes_back(server: DiscordServer, bot: Bot, code: int) -> None:
    server.gateway.close(code)
    server.user(111).says("missed?")
    again = (2, 0) if code in FRESH else (1, 1)
    await server.until(lambda: (server.gateway.identified, server.gateway.resumed) == again)
    server.user(111).says("heard")
    await server.until(lambda: bot.texts[-1:] == ["heard"])
    assert bot.texts == (["heard"] if code in FRESH else ["missed?", "heard"])


@pytest.mark.parametrize("code", sorted(FATAL))
async def test_every_code_after_which_the_library_gives_up(server: DiscordServer, bot: Bot, code: int) -> None:
    server.gateway.close(code)
    await server.until(lambda: bot.ended)
    assert server.gateway.identified == 1


async def test_asked_to_reconnect_and_told_that_the_session_is_invalid(server: DiscordServer, bot: Bot) -> None:
    ada = server.user(111)
    server.gateway.ask_to_reconnect()
    await server.until(lambda: server.gateway.resumed == 1)
    server.gateway.invalidate(resumable=True)
    await server.until(lambda: server.gateway.resumed == 2)
    server.gateway.invalidate()
    ada.says("lost")
    await server.until(lambda: server.gateway.identified == 2)
    ada.says("heard")
    await server.until(lambda: bot.texts == ["heard"])


async def test_a_session_is_kept_for_a_while_only(server: DiscordServer, bot: Bot, clock: FakeClock) -> None:
    server.misbehave("connect_gateway", Fault.HANG)
    server.gateway.close(ABNORMAL)
    await server.until(lambda: server.hung == 1)
    assert server.gateway.connected == []
    await clock.advance(server.gateway.resume_seconds + 1)
    await server.close()
    await server.open()
    await server.until(lambda: server.gateway.identified == 2)


async def test_silence_is_no_closed_connection(server: DiscordServer) -> None:
    server.gateway.heartbeat_seconds = 0.02
    async with running(server, heartbeat_timeout=0.1) as bot:
        await server.until(lambda: server.gateway.heartbeats > 2)
        server.gateway.go_silent()
        server.user(111).says("are you there?")
        assert len(server.gateway.connections) == 1
        await server.until(lambda: bot.texts == ["are you there?"])
        assert server.gateway.resumed == 1


async def test_deaf_is_not_silent(server: DiscordServer) -> None:
    server.gateway.heartbeat_seconds = 0.02
    async with running(server, heartbeat_timeout=0.1) as bot:
        server.gateway.go_deaf()
        server.user(111).says("are you there?")
        beats = server.gateway.heartbeats
        await server.until(lambda: server.gateway.heartbeats > beats + 10)
        assert (bot.texts, server.gateway.resumed) == ([], 0)
        server.gateway.close(4000)
        await server.until(lambda: bot.texts == ["are you there?"])


async def frames(socket: aiohttp.ClientWebSocketResponse, *sent: Any) -> int:
    """Say hello as a client of one's own; the code with which the gateway closes."""
    assert (await socket.receive_json())["op"] == 10
    for frame in sent:
        await socket.send_str(frame) if isinstance(frame, str) else await socket.send_json(frame)
    while (await socket.receive()).type == aiohttp.WSMsgType.TEXT:
        pass
    return socket.close_code or 0


async def test_what_the_gateway_does_not_put_up_with(server: DiscordServer) -> None:
    def identify(**more: Any) -> dict[str, Any]:
        return {"op": 2, "d": {"token": server.token, "intents": all_intents().value, "properties": {}} | more}

    resume = {"op": 6, "d": {"token": server.token, "session_id": "x", "seq": 1}}
    cases: list[tuple[int, list[Any]]] = [
        (4001, [identify(), {"op": 77, "d": None}]),
        (4002, ["not json"]),
        (4003, [{"op": 3, "d": {}}]),
        (4004, [identify(token="wrong")]),
        (4005, [identify(), identify()]),
        (4010, [identify(shard=[5, 2])]),
        (4013, [identify(intents=1 << 60)]),
        (4014, [identify(intents=1 << 8)]),
    ]
    async with aiohttp.ClientSession() as session:
        for code, sent in cases:
            async with session.ws_connect(f"{server.gateway_url}?v=10&encoding=json") as socket:
                assert await asyncio.wait_for(frames(socket, *sent), 30) == code
        async with session.ws_connect(f"{server.gateway_url}?v=10") as socket:
            await socket.receive_json()
            await socket.send_json(resume)
            assert await socket.receive_json() == {"op": 9, "d": False, "s": None, "t": None}
        async with session.ws_connect(f"{server.gateway_url}?v=5") as socket:
            await socket.receive()
            assert socket.close_code == 4012


async def test_a_handshake_that_fails_is_tried_again(server: DiscordServer, bot: Bot) -> None:
    server.gateway.refuse_next(4000, ABNORMAL)
    server.gateway.close(4000)
    server.user(111).says("still there?")
    await server.until(lambda: bot.texts == ["still there?"])
    assert server.gateway.resumed == 1
