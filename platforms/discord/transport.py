"""HTTP for discord.py: each call once and bounded, to the address in the settings, with rate limits as errors.

The library would try up to five times by itself and sleep in between; trying again is the engine's matter, so a
limit that is known to be reached is said at once, and nothing is sent.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeVar

import aiohttp
from discord import DiscordServerError, File, Forbidden, HTTPException, NotFound, RateLimited
from discord.http import HTTPClient, Route, json_or_text
from discord.utils import _to_json

from platforms.discord.errors import Garbled
from platforms.discord.patience import Patience
from platforms.errors import Refused

BANNED = 60.0
"""Seconds to wait after a 429 that does not say for how long."""

_UNCOUNTED = ("/interactions/", "/webhooks/")
"""What Discord does not count against the limit for everything."""

_KEPT_BUCKETS = 2000
_LONGEST_REST = 30.0
_ROUNDS = 4

T = TypeVar("T")


class Transport(HTTPClient):
    """`address` is the API's, with its version. The session is the library's own, opened by its login."""

    def __init__(self, loop: Any, patience: Patience, address: str) -> None:
        super().__init__(loop)
        self._patience = patience
        self.address = address
        self._named: dict[str, str] = {}  # a call's kind -> the bucket that Discord counts it against
        self._shut: dict[str, float] = {}  # a bucket in a place -> monotonic time at which it opens
        self._all_shut = 0.0
        self._barred = 0.0  # by the wall before Discord, which counts everything

    @property
    def open(self) -> bool:
        """Whether calls can be made."""
        session = self._aiohttp
        return bool(session) and not session.closed

    async def request(
        self,
        route: Route,
        *,
        files: Sequence[File] | None = None,
        form: Iterable[dict[str, Any]] | None = None,
        **named: Any,
    ) -> Any:
        """One call, made once. Raises RateLimited, HTTPException, or what aiohttp raises."""
        await self._turn(route)
        reason = named.pop("reason", None)
        headers = {"User-Agent": self.user_agent, "Authorization": f"Bot {self.token}"}
        headers |= {"X-Audit-Log-Reason": reason} if reason else {}
        if "json" in named:
            headers["Content-Type"] = "application/json"
            named["data"] = _to_json(named.pop("json"))
        if form is not None:
            data = aiohttp.FormData(quote_fields=False)
            for fields in form:
                data.add_field(**fields)
            named["data"] = data
        within = self._patience.upload if files or form is not None else self._patience.answer
        timeout = aiohttp.ClientTimeout(total=within, sock_connect=self._patience.connect)
        address = self.address + route.url.removeprefix(Route.BASE)
        async with self._aiohttp.request(
            route.method, address, headers=headers, timeout=timeout, **named
        ) as response:
            answer = await json_or_text(response)
        self._note(route, response)
        if response.ok:
            if isinstance(answer, str) and answer:
                raise Garbled("the answer is no JSON")
            return answer
        if response.status == 429:
            raise self._limited(route, response, answer)
        kinds = {403: Forbidden, 404: NotFound}
        fault = DiscordServerError if response.status >= 500 else kinds.get(response.status, HTTPException)
        raise fault(response, answer)

    async def download(self, address: str, most: int) -> bytes:
        """A file's bytes. Raises Refused when there are more than `most`, else as `request`."""
        timeout = aiohttp.ClientTimeout(total=self._patience.upload, sock_connect=self._patience.connect)
        async with self._aiohttp.get(address, timeout=timeout) as response:
            if response.status != 200:
                kind = {403: Forbidden, 404: NotFound}.get(response.status, HTTPException)
                raise kind(response, "the file cannot be fetched")
            data = bytearray()
            async for piece in response.content.iter_chunked(1 << 16):
                data += piece
                if len(data) > most:
                    raise Refused(f"the file is larger than {most:,} bytes")
        return bytes(data)

    @property
    def _aiohttp(self) -> aiohttp.ClientSession:
        return self._HTTPClient__session  # type: ignore[attr-defined, no-any-return]  # the library's, by its private name

    def _bucket(self, route: Route) -> str:
        return f"{self._named.get(route.key, route.key)}:{route.major_parameters}"

    async def _turn(self, route: Route) -> None:
        """Wait until the call may be made. Raises RateLimited when that is not soon."""
        now = time.monotonic()
        everything = 0.0 if route.path.startswith(_UNCOUNTED) else self._all_shut
        rest = max(self._shut.get(self._bucket(route), 0.0), everything, self._barred) - now
        if rest > self._patience.hold:
            raise RateLimited(rest)
        if rest > 0:
            await asyncio.sleep(rest)

    def _note(self, route: Route, response: aiohttp.ClientResponse) -> None:
        """Remember which limit the call counts against, and whether it is reached."""
        name, left = response.headers.get("X-RateLimit-Bucket"), response.headers.get("X-RateLimit-Remaining")
        if name is not None:
            self._named[route.key] = name
        if left == "0" and response.status != 429:
            self._close(self._bucket(route), _number(response.headers.get("X-RateLimit-Reset-After"), 0.0))

    def _limited(self, route: Route, response: aiohttp.ClientResponse, answer: Any) -> RateLimited:
        told = answer if isinstance(answer, dict) else {}
        seconds = _number(told.get("retry_after", response.headers.get("Retry-After")), BANNED)
        if not told:
            self._barred = time.monotonic() + seconds
        elif told.get("global"):
            self._all_shut = time.monotonic() + seconds
        else:
            self._close(self._bucket(route), seconds)
        return RateLimited(seconds)

    def _close(self, bucket: str, seconds: float) -> None:
        now = time.monotonic()
        if len(self._shut) >= _KEPT_BUCKETS:
            self._shut = {name: until for name, until in self._shut.items() if until > now}
        self._shut[bucket] = now + seconds


async def patiently(call: Callable[[], Awaitable[T]]) -> T:
    """Make a call that nobody waits for; where Discord asks to wait, wait. Raises as the call does."""
    for _ in range(_ROUNDS - 1):
        try:
            return await call()
        except RateLimited as limited:
            if limited.retry_after > _LONGEST_REST:
                raise
            await asyncio.sleep(limited.retry_after)
    return await call()


def _number(value: object, otherwise: float) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return otherwise
