"""Skills on Discord: one command behind which they all are, with their names completed while one is typed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from commands.registry import built_in
from gateway.engine.networks.doors import menu
from platforms.discord.settings import DiscordSettings
from platforms.messages import Inbound
from tests.fakes.discord import DiscordServer, Person, Room
from tests.fakes.discord.interactions import CHOICES, Interaction
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.memory.skills.pending_desk import text
from tests.platforms.discord.house import adapter_of

ADA, EVE = 222333444555666777, 222333444555666999
GUILD, LOBBY = 900100200300400000, 900100200300400500


@asynccontextmanager
async def inn(folder: Path, script: Sequence[str] = ()) -> AsyncIterator[tuple[Guesthouse, DiscordServer, Room]]:
    """A house on Discord for Ada, with a menu and skills."""
    for name in ("deploy", "tea-time", *(f"task{number:02}" for number in range(40))):
        path = folder / "skills" / name / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(text(name, f"Do {name}.\n"))
    houses: list[Guesthouse] = []

    async def suggest(event: Inbound) -> Sequence[str]:
        return await houses[0].engine.reception.suggest(event)

    async with DiscordServer() as server:
        lobby = server.guild(GUILD).channel(LOBBY)
        discord = adapter_of(server, folder, menu=menu(built_in()), suggest=suggest)
        rules = settings(platforms={"discord": DiscordSettings(token=server.token, allowed_users=(str(ADA),))})
        opened = guesthouse(folder, script, more=[discord], with_settings=rules, with_memory=True)
        async with opened as house:
            houses.append(house)
            await server.until_connected()
            await server.until(lambda: bool(server.commands.everywhere))
            yield house, server, lobby
        await discord.close()


def values(typing: Interaction) -> list[str]:
    assert typing.answered == CHOICES
    return [each["value"] for each in typing.choices]


async def answered(server: DiscordServer, typing: Interaction) -> list[str]:
    await server.until(lambda: typing.answered is not None)
    return values(typing)


async def test_names_are_completed_for_who_may_call_them_up(tmp_path: Path) -> None:
    async with inn(tmp_path) as (_, server, lobby):
        ada: Person = server.user(ADA, "Ada")
        assert await answered(server, ada.types("skill", "name", "tea")) == ["tea-time"]
        assert await answered(server, ada.types("skill", "name", "Tea_t", lobby)) == ["tea-time"]
        assert len(await answered(server, ada.types("skill", "name", ""))) == 25
        assert await answered(server, ada.types("skill", "name", "zzz")) == []
        assert await answered(server, ada.types("skills pin", "name", "dep")) == ["deploy"]
        assert await answered(server, server.user(EVE, "Eve").types("skill", "name", "tea", lobby)) == []
        assert ada.texts() == lobby.texts() == []  # what was only typed is no message


async def test_one_command_calls_them_up_with_what_is_to_be_done(tmp_path: Path) -> None:
    async with inn(tmp_path, ["Tea.", "Both."]) as (house, server, _):
        ada = server.user(ADA, "Ada")
        ada.orders("skill", name="tea-time", text="for two")
        await server.until(lambda: ada.texts() == ["Tea."])
        asked = house.model.requests[-1].messages[-1].content
        assert "Do tea-time." in asked
        assert asked.endswith("\nfor two")
        ada.says("/deploy /tea_time now")
        await server.until(lambda: ada.texts()[-1] == "Both.")
        assert "Do deploy." in house.model.requests[-1].messages[-1].content


async def test_flags_are_chosen_from_the_menu(tmp_path: Path) -> None:
    async with inn(tmp_path) as (_, server, _lobby):
        ada = server.user(ADA, "Ada")
        ada.orders("curator run", dry_run="--dry-run")
        await server.until(lambda: any("dry run" in each for each in ada.texts()))
