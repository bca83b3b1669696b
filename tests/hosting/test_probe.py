"""The door for probes, asked over real sockets by the friendly, the curious and the hostile."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from gateway.hosting.asking import ask
from gateway.hosting.health import Health, Queue
from gateway.hosting.probe import MOST_AT_ONCE, Probe
from tests.fakes.clock import FakeClock
from tests.hosting.test_notify import House, Platform, hangs


@asynccontextmanager
async def door(house: House, clock: FakeClock | None = None, seconds: float = 5.0) -> AsyncIterator[int]:
    async with Probe(house.pulse(), clock or FakeClock(), seconds).opened(0) as port:
        yield port


async def said(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    answer = await rest(reader)
    writer.close()
    return answer


async def rest(reader: asyncio.StreamReader) -> bytes:
    """What comes until the other side hangs up, politely or not."""
    try:
        return await reader.read()
    except ConnectionError:
        return b""


async def got(port: int, path: str = "/healthz") -> tuple[int, Any]:
    head, _, body = (await said(port, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())).partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


async def test_a_house_that_is_well() -> None:
    async with door(House({"telegram": Platform(), "discord": Platform()})) as port:
        assert await got(port) == (
            200,
            {
                "status": "ok",
                "platforms": {"discord": "up", "telegram": "up"},
                "store": "ok",
                "queue": {"messages": 0, "parts": 0},
            },
        )
        assert await got(port, "/healthz?verbose=1") == await got(port)
        assert (await asyncio.to_thread(ask, port) or {})["status"] == "ok"
    assert await asyncio.to_thread(ask, port) is None


async def test_a_house_that_is_not() -> None:
    clock = FakeClock()
    house = House({"telegram": Platform(), "discord": Platform(False)})
    async with door(house, clock) as port:
        code, fields = await got(port)
        assert (code, fields["status"], fields["platforms"]["discord"]) == (200, "degraded", "down")
        house.platforms["telegram"].up = False
        assert (await got(port))[0] == 200  # a look serves for a second
        await clock.advance(1)
        assert ((await got(port))[0], (await got(port))[1]["status"]) == (503, "down")
        house.platforms = {"telegram": Platform()}
        house.answer = hangs
        await clock.advance(1)
        code, fields = await got(port)
        assert (code, fields["store"], fields["queue"]) == (503, "silent", None)
        assert (await asyncio.to_thread(ask, port) or {})["status"] == "down"


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", 404),
        (b"GET /healthz/../etc/passwd HTTP/1.1\r\n\r\n", 404),
        (b"POST /healthz HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", 405),
        (b"GET /healthz\r\n\r\n", 400),
        (b"\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\n" + b"X: " + b"a" * 20_000 + b"\r\n\r\n", 400),
    ],
)
async def test_nothing_else_is_there(request_: bytes, code: int) -> None:
    async with door(House({})) as port:
        answer = await said(port, request_)
        assert answer.startswith(f"HTTP/1.1 {code} ".encode()) or (code == 400 and answer == b"")
        assert (await got(port))[0] == 200


async def test_only_a_head_is_told_without_its_body() -> None:
    async with door(House({})) as port:
        answer = await said(port, b"HEAD /healthz HTTP/1.1\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert answer.endswith(b"\r\n\r\n")


async def test_who_is_slow_is_turned_away_and_who_crowds_too() -> None:
    async with door(House({}), seconds=2.0) as port:
        crowd = [await asyncio.open_connection("127.0.0.1", port) for _ in range(MOST_AT_ONCE)]
        await asyncio.sleep(0.05)
        assert await said(port, b"GET /healthz HTTP/1.1\r\n\r\n") == b""
        assert [await rest(reader) for reader, _ in crowd] == [b""] * MOST_AT_ONCE
        assert (await got(port))[0] == 200
        for _, writer in crowd:
            writer.close()
            await writer.wait_closed()


async def test_the_door_closes_with_guests_inside() -> None:
    async with door(House({})) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.sleep(0.05)
    assert await rest(reader) == b""
    writer.close()
    await writer.wait_closed()


def test_what_counts_as_well() -> None:
    empty = Queue(0, 0)
    assert Health({}, empty).status == "ok"
    assert Health({"a": True}, None).status == "down"
    assert Health({"a": False}, empty).status == "down"
    assert Health({"a": False, "b": True}, empty).why == "not connected: a"
