"""Jobs on Discord: made with a slash command, paused with a button, proposed in a channel."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from commands.registry import built_in
from gateway.config.schema import Access
from gateway.engine.networks.doors import menu
from platforms.discord.settings import DiscordSettings
from tests.fakes.discord import DiscordServer, Person, Room
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.scripted_model import Script
from tests.platforms.discord.house import adapter_of
from tests.scenarios.cron_desk import NOTES, job, jobs, proposes

ADA = 222333444555666777
GUILD, LOBBY = 900100200300400000, 900100200300400500


@asynccontextmanager
async def inn(folder: Path, script: Script = ()) -> AsyncIterator[tuple[Guesthouse, DiscordServer, Person, Room]]:
    """A house on Discord, which is Ada's."""
    async with DiscordServer() as server:
        lobby = server.guild(GUILD).channel(LOBBY)
        ada = server.user(ADA, "Ada")
        discord = adapter_of(server, folder, menu=menu(built_in([])))
        rules = settings(
            platforms={"discord": DiscordSettings(token=server.token, allowed_users=(str(ADA),))},
            access=Access(owners=(f"discord:{ADA}",)),
        )
        async with guesthouse(folder, script, more=[discord], with_settings=rules, with_memory=True) as house:
            await server.until_connected()
            await server.until(lambda: bool(server.commands.everywhere))
            yield house, server, ada, lobby
        await discord.close()


async def test_a_slash_command_makes_a_job_and_buttons_change_it(tmp_path: Path) -> None:
    async with inn(tmp_path) as (house, server, ada, _):
        ada.orders("cron add", wish=f"weekdays at 9am | name: Digest | {NOTES}")
        await server.until(lambda: any("Digest: weekdays at 9:00" in each for each in ada.texts()))
        assert (await job(house)).spec.prompt == NOTES
        ada.presses("⏸ Pause")
        await server.until(lambda: any("paused until it is resumed" in each for each in ada.texts()))
        ada.orders("cron edit", change="digest | daily at 8:00")
        await server.until(lambda: any("daily at 8:00" in each for each in ada.texts()))
        ada.orders("cron pause", job_until="digest until 2100-01-01")
        await server.until(lambda: any("paused until Fri 2100-01-01 0:00" in each for each in ada.texts()))
        ada.orders("cron remove", job="Digest")
        await server.until(lambda: any("Removed" in each for each in ada.texts()))
        assert await jobs(house) == []


async def test_a_proposal_in_a_channel_is_confirmed_there(tmp_path: Path) -> None:
    async with inn(tmp_path, [proposes(), "I proposed it."]) as (house, server, ada, lobby):
        ada.says("Sum up my notes on weekdays.", chat=lobby, mention=True)
        await server.until(lambda: any("I proposed it." in each for each in lobby.texts()))
        assert any("proposes a job" in each for each in lobby.texts())
        assert not (await job(house)).enabled
        ada.presses("✅ Yes", chat=lobby)
        await server.until(lambda: any("Accepted." in each for each in lobby.texts()))
        assert (await job(house)).enabled
