"""The server's other way to deliver: it calls the bot's address, with the secret, until it is answered with 200."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

from tests.fakes.telegram.world import Raw, World

AGAIN_AFTER = 0.05
"""Seconds after a call that was not answered with 200."""


class Webhook:
    """Delivers the queue in order, one update at a time."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._task: asyncio.Task[None] | None = None
        self.answers: list[int] = []

    @property
    def active(self) -> bool:
        return self._task is not None

    def start(self, given: dict[str, Any]) -> None:
        self.stop()
        if given.get("url"):
            self._task = asyncio.ensure_future(self._deliver(given["url"], given.get("secret_token", "")))

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _deliver(self, url: str, secret: str) -> None:
        while True:
            async with self._world.changed:
                await self._world.changed.wait_for(lambda: bool(self._world.updates or self._world.again))
            (update,) = self._world.pending(1)
            self._world.delivered.append(update)
            status = await call(url, secret, update)
            self.answers.append(status)
            if status == 200:
                self._world.confirm(update["update_id"] + 1)
                self._world.tell()
            else:
                await asyncio.sleep(AGAIN_AFTER)


async def call(url: str, secret: str, update: Raw) -> int:
    """POST one update to a webhook; the status, or 0 when nobody answered."""
    where = urlsplit(url)
    body = json.dumps(update).encode()
    head = f"POST {where.path or '/'} HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Type: application/json\r\n"
    if secret:
        head += f"X-Telegram-Bot-Api-Secret-Token: {secret}\r\n"
    try:
        reader, writer = await asyncio.open_connection(where.hostname, where.port)
        writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
        status = await reader.readline()
        writer.close()
        return int(status.split()[1])
    except (OSError, IndexError):
        return 0
