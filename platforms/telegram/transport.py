"""HTTP for python-telegram-bot: flood control as an error with its seconds, and polls in which each update is parsed
alone, so that one that the library cannot parse is put aside instead of being asked for again for ever."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
from telegram import Update
from telegram.error import TelegramError
from telegram.request import HTTPXRequest

from platforms.errors import PLUGIN_FAULTS
from platforms.telegram.errors import Flood
from platforms.telegram.patience import Patience
from platforms.telegram.watchdog import Pulse

CONNECTIONS = 64
"""Calls on the wire at one time; more wait for their turn."""

Bury = Callable[[str, str, str], Awaitable[None]]
"""Takes an update that cannot be handled: its id, why, and its JSON."""


class Transport(HTTPXRequest):
    """For every call but polls. Building `tls` takes 20 ms, so one serves all."""

    def __init__(self, patience: Patience, tls: ssl.SSLContext, connections: int = CONNECTIONS) -> None:
        super().__init__(
            connection_pool_size=connections,
            read_timeout=patience.answer,
            write_timeout=patience.answer,
            connect_timeout=patience.connect,
            pool_timeout=patience.connect,
            httpx_kwargs={"verify": tls},
        )

    async def do_request(self, *args: Any, **named: Any) -> tuple[int, bytes]:
        status, payload = await super().do_request(*args, **named)
        if status == httpx.codes.TOO_MANY_REQUESTS:
            seconds = _retry_after(payload)
            if seconds is not None:
                raise Flood(seconds)
        return status, payload

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """As the library's, without writing the whole answer to the log."""
        try:
            parsed: dict[str, Any] = json.loads(payload.decode("utf-8", "replace"))
        except ValueError:
            raise TelegramError("Invalid server response") from None
        return parsed


class PollTransport(Transport):
    """For polls. Tells the pulse what it hears."""

    def __init__(self, patience: Patience, tls: ssl.SSLContext, pulse: Pulse, bury: Bury) -> None:
        super().__init__(patience, tls, connections=2)
        self._pulse = pulse
        self._bury = bury

    async def do_request(self, *args: Any, **named: Any) -> tuple[int, bytes]:
        try:
            status, payload = await super().do_request(*args, **named)
        except Flood as flood:
            self._pulse.rest(flood.seconds)
            await asyncio.sleep(flood.seconds)
            raise
        match status:
            case httpx.codes.OK:
                payload = await self._sifted(payload)
                self._pulse.heard()
            case httpx.codes.CONFLICT:
                words = str(self.parse_json_payload(payload).get("description", ""))
                self._pulse.conflict("a webhook is set" if "webhook" in words else "it polls")
            case httpx.codes.UNAUTHORIZED | httpx.codes.NOT_FOUND:
                self._pulse.refuse("Telegram does not accept the bot's token")
        return status, payload

    async def _sifted(self, payload: bytes) -> bytes:
        """The answer, with an empty update in the place of each that the library cannot parse: it gets confirmed."""
        answer = self.parse_json_payload(payload)
        updates, sound = answer.get("result") or [], True
        for number, update in enumerate(updates):
            try:
                Update.de_json(dict(update), None)
            except PLUGIN_FAULTS as fault:
                sound = False
                await self._bury(str(update.get("update_id")), f"cannot be parsed: {fault!r}", json.dumps(update))
                updates[number] = {"update_id": update["update_id"]}
        return payload if sound else json.dumps(answer).encode()


def _retry_after(payload: bytes) -> float | None:
    try:
        return float(json.loads(payload)["parameters"]["retry_after"])
    except (ValueError, LookupError, TypeError):
        return None
