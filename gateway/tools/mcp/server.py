"""One server, looked after: reached in the background on a task of its own, begun again when it ends, asked in time.

Nothing that a server does, or fails to do, reaches a start or a turn as more than an error that the model can read.
How it is spoken to is link.py's matter; the library behind that is loaded when a server is first reached.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol

from gateway.clock import Clock
from gateway.config.mcp import McpServer
from gateway.tools.mcp.shapes import Listed, RemoteTool, fit
from gateway.tools.mcp.shelf import KnownTools, Standing, pinned, safe, writers
from memory.files import FileTrouble

if TYPE_CHECKING:
    from gateway.tools.mcp.child import Child
    from gateway.tools.mcp.link import Ends, Link, Said

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 300.0
"""Seconds until a server that ended is begun again; each further time doubles them."""

STEADY = 60.0
"""Seconds after which a server that was up counts as having been well."""

SETTLES = 0.5
"""Seconds that a change of the tools is waited with, since changes come in bunches."""

WAITS = 10.0
"""Seconds that a call waits for a server that is not up."""

SLOW = 2
"""Calls in a row without an answer in time after which the server is begun again."""

CLOSING = 6.0
"""Seconds that a server gets to end when the house does."""

State = Literal["new", "starting", "ready", "down", "closed"]


class Unanswered(Exception):
    """A call came to no answer; the text says why, and whether it may have been carried out."""


class Report(Protocol):
    """Where faults are written down."""

    def info(self, event: str, **fields: object) -> object: ...

    def warning(self, event: str, **fields: object) -> object: ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What servers have of the house. `environment` and `folder` are what a child gets of its own; `mask` takes
    secrets out of what it said; `most` is how many tools one server may have."""

    clock: Clock
    report: Report
    known: KnownTools
    environment: Mapping[str, str]
    folder: str | None
    mask: Callable[[str], str]
    most: int = 200


