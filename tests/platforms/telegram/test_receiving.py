"""Receiving, whatever goes wrong: nothing is confirmed unstored, and no update or network stops the rest."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from platforms.contract import PATIENCE, Listening, eventually
from platforms.errors import PlatformDown
from platforms.messages import Button, Inbound, Outbound
from platforms.telegram.adapter import build
from platforms.telegram.errors import TelegramUnreachable
from platforms.token_lock import TokenLock
from tests.fakes.telegram import BotApi, Fault, Refusal
from tests.fakes.telegram.faults import conflict, flood
from tests.platforms.telegram.house import adapter_of, direct, open_adapter, quick


@pytest.fixture
async def server() -> AsyncIterator[BotApi]:
    async with BotApi() as server:
        yield server


@dataclass
class Graveyard:
    """Keeps what could not be handled; full when told to be."""

    buried: list[tuple[str, str, dict[str, object]]] = field(default_factory=list)
    full: bool = False

    async def __call__(self, event_id: str, why: str, raw: str) -> None:
        if self.full:
            raise OSError("no space left")
        self.buried.append((event_id, why, json.loads(raw)))


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


class Gated(Listening):
    """Stores only when the gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    async def __call__(self, event: Inbound) -> None:
        self.tried += 1
        await self.gate.wait()
        self.heard.append(event)


async def ended(server: BotApi, tmp_path: Path, **changes: float) -> Exception:
    """The exception with which the adapter gives up."""
    adapter = adapter_of(server, tmp_path, quick(**changes))
    try:
        async with asyncio.timeout(PATIENCE):
            with pytest.raises((PlatformDown, TelegramUnreachable)) as given_up:
                await adapter.run(Listening())
    finally:
        await adapter.close()
    assert server.token.partition(":")[2] not in str(given_up.value)
    return given_up.value


async def test_telegram_hears_of_it_only_when_it_is_stored(server: BotApi, tmp_path: Path) -> None:
    ear = Gated()
    async with open_adapter(adapter_of(server, tmp_path), ear):
        server.user(111).says("hello")
        await eventually(lambda: ear.tried == 1)
        polls = len(server.called("getUpdates"))
        await asyncio.sleep(0.05)
        assert len(server.called("getUpdates")) == polls, "no poll while something is being stored"
        assert len(server.world.updates) == 1
        ear.gate.set()
        await server.until_confirmed()
    assert [event.text for event in ear.heard] == ["hello"]


async def test_what_is_being_stored_at_the_stop_is_stored_to_its_end(server: BotApi, tmp_path: Path) -> None:
    ear = Gated()
    async with open_adapter(adapter_of(server, tmp_path), ear):
        server.user(111).says("hello")
        await eventually(lambda: ear.tried == 1)
        asyncio.get_running_loop().call_later(0.05, ear.gate.set)
    assert [event.text for event in ear.heard] == ["hello"]
    async with open_adapter(adapter_of(server, tmp_path)) as again:
        (event,) = await again.until_heard(1)
        assert event.event_id == ear.heard[0].event_id, "unconfirmed, so it comes again under the same id"


async def test_what_was_stored_before_the_stop_does_not_come_again(server: BotApi, tmp_path: Path) -> None:
    async with open_adapter(adapter_of(server, tmp_path)) as ear:
        server.user(111).says("hello")
        await ear.until_heard(1)
    async with open_adapter(adapter_of(server, tmp_path)) as again:
        server.user(111).says("more")
        (event,) = await again.until_heard(1)
        assert event.text == "more"


