"""Receiving, whatever goes wrong: nothing is missed, no connection or event stops the rest, and deafness is known."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from platforms.contract import PATIENCE, Listening, eventually
from platforms.discord.adapter import DiscordAdapter, build
from platforms.discord.errors import DiscordUnreachable
from platforms.errors import PlatformDown
from platforms.manifest import AdapterContext
from platforms.messages import Inbound
from platforms.token_lock import TokenLock
from tests.fakes.clock import FakeClock
from tests.fakes.discord import ABNORMAL, GATEWAY_CODES, DiscordServer, Fault, Person, Room
from tests.platforms.discord.house import adapter_of, open_adapter, quick, texts, until_heard

ADA = 222333444555666777
FATAL = {4004, 4010, 4011, 4012, 4013, 4014}


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as server:
        yield server


@pytest.fixture
def ada(server: DiscordServer) -> Person:
    return server.user(ADA, "Ada")


@pytest.fixture
def lobby(server: DiscordServer) -> Room:
    return server.guild(900100200300400000).channel(900100200300400500)


@dataclass
class Graveyard:
    """Keeps what could not be handled; full when told to be."""

    buried: list[tuple[str, str]] = field(default_factory=list)
    full: bool = False

    async def __call__(self, event_id: str, why: str, raw: str) -> None:
        if self.full:
            raise OSError("no space left")
        json.loads(raw)
        self.buried.append((event_id, why))


class Poisoned(Listening):
    """Fails each time for one text."""

    def __init__(self, poison: str) -> None:
        super().__init__()
        self.poison = poison
        self.tries = 0

    async def __call__(self, event: Inbound) -> None:
        if event.text == self.poison:
            self.tries += 1
            raise ValueError("cannot store this")
        await super().__call__(event)


async def ended(server: DiscordServer, tmp_path: Path, **changes: float) -> Exception:
    """The exception with which the adapter gives up."""
    adapter = adapter_of(server, tmp_path, quick(**changes))
    try:
        async with asyncio.timeout(PATIENCE):
            with pytest.raises((PlatformDown, DiscordUnreachable)) as given_up:
                await adapter.run(Listening())
    finally:
        await adapter.close()
    assert server.token not in str(given_up.value)
    return given_up.value


class TestOneClearLine:
    async def test_a_bad_token(self, server: DiscordServer, tmp_path: Path) -> None:
        server.token = "something.else.entirely"
        adapter = adapter_of(server, tmp_path)
        server.token = "the.right.one"
        with pytest.raises(PlatformDown, match="does not accept the bot's token"):
            await adapter.run(Listening())
        await adapter.close()

    async def test_a_missing_intent(self, server: DiscordServer, tmp_path: Path) -> None:
        server.gateway.privileged = 0
        error = await ended(server, tmp_path)
        assert isinstance(error, PlatformDown)
        assert "Message Content Intent" in str(error)
        assert "portal" in str(error)

    @pytest.mark.parametrize("code", sorted(FATAL))
    async def test_a_connection_that_will_never_be_taken(
        self, server: DiscordServer, tmp_path: Path, code: int
    ) -> None:
        server.gateway.refuse_next(code)
        assert isinstance(await ended(server, tmp_path), PlatformDown)
        assert server.gateway.identified == 0

    def test_something_that_is_no_token(self, tmp_path: Path) -> None:
        with pytest.raises(PlatformDown, match="developer portal"):
            build(AdapterContext({"token": "4294967311:AAsomething"}, "default", str(tmp_path)))

    async def test_a_token_that_is_in_use(self, server: DiscordServer, tmp_path: Path) -> None:
        lock = TokenLock("discord", tmp_path / "locks", server.token, server.api_url, "another")
        lock.acquire()
        assert "profile another" in str(await ended(server, tmp_path))
        lock.release()

    @pytest.mark.parametrize("fault", [Fault.BAD_GATEWAY, Fault.HTML, Fault.RESET, Fault.HANG, Fault.BANNED])
    async def test_a_login_that_fails_may_work_later(
        self, server: DiscordServer, tmp_path: Path, fault: Fault
    ) -> None:
        server.misbehave("get_me", fault, times=2)  # a broken GET is made again by the HTTP library
        assert isinstance(await ended(server, tmp_path, answer=0.2), DiscordUnreachable)
        server.behave("get_me")
        async with open_adapter(adapter_of(server, tmp_path)):
            pass


class TestConnections:
    @pytest.mark.parametrize("code", [1000, 1001, ABNORMAL, *(set(GATEWAY_CODES) - FATAL)])
    async def test_after_every_end_it_listens_again(
        self, server: DiscordServer, tmp_path: Path, ada: Person, code: int
    ) -> None:
        async with open_adapter(adapter_of(server, tmp_path)) as ear:
            ada.says("one")
            await until_heard(ear, "one")
            server.gateway.close(code)
            ada.says("two")
            await until_heard(ear, "one", "two")
            ada.says("three")
            await until_heard(ear, "one", "two", "three")
        assert server.gateway.resumed + server.gateway.identified == 2

    async def test_what_may_be_resumed_is_resumed(self, server: DiscordServer, tmp_path: Path, ada: Person) -> None:
        async with open_adapter(adapter_of(server, tmp_path)) as ear:
            server.gateway.ask_to_reconnect()
            await server.until(lambda: server.gateway.resumed == 1)
            server.gateway.invalidate(resumable=True)
            await server.until(lambda: server.gateway.resumed == 2)
            ada.says("there?")
            await until_heard(ear, "there?")
        assert server.gateway.identified == 1
        assert not server.called("get_messages"), "nothing was missed"

    async def test_what_was_said_while_a_session_was_lost_is_fetched(
        self, server: DiscordServer, tmp_path: Path, ada: Person, lobby: Room
    ) -> None:
        async with open_adapter(adapter_of(server, tmp_path)) as ear:
            ada.says("one")
            ada.says("in the lobby", chat=lobby, mention=True)
            await until_heard(ear, "one", "in the lobby")
            server.gateway.forget_sessions()
            for text in ("two", "three"):
                ada.says(text)
            ada.says("still there?", chat=lobby, mention=True)
            await eventually(lambda: len(texts(ear)) == 5)
            ada.says("four")
            await eventually(lambda: len(texts(ear)) == 6)
        assert [text for text in texts(ear) if "there" not in text and "lobby" not in text] == [
            "one", "two", "three", "four",
        ]  # fmt: skip
        assert server.gateway.identified == 2

    async def test_a_deaf_connection_is_given_up_and_never_called_well(
        self, server: DiscordServer, tmp_path: Path, ada: Person
    ) -> None:
        server.gateway.heartbeat_seconds = 0.05
        adapter = adapter_of(server, tmp_path, quick(deaf=0.3, stop=0.1))
        async with open_adapter(adapter) as ear:
            last = adapter.last_heard or 0.0
            await eventually(lambda: (adapter.last_heard or 0.0) > last)  # heartbeats are heard
            server.gateway.go_silent()
            ada.says("hello?")
            await until_heard(ear, "hello?")
        assert len(server.called("connect_gateway")) == 2

    async def test_nothing_is_called_well_that_was_never_heard(self, server: DiscordServer, tmp_path: Path) -> None:
        clock = FakeClock()
        server.misbehave("connect_gateway", Fault.HANG)
        adapter = adapter_of(server, tmp_path, now=clock.now)
        run = asyncio.create_task(adapter.run(Listening()))
        await server.until(lambda: server.hung == 1)
        await clock.advance(300)
        assert adapter.last_heard is None
        assert not adapter.listening
        run.cancel()
        await asyncio.wait({run})
        await adapter.close()

    async def test_after_failures_in_a_row_it_asks_to_be_started_anew(
        self, server: DiscordServer, tmp_path: Path, ada: Person
    ) -> None:
        server.misbehave("connect_gateway", Fault.RESET, times=4)  # each GET is made twice
        server.misbehave("connect_gateway", Fault.BAD_GATEWAY, times=2)
        adapter = adapter_of(server, tmp_path, quick(rebuilds=3))
        with pytest.raises(DiscordUnreachable):
            await adapter.run(Listening())
        ear = Listening()
        run = asyncio.create_task(adapter.run(ear))  # as the house does after a pause
        await server.until_connected()
        ada.says("again")
        await until_heard(ear, "again")
        run.cancel()
        await asyncio.wait({run})
        await adapter.close()
        assert len(server.called("get_me")) == 1, "logged in once"

    async def test_new_sessions_are_asked_for_rarely_when_they_are_refused(
        self, server: DiscordServer, tmp_path: Path
    ) -> None:
        server.gateway.refuse_next(*[4000] * 100)
        patience = quick(sessions=5, rare=1000.0, pause=0.0, rebuilds=2)
        adapter = adapter_of(server, tmp_path, patience)
        for _ in range(2):  # the house starts it anew
            run = asyncio.ensure_future(adapter.run(Listening()))
            await eventually(lambda run=run: run.done() or len(server.called("connect_gateway")) >= 5)  # type: ignore[misc]
            await asyncio.sleep(0.2)  # time to do it once too often
            run.cancel()
            with contextlib.suppress(DiscordUnreachable, asyncio.CancelledError):
                await run
        await adapter.close()
        assert len(server.called("connect_gateway")) == 5, "Discord resets the token of a bot that asks too often"


class TestStoring:
    async def test_an_event_that_cannot_be_stored_is_put_aside(
        self, server: DiscordServer, tmp_path: Path, ada: Person
    ) -> None:
        grave, ear = Graveyard(), Poisoned("poison")
        async with open_adapter(adapter_of(server, tmp_path, bury=grave), ear):
            message = ada.says("poison")
            ada.says("water")
            await until_heard(ear, "water")
        assert ear.tries == 3
        assert grave.buried == [(str(message.id), "ValueError: cannot store this")]
        async with open_adapter(adapter_of(server, tmp_path)) as ear:
            ada.says("more")
            await until_heard(ear, "more")

    async def test_when_nothing_can_be_stored_it_is_fetched_again(
        self, server: DiscordServer, tmp_path: Path, ada: Person
    ) -> None:
        grave, ear = Graveyard(full=True), Poisoned("poison")
        async with open_adapter(adapter_of(server, tmp_path, bury=grave), ear):
            ada.says("poison")
            await eventually(lambda: ear.tries >= 3)
            ear.poison = ""  # the disk has room again
            await until_heard(ear, "poison")
            ada.says("water")
            await until_heard(ear, "poison", "water")

    async def test_a_channel_that_is_slow_does_not_hold_up_the_others(
        self, server: DiscordServer, tmp_path: Path, ada: Person
    ) -> None:
        gate = asyncio.Event()

        class Slow(Listening):
            async def __call__(self, event: Inbound) -> None:
                if event.text == "slow":
                    await gate.wait()
                await super().__call__(event)

        ear = Slow()
        async with open_adapter(adapter_of(server, tmp_path), ear):
            ada.says("slow")
            ada.says("after slow")
            server.user(ADA + 1, "Ben").says("quick")
            await until_heard(ear, "quick")
            gate.set()
            await until_heard(ear, "quick", "slow", "after slow")

    async def test_what_is_being_stored_at_the_stop_is_stored_to_its_end(
        self, server: DiscordServer, tmp_path: Path, ada: Person
    ) -> None:
        ear = Listening()

        async def slowly(event: Inbound) -> None:
            ear.tried += 1
            await asyncio.sleep(0.05)
            await ear(event)

        adapter = adapter_of(server, tmp_path)
        run = asyncio.create_task(adapter.run(slowly))
        await server.until_connected()
        ada.says("hello")
        await eventually(lambda: ear.tried >= 1)
        run.cancel()
        await asyncio.wait({run})
        assert texts(ear) == ["hello"]
        await adapter.close()

    async def test_an_event_that_cannot_be_parsed_ends_nothing(
        self, server: DiscordServer, tmp_path: Path, ada: Person
    ) -> None:
        grave = Graveyard()
        async with open_adapter(adapter_of(server, tmp_path, bury=grave)) as ear:
            server.gateway.dispatch("MESSAGE_CREATE", lambda _: {"id": "77", "channel_id": "5"})
            server.gateway.dispatch("GUILD_ROLE_CREATE", lambda _: {"nothing": "known"})
            ada.says("still there?")
            await until_heard(ear, "still there?")
            await eventually(lambda: bool(grave.buried))
        assert [event_id for event_id, _ in grave.buried] == ["77"]
        assert len(server.called("connect_gateway")) == 1


@contextmanager
def warnings_of(name: str) -> Iterator[list[str]]:
    """The texts of the warnings that a part of the house logs."""
    told: list[str] = []

    class Keeper(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.append(record.getMessage())

    keeper, logger = Keeper(logging.WARNING), logging.getLogger(name)
    logger.addHandler(keeper)
    try:
        yield told
    finally:
        logger.removeHandler(keeper)


async def test_messages_without_words_are_explained_once(
    server: DiscordServer, tmp_path: Path, ada: Person, lobby: Room
) -> None:
    with warnings_of("platforms.discord") as told:
        async with open_adapter(adapter_of(server, tmp_path)) as ear:
            for _ in range(2):
                ada.says("", chat=lobby)
            ada.says("words", chat=lobby)
            await until_heard(ear, "words")
    assert len([each for each in told if "Message Content Intent" in each]) == 1


async def test_two_bots_in_one_process_keep_to_their_servers(server: DiscordServer, tmp_path: Path) -> None:
    async with DiscordServer() as other:
        ears: dict[DiscordServer, Listening] = {}
        adapters: list[DiscordAdapter] = [
            adapter_of(each, tmp_path / str(number)) for number, each in enumerate((server, other))
        ]
        async with open_adapter(adapters[0]) as ears[server], open_adapter(adapters[1]) as ears[other]:
            for each in (server, other):
                each.gateway.invalidate()
            for each in (server, other):
                await each.until(lambda each=each: each.gateway.identified == 2)
                each.user(ADA).says(f"to {each.port}")
            for each in (server, other):
                await until_heard(ears[each], f"to {each.port}")
