"""The supervised host with a stand-in for its process: loading, crashing, starting again, stopping."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from gateway.clock import Clock, SystemClock
from gateway.models.client import Delta, HostInfo, Message, Reply, Request, TextDelta, Waiting
from gateway.models.errors import HostDown, ModelMissing, StreamBroken
from gateway.models.local import CRASHES_ALLOWED, NOTICE_SECONDS, LocalHost, Seat
from tests.fakes.clock import FakeClock
from tests.fakes.llama_client import LlamaClient

PROMPT = "You are a helpful assistant. " + "Be kind to every guest. " * 20


class House:
    """A profile folder, a stage for the stand-in, and the hosts opened on them."""

    def __init__(self, folder: Path) -> None:
        self.profile = folder / "profile"
        self.stage = folder / "stage"
        self.stage.mkdir()
        self.weights = folder / "models" / "tiny.gguf"
        self.weights.parent.mkdir()
        self.weights.write_bytes(b"GGUF")
        self.hosts: list[LocalHost] = []
        self.seat: Seat | None = None

    def host(self, *plan: str, clock: Clock | None = None, known: HostInfo | None = None) -> LocalHost:
        """A host whose process behaves as planned, one behaviour a start; a second host goes on in the same plan."""
        if plan:
            (self.stage / "plan.json").write_text(json.dumps(plan))
        host = LocalHost(
            self.weights,
            self.profile,
            clock=clock or SystemClock(),
            known=known,
            client_for=LlamaClient,
            command=(sys.executable, "-m", "tests.fakes.llama_host", str(self.stage)),
            seat=self.seat,
        )
        self.hosts.append(host)
        return host

    @property
    def pids(self) -> list[int]:
        starts = self.stage / "starts.txt"
        return [int(line) for line in starts.read_text().splitlines()] if starts.exists() else []

    @property
    def requests(self) -> list[str]:
        return (self.stage / "requests.txt").read_text().splitlines()

    def go(self) -> None:
        (self.stage / "go").touch()


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    opened = House(tmp_path)
    yield opened
    for host in opened.hosts:
        await host.close()


def ask(text: str, session: str = "anna", task: str = "chat") -> Request:
    return Request((Message("system", PROMPT), Message("user", text)), session=session, task=task)


async def heard(host: LocalHost, request: Request) -> list[Delta]:
    return [delta async for delta in host.stream(request)]


async def into(said: list[Delta], host: LocalHost, request: Request) -> None:
    async for delta in host.stream(request):
        said.append(delta)


async def reply(host: LocalHost, request: Request) -> Reply:
    last = (await heard(host, request))[-1]
    assert isinstance(last, Reply)
    return last


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.01)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


async def test_nothing_runs_until_the_first_question_which_says_that_the_model_loads(house: House) -> None:
    host = house.host("serve")
    assert host.endpoint is None
    assert house.pids == []

    deltas = await heard(host, ask("hello"))

    assert deltas[0] == Waiting("loading model tiny")
    assert isinstance(deltas[-1], Reply)
    assert deltas[-1].text == "You said hello"
    assert (deltas[-1].host, deltas[-1].model) == ("local", "tiny")
    assert not any(isinstance(delta, Waiting) for delta in await heard(host, ask("again")))
    assert len(house.pids) == 1


async def test_a_long_load_is_announced_again_and_again_and_then_the_answer_comes(house: House) -> None:
    clock = FakeClock()
    host = house.host("load slowly", clock=clock)
    asking = asyncio.ensure_future(heard(host, ask("hello")))
    await until(lambda: clock.sleepers == 1)
    await clock.advance(40)
    house.go()

    deltas = await asking

    assert deltas.count(Waiting("loading model tiny")) == 3
    assert isinstance(deltas[-1], Reply)


async def test_warming_up_starts_the_process_once_however_many_ask(house: House) -> None:
    host = house.host("serve")
    await asyncio.gather(host.warm(), host.warm(), reply(host, ask("hello")))
    assert len(house.pids) == 1


async def test_who_gives_up_while_the_model_loads_does_not_stop_the_loading(house: House) -> None:
    host = house.host("load slowly")
    impatient = asyncio.ensure_future(heard(host, ask("hello")))
    await until(lambda: len(house.pids) == 1)
    impatient.cancel()
    await asyncio.wait([impatient])
    house.go()
    assert (await reply(host, ask("still there?"))).text == "You said still there?"
    assert len(house.pids) == 1


async def test_a_process_killed_before_the_first_word_is_started_again_and_the_question_answered(
    house: House,
) -> None:
    host = house.host("die before words", "serve")
    deltas = await heard(host, ask("hello"))
    assert isinstance(deltas[-1], Reply)
    assert deltas[-1].text == "You said hello"
    assert Waiting("the local model's process ended; starting it again") in deltas
    assert len(house.pids) == 2


async def test_a_process_killed_in_its_answer_breaks_the_stream_and_the_next_question_starts_a_new_one(
    house: House,
) -> None:
    host = house.host("die after words", "serve")
    said: list[Delta] = []
    with pytest.raises(StreamBroken, match="in the middle of its answer"):
        await into(said, host, ask("hello"))
    assert TextDelta("You said ") in said
    assert (await reply(host, ask("again"))).text == "You said again"
    assert len(house.pids) == 2


async def test_a_kept_connection_that_the_server_closed_costs_nothing(house: House) -> None:
    host = house.host("hang up once")
    assert (await reply(host, ask("hello"))).text == "You said hello"
    assert len(house.pids) == 1


async def test_killed_while_idle_it_is_started_again_by_the_next_question(house: House) -> None:
    host = house.host("serve")
    await host.warm()
    os.kill(house.pids[0], signal.SIGKILL)
    assert (await reply(host, ask("hello"))).text == "You said hello"
    assert len(house.pids) == 2


class Hurried(FakeClock):
    """Notes how long it was asked to sleep, and only sleeps where notices are paced."""

    def __init__(self) -> None:
        super().__init__()
        self.pauses: list[float] = []

    async def sleep(self, seconds: float) -> None:
        if seconds == NOTICE_SECONDS:
            await super().sleep(seconds)
        else:
            self.pauses.append(seconds)


async def test_one_that_keeps_crashing_is_not_started_for_ever_and_gets_another_chance_later(house: House) -> None:
    clock = Hurried()
    plan = ["die loading"] * CRASHES_ALLOWED
    host = house.host(*plan, "serve", clock=clock)
    for _ in plan:
        with pytest.raises(HostDown, match="ended with signal 9 while loading"):
            await heard(host, ask("hello"))
    with pytest.raises(HostDown, match=r"ended 5 times within ten minutes and is not started again for 10 min;"):
        await heard(host, ask("hello"))
    assert len(house.pids) == CRASHES_ALLOWED

    await clock.advance(601)

    assert (await reply(host, ask("hello"))).text == "You said hello"


async def test_restarts_come_ever_later(house: House) -> None:
    clock = Hurried()
    host = house.host("die loading", clock=clock)
    for _ in range(CRASHES_ALLOWED):
        with pytest.raises(HostDown):
            await host.warm()
    assert clock.pauses == [1, 2, 4]


async def test_a_process_that_hangs_is_ended_and_started_again(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.models.local_process.SLOT_SECONDS", 0.3)
    monkeypatch.setattr("gateway.models.local_process.PROBE_SECONDS", 0.3)
    first = house.host("serve")
    await reply(first, ask("hello"))  # leaves a saved slot, so that the next process is asked to restore it
    await first.close()
    second = house.host("deaf", "deaf", "serve")
    assert (await reply(second, ask("hello"))).text == "You said hello"
    assert not is_running(house.pids[1])


@pytest.mark.parametrize(
    ("behaviour", "reason"), [("refuse", "the file is no model"), ("babble", "its first words made no sense")]
)
async def test_a_model_that_cannot_be_loaded_says_why(house: House, behaviour: str, reason: str) -> None:
    host = house.host(behaviour)
    with pytest.raises(HostDown, match=reason):
        await host.warm()


async def test_a_missing_file_is_named_before_anything_is_started(house: House) -> None:
    host = house.host("serve")
    house.weights.unlink()
    with pytest.raises(ModelMissing, match=r"tiny\.gguf"):
        await heard(host, ask("hello"))
    assert house.pids == []


async def test_questions_are_answered_one_at_a_time_in_the_order_of_asking(house: House) -> None:
    host = house.host("pause after words")
    tasks = []
    for text in ("one", "two", "three"):
        tasks.append(asyncio.ensure_future(heard(host, ask(text))))
        await until(lambda: host.busy)
    await until(lambda: "ask one" in (house.requests if (house.stage / "requests.txt").exists() else []))
    assert [line for line in house.requests if line.startswith("ask")] == ["ask one"]
    house.go()
    answers = await asyncio.gather(*tasks)
    assert [line for line in house.requests if line.startswith("ask")] == ["ask one", "ask two", "ask three"]
    assert Waiting("waiting for its turn at the host") not in answers[1], "the host's limit says it already"
    assert not host.busy


async def test_at_most_one_models_process_runs(house: House) -> None:
    house.seat = Seat()
    first, second = house.host("serve"), house.host()
    for host in (first, second, second, first):
        assert (await reply(host, ask("hello"))).text == "You said hello"
    assert [is_running(pid) for pid in house.pids] == [False, False, True]


async def test_an_answer_is_finished_before_another_model_takes_its_place(house: House) -> None:
    house.seat = Seat()
    first, second = house.host("pause after words", "serve"), house.host()
    said: list[Delta] = []
    running = asyncio.ensure_future(into(said, first, ask("long story")))
    await until(lambda: any(isinstance(each, TextDelta) for each in said))
    warming = asyncio.ensure_future(second.warm())
    following = asyncio.ensure_future(reply(second, ask("hello")))
    await until(lambda: second.busy)
    assert len(house.pids) == 1
    house.go()
    await asyncio.gather(running, warming)
    assert isinstance(said[-1], Reply)
    assert (await following).text == "You said hello"
    assert [is_running(pid) for pid in house.pids] == [False, True]


async def test_closing_the_stream_gives_the_turn_to_the_next(house: House) -> None:
    host = house.host("pause after words")
    async with aclosing(host.stream(ask("long story"))) as deltas:
        async for delta in deltas:
            if isinstance(delta, TextDelta):
                break
    house.go()
    assert (await reply(host, ask("short one"))).text == "You said short one"


async def test_a_reader_who_stops_at_the_reply_does_not_keep_the_host(house: House) -> None:
    host = house.host("serve")
    stream = host.stream(ask("hello"))
    async for delta in stream:
        if isinstance(delta, Reply):
            break
    assert not host.busy
    await stream.aclose()


async def test_closing_stops_the_process_and_whoever_was_waiting(house: House) -> None:
    host = house.host("pause after words")
    asking = asyncio.ensure_future(heard(host, ask("hello")))
    await until(lambda: (house.stage / "requests.txt").exists() and "ask hello" in house.requests)
    await host.close()
    with pytest.raises((HostDown, StreamBroken)):
        await asking
    assert not is_running(house.pids[0])
    with pytest.raises(HostDown, match="being stopped"):
        await heard(host, ask("hello"))
    assert len(house.pids) == 1


async def test_closing_while_it_loads_leaves_no_process(house: House) -> None:
    host = house.host("load slowly")
    asking = asyncio.ensure_future(heard(host, ask("hello")))
    await until(lambda: len(house.pids) == 1)
    await host.close()
    with pytest.raises(HostDown, match="being stopped"):
        await asking
    assert not is_running(house.pids[0])


async def test_a_process_that_will_not_end_is_ended(house: House) -> None:
    host = house.host("stubborn")
    await host.warm()
    await host.close()
    assert not is_running(house.pids[0])


async def test_the_server_tells_its_window_and_that_it_takes_no_tools(house: House) -> None:
    host = house.host("serve")
    assert await host.info() == HostInfo(window=8192, tools=False, local=True)
    assert await host.info() == HostInfo(window=8192, tools=False, local=True)


async def test_what_the_catalogue_knows_needs_no_process(house: House) -> None:
    known = HostInfo(window=4096, tools=True, local=True)
    assert await house.host("serve", known=known).info() == known
    assert house.pids == []


async def test_a_host_that_cannot_start_is_taken_for_one_without_tools(house: House) -> None:
    info = await house.host("refuse").info()
    assert (info.tools, info.local) == (False, True)


PARENT = """
import asyncio, sys
from pathlib import Path
from gateway.clock import SystemClock
from gateway.models.local import LocalHost
from tests.fakes.llama_client import LlamaClient

async def main():
    weights, profile, *command = sys.argv[1:]
    host = LocalHost(Path(weights), Path(profile), clock=SystemClock(), client_for=LlamaClient, command=command)
    await host.warm()
    print("warm", flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.parametrize("behaviour", ["serve", "stubborn"])
async def test_the_process_does_not_outlive_a_parent_that_is_killed(house: House, behaviour: str) -> None:
    (house.stage / "plan.json").write_text(json.dumps([behaviour]))
    root = Path(__file__).parents[2]
    parent = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-c", PARENT, str(house.weights), str(house.profile)),
        *(sys.executable, "-m", "tests.fakes.llama_host", str(house.stage)),
        cwd=root,
        stdout=asyncio.subprocess.PIPE,
    )
    assert parent.stdout is not None
    assert await parent.stdout.readline() == b"warm\n"
    assert is_running(house.pids[0])
    parent.kill()
    await parent.wait()
    await until(lambda: not is_running(house.pids[0]))