class TestPoison:
    """An update that nobody can handle is put aside after a few tries, and the next one is served."""

    async def test_one_that_cannot_be_stored(self, server: BotApi, tmp_path: Path) -> None:
        grave, ear = Graveyard(), Poisoned("poison")
        async with open_adapter(adapter_of(server, tmp_path, bury=grave), ear):
            update = server.user(111).says("poison")
            server.user(222).says("next")
            await ear.until_heard(1)
            await server.until_confirmed()
        assert update is not None
        ((event_id, why, raw),) = grave.buried
        assert (event_id, ear.tries) == (str(update["update_id"]), 3)
        assert "cannot store this" in why
        assert raw["update_id"] == update["update_id"]

    async def test_one_that_the_library_cannot_parse(self, server: BotApi, tmp_path: Path) -> None:
        grave = Graveyard()
        async with open_adapter(adapter_of(server, tmp_path, bury=grave)) as ear:
            server.user(111).says("before")
            broken = server.send_raw({"message": {"message_id": 1, "text": "no date, no chat"}})
            server.user(111).says("after")
            await ear.until_heard(2)
            await server.until_confirmed()
            alone = server.send_raw({"callback_query": {"id": "1", "from": {"id": "x"}}})
            await server.until_confirmed()
        assert [event.text for event in ear.heard] == ["before", "after"]
        assert [event_id for event_id, _, _ in grave.buried] == [str(each["update_id"]) for each in (broken, alone)]
        assert grave.buried[0][2] == broken
        assert len(server.called("getUpdates")) < 10, "it is not asked for again and again"

    async def test_nothing_is_confirmed_while_nothing_can_be_stored(self, server: BotApi, tmp_path: Path) -> None:
        grave, ear = Graveyard(full=True), Poisoned("hello")
        async with open_adapter(adapter_of(server, tmp_path, bury=grave), ear):
            server.user(111).says("hello")
            await eventually(lambda: ear.tries >= 7)
            assert len(server.world.updates) == 1
            ear.poison = ""
            await server.until_confirmed()
        assert [event.text for event in ear.heard] == ["hello"]

    async def test_a_broken_answer_is_asked_for_again(self, server: BotApi, tmp_path: Path) -> None:
        for fault in (Fault.CUT, Fault.BAD_GATEWAY, Fault.RESET, Refusal(500, "Internal Server Error")):
            server.misbehave("getUpdates", fault)
        async with open_adapter(adapter_of(server, tmp_path)) as ear:
            server.user(111).says("hello")
            await ear.until_heard(1)
            await server.until_confirmed()
        assert [event.text for event in ear.heard] == ["hello"]


