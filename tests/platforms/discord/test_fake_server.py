"""The Discord server of these tests is as strict as the real one, seen through the real client library."""

from __future__ import annotations

import asyncio
import io
import json
import sys
import urllib.request
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import discord
import pytest
from discord import ui

from tests.fakes.clock import FakeClock
from tests.fakes.discord import DiscordServer, Fault, Room, failed, rate_limited
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


async def dm(server: DiscordServer, bot: Bot, number: int = 111) -> discord.DMChannel:
    server.user(number)
    return await bot.create_dm(discord.Object(number))


def texts(found: list[discord.Message]) -> list[str]:
    return [each.content for each in found]


async def test_a_conversation_in_a_dm(server: DiscordServer, bot: Bot) -> None:
    ada = server.user(111, "Ada")
    ada.says("hello")
    await server.until(lambda: bot.texts == ["hello"])
    channel = bot.heard[0].channel
    assert isinstance(channel, discord.DMChannel)
    await channel.typing()
    sent = await channel.send("Hello, Ada.")
    await sent.edit(content="Hello again.")
    assert [(each.text, each.versions) for each in ada.seen()] == [("Hello again.", ("Hello, Ada.", "Hello again."))]
    assert texts([each async for each in channel.history()]) == ["Hello again.", "hello"]
    assert len(ada.chat.typing) == 1
    await sent.delete()
    assert ada.texts() == []
    assert [call.operation for call in server.calls][-4:] == [
        *("create_message", "edit_message", "get_messages", "delete_message"),
    ]


async def test_people_edit_reply_react_and_delete(server: DiscordServer, bot: Bot, lobby: Room) -> None:
    ada = server.user(111, "Ada")
    sent = await bot.get_partial_messageable(lobby.number).send("Anybody?")
    first = ada.says("me", chat=lobby, reply_to=sent.id)
    ada.edits(first, "me!")
    ada.reacts(sent.id, "👍", lobby)
    ada.deletes(first)
    await server.until(lambda: bot.told[-1] == "MESSAGE_DELETE")
    assert bot.told[-4:] == ["MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_REACTION_ADD", "MESSAGE_DELETE"]
    reply = bot.heard[-1]
    assert reply.reference is not None
    assert isinstance(reply.reference.resolved, discord.Message)
    assert reply.reference.resolved.content == "Anybody?"
    assert reply.guild is not None
    assert (reply.author.display_name, round(reply.created_at.timestamp())) == ("Ada", server.world.now())


async def test_the_same_nonce_is_one_message_for_a_few_minutes(
    server: DiscordServer, bot: Bot, clock: FakeClock
) -> None:
    channel = await dm(server, bot)
    first = await channel.send("once", nonce="n1")
    await clock.advance(170)
    assert (await channel.send("once", nonce="n1")).id == first.id
    await clock.advance(20)
    assert (await channel.send("once", nonce="n1")).id != first.id
    assert server.user(111).texts() == ["once", "once"]
    assert [each.nonce async for each in channel.history()] == [None, None], "history keeps no nonces"
    await (await channel.send("gone", nonce="n2")).delete()
    with pytest.raises(discord.NotFound, match="Unknown Message"):
        await channel.send("gone", nonce="n2")
    with pytest.raises(discord.HTTPException, match="25 or fewer"):
        await channel.send("x", nonce="n" * 26)


async def test_history_goes_both_ways(server: DiscordServer, bot: Bot, clock: FakeClock) -> None:
    channel, ada = await dm(server, bot), server.user(111)
    said = []
    for number in range(120):
        said.append(ada.says(str(number)))
        await clock.advance(1)
    at = discord.Object(said[9].id)
    after = [each async for each in channel.history(limit=None, after=at)]
    assert texts(after) == [str(number) for number in range(10, 120)]
    assert texts([each async for each in channel.history(limit=3, before=at)]) == ["8", "7", "6"]
    assert texts([each async for each in channel.history(limit=3, around=at)]) == ["10", "9", "8"]
    assert (await channel.fetch_message(said[5].id)).content == "5"


@pytest.mark.parametrize(
    ("given", "status", "code"),
    [
        ({"content": "a" * 2001}, 400, 50035),
        ({"content": " \n "}, 400, 50006),
        ({}, 400, 50006),
        ({"content": "x", "view": "same ids"}, 400, 50035),
        ({"content": "x", "reference": discord.MessageReference(message_id=5, channel_id=5)}, 400, 50035),
        ({"embed": discord.Embed(description="x" * 4097)}, 400, 50035),
    ],
)
async def test_what_the_api_refuses(
    server: DiscordServer, bot: Bot, given: dict[str, Any], status: int, code: int
) -> None:
    channel = await dm(server, bot)
    if given.get("view"):
        given = given | {"view": ui.View()}
        given["view"].add_item(ui.Button(label="a", custom_id="same"))
        given["view"].add_item(ui.Button(label="b", custom_id="same"))
    with pytest.raises(discord.HTTPException) as caught:
        await channel.send(**given)
    assert (caught.value.status, caught.value.code) == (status, code)
    assert server.user(111).texts() == []


