"""Slash commands, buttons and forms on the Discord server of these tests, seen through the real client library."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest
from discord import ui

from tests.fakes.clock import FakeClock
from tests.fakes.discord import DiscordServer, Room
from tests.fakes.discord.client import Bot, running


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def server(clock: FakeClock) -> AsyncIterator[DiscordServer]:
    async with DiscordServer(now=clock.now) as server:
        yield server


@pytest.fixture
def lobby(server: DiscordServer) -> Room:
    return server.guild(900).channel(901)


@pytest.fixture
async def bot(server: DiscordServer, lobby: Room) -> AsyncIterator[Bot]:
    async with running(server) as bot:
        yield bot


def a_command(name: str, **more: Any) -> dict[str, Any]:
    return {"type": 1, "name": name, "description": "Does it.", "options": []} | more


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ([a_command(f"c{number}") for number in range(101)], 30032),
        ([a_command("Upper")], 50035),
        ([a_command("two words")], 50035),
        ([a_command("x", description="")], 50035),
        ([a_command("x", description="d" * 101)], 50035),
        ([a_command("same"), a_command("same")], 50035),
        ([a_command("x", options=[a_command("o", type=3)] * 2)], 50035),
    ],
)
async def test_commands_are_checked(server: DiscordServer, bot: Bot, given: list[dict[str, Any]], code: int) -> None:
    assert bot.application_id is not None
    with pytest.raises(discord.HTTPException) as caught:
        await bot.http.bulk_upsert_global_commands(bot.application_id, given)
    assert caught.value.code == code
    assert server.commands.everywhere == []


async def test_a_slash_command_is_answered_at_once_or_later(
    server: DiscordServer, bot: Bot, lobby: Room, clock: FakeClock
) -> None:
    @bot.tree.command(name="say", description="Says it.")
    async def say(interaction: discord.Interaction[Any], words: str, loud: bool = False) -> None:
        if loud:
            await interaction.response.defer(thinking=True, ephemeral=True)
            await interaction.followup.send(words.upper())
            await interaction.followup.send("That was loud.")
        else:
            await interaction.response.send_message(words)
            await interaction.edit_original_response(content=f"{words}!")

    await bot.tree.sync()
    assert [each.name for each in await bot.tree.fetch_commands()] == ["say"]
    ada = server.user(111, "Ada")
    first = ada.orders("say", words="hello")
    await server.until(lambda: first.texts == ["hello!"])
    second = ada.orders("/say", lobby, words="hello", loud=True)
    await server.until(lambda: second.texts == ["HELLO", "That was loud."])
    assert [each.ephemeral for each in lobby.seen()] == [True, False]
    with pytest.raises(LookupError, match="missing"):
        ada.orders("say")
    with pytest.raises(LookupError, match="no command"):
        ada.orders("dance")
    await clock.advance(15 * 60 + 1)
    with pytest.raises(discord.HTTPException) as caught:
        await bot.asked[0].followup.send("much later")
    assert (caught.value.status, caught.value.code) == (401, 50027)


async def test_an_interaction_waits_three_seconds_and_is_answered_once(
    server: DiscordServer, bot: Bot, clock: FakeClock
) -> None:
    view = ui.View()
    view.add_item(ui.Button(label="Approve", custom_id="yes"))
    ada = server.user(111)
    await bot.get_partial_messageable(ada.chat.number).send("May I?", view=view)
    late = ada.presses("Approve")
    await server.until(lambda: len(bot.asked) == 1)
    await clock.advance(3.5)
    with pytest.raises(discord.NotFound) as caught:
        await bot.asked[0].response.defer()
    assert (caught.value.code, server.interactions.failed()) == (10062, [late])
    pressed = ada.presses("Approve")
    await server.until(lambda: len(bot.asked) == 2)
    await bot.asked[1].response.edit_message(content="Approved.", view=None)
    assert [(each.text, each.buttons) for each in ada.seen()] == [("Approved.", ())]
    bot.asked[1].response._response_type = None
    with pytest.raises(discord.HTTPException) as again:
        await bot.asked[1].response.defer()
    assert (again.value.code, pressed.answered) == (40060, 7)
    with pytest.raises(LookupError, match="no button"):
        ada.presses("Approve")


class Answer(ui.DynamicItem[ui.Button[Any]], template=r"answer:(?P<word>\w+)"):
    """A button that a later process knows by its custom id."""

    def __init__(self, word: str) -> None:
        super().__init__(ui.Button(label=word.title(), custom_id=f"answer:{word}"))
        self.word = word

    @classmethod
    async def from_custom_id(cls, interaction: discord.Interaction[Any], item: Any, match: Any) -> Answer:
        return cls(match["word"])

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_message(f"You said {self.word}.")


async def test_a_button_of_a_former_process(server: DiscordServer, lobby: Room) -> None:
    async with running(server) as former:
        view = ui.View()
        view.add_item(Answer("yes"))
        await former.get_partial_messageable(lobby.number).send("Well?", view=view)
    async with running(server) as bot:
        bot.add_dynamic_items(Answer)
        server.user(111).presses("Yes", lobby)
        await server.until(lambda: lobby.texts() == ["Well?", "You said yes."])


class Name(ui.Modal, title="Your name"):
    name: ui.TextInput[Name] = ui.TextInput(label="Name", custom_id="name")

    async def on_submit(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_message(f"Hello, {self.name.value}.", ephemeral=True)


async def test_a_form_is_filled_in(server: DiscordServer, bot: Bot) -> None:
    @bot.tree.command(name="name", description="Asks.")
    async def ask(interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_modal(Name())

    await bot.tree.sync()
    ada = server.user(111)
    shown = ada.orders("name")
    await server.until(lambda: shown.form is not None)
    sent = ada.submits(shown, name="Ada")
    await server.until(lambda: sent.texts == ["Hello, Ada."])
