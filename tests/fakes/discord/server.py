"""The server: the API over HTTP, the gateway over a websocket, attachments, and what goes wrong on request.

`async with DiscordServer() as server:` and give `server.api_url`, `server.gateway_url` and `server.token` to the bot.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any, Self

from aiohttp import web

from tests.fakes.discord import calls, control, shapes
from tests.fakes.discord.calls import Call, Reply
from tests.fakes.discord.commands import Commands
from tests.fakes.discord.connection import Connection
from tests.fakes.discord.faults import Fault, Refusal, invalid, unknown
from tests.fakes.discord.form import Given, given
from tests.fakes.discord.gateway import Gateway
from tests.fakes.discord.interactions import Interactions
from tests.fakes.discord.limits import Limits
from tests.fakes.discord.messages import Messages
from tests.fakes.discord.people import Person
from tests.fakes.discord.places import House, Room
from tests.fakes.discord.world import Account, World

TOKEN = "MTEyMjMzNDQ1NTY2Nzc4ODk5.GFakeT.OfTheInnThatNobodyElseHas00000000000"
BOT = 1122334455667788990
PATIENCE = 30.0
"""Real seconds after which a helper stops waiting."""

LOOK_AGAIN = 0.02
"""Real seconds after which a helper that waits looks again."""

SETTLING = 5
"""Passes of the loop between a socket's acceptance and its being known as a connection, and some to spare."""

HTML = b"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>cloudflare</body>\r\n</html>\r\n"
VIA = {"Via": "1.1 google"}
"""Without it discord.py takes a 429 for a ban."""

Operation = Callable[[Call], Reply]