class TestDeafness:
    async def test_a_poller_that_hears_nothing_is_built_anew(self, server: BotApi, tmp_path: Path) -> None:
        adapter = adapter_of(server, tmp_path, quick(deaf=0.3, poll=0.05, stop=0.1))
        async with open_adapter(adapter) as ear:
            await eventually(lambda: adapter.last_heard is not None)
            server.misbehave("getUpdates", Fault.HANG, times=2)
            await server.until(lambda: server.hung == 2)
            server.user(111).says("are you there?")
            await ear.until_heard(1)
            assert len(server.called("getMe")) > 1

    async def test_after_a_blip_and_silence_it_hears_again(self, server: BotApi, tmp_path: Path) -> None:
        adapter = adapter_of(server, tmp_path, quick(deaf=0.3, poll=0.05, stop=0.1))
        async with open_adapter(adapter) as ear:
            await eventually(lambda: adapter.last_heard is not None)
            await server.close()
            await asyncio.sleep(0.1)
            server.misbehave("getUpdates", Fault.HANG)
            server.user(111).says("are you there?")
            await server.open()
            await ear.until_heard(1)

    async def test_it_gives_up_when_new_pollers_hear_nothing_either(self, server: BotApi, tmp_path: Path) -> None:
        server.misbehave("getUpdates", Fault.HANG, times=50)
        error = await ended(server, tmp_path, deaf=0.1, poll=0.05, stop=0.05, rebuilds=2)
        assert isinstance(error, TelegramUnreachable)
        assert len(server.called("getMe")) == 3

    async def test_when_it_was_last_heard_can_be_read(self, server: BotApi, tmp_path: Path) -> None:
        moment = [1_800_000_000.0]
        adapter = adapter_of(server, tmp_path, quick(poll=0.05), now=lambda: moment[0])
        assert adapter.last_heard is None
        async with open_adapter(adapter):
            await eventually(lambda: adapter.last_heard == 1_800_000_000.0)
            server.misbehave("getUpdates", Fault.HANG)
            await server.until(lambda: server.hung == 1)
            moment[0] += 3600
            await asyncio.sleep(0.1)
            assert adapter.last_heard == 1_800_000_000.0

    async def test_storing_that_takes_long_is_no_deafness(self, server: BotApi, tmp_path: Path) -> None:
        ear = Gated()
        async with open_adapter(adapter_of(server, tmp_path, quick(deaf=0.1, poll=0.05)), ear):
            server.user(111).says("hello")
            await eventually(lambda: ear.tried == 1)
            await asyncio.sleep(0.3)
            assert len(server.called("getMe")) == 1
            ear.gate.set()
            await server.until_confirmed()
        assert ear.tried == 1

    async def test_a_server_that_is_away_at_the_start_is_worth_another_try(
        self, server: BotApi, tmp_path: Path
    ) -> None:
        await server.close()
        assert isinstance(await ended(server, tmp_path), TelegramUnreachable)

    async def test_it_leaves_telegram_alone_as_long_as_it_is_asked_to(self, server: BotApi, tmp_path: Path) -> None:
        adapter = adapter_of(server, tmp_path, quick(deaf=0.1, poll=0.02))
        async with open_adapter(adapter) as ear:
            await eventually(lambda: adapter.last_heard is not None)
            server.misbehave("getUpdates", flood(0.5))
            await server.until(lambda: not server.queued("getUpdates"))
            polls = len(server.called("getUpdates"))
            await asyncio.sleep(0.2)
            assert (len(server.called("getUpdates")), len(server.called("getMe"))) == (polls, 1)
            server.user(111).says("hello")
            await ear.until_heard(1)

    async def test_it_stops_though_everything_hangs(self, server: BotApi, tmp_path: Path) -> None:
        adapter = adapter_of(server, tmp_path, quick(stop=0.1))
        async with open_adapter(adapter):
            server.misbehave("getUpdates", Fault.HANG, times=9)
            server.user(111).says("wakes the poll")
            await server.until(lambda: server.hung >= 1)
        assert server.hung >= 1


