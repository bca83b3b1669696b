"""The real server with the real small model: right answers, caches that last, and a process that dies with us."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from gateway.clock import SystemClock
from gateway.models.catalogue import DEFAULT_MODEL, entry_named
from gateway.models.client import Delta, Message, Reply, Request, TextDelta, Waiting
from gateway.models.errors import HostDown, StreamBroken
from gateway.models.local import LocalHost
from tests.models.test_local import into, is_running, until

pytestmark = pytest.mark.model
STAYS = pytest.mark.asyncio(loop_scope="module")
"""For tests that share a server, which lives in the module's loop."""

PERSONA = "You are a helpful AI assistant named Innkeeper. Give correct, short answers."
SHARED = PERSONA + " " + " ".join(f"Guest {room} is in room {room * 7}." for room in range(12))


class Chats:
    """Chats on one host, each with its own history; knows the cached share of each answer."""

    def __init__(self, weights: Path, profile: Path) -> None:
        self._weights = weights
        self.profile = profile
        self._history: dict[str, tuple[Message, ...]] = {}
        self._previous: dict[str, int] = {}
        self.host = self._open()

    def _open(self) -> LocalHost:
        entry = entry_named(DEFAULT_MODEL)
        assert entry is not None
        return LocalHost(
            self._weights,
            self.profile,
            clock=SystemClock(),
            name=entry.name,
            window=2048,
            temperature=entry.temperature,
        )

    async def say(self, session: str, text: str, task: str = "chat") -> float:
        """One turn; returns cached tokens over the prompt tokens of the session's previous request."""
        start = (Message("system", f"{SHARED} You talk with {session}."),)
        messages = (*self._history.get(session, start), Message("user", text))
        answer = await last(self.host, Request(messages, session=session, task=task, max_tokens=12))
        share = answer.usage.cached / self._previous.get(session, 1_000_000)
        if task == "chat":
            self._history[session] = (*messages, Message("assistant", answer.text))
            self._previous[session] = answer.usage.input
        return share

    def kill(self) -> None:
        """As a crash does."""
        os.kill(self.host.pid, signal.SIGKILL)

    async def restart(self) -> None:
        """As if the whole gateway had been killed: nothing but the files is left."""
        self.kill()
        await self.host.close()
        self.host = self._open()


async def last(host: LocalHost, request: Request) -> Reply:
    final = [delta async for delta in host.stream(request)][-1]
    assert isinstance(final, Reply)
    return final


@pytest.fixture
async def chats(weights: Path, tmp_path: Path) -> AsyncIterator[Chats]:
    opened = Chats(weights, tmp_path / "profile")
    yield opened
    await opened.host.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def open_house(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Chats]:
    """One server for all tests that leave it running. Each has guests of its own, so that it finds nothing in the
    cache but what it put there, and the shared beginning."""
    opened = Chats(weights, tmp_path_factory.mktemp("open-house") / "profile")
    yield opened
    await opened.host.close()


@STAYS
async def test_easy_questions_are_answered_right_at_default_settings(open_house: Chats) -> None:
    async def answer(question: str) -> str:
        request = Request((Message("system", PERSONA), Message("user", question)), max_tokens=48)
        return (await last(open_house.host, request)).text.lower()

    assert "paris" in await answer("What is the capital of France?")
    assert "blue" in await answer("What color is the sky on a clear day?")
    assert "7" in await answer("How many days are in a week?")


@STAYS
async def test_the_second_turn_is_not_read_again(open_house: Chats) -> None:
    await open_house.say("anna", "What is the capital of France?")
    assert await open_house.say("anna", "And of Spain?") >= 0.95


@STAYS
async def test_another_chat_in_between_costs_nothing(open_house: Chats) -> None:
    await open_house.say("cora", "What is the capital of France?")
    await open_house.say("dirk", "How many days are in a week?")
    assert await open_house.say("cora", "And of Spain?") >= 0.95
    assert await open_house.say("dirk", "And in a year?") >= 0.95


@STAYS
async def test_a_review_reads_only_its_question_and_costs_the_chat_nothing(open_house: Chats) -> None:
    await open_house.say("emma", "What is the capital of France?")
    assert await open_house.say("emma", "What of this is worth keeping?", task="background_review") >= 0.95
    assert await open_house.say("emma", "And of Spain?") >= 0.95


@STAYS
async def test_one_who_is_new_gets_the_shared_beginning_for_nothing(open_house: Chats) -> None:
    await open_house.say("fred", "What is the capital of France?")
    messages = (Message("system", f"{SHARED} You talk with carl."), Message("user", "Hello"))
    answer = await last(open_house.host, Request(messages, session="carl", max_tokens=8))
    assert answer.usage.cached / answer.usage.input >= 0.8


async def test_after_the_process_was_killed_the_next_turn_is_not_read_again(chats: Chats) -> None:
    await chats.say("anna", "What is the capital of France?")
    chats.kill()
    assert await chats.say("anna", "And of Spain?") >= 0.95