async def test_a_message_of_2000_signs_is_taken_whole(server: DiscordServer, bot: Bot) -> None:
    await (await dm(server, bot)).send("😀" * 2000)
    assert server.user(111).texts() == ["😀" * 2000]


async def test_where_a_bot_is_not_welcome(server: DiscordServer, bot: Bot, lobby: Room) -> None:
    channel, ada = await dm(server, bot), server.user(111)
    ada.blocks()
    lobby.bar()
    hidden = server.guild(900).channel(902)
    hidden.hide()
    for place, status, code in (
        (channel, 403, 50007),
        (bot.get_partial_messageable(lobby.number), 403, 50013),
        (bot.get_partial_messageable(902), 403, 50001),
        (bot.get_partial_messageable(12345), 404, 10003),
    ):
        with pytest.raises(discord.HTTPException) as caught:
            await place.send("hello")
        assert (caught.value.status, caught.value.code) == (status, code)
    ada.unblocks()
    await channel.send("hello")
    with pytest.raises(discord.HTTPException):
        await bot.create_dm(discord.Object(31337))


async def test_only_what_is_allowed_pings(server: DiscordServer, bot: Bot, lobby: Room) -> None:
    server.user(111, "Ada").says("hi", chat=lobby)
    cooks = server.guild(900).role(950, "cooks")
    place = bot.get_partial_messageable(lobby.number)
    words = f"@everyone, <@111>, <@&{cooks}>"
    await place.send(words)
    await place.send(words, allowed_mentions=discord.AllowedMentions.none())
    await place.send(words, allowed_mentions=discord.AllowedMentions(everyone=False, roles=False, users=True))
    await place.send(f"`{words}`")
    assert [(each.pinged, each.people) for each in lobby.seen()] == [
        *((True, (111,)), (False, ()), (False, (111,)), (False, ())),
    ]


async def test_files_go_both_ways_with_their_bytes(server: DiscordServer, bot: Bot) -> None:
    channel, ada = await dm(server, bot), server.user(111)
    ada.uploads("cat.png", b"\x89PNG cat", "look")
    await server.until(lambda: bot.texts == ["look"])
    (attachment,) = bot.heard[0].attachments
    assert (attachment.filename, attachment.content_type, attachment.size) == ("cat.png", "image/png", 8)
    assert await attachment.read() == b"\x89PNG cat"
    data = bytes(range(256)) * 8000
    await channel.send("here", files=[discord.File(io.BytesIO(data), "notes.bin", description="all of it")])
    (seen,) = ada.seen()
    assert seen.file is not None
    assert (seen.text, seen.file.name, seen.file.data == data, seen.file.description) == (
        *("here", "notes.bin", True, "all of it"),
    )
    with pytest.raises(discord.HTTPException) as caught:
        await channel.send(file=discord.File(io.BytesIO(bytes(11 * 1024 * 1024)), "large.bin"))
    assert (caught.value.status, caught.value.code) == (413, 40005)
    server.misbehave("get_attachment", Fault.CUT)
    with pytest.raises(aiohttp.ClientPayloadError):
        await attachment.read()


async def test_threads_are_chats_of_their_own(server: DiscordServer, bot: Bot, lobby: Room) -> None:
    ada = server.user(111, "Ada")
    asked = ada.says("a question", chat=lobby)
    thread = ada.starts_thread("answers", lobby, message=asked)
    ada.says("in here", chat=thread)
    await server.until(lambda: "in here" in bot.texts)
    heard = bot.heard[-1].channel
    assert isinstance(heard, discord.Thread)
    assert (heard.id, heard.parent_id, heard.name) == (asked.id, lobby.number, "answers")
    await heard.join()
    await heard.send("an answer")
    assert (thread.texts(), lobby.texts()) == (["an answer"], [])
    channel = bot.get_channel(lobby.number)
    assert isinstance(channel, discord.TextChannel)
    own = await channel.create_thread(name="mine", type=discord.ChannelType.public_thread)
    await own.send("begun")
    assert server.chat(own.id).texts() == ["begun"]
    hidden = ada.starts_thread("secret", lobby, private=True)
    ada.says("psst", chat=hidden)
    told = ada.starts_thread("secret, with the bot", lobby, private=True, with_bot=True)
    ada.says("hello", chat=told)
    await server.until(lambda: bot.texts[-1:] == ["hello"])
    assert "psst" not in bot.texts
    with pytest.raises(discord.Forbidden):
        await bot.get_partial_messageable(hidden.number).send("I know")
    thread.archive(locked=True)
    with pytest.raises(discord.HTTPException, match="locked"):
        await heard.send("too late")


