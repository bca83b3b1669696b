"""The connection to Discord's gateway: opened, listened to, given up when it is deaf, resumed where that is allowed.

Owns whether anything is heard. What is heard goes to the library's own parsers; what it means is `hearing`'s matter.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import aiohttp
import yarl
from discord import ConnectionClosed, DiscordException
from discord.gateway import DiscordWebSocket, ReconnectWebSocket, WebSocketClosure

from platforms.discord.allowance import Allowance
from platforms.discord.client import Client
from platforms.discord.errors import DiscordUnreachable
from platforms.discord.patience import Patience
from platforms.errors import PlatformDown

FATAL = {
    4004: "Discord does not accept the bot's token",
    4010: "Discord refuses the connection (invalid shard)",
    4011: "Discord wants this bot to be split into shards, which is not supported",
    4012: "Discord refuses the connection (version of the gateway)",
    4013: "Discord refuses the connection (invalid intents)",
    4014: 'switch on "Message Content Intent" for this bot in the Discord developer portal (Bot, Privileged Gateway'
    " Intents), then start again",
}
"""Codes of the gateway after which trying again is pointless, from Discord's documentation."""

_FORGOTTEN = (4003, 4007, 4009)
"""Codes after which the session cannot be resumed."""

_BREAKS = (OSError, aiohttp.ClientError, zlib.error, DiscordException, WebSocketClosure)
UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, AssertionError)
"""What reading a payload that is not as documented raises."""

_LOG = logging.getLogger(__name__)

Unreadable = Callable[[str, str, str], None]
"""Takes an event that the library cannot parse: its id, why, and its JSON. Does not wait."""


@dataclass(frozen=True, slots=True)
class _Session:
    """What is needed to go on where a connection broke off."""

    id: str
    sequence: int
    gateway: yarl.URL


class _Socket(DiscordWebSocket):
    """One connection. `link` is whose it is."""

    link: ClassVar[Link]

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, *, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(socket, loop=loop)
        self.link.socket = self

    async def received_message(self, msg: Any, /) -> None:
        text = self._decompressor.decompress(msg) if isinstance(msg, bytes) else msg
        if text is None:
            return
        self.link.heard()
        try:
            await super().received_message(text)
        except UNREADABLE as fault:
            self.link.put_aside(text, fault)


class Link:
    """Keeps one connection. `gateway` is the address from the settings, None for Discord's own; `now` gives seconds
    since the epoch."""

    def __init__(
        self,
        client: Client,
        patience: Patience,
        gateway: str | None,
        now: Callable[[], float],
        unreadable: Unreadable,
        allowance: Allowance,
    ) -> None:
        self._client = client
        self._allowance = allowance
        self._patience = patience
        self._fixed = yarl.URL(gateway) if gateway else None
        self._now = now
        self._unreadable = unreadable
        self._session: _Session | None = None
        own = {"DEFAULT_GATEWAY": self._fixed or DiscordWebSocket.DEFAULT_GATEWAY, "link": self}
        self._kind: type[_Socket] = type("Socket", (_Socket,), own)
        self._up_at = 0.0
        self.socket: _Socket | None = None
        self.up = asyncio.Event()
        """Set while events arrive."""
        self.last_heard: float | None = None

    def heard(self) -> None:
        """A frame came. What comes before Discord took us in is no sign that we hear of anything."""
        if self.up.is_set():
            self.last_heard = self._now()

    def opened(self) -> None:
        """Discord took us in, anew or where we were."""
        self._up_at = time.monotonic()
        self.up.set()
        self.heard()

    def put_aside(self, text: str, fault: Exception) -> None:
        """An event that cannot be parsed does not end the connection."""
        try:
            frame = json.loads(text)
            event, data = str(frame.get("t")), frame.get("d") or {}
        except UNREADABLE:
            event, data = "a frame", {}
        _LOG.warning("an event of Discord's cannot be parsed: %s (%s)", event, type(fault).__name__)
        if event in ("MESSAGE_CREATE", "INTERACTION_CREATE"):
            self._unreadable(str(data.get("id")), f"{event} cannot be parsed: {fault!r}", json.dumps(data))

    async def keep(self) -> None:
        """Listen until cancelled. Raises PlatformDown, or DiscordUnreachable when nothing helps."""
        in_vain = 0
        while in_vain <= self._patience.rebuilds:
            pause = 0.0
            try:
                await self._listen()
            except asyncio.CancelledError:
                await self._let_go(goodbye=True)
                raise
            except ReconnectWebSocket as wish:
                pause = self._judge(resume=wish.resume)
            except ConnectionClosed as end:
                pause = self._judge(end.code)
            except TimeoutError:
                _LOG.warning("nothing was heard from Discord for %g s: a new connection is made", self._patience.deaf)
                self._judge()
            except _BREAKS as fault:
                _LOG.warning("the connection to Discord broke: %s", type(fault).__name__)
                self._judge()
            lived = self.up.is_set() and time.monotonic() - self._up_at >= self._patience.calm
            await self._let_go()
            in_vain = 0 if lived else in_vain + 1
            if in_vain > 1:
                pause = max(pause, min(self._patience.pause * 2 ** (in_vain - 2), self._patience.longest))
            await asyncio.sleep(pause)
        raise DiscordUnreachable(f"no connection to Discord held, {in_vain} times in a row")

    async def _listen(self) -> None:
        """One connection from its beginning; never returns."""
        session, self.socket = self._session, None
        if session is None:
            rest = self._allowance.rest(time.monotonic())
            if rest > 0:
                _LOG.warning("Discord was asked for many new sessions: the next one is asked for in %.0f s", rest)
            await asyncio.sleep(rest)
        async with asyncio.timeout(self._patience.start):
            if session is None:
                socket = await self._kind.from_client(self._client, initial=True)
                self._allowance.take(time.monotonic())
            else:
                socket = await self._kind.from_client(
                    self._client,
                    gateway=self._fixed or session.gateway,
                    session=session.id,
                    sequence=session.sequence,
                    resume=True,
                )
        while True:
            async with asyncio.timeout(self._patience.deaf):
                await socket.poll_event()

    def _judge(self, code: int | None = None, *, resume: bool = True) -> float:
        """What this end means for the session; the seconds to wait before the next one. Raises PlatformDown."""
        socket = self.socket
        code = code or (socket.socket.close_code if socket is not None else None)
        if code in FATAL:
            raise PlatformDown(FATAL[code])
        if not resume or code in _FORGOTTEN:
            self._session = None
            return self._patience.identify
        if socket is not None and socket.session_id is not None and socket.sequence is not None:
            self._session = _Session(socket.session_id, socket.sequence, socket.gateway)
        return 0.0

    async def _let_go(self, *, goodbye: bool = False) -> None:
        """Close the connection, whatever hangs. Only after a goodbye does Discord forget the session at once."""
        self.up.clear()
        socket, self.socket = self.socket, None
        if socket is None:
            return
        try:
            async with asyncio.timeout(self._patience.stop):
                await socket.close(1000 if goodbye else 4000)
        except (TimeoutError, *_BREAKS) as fault:
            _LOG.debug("the end of a connection: %s", type(fault).__name__)