class TestOneTokenOnePoller:
    async def test_a_poll_that_lingers_is_forgiven(self, server: BotApi, tmp_path: Path) -> None:
        server.misbehave("getUpdates", conflict(), times=2)
        async with open_adapter(adapter_of(server, tmp_path)) as ear:
            server.user(111).says("hello")
            await ear.until_heard(1)

    async def test_another_poller_that_stays_ends_it_with_a_clear_word(self, server: BotApi, tmp_path: Path) -> None:
        server.misbehave("getUpdates", conflict(), times=100)
        error = await ended(server, tmp_path)
        assert isinstance(error, PlatformDown)
        assert "somebody else takes this bot's messages" in str(error)
        assert len(server.called("getUpdates")) < 20

    async def test_of_two_that_cannot_see_each_others_lock_neither_goes_on_for_ever(
        self, server: BotApi, tmp_path: Path
    ) -> None:
        errors = await asyncio.gather(ended(server, tmp_path / "here"), ended(server, tmp_path / "there"))
        assert any("somebody else takes this bot's messages" in str(error) for error in errors)

    async def test_two_homes_on_one_token(self, server: BotApi, tmp_path: Path) -> None:
        async with open_adapter(adapter_of(server, tmp_path)):
            error = await ended(server, tmp_path)
            assert isinstance(error, PlatformDown)
            assert f"process {os.getpid()} (profile default)" in str(error)
            async with BotApi() as elsewhere, open_adapter(adapter_of(elsewhere, tmp_path)):
                assert elsewhere.token == server.token, "the same token at another address is another bot"
        async with open_adapter(adapter_of(server, tmp_path)):
            assert len(server.called("getMe")) == 2

    def test_a_lock_whose_process_died_is_taken_over(self, tmp_path: Path) -> None:
        first = TokenLock("telegram", tmp_path, "1:abc", "http://x", "one")
        first.acquire()
        (file,) = tmp_path.iterdir()
        first.release()
        file.write_text(json.dumps({"pid": 1, "profile": "dead"}))
        second = TokenLock("telegram", tmp_path, "1:abc", "http://x", "two")
        second.acquire()
        assert json.loads(file.read_text())["profile"] == "two"
        with pytest.raises(PlatformDown, match="profile two"):
            first.acquire()
        second.release()
        assert "abc" not in file.name

    async def test_a_token_that_telegram_does_not_know(self, server: BotApi, tmp_path: Path) -> None:
        server.misbehave("getMe", Refusal(401, "Unauthorized"))
        assert str(await ended(server, tmp_path)) == "Telegram does not accept the bot's token"

    async def test_a_token_that_is_taken_back_while_it_runs(self, server: BotApi, tmp_path: Path) -> None:
        server.misbehave("getUpdates", Refusal(401, "Unauthorized"), after=1)
        asyncio.get_running_loop().call_later(0.1, server.user(111).says, "wakes the poll")
        assert str(await ended(server, tmp_path)) == "Telegram does not accept the bot's token"

    def test_what_is_no_token_is_refused_without_repeating_it(self, tmp_path: Path) -> None:
        from platforms.manifest import AdapterContext

        with pytest.raises(PlatformDown) as refused:
            build(AdapterContext({"token": "a secret word"}, "default", str(tmp_path)))
        assert "secret word" not in str(refused.value)


class TestPresses:
    async def test_a_press_is_answered_once_stored(self, server: BotApi, tmp_path: Path) -> None:
        adapter, ear = adapter_of(server, tmp_path), Gated()
        async with open_adapter(adapter, ear):
            ada = server.user(111)
            await adapter.send(Outbound(direct(), "A write waits", ((Button("Approve", "/memory approve 1a"),),)))
            query = ada.presses("Approve")
            await eventually(lambda: ear.tried == 1)
            assert not server.world.queries[query].answered
            ear.gate.set()
            await eventually(lambda: server.world.queries[query].answered)

    async def test_a_press_that_is_too_old_to_be_answered_is_heard_all_the_same(self, tmp_path: Path) -> None:
        moment = [1_800_000_000.0]
        async with BotApi(now=lambda: moment[0]) as server:
            adapter = adapter_of(server, tmp_path, now=lambda: moment[0])
            server.user(111)
            await adapter.send(Outbound(direct(), "A write waits", ((Button("Approve", "/memory approve 1a"),),)))
            query = server.user(111).presses("Approve")
            moment[0] += 3600
            async with open_adapter(adapter) as ear:
                (event,) = await ear.until_heard(1)
                await server.until(lambda: bool(server.called("answerCallbackQuery")))
            assert (event.text, event.pressed) == ("/memory approve 1a", True)
            assert not server.world.queries[query].answered


async def test_the_menu_is_set_only_when_it_differs(server: BotApi, tmp_path: Path) -> None:
    commands = {"new": "Start afresh", "memory-graph": "cannot be listed", "status": "How things stand"}
    for listed in (commands, commands, commands | {"stop": "Stop"}):
        asked = len(server.called("getMyCommands"))
        async with open_adapter(adapter_of(server, tmp_path, commands=listed)):
            await server.until(lambda asked=asked: len(server.called("getMyCommands")) > asked)
            await asyncio.sleep(0.05)
    assert [[each["command"] for each in call["commands"]] for call in server.called("setMyCommands")] == [
        ["new", "status"],
        ["new", "status", "stop"],
    ]