async def test_after_a_restart_every_chat_and_its_review_find_their_cache_in_any_order(chats: Chats) -> None:
    await chats.say("anna", "What is the capital of France?")
    await chats.say("bert", "How many days are in a week?")
    await chats.restart()
    assert await chats.say("anna", "What of this is worth keeping?", task="background_review") >= 0.95
    assert await chats.say("bert", "And in a year?") >= 0.95
    assert await chats.say("anna", "And of Spain?") >= 0.95
    assert await chats.say("bert", "And in a month?") >= 0.95
    assert await chats.say("anna", "And of Italy?") >= 0.95


@STAYS
async def test_an_interrupted_turn_is_kept_when_another_chat_cuts_in(open_house: Chats) -> None:
    await open_house.say("gwen", "What is the capital of France?")
    long = Request(
        (Message("system", f"{SHARED} You talk with gwen."), Message("user", "Tell me a long story. " * 8)),
        session="gwen",
        max_tokens=200,
    )
    async with aclosing(open_house.host.stream(long)) as deltas:
        async for delta in deltas:
            if isinstance(delta, TextDelta):
                break
    await open_house.say("hugo", "How many days are in a week?")
    again = await last(open_house.host, Request(long.messages, session="gwen", max_tokens=4))
    assert again.usage.cached / again.usage.input >= 0.95


async def test_a_broken_slot_file_is_thrown_away_and_the_turn_answered(chats: Chats) -> None:
    await chats.say("anna", "What is the capital of France?")
    (file,) = (chats.profile / "cache" / "slots").glob("*.slot")
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    await chats.restart()
    assert await chats.say("anna", "And of Spain?") < 0.95
    assert await chats.say("anna", "And of Italy?") >= 0.95


async def test_killed_in_its_answer_it_breaks_the_stream_and_the_next_question_is_answered(chats: Chats) -> None:
    request = Request((Message("system", PERSONA), Message("user", "Count to one hundred.")), max_tokens=400)

    async def kill_at_the_first_word() -> None:
        async for delta in chats.host.stream(request):
            if isinstance(delta, TextDelta) and chats.host.pid:
                os.kill(chats.host.pid, signal.SIGKILL)

    with pytest.raises(StreamBroken):
        await kill_at_the_first_word()
    short = Request((Message("system", PERSONA), Message("user", "What is the capital of France?")), max_tokens=12)
    assert "Paris" in (await last(chats.host, short)).text


@STAYS
async def test_the_server_knows_its_window_and_takes_no_tools(open_house: Chats) -> None:
    info = await open_house.host.info()
    assert (info.window, info.tools, info.local) == (2048, False, True)


@STAYS
async def test_only_who_has_the_key_may_ask_it(open_house: Chats) -> None:
    await open_house.host.warm()
    assert open_house.host.endpoint is not None
    address, key = open_house.host.endpoint
    async with httpx.AsyncClient(base_url=address, trust_env=False) as stranger:
        assert (await stranger.get("/slots")).status_code == 401
        assert (await stranger.get("/slots", headers={"Authorization": f"Bearer {key}"})).status_code == 200


@STAYS
async def test_saved_slots_and_the_log_are_for_their_owner_only(open_house: Chats) -> None:
    await open_house.say("ida", "What is the capital of France?")
    files = list((open_house.profile / "cache" / "slots").glob("*.slot"))
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE((open_house.profile / "logs" / "local-host.log").stat().st_mode) == 0o600


async def test_a_file_that_is_no_model_is_refused_with_the_place_of_the_reason(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"this is no model" * 100)
    host = LocalHost(broken, tmp_path, clock=SystemClock())
    said: list[Delta] = []
    with pytest.raises(HostDown, match=r"could not load .*broken\.gguf; .*local-host\.log says why"):
        await into(said, host, Request((Message("user", "hello"),)))
    assert said == [Waiting("loading model broken")]
    assert "invalid magic" in (tmp_path / "logs" / "local-host.log").read_text()
    await host.close()


PARENT = """
import asyncio, sys
from pathlib import Path
from gateway.clock import SystemClock
from gateway.models.local import LocalHost

async def main():
    host = LocalHost(Path(sys.argv[1]), Path(sys.argv[2]), clock=SystemClock(), window=2048)
    await host.warm()
    print(host.pid, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


async def test_the_real_process_does_not_outlive_a_parent_that_is_killed(weights: Path, tmp_path: Path) -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-c", PARENT, str(weights), str(tmp_path)),
        cwd=Path(__file__).parents[2],
        stdout=asyncio.subprocess.PIPE,
    )
    assert parent.stdout is not None
    child = int(await parent.stdout.readline())
    assert is_running(child)
    parent.kill()
    await parent.wait()
    await until(lambda: not is_running(child))