class Server:
    """`begin()` once, `close()` at the end."""

    def __init__(self, name: str, settings: McpServer, around: Surroundings) -> None:
        self.name = name
        self.settings = settings
        self.state: State = "new"
        self.why = ""
        self.problems: tuple[str, ...] = ()
        self.tools: tuple[RemoteTool, ...] = ()
        self.starts = 0
        self.seen: Standing | None = None
        self._around = around
        self._listed: tuple[Listed, ...] | None = None
        self._wrote: frozenset[str] = frozenset()
        self._link: Link | None = None
        self._child: Child | None = None
        self._refused: Sequence[str] = ()
        self._slow = 0
        self._until = 0.0
        self._ready, self._wanted = asyncio.Event(), asyncio.Event()
        self._again, self._closing, self._lost = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def recall(self) -> None:
        """Offer what it offered last, and know how it stood then. Reads files."""
        self.seen = self._around.known.standing(self.name, self.settings)
        self._listed = self._around.known.of(self.name, self.settings)
        self._wrote = self._around.known.wrote(self.name, self.settings)
        if self._listed is not None:
            self.tools, self.problems = fit(self.name, self._listed, self._around.most)

    def begin(self) -> None:
        """Reach it beside everything else, once. Returns at once. Since when it stands so begins anew: nobody looked
        while nothing ran."""
        if self._task is None:
            self.seen = None
            self._task = asyncio.ensure_future(self._serve())

    async def close(self) -> None:
        """End it, and everything that it started."""
        self._closing.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=CLOSING)
            self._task.cancel()
            await asyncio.wait([self._task])
        self.state = "closed"

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Said:
        """Raises Unanswered."""
        link = await self._up()
        from gateway.tools.mcp.link import Lost, Refused  # loaded by now

        try:
            async with asyncio.timeout(self.settings.timeout_s):
                said = await link.call(tool, arguments)
        except TimeoutError:
            self._slow += 1
            if self._slow >= SLOW:
                self._again.set()
            raise Unanswered(
                f"{self.name} did not answer within {self.settings.timeout_s} s. Nobody knows whether it was done."
            ) from None
        except Lost as fault:
            self._again.set()
            why = self._told(fault)
            raise Unanswered(
                f"{self.name} ended during the call ({why}). Nobody knows whether it was done."
            ) from None
        except Refused as refusal:
            self._slow = 0
            raise Unanswered(f"{self.name} refused the call: {safe(str(refusal), 2000)}") from None
        self._slow = 0
        return said

    @property
    def words(self) -> str:
        """How it is doing, in a few words."""
        count = f"{len(self.tools)} tool{'' if len(self.tools) == 1 else 's'}"
        match self.state:
            case "ready":
                return f"ready, {count}"
            case "down":
                left = max(0, round(self._until - self._around.clock.monotonic()))
                return f"⚠️ down: {self.why}; tried again in {left} s"
            case "closed":
                return "closed"
            case "new":
                return f"{_last(self.seen)}; {count} known from before"
            case _:
                before = f", {count} known from before" if self.tools else ""
                return f"⚠️ starting again{before}; it was down: {self.why}" if self.why else f"starting{before}"

    async def _up(self) -> Link:
        """The open connection, waited for a little. Raises Unanswered."""
        if self._lost.is_set() or self._again.is_set():
            self._shut()
        if self._link is None and not self._closing.is_set():
            self._wanted.set()
            patience = min(WAITS, self.settings.connect_timeout_s)
            waiting = asyncio.ensure_future(self._ready.wait())
            try:
                await asyncio.wait([waiting], timeout=patience)
            finally:
                waiting.cancel()
        if self._link is None:
            why = f": {self.why}" if self.why else ""
            raise Unanswered(f"the MCP server {self.name} is not running{why}. Nothing was done.")
        return self._link

    async def _serve(self) -> None:
        """Reach it again and again, until the house closes."""
        pause, clock = FIRST_PAUSE, self._around.clock
        while not self._closing.is_set():
            self.state = "starting"
            began = clock.monotonic()
            try:
                await self._session()
                self.why = self._told("it ended")
            except Exception as fault:  # noqa: BLE001 - part of the adapter supervisor: told, and begun again
                self.why = self._told(fault)
            if self._closing.is_set():
                return
            pause = FIRST_PAUSE if clock.monotonic() - began > STEADY else pause
            self.state, self._until = "down", clock.monotonic() + pause
            self._around.report.warning("mcp.down", server=self.name, why=self.why, again_in=pause)
            await self._stands("down", self.why)
            await self._rest(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _rest(self, pause: float) -> None:
        """Until it is time, the house closes, or somebody wants it; for that, too, a moment is waited."""
        self._wanted.clear()
        await self._first(self._around.clock.sleep(min(pause, FIRST_PAUSE)), self._closing.wait())
        await self._first(
            self._around.clock.sleep(max(0.0, pause - FIRST_PAUSE)), self._closing.wait(), self._wanted.wait()
        )

    async def _session(self) -> None:
        """From the connection to its end. Raises whatever keeps it from being made."""
        await _library()
        from gateway.tools.mcp.link import Ends, linked

        ends = Ends(lost=asyncio.Event(), changed=asyncio.Event())
        self._lost, self._refused = ends.lost, ends.told
        self._again.clear()
        self._child, self._slow = None, 0
        async with AsyncExitStack() as stack:
            async with asyncio.timeout(self.settings.connect_timeout_s):
                link = await stack.enter_async_context(
                    linked(self.settings, self._surroundings(), self._folder(), ends, self._born)
                )
                await self._take(await link.tools())
            self.starts += 1
            self.state, self.why, self._link = "ready", "", link
            self._ready.set()
            self._around.report.info("mcp.ready", server=self.name, tools=len(self.tools))
            await self._stands("ready")
            following = asyncio.ensure_future(link.follow(ends.changed))
            try:
                await self._attend(link, ends)
            finally:
                self._shut()
                following.cancel()
                await asyncio.wait([following])

    async def _attend(self, link: Link, ends: Ends) -> None:
        """Until it has to be begun again, or the house closes; its tools are read anew when they changed."""
        while True:
            await self._first(ends.lost.wait(), self._again.wait(), self._closing.wait(), ends.changed.wait())
            if ends.lost.is_set() or self._again.is_set() or self._closing.is_set():
                return
            await self._first(asyncio.sleep(SETTLES), self._closing.wait(), ends.lost.wait())
            ends.changed.clear()
            async with asyncio.timeout(self.settings.connect_timeout_s):
                await self._take(await link.tools())

    async def _take(self, listed: Sequence[Listed]) -> None:
        """These are its tools from now on: for sessions that begin, and for the next start."""
        found = pinned(self._wrote, listed)
        self._wrote |= writers(found)
        self.tools, self.problems = await asyncio.to_thread(fit, self.name, found, self._around.most)
        for problem in self.problems:
            self._around.report.warning("mcp.tool", server=self.name, why=problem)
        if found == self._listed:
            return
        self._listed = found
        try:
            await asyncio.to_thread(self._around.known.keep, self.name, self.settings, found, self._wrote)
        except (FileTrouble, OSError) as trouble:
            self._around.report.warning("mcp.not_kept", server=self.name, why=str(trouble))

    async def _stands(self, state: Literal["ready", "down"], why: str = "") -> None:
        """Keep that it stands so, for who looks from another process, where it did not before."""
        if self.seen is not None and (self.seen.state, self.seen.why) == (state, why):
            return
        self.seen = Standing(state, why, self._around.clock.now())
        try:
            await asyncio.to_thread(self._around.known.stood, self.name, self.settings, self.seen)
        except (FileTrouble, OSError) as trouble:
            self._around.report.warning("mcp.not_kept", server=self.name, why=str(trouble))

    def _shut(self) -> None:
        self._link = None
        self._ready.clear()

    def _born(self, child: Child) -> None:
        self._child = child

    def _told(self, why: BaseException | str) -> str:
        """A reason for people: the innermost fault, and the last that the child said, without secrets."""
        while isinstance(why, BaseExceptionGroup):
            why = why.exceptions[0]
        if isinstance(why, TimeoutError):
            said = f"not ready within {self.settings.connect_timeout_s} s"
        elif isinstance(why, BaseException):
            said = str(why) or type(why).__name__
        else:
            said = why
        last = self._child.last_words if self._child is not None else " ".join(self._refused)
        return safe(self._around.mask(f"{said} ({last})" if last else said), 300)

    def _surroundings(self) -> dict[str, str]:
        given = {name: self._around.environment.get(name, "") for name in ("PATH", "HOME", "LANG")}
        usual = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
        return {**usual, **{name: value for name, value in given.items() if value}, **self.settings.env}

    def _folder(self) -> str | None:
        return self.settings.cwd or self._around.environment.get("HOME") or self._around.folder

    @staticmethod
    async def _first(*waits: Any) -> None:
        """Until one of these is over."""
        tasks = [asyncio.ensure_future(each) for each in waits]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()


async def _library() -> None:
    """Load what speaks the protocol: seconds, so not in the way of anybody. Raises Unanswered when it is missing."""
    try:
        await asyncio.to_thread(import_module, "gateway.tools.mcp.link")
    except ImportError as error:
        raise Unanswered(f"MCP needs `pip install innkeeper[mcp]` ({error})") from error


def _last(seen: Standing | None) -> str:
    """How a gateway saw it, where it is not looked at now."""
    if seen is None:
        return "not looked at here, and no gateway has reached it yet"
    since = f"since {datetime.fromtimestamp(seen.since, UTC):%Y-%m-%d %H:%M} UTC"
    if seen.state == "ready":
        return f"ready {since} when the gateway last looked"
    return f"⚠️ down {since} when the gateway last looked: {seen.why}"


class Servers:
    """All servers of a house, in the order of their names. `settings()` gives what is in force now."""

    def __init__(self, servers: Sequence[Server], settings: Callable[[], Mapping[str, McpServer]]) -> None:
        self.all = tuple(sorted(servers, key=lambda each: each.name))
        self._settings = settings
        self._named = {each.name: each for each in self.all}

    def rules(self, server: str) -> McpServer:
        """A server's settings as they are in force; what it was begun with when they are gone."""
        return self._settings().get(server, self._named[server].settings)

    @property
    def tools(self) -> tuple[RemoteTool, ...]:
        """What may be offered now, each name once; a name belongs to the first server that has it."""
        found: dict[str, RemoteTool] = {}
        for server in self.all:
            rules = self.rules(server.name)
            for tool in server.tools:
                if rules.offers(tool.tool) and rules.rule(tool.tool) != "deny":
                    found.setdefault(tool.name, tool)
        return tuple(found[name] for name in sorted(found))

    @property
    def problems(self) -> list[str]:
        """What cannot be offered, in lines."""
        lines = [f"{each.name}: {problem}" for each in self.all for problem in each.problems]
        holder: dict[str, str] = {}
        for server in self.all:
            for tool in server.tools:
                if holder.setdefault(tool.name, server.name) != server.name:
                    lines.append(f"{server.name}: the name {tool.name} is taken by {holder[tool.name]}")
        return lines

    def find(self, name: str) -> RemoteTool | None:
        """The tool of that name, by how it is offered."""
        return next((each for each in self.tools if each.name == name), None)

    async def call(self, server: str, tool: str, arguments: Mapping[str, Any]) -> Said:
        """Raises Unanswered."""
        found = self._named.get(server)
        if found is None:
            raise Unanswered(f"there is no MCP server {server} any more. Nothing was done.")
        return await found.call(tool, arguments)

    async def remember(self) -> None:
        """Offer what is known from before."""
        for server in self.all:
            await asyncio.to_thread(server.recall)

    def begin(self) -> None:
        """Reach all of them in the background."""
        for server in self.all:
            server.begin()

    async def close(self) -> None:
        await asyncio.gather(*(each.close() for each in self.all))


def servers(configured: Callable[[], Mapping[str, McpServer]], around: Surroundings) -> Servers:
    """Those that are configured and enabled at this moment."""
    make = partial(Server, around=around)
    return Servers([make(name, each) for name, each in configured().items() if each.enabled], configured)
