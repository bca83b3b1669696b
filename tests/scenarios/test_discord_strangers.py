"""People on Discord who may not talk to the bot: an order or a press of theirs is refused where they see it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from commands.registry import built_in
from gateway.engine import notices
from gateway.engine.networks.doors import menu
from platforms.discord.settings import DiscordSettings
from platforms.messages import Button, ChatRef
from tests.fakes.discord import DiscordServer, Person, Room
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.platforms.discord.house import adapter_of

ADA, EVE = 222333444555666777, 222333444555666999
GUILD, LOBBY = 900100200300400000, 900100200300400500


@asynccontextmanager
async def inn(folder: Path, server: DiscordServer, **access: Any) -> AsyncIterator[tuple[Guesthouse, Room]]:
    """A house on Discord whose commands are in the menu."""
    lobby = server.guild(GUILD).channel(LOBBY)
    discord = adapter_of(server, folder, menu=menu(built_in()))
    rules = settings(platforms={"discord": DiscordSettings(token=server.token, **access)})
    async with guesthouse(folder, ["Hello."] * 3, more=[discord], with_settings=rules) as house:
        await server.until_connected()
        await server.until(lambda: bool(server.commands.everywhere))
        yield house, lobby
    await discord.close()


async def test_an_order_of_a_stranger_is_refused_where_they_see_it(tmp_path: Path) -> None:
    async with DiscordServer() as server, inn(tmp_path, server, allowed_users=[str(ADA)]) as (_, lobby):
        eve = server.user(EVE, "Eve")
        orders = [eve.orders("new", lobby), eve.orders("status", lobby), eve.orders("new")]
        await server.until(lambda: all(each.texts == [notices.NOT_FOR_YOU] for each in orders))
        assert all(each.ephemeral for each in lobby.seen())


async def test_an_order_of_somebody_with_an_open_code_is_not_left_waiting(tmp_path: Path) -> None:
    async with DiscordServer() as server, inn(tmp_path, server) as (_, _lobby):
        eve: Person = server.user(EVE, "Eve")
        eve.orders("new")
        await server.until(lambda: any("innkeeper pairing approve" in text for text in eve.texts()))
        await server.until(lambda: not any(each.thinking for each in eve.seen()))
        again = eve.orders("new")
        await server.until(lambda: again.texts == [notices.NOT_FOR_YOU])


async def test_many_presses_of_a_stranger_fill_no_chat(tmp_path: Path) -> None:
    async with DiscordServer() as server, inn(tmp_path, server, allowed_users=[str(ADA)]) as (house, lobby):
        eve = server.user(EVE, "Eve")
        where = ChatRef("discord", str(LOBBY))
        await house.house.delivery.post(where, "card", "A card", buttons=((Button("Go", "/status"),),))
        await server.until(lambda: lobby.labels() == ["Go"])
        presses = [eve.presses("Go", lobby) for _ in range(5)]
        await server.until(lambda: all(each.answered is not None for each in presses))
        await server.until(lambda: len(lobby.texts()) == 2)
        server.user(ADA, "Ada").presses("Go", lobby)
        await server.until(lambda: any("Waits for a yes" in text or "fine" in text for text in lobby.texts()))
        assert sum("may not use" in text for text in lobby.texts()) == 1