async def test_a_full_bucket_says_so_and_a_patient_bot_waits(server: DiscordServer, bot: Bot) -> None:
    channel = await dm(server, bot)
    server.misbehave("create_message", rate_limited(0.01), times=2)
    await channel.send("after two refusals")
    server.misbehave("create_message", rate_limited(0.01, "global"))
    await channel.send("after a global one")
    server.misbehave("create_message", rate_limited(149))
    with pytest.raises(discord.RateLimited) as caught:
        await channel.send("not today")
    assert caught.value.retry_after == 149
    server.misbehave("create_message", Fault.BANNED)
    with pytest.raises(discord.HTTPException) as banned:
        await channel.send("nor so")
    assert banned.value.status == 429
    assert len(server.called("create_message")) == 2 + 1 + 1 + 1 + 1 + 1
    server.limits.set("create_message", 1, 60)
    await asyncio.wait_for(asyncio.gather(channel.send("one"), return_exceptions=True), 30)
    with pytest.raises(discord.RateLimited):
        await channel.send("two")
    assert server.user(111).texts()[-1] == "one"


async def sent(server: DiscordServer, channel: discord.DMChannel) -> None:
    """Send, and wait for the answer for as long as the server does not hang."""

    async def given_up() -> None:
        await server.until(lambda: server.hung > 0)
        patience.reschedule(asyncio.get_running_loop().time())

    async with asyncio.timeout(30) as patience:
        giving_up = asyncio.ensure_future(given_up())
        try:
            await channel.send("hello", nonce="n1")
        finally:
            giving_up.cancel()


@pytest.mark.parametrize(
    ("fault", "caught", "arrives"),
    [
        (Fault.RESET, aiohttp.ClientError, False),
        (Fault.ACCEPT_AND_RESET, aiohttp.ClientError, True),
        (Fault.UNAVAILABLE, discord.DiscordServerError, False),
        (Fault.ACCEPT_AND_UNAVAILABLE, discord.DiscordServerError, True),
        (Fault.CUT, aiohttp.ClientPayloadError, True),
        (Fault.HANG, TimeoutError, False),
        (Fault.ACCEPT_AND_HANG, TimeoutError, True),
        (Fault.HTML, TypeError, False),
    ],
)
async def test_what_arrives_when_the_network_fails(
    server: DiscordServer, bot: Bot, fault: Fault, caught: type[Exception], arrives: bool
) -> None:
    channel = await dm(server, bot)
    server.misbehave("create_message", fault)
    with pytest.raises(caught):
        await sent(server, channel)
    assert server.user(111).texts() == (["hello"] if arrives else [])
    await channel.send("hello", nonce="n1")
    assert server.user(111).texts() == ["hello"]


async def test_strangers_and_strange_paths(server: DiscordServer) -> None:
    async with aiohttp.ClientSession(f"{server.api_url}/") as session:
        async with session.get("users/@me", headers={"Authorization": "Bot wrong"}) as answer:
            assert (answer.status, answer.headers["Content-Type"]) == (401, "application/json")
        async with session.get("nowhere") as answer:
            assert answer.status == 404
        mine = {"Authorization": f"Bot {server.token}"}
        server.misbehave("get_me", failed())
        for status in (500, 200):
            async with session.get("users/@me", headers=mine) as answer:
                assert answer.status == status
        async with session.get("gateway/bot", headers=mine) as answer:
            assert (await answer.json())["url"] == server.gateway_url
    with pytest.raises(LookupError):
        server.misbehave("sing", Fault.HANG)


async def test_watchers_are_told_what_was_done_and_said(server: DiscordServer, lobby: Room) -> None:
    seen: list[str] = []
    server.watchers.append(lambda name, about: seen.append(name))
    async with running(server) as bot:
        await bot.get_partial_messageable(lobby.number).send("hello")
    assert [name for name in seen if name != "GUILD_CREATE"] == [
        *("get_me", "get_application", "READY", "MESSAGE_CREATE", "create_message"),
    ]


async def test_as_a_process_of_its_own() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.fakes.discord", stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        where = json.loads(await asyncio.wait_for(process.stdout.readline(), 30))

        def order(**fields: Any) -> Any:
            request = urllib.request.Request(where["control"], json.dumps(fields).encode())
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)["result"]

        chat = await asyncio.to_thread(order, do="user", user=111)
        await asyncio.to_thread(order, do="says", user=111, text="hello")
        assert await asyncio.to_thread(order, do="seen", chat=chat) == []
    finally:
        process.kill()
        await process.wait()