class DiscordServer:
    """The server. `now` gives seconds since the epoch: for ids, nonces, and the life of interactions."""

    def __init__(self, token: str = TOKEN, name: str = "Inn", now: Callable[[], float] = time.time) -> None:
        self.token = token
        self.world = World(Account(BOT, name, is_bot=True), now)
        self.gateway = Gateway(self.world, token, self._notice)
        self.messages = Messages(self.world, lambda: self.gateway.privileged)
        self.interactions = Interactions(self.world, self.messages)
        self.commands = Commands(self.world)
        self.limits = Limits(now)
        self.calls: list[Call] = []
        self.watchers: list[Callable[[str, Any], None]] = []
        """Each is told of every operation carried out, with its `Call`, and of every event that went out, with its
        data."""
        self.hung = 0
        self.port = 0
        self._faults: dict[str, deque[Fault | Refusal | None]] = defaultdict(deque)
        self._runner: web.AppRunner | None = None
        self._operations = self._table()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(self, port: int = 0) -> None:
        """Take connections; after `close`, again at the same port, with the same world."""
        application = web.Application(client_max_size=64 * 1024 * 1024)
        application.router.add_route("*", "/{anything:.*}", self._handle)
        self._runner = web.AppRunner(
            application, access_log=None, handler_cancellation=True, shutdown_timeout=0.1, handle_signals=False
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port or self.port, reuse_address=True)
        await site.start()
        self.port = self._runner.addresses[0][1]
        self.world.root, self.gateway.url = self.root, self.gateway_url

    async def close(self) -> None:
        """Refuse connections, break open ones. Sessions can be resumed, unless they are forgotten."""
        if self._runner is None:
            return
        runner, self._runner = self._runner, None
        for site in list(runner.sites):
            await site.stop()
        for _ in range(SETTLING):
            await asyncio.sleep(0)  # those that were accepted a moment ago become known
        for connection in list(runner.server.connections if runner.server else ()):
            if connection.transport is not None:
                connection.transport.abort()
        await asyncio.sleep(0)  # lets the connections hear that they are lost
        await runner.cleanup()

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def api_url(self) -> str:
        """For `discord.http.Route.BASE`."""
        return f"{self.root}/api/v10"

    @property
    def gateway_url(self) -> str:
        """For `discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY`."""
        return f"ws://127.0.0.1:{self.port}/gateway"

    # People and places.

    def user(self, number: int, name: str = "") -> Person:
        return Person(self, number, name)

    def guild(self, number: int, name: str = "Inn") -> House:
        """A guild with the bot in it, which is made if it is not there."""
        return House.founded(self, number, name)

    def chat(self, number: int) -> Room:
        """A channel that exists."""
        if number not in self.world.channels:
            raise LookupError(f"no channel {number}")
        return Room(self, number)

    # What goes wrong.

    def misbehave(self, operation: str, fault: Fault | Refusal, times: int = 1, after: int = 0) -> None:
        """Fail `times` calls of an operation, `after` so many that go well (and after the faults queued already).
        The names of operations are in `calls`; `connect_gateway` and `get_attachment` are among them."""
        if operation not in calls.OPERATIONS:
            raise LookupError(f"no operation {operation!r}; there are {sorted(calls.OPERATIONS)}")
        self._faults[operation].extend([None] * after + [fault] * times)

    def queued(self, operation: str) -> int:
        """How many calls of an operation are still to go wrong (or well, before they do)."""
        return len(self._faults[operation])

    def behave(self, operation: str) -> None:
        """Forget the faults that are queued for an operation."""
        self._faults[operation].clear()

    # What was called, and waiting for it.

    def called(self, operation: str) -> list[Call]:
        """Each call of an operation so far."""
        return [call for call in self.calls if call.operation == operation]

    async def until(self, holds: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Wait until `holds()`; asked at each change here, and often: nothing tells when a bot has heard something.
        Raises TimeoutError with what every channel reads."""
        try:
            async with asyncio.timeout(seconds):
                while not holds():
                    await self.world.change(LOOK_AGAIN)
        except TimeoutError:
            reads = {number: Room(self, number).texts() for number in self.world.channels}
            raise TimeoutError(f"waited {seconds:g} s in vain; the channels read {reads}") from None

    async def until_connected(self, seconds: float = PATIENCE) -> None:
        """Wait until a session of the bot is being told what happens."""
        await self.until(lambda: bool(self.gateway.connected), seconds)

    # Inside.

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        path = request.path
        if path == "/control":
            return await control.control(self, await request.read())
        if path.startswith("/gateway"):
            return await self._failing(Call("connect_gateway", {}, Given(), time.monotonic()), request)
        if path.startswith("/attachments/"):
            about = {"attachment": path.split("/")[3] if path.count("/") == 4 else ""}
            return await self._failing(Call("get_attachment", about, Given(), time.monotonic()), request)
        found = calls.operation(request.method, request.raw_path.partition("?")[0])
        if found is None:
            return _json(Refusal(404, 0, "404: Not Found"))
        name, places = found
        if name not in calls.WITHOUT_TOKEN and request.headers.get("Authorization") != f"Bot {self.token}":
            return _json(Refusal(401, 0, "401: Unauthorized"))
        try:
            call = Call(name, places, await given(request), time.monotonic())
        except Refusal as refusal:
            return _json(refusal)
        return await self._failing(call, request)

    async def _failing(self, call: Call, request: web.Request) -> web.StreamResponse:
        """Carry a call out, or the fault that is next in its queue."""
        self.calls.append(call)
        self.world.tell()
        queue = self._faults[call.operation]
        fault = queue.popleft() if queue else None
        if isinstance(fault, Refusal):
            return _json(fault)
        answer: web.StreamResponse = web.Response()
        if fault is None or fault.accepts:
            answer = await self._answer(call, request)
        return answer if fault is None else await self._fail(fault, answer, request)

    async def _answer(self, call: Call, request: web.Request) -> web.StreamResponse:
        if call.operation == "connect_gateway":
            return await Connection(request, self.gateway).run()
        if call.operation == "get_attachment":
            file = self.world.files.get(call.number("attachment"))
            if file is None:
                return web.Response(status=404, text="This content is no longer available.")
            return web.Response(body=file.data, headers={"Content-Type": file.media_type})
        headers = self.limits.headers(call.bucket)
        try:
            self.limits.take(call.bucket, call.operation)
            reply = await self._carry_out(call)
            self._notice(call.operation, call)
            return _json(reply, headers)
        except Refusal as refusal:
            return _json(refusal, headers)

    async def _carry_out(self, call: Call) -> Reply:
        """A subclass may do something before or after."""
        return self._operations[call.operation](call)

    async def _fail(self, fault: Fault, answer: web.StreamResponse, request: web.Request) -> web.StreamResponse:
        match fault:
            case Fault.HANG | Fault.ACCEPT_AND_HANG:
                self.hung += 1
                self.world.tell()
                await asyncio.Event().wait()
            case Fault.BAD_GATEWAY | Fault.ACCEPT_AND_BAD_GATEWAY:
                return web.Response(status=502, body=HTML, headers={"Content-Type": "text/html"})
            case Fault.UNAVAILABLE | Fault.ACCEPT_AND_UNAVAILABLE:
                return web.Response(status=503, body=HTML, headers={"Content-Type": "text/html"})
            case Fault.HTML:
                return web.Response(body=b"<html>Please sign in</html>", headers={"Content-Type": "text/html"})
            case Fault.BANNED:
                return web.Response(status=429, body=HTML, headers={"Content-Type": "text/html"})
            case Fault.CUT if isinstance(answer, web.Response) and isinstance(answer.body, bytes):
                await _cut(answer.body, request)
        if request.transport is not None:
            request.transport.abort()
        return web.Response()

    def _notice(self, name: str, about: Any) -> None:
        for watcher in self.watchers:
            watcher(name, about)

    def _table(self) -> dict[str, Operation]:
        table: dict[str, Operation] = {
            "get_me": lambda call: Reply(shapes.myself(self.world)),
            "get_application": lambda call: Reply(shapes.application(self.world, self.gateway.privileged)),
            "get_gateway": lambda call: Reply({"url": self.gateway_url}),
            "get_gateway_bot": self._get_gateway_bot,
            "create_dm": self._create_dm,
            "get_user": self._get_user,
            "get_guild": lambda call: Reply(shapes.guild(self.world, self._guild(call), 0)),
            "get_guild_channels": self._get_guild_channels,
            "get_active_threads": self._get_active_threads,
            "get_member": self._get_member,
        }
        for room in (self.messages, self.interactions, self.commands):
            table |= {name: getattr(room, name) for name in calls.OPERATIONS if hasattr(room, name)}
        return table

    def _get_gateway_bot(self, call: Call) -> Reply:
        starts = {"total": 1000, "remaining": 1000 - self.gateway.identified, "reset_after": 86_400_000}
        return Reply({"url": self.gateway_url, "shards": 1, "session_start_limit": starts | {"max_concurrency": 1}})

    def _create_dm(self, call: Call) -> Reply:
        number = str(call.json.get("recipient_id", ""))
        known = self.world.accounts.get(int(number)) if number.isdigit() else None
        if known is None or known is self.world.bot:
            raise invalid("recipient_id", "INVALID_RECIPIENT", "Invalid Recipient(s)")
        return Reply(shapes.channel(self.world, self.world.direct_channel(known)))

    def _get_user(self, call: Call) -> Reply:
        if call.number("user") not in self.world.accounts:
            raise unknown("User")
        return Reply(shapes.account(self.world.accounts[call.number("user")]))

    def _guild(self, call: Call) -> Any:
        if call.number("guild") not in self.world.guilds:
            raise unknown("Guild")
        return self.world.guilds[call.number("guild")]

    def _get_guild_channels(self, call: Call) -> Reply:
        return Reply([shapes.channel(self.world, each) for each in self._guild(call).channels.values()])

    def _get_active_threads(self, call: Call) -> Reply:
        threads = [shapes.channel(self.world, each) for each in self.world.threads(self._guild(call))]
        return Reply({"threads": threads, "members": []})

    def _get_member(self, call: Call) -> Reply:
        guild = self._guild(call)
        if call.number("user") not in guild.members:
            raise Refusal(404, 10007, "Unknown Member")
        return Reply(shapes.member(guild, guild.members[call.number("user")]))


def _json(answer: Reply | Refusal, headers: dict[str, str] | None = None) -> web.Response:
    """JSON is announced as exactly `application/json`: with anything more discord.py takes it for text."""
    about = VIA | (headers or {}) | answer.headers
    if isinstance(answer, Reply) and answer.status == 204:
        return web.Response(status=204, headers=about)
    body = answer.body() if isinstance(answer, Refusal) else answer.body
    data = json.dumps(body).encode()
    return web.Response(status=answer.status, body=data, headers={"Content-Type": "application/json", **about})


async def _cut(body: bytes, request: web.Request) -> None:
    """The head announces the whole body; half of it goes out."""
    half = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(body)), **VIA})
    await half.prepare(request)
    await half.write(body[: len(body) // 2])
