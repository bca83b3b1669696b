"""What becomes of a message when Discord or the network lets the bot down: each failure by its meaning."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from platforms.contract import Listening, failure_of
from platforms.discord.adapter import DiscordAdapter
from platforms.discord.sent import Sent, mark_of
from platforms.errors import NotSent, Refused, RetryAfter, Uncertain
from platforms.messages import Button, ChatRef, Outbound, OutFile
from tests.fakes.clock import FakeClock
from tests.fakes.discord import DiscordServer, Fault, Person, failed, rate_limited
from tests.platforms.discord.house import adapter_of, direct, open_adapter, quick

ADA = 222333444555666777


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def server(clock: FakeClock) -> AsyncIterator[DiscordServer]:
    async with DiscordServer(now=clock.now) as server:
        yield server


@pytest.fixture
def ada(server: DiscordServer) -> Person:
    return server.user(ADA, "Ada")


def house(server: DiscordServer, folder: Path, clock: FakeClock) -> DiscordAdapter:
    return adapter_of(server, folder, quick(answer=0.3, connect=0.3), now=clock.now)


@pytest.fixture
async def adapter(server: DiscordServer, tmp_path: Path, clock: FakeClock) -> AsyncIterator[DiscordAdapter]:
    adapter = house(server, tmp_path, clock)
    async with open_adapter(adapter):
        yield adapter


@pytest.mark.parametrize(
    "fault",
    [
        Fault.ACCEPT_AND_HANG,
        Fault.ACCEPT_AND_RESET,
        Fault.ACCEPT_AND_BAD_GATEWAY,
        Fault.ACCEPT_AND_UNAVAILABLE,
        Fault.CUT,
        Fault.HANG,
        Fault.RESET,
        Fault.BAD_GATEWAY,
        Fault.HTML,
        failed(),
    ],
)
async def test_after_a_lost_answer_the_same_nonce_makes_one_message(
    server: DiscordServer, adapter: DiscordAdapter, ada: Person, fault: Fault
) -> None:
    part = Outbound(direct(ada), "the answer", nonce="n" * 25)
    server.misbehave("create_message", fault)
    assert isinstance(await failure_of(adapter.send(part)), Uncertain)
    assert len(server.called("create_message")) == 1, "nobody but the engine tries again"
    sent = await adapter.send(part)
    assert [(str(each.message_id), each.text) for each in ada.seen()] == [(sent, "the answer")]


async def test_every_send_has_a_nonce_that_discord_enforces(
    server: DiscordServer, adapter: DiscordAdapter, ada: Person
) -> None:
    await adapter.send(Outbound(direct(ada), "one"))
    await adapter.send(Outbound(direct(ada), "two", nonce="n2"))
    given = [call.json for call in server.called("create_message")]
    assert all(each["enforce_nonce"] and 1 <= len(each["nonce"]) <= 25 for each in given)
    assert given[1]["nonce"] == "n2"


class TestFinding:
    """A part whose answer was lost, looked for when Discord has forgotten the nonce."""

    async def test_what_the_gateway_told_is_known(
        self, server: DiscordServer, adapter: DiscordAdapter, ada: Person
    ) -> None:
        server.misbehave("create_message", Fault.ACCEPT_AND_RESET)
        await failure_of(adapter.send(Outbound(direct(ada), "the answer", nonce="n1")))
        (seen,) = ada.seen()
        assert await adapter.find(direct(ada), "n1") == str(seen.message_id)

    async def test_after_a_restart_it_is_known_by_what_it_reads(
        self, server: DiscordServer, tmp_path: Path, ada: Person, clock: FakeClock
    ) -> None:
        first = house(server, tmp_path, clock)
        async with open_adapter(first):
            await first.send(Outbound(direct(ada), "done", nonce="n0"))
            server.gateway.go_silent()
            await clock.advance(10)
            server.misbehave("create_message", Fault.ACCEPT_AND_RESET)
            await failure_of(first.send(Outbound(direct(ada), "done", nonce="n1")))
            await failure_of(first.send(Outbound(direct(ada), "x" * 3000, nonce="n2")))
            server.misbehave("create_message", Fault.RESET)
            await failure_of(first.send(Outbound(direct(ada), "done", nonce="n3")))
        await clock.advance(600)
        again = house(server, tmp_path, clock)
        async with open_adapter(again):
            known, lost = ada.seen()
            assert await again.find(direct(ada), "n0") == str(known.message_id)
            assert await again.find(direct(ada), "n1") == str(lost.message_id)
            assert await again.find(direct(ada), "n2") is None
            assert await again.find(direct(ada), "n3") is None, "the same words belong to other parts"
            assert await again.find(direct(ada), "never sent") is None

    @pytest.mark.parametrize(
        "name", ["plan.txt", "my plan (2).txt", "計画.md", "_größe's.png", 'a"b\r\nX-Evil: 1.txt']
    )
    async def test_a_file_is_known_whatever_discord_makes_of_its_name(
        self, server: DiscordServer, tmp_path: Path, ada: Person, clock: FakeClock, name: str
    ) -> None:
        (tmp_path / "bytes").write_bytes(b"one\ntwo")
        part = Outbound(direct(ada), "", nonce="n1", file=OutFile(name, "text/plain", str(tmp_path / "bytes")))
        first = house(server, tmp_path, clock)
        async with open_adapter(first):
            server.gateway.go_silent()
            server.misbehave("create_message", Fault.ACCEPT_AND_RESET)
            await failure_of(first.send(part))
        await clock.advance(600)
        again = house(server, tmp_path, clock)
        async with open_adapter(again):
            (lost,) = ada.seen()
            assert lost.file is not None
            assert lost.file.data == b"one\ntwo"
            assert await again.find(direct(ada), "n1") == str(lost.message_id)

    async def test_a_look_that_fails_says_so(
        self, server: DiscordServer, adapter: DiscordAdapter, ada: Person
    ) -> None:
        server.misbehave("get_messages", Fault.BAD_GATEWAY)
        assert isinstance(await failure_of(adapter.find(direct(ada), "n1")), Uncertain)
        server.misbehave("get_messages", Fault.HTML)
        assert isinstance(await failure_of(adapter.find(direct(ada), "n1")), Uncertain)

    def test_the_journal_outlives_a_line_that_was_cut_off_and_stays_small(self, tmp_path: Path) -> None:
        journal = Sent(tmp_path / "sent.jsonl")
        for number in range(2500):
            journal.begin(f"n{number}", 1, mark_of("text"), 1_800_000_000.0)
        assert len((tmp_path / "sent.jsonl").read_text().splitlines()) <= 2000
        journal.ended("n2499", 77)
        with (tmp_path / "sent.jsonl").open("a") as file:
            file.write('["n2500", 1, "te')
        again = Sent(tmp_path / "sent.jsonl")
        assert (again.message("n2499"), again.message("n2498"), again.message("n2500")) == (77, None, None)


class TestLimits:
    async def test_429_is_said_at_once_and_nothing_is_sent_meanwhile(
        self, server: DiscordServer, adapter: DiscordAdapter, ada: Person
    ) -> None:
        server.misbehave("create_message", rate_limited(149.0))
        for _ in range(2):
            error = await failure_of(adapter.send(Outbound(direct(ada), "x")))
            assert isinstance(error, RetryAfter)
            assert 148 < error.seconds <= 149
        assert len(server.called("create_message")) == 1
        await adapter.send(Outbound(direct(server.user(ADA + 1)), "another chat is free"))

    async def test_a_limit_for_everything_stops_everything(
        self, server: DiscordServer, adapter: DiscordAdapter, ada: Person
    ) -> None:
        server.misbehave("create_message", rate_limited(20.0, "global"))
        for chat in (direct(ada), direct(server.user(ADA + 1))):
            assert isinstance(await failure_of(adapter.send(Outbound(chat, "x"))), RetryAfter)
        assert len(server.called("create_message")) == 1

    async def test_a_ban_is_a_limit(self, server: DiscordServer, adapter: DiscordAdapter, ada: Person) -> None:
        server.misbehave("create_message", Fault.BANNED)
        assert isinstance(await failure_of(adapter.send(Outbound(direct(ada), "x"))), RetryAfter)

    async def test_a_budget_that_is_used_up_is_not_overdrawn(
        self, server: DiscordServer, adapter: DiscordAdapter, ada: Person
    ) -> None:
        server.limits.set("create_message", 2, 60.0)
        for text in ("one", "two"):
            await adapter.send(Outbound(direct(ada), text))
        error = await failure_of(adapter.send(Outbound(direct(ada), "three")))
        assert isinstance(error, RetryAfter)
        assert len(server.called("create_message")) == 2


class TestRefusals:
    async def test_a_person_who_wants_nothing_more(
        self, server: DiscordServer, adapter: DiscordAdapter, ada: Person
    ) -> None:
        ada.blocks()
        error = await failure_of(adapter.send(Outbound(direct(ada), "x")))
        assert isinstance(error, Refused)
        assert "Cannot send messages to this user" in str(error)

    @pytest.mark.parametrize("chat", ["123456789012345678", "here", "٣"])
    async def test_a_chat_that_is_none(self, adapter: DiscordAdapter, chat: str) -> None:
        nowhere = ChatRef("discord", chat)
        assert isinstance(await failure_of(adapter.send(Outbound(nowhere, "x"))), Refused)
        assert isinstance(await failure_of(adapter.edit("1", Outbound(nowhere, "x"))), Refused)
        await adapter.typing(nowhere)
        await adapter.react(nowhere, "1", "👀")

    async def test_buttons_that_do_not_fit(self, adapter: DiscordAdapter, ada: Person) -> None:
        rows = tuple((Button(str(number), f"/{number}"),) for number in range(6))
        assert isinstance(await failure_of(adapter.send(Outbound(direct(ada), "x", rows))), Refused)

    async def test_when_discord_is_away_nothing_was_sent(
        self, server: DiscordServer, adapter: DiscordAdapter, ada: Person
    ) -> None:
        chat = direct(ada)
        await server.close()
        assert isinstance(await failure_of(adapter.send(Outbound(chat, "x"))), NotSent)

    async def test_before_the_login_nothing_was_sent(
        self, server: DiscordServer, tmp_path: Path, ada: Person, clock: FakeClock
    ) -> None:
        adapter = adapter_of(server, tmp_path, quick(connect=0.05), now=clock.now)
        assert isinstance(await failure_of(adapter.send(Outbound(direct(ada), "x"))), NotSent)
        await adapter.close()

    async def test_no_error_tells_the_token(
        self, server: DiscordServer, adapter: DiscordAdapter, ada: Person
    ) -> None:
        secret = server.token
        server.token = "another.token.altogether"
        error = await failure_of(adapter.send(Outbound(direct(ada), "x")))
        assert isinstance(error, NotSent)
        assert secret not in str(error)
        server.token = secret


async def test_an_edit_that_failed_leaves_the_message(
    server: DiscordServer, adapter: DiscordAdapter, ada: Person
) -> None:
    sent = await adapter.send(Outbound(direct(ada), "one"))
    server.misbehave("edit_message", Fault.HANG)
    assert isinstance(await failure_of(adapter.edit(sent, Outbound(direct(ada), "two"))), Uncertain)
    await adapter.edit(sent, Outbound(direct(ada), "two"))
    assert ada.texts() == ["two"]


async def test_nothing_is_lost_on_a_listener_meanwhile(
    server: DiscordServer, tmp_path: Path, ada: Person, clock: FakeClock
) -> None:
    adapter, ear = house(server, tmp_path, clock), Listening()
    async with open_adapter(adapter, ear):
        server.misbehave("create_message", Fault.HANG)
        ada.says("one")
        await failure_of(adapter.send(Outbound(direct(ada), "x")))
        ada.says("two")
        assert [each.text for each in await ear.until_heard(2)] == ["one", "two"]
