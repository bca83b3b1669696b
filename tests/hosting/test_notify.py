"""Signs of life on a real datagram socket, as a service manager reads them."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gateway.config.supervised import Supervised, supervised
from gateway.hosting.health import Pulse, Queue
from gateway.hosting.notify import Notifier
from gateway.hosting.watchdog import READY_PATIENCE, Watchdog
from gateway.state.connection import DatabaseFault
from tests.fakes.clock import FakeClock


@contextmanager
def manager(address: str) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as door:
        door.bind(address)
        door.setblocking(False)
        yield door


def heard(door: socket.socket) -> list[str]:
    found = []
    while True:
        try:
            found.append(door.recv(4096).decode())
        except BlockingIOError:
            return found


@dataclass
class Platform:
    up: bool = True


@dataclass
class House:
    """Platforms and a store whose health a test sets."""

    platforms: dict[str, Platform] = field(default_factory=lambda: {"telegram": Platform(False)})
    answer: Callable[[], Awaitable[Queue]] | None = None

    async def counts(self) -> Queue:
        return Queue(0, 0) if self.answer is None else await self.answer()

    def pulse(self) -> Pulse:
        return Pulse(lambda: self.platforms, self.counts, patience=0.05)


@pytest.mark.parametrize("abstract", [False, True])
def test_what_is_said(tmp_path: Path, abstract: bool) -> None:
    name = f"innkeeper-test-{os.getpid()}" if abstract else str(tmp_path / "notify")
    with manager(f"\0{name}" if abstract else name) as door:
        notifier = Notifier(f"@{name}" if abstract else name)
        assert notifier.ready("running\nWATCHDOG=1")
        assert notifier.alive()
        assert notifier.stopping(35)
        assert heard(door) == [
            "READY=1\nSTATUS=running WATCHDOG=1",
            "WATCHDOG=1",
            "STOPPING=1\nSTATUS=stopping\nEXTEND_TIMEOUT_USEC=35000000",
        ]


def test_a_manager_that_is_not_there_is_no_fault(tmp_path: Path) -> None:
    assert not Notifier(str(tmp_path / "absent")).alive()
    assert not Notifier("/" + "x" * 300).alive()
    with manager(str(tmp_path / "full")) as door:
        notifier = Notifier(str(tmp_path / "full"))
        assert not all(notifier.status("x" * 200) for _ in range(100_000))  # it never waits for room
        assert heard(door)


@pytest.mark.parametrize(
    ("variables", "found"),
    [
        ({}, None),
        ({"NOTIFY_SOCKET": ""}, None),
        ({"NOTIFY_SOCKET": "relative"}, None),
        ({"NOTIFY_SOCKET": "vsock:1:2"}, None),
        ({"NOTIFY_SOCKET": "/run/n"}, Supervised("/run/n")),
        ({"NOTIFY_SOCKET": "@n", "WATCHDOG_USEC": "60000000"}, Supervised("@n", 60.0)),
        ({"NOTIFY_SOCKET": "@n", "WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "7"}, Supervised("@n", 60.0)),
        ({"NOTIFY_SOCKET": "@n", "WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "8"}, Supervised("@n")),
        ({"NOTIFY_SOCKET": "@n", "WATCHDOG_USEC": "0"}, Supervised("@n")),
        ({"NOTIFY_SOCKET": "@n", "WATCHDOG_USEC": "soon"}, Supervised("@n")),
        ({"WATCHDOG_USEC": "60000000"}, None),
    ],
)
def test_what_the_environment_says(variables: dict[str, str], found: Supervised | None) -> None:
    assert supervised(variables, 7) == found


async def test_ready_when_the_platforms_are_connected(tmp_path: Path) -> None:
    house, clock = House(), FakeClock()
    with manager(str(tmp_path / "notify")) as door:
        run = asyncio.ensure_future(Watchdog(Notifier(str(tmp_path / "notify")), house.pulse(), clock, 60.0).run())
        await clock.advance(5)
        assert set(heard(door)) == {"STATUS=running; not connected: telegram", "WATCHDOG=1"}
        house.platforms["telegram"].up = True
        await clock.advance(1)
        said = heard(door)
        assert said[-2:] == ["READY=1\nSTATUS=running", "WATCHDOG=1"]
        await clock.advance(300)
        assert heard(door) == ["WATCHDOG=1"] * 10  # two in the time after which one is missed
        house.platforms["telegram"].up = False
        await clock.advance(30)
        assert heard(door) == ["STATUS=running; not connected: telegram", "WATCHDOG=1"]
        run.cancel()
        await asyncio.wait([run])


async def test_a_network_that_is_away_does_not_hold_up_the_start_for_ever(tmp_path: Path) -> None:
    house, clock = House(), FakeClock()
    house.platforms["discord"] = Platform(True)
    with manager(str(tmp_path / "notify")) as door:
        run = asyncio.ensure_future(Watchdog(Notifier(str(tmp_path / "notify")), house.pulse(), clock, None).run())
        await clock.advance(READY_PATIENCE - 1)
        assert not [each for each in heard(door) if each.startswith("READY")]
        await clock.advance(2)
        assert "READY=1\nSTATUS=running; not connected: telegram" in heard(door)
        run.cancel()
        await asyncio.wait([run])


async def hangs() -> Queue:
    await asyncio.Event().wait()
    return Queue(0, 0)


async def fails() -> Queue:
    raise DatabaseFault("the disk is full")


@pytest.mark.parametrize("answer", [hangs, fails])
async def test_no_sign_of_life_from_a_house_whose_store_is_silent(
    tmp_path: Path, answer: Callable[[], Awaitable[Queue]]
) -> None:
    house, clock = House({}), FakeClock()
    with manager(str(tmp_path / "notify")) as door:
        run = asyncio.ensure_future(Watchdog(Notifier(str(tmp_path / "notify")), house.pulse(), clock, 60.0).run())
        await clock.advance(1)
        assert "READY=1\nSTATUS=running" in heard(door)
        house.answer = answer
        for _ in range(4):
            await clock.advance(31)
            await asyncio.sleep(0.1)
        assert "WATCHDOG=1" not in heard(door)[1:]
        house.answer = None
        async with asyncio.timeout(30):
            while "WATCHDOG=1" not in heard(door):
                await clock.advance(31)
                await asyncio.sleep(0.01)
        run.cancel()
        await asyncio.wait([run])
