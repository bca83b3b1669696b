"""The kind `local`: a model host that Innkeeper starts, watches and stops itself.

Owns when the process runs (lazily, again after a crash, not for ever), the one turn at its one slot, and the order of
saving and answering. The process is local_process.py's, the slot's files are slots.py's, and the HTTP conversation is
left to an ordinary OpenAI-compatible client that is pointed at the process.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from gateway.clock import Clock
from gateway.models.catalogue import DEFAULT_MODEL, entry_named, entry_of, model_path
from gateway.models.client import Delta, HostInfo, ModelClient, ReadingProgress, Reply, Request, Waiting
from gateway.models.errors import HostDown, ModelError, ModelMissing, StreamBroken
from gateway.models.local_process import STOP_SECONDS, Child, ChildSettings, default_command, spare_threads
from gateway.models.portions import ReadAhead
from gateway.models.slots import Slots

HOST = "local"
DEFAULT_WINDOW = 16_384
"""Tokens, when neither the owner nor the catalogue says otherwise; llama.cpp lowers it to what the model can."""
CRASHES_ALLOWED = 5
CRASH_SECONDS = 600.0
LONGEST_PAUSE = 16.0
NOTICE_SECONDS = 15.0
DEATH_SECONDS = 0.5
"""How long a broken connection may be ahead of the news that the process ended."""

ClientFactory = Callable[[str, str], ModelClient]
"""Takes the base URL (`http://127.0.0.1:PORT/v1`) and the key of a running process."""


@dataclass(frozen=True, slots=True)
class Running:
    """A loaded process and the client that speaks with it."""

    child: Child
    client: ModelClient


@runtime_checkable
class Warmable(Protocol):
    """A client that can import its library ahead of the first request."""

    async def warm(self) -> None: ...


@runtime_checkable
class Forgetful(Protocol):
    """A client that keeps something of sessions, and can erase it."""

    def forget(self, session: str) -> bool: ...


class Seat:
    """Room for one local process: models are large, and whoever starts one has the other's rest first.

    Only the holder is waited for, and a holder waits for nobody here; so nobody waits for ever.
    """

    def __init__(self) -> None:
        self._holder: LocalHost | None = None

    async def take(self, host: LocalHost) -> None:
        """Returns when no other process runs, or will."""
        while (held := self._holder) is not None and held is not host:
            await held.rest()
            if self._holder is held:
                self._holder = None
        self._holder = host


class LocalHost:
    """A `ModelClient` for a GGUF file. One request at a time, in the order of asking.

    `folder` is the profile's: the log goes to `logs/local-host.log`, saved slots to `cache/slots`. `name` is the
    model's name in `local/NAME`. `threads` defaults to what leaves the machine some room. `known` spares starting the
    process to answer `info`. `temperature` holds for requests that name none. `seat` is shared by hosts of which at
    most one is to have a process.
    """

    def __init__(
        self,
        model_path: Path,
        folder: Path,
        *,
        clock: Clock,
        name: str | None = None,
        window: int | None = None,
        threads: int | None = None,
        temperature: float | None = None,
        known: HostInfo | None = None,
        client_for: ClientFactory | None = None,
        command: Sequence[str] | None = None,
        seat: Seat | None = None,
    ) -> None:
        self._path = model_path
        self._name = name or model_path.stem
        self._clock = clock
        self._log = folder / "logs" / "local-host.log"
        self._settings = ChildSettings(
            model=str(model_path),
            alias=self._name,
            slots=str(folder / "cache" / "slots"),
            log=str(self._log),
            window=window or DEFAULT_WINDOW,
            threads=threads or spare_threads(),
            temperature=temperature,
        )
        self._slots = Slots(folder / "cache" / "slots", model_path)
        self._known = known
        self._client_for = client_for or compatible_client(self._name, self._settings.window, clock)
        self._command = tuple(command or default_command())
        self._seat = seat or Seat()
        self._turn = asyncio.Lock()
        self._running: Running | None = None
        self._starting: asyncio.Task[Running] | None = None
        self._crashes: deque[float] = deque(maxlen=CRASHES_ALLOWED)
        self._closed = False

    @property
    def host(self) -> str:
        return HOST

    @property
    def model(self) -> str:
        return self._name

    @property
    def busy(self) -> bool:
        """Whether a request has the turn: what the server's `/slots` would say, without asking it. For reviews."""
        return self._turn.locked()

    @property
    def loading(self) -> bool:
        """Whether a process is being started."""
        return self._starting is not None and not self._starting.done()

    @property
    def endpoint(self) -> tuple[str, str] | None:
        """Address (no path) and key of the running process, for whoever looks at its figures; None when none runs."""
        running = self._alive()
        return (running.child.address, running.child.key) if running is not None else None

    @property
    def pid(self) -> int:
        """The running process's id; 0 when none runs."""
        running = self._alive()
        return running.child.pid if running is not None else 0

    async def warm(self) -> None:
        """Start the process unless it runs. Raises ModelError when it cannot be started."""
        await self._ready()

    async def info(self) -> HostInfo:
        """What the catalogue or the running server says; starts the process once to ask it."""
        if self._known is None:
            try:
                properties = await (await self._ready()).child.properties()
            except ModelError:
                properties = {}
            if not properties:
                return HostInfo(window=self._settings.window, tools=False, local=True)
            window = properties.get("default_generation_settings", {}).get("n_ctx")
            tools = bool(properties.get("chat_template_caps", {}).get("supports_tools", True))
            self._known = HostInfo(window=window or self._settings.window, tools=tools, local=True)
        return self._known

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """As `ModelClient.stream`. A process that dies before the first word is started again, once; after it the
        answer is StreamBroken, and the next request starts a new process."""
        await self._turn.acquire()  # the host's limit tells whoever waits; this only keeps the slot's order
        try:
            async with contextlib.aclosing(self._answer(request)) as deltas:
                async for delta in deltas:
                    if isinstance(delta, Reply):
                        reply = delta
                    else:
                        yield delta
        finally:
            self._turn.release()
        yield reply  # after the release: a reader that stops here must not keep the host

    def forget(self, session: str) -> bool:
        """Erase the saved state of a session (it holds the conversation's tokens); says whether there was any."""
        return self._slots.forget(session)

    async def rest(self) -> None:
        """Stop the process once it is idle; the next request starts it again."""
        async with self._turn:
            if self._starting is not None:
                await asyncio.wait([self._starting])
            if self._running is not None:
                await self._retire(self._running)

    async def close(self) -> None:
        """Stop the process within seconds, whatever it is doing. Running requests end with HostDown."""
        self._closed = True
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait([self._starting])
        if self._running is not None:
            await self._retire(self._running)
        await self._slots.close()

    async def _answer(self, request: Request) -> AsyncGenerator[Delta, None]:
        for last in (False, True):
            spoke = False
            try:
                async with contextlib.aclosing(self._attempt(request)) as deltas:
                    async for delta in deltas:
                        spoke = spoke or not isinstance(delta, Waiting | ReadingProgress)
                        yield delta
                return
            except (HostDown, StreamBroken) as error:
                if self._running is None:
                    raise
                if not await self._gone(self._running):
                    if spoke or last or isinstance(error, StreamBroken):
                        raise
                    continue  # it closed a kept connection just as the request was sent: nothing was begun
                if spoke:
                    raise StreamBroken("the local model's process ended in the middle of its answer") from error
                if last or self._closed:
                    raise HostDown(
                        f"the local model's process ended while it read the prompt; see {self._log}"
                    ) from error
            yield Waiting("the local model's process ended; starting it again")

    async def _attempt(self, request: Request) -> AsyncGenerator[Delta, None]:
        async with contextlib.aclosing(self._loading()) as notices:
            async for notice in notices:
                yield notice
        running = await self._ready()
        await self._slots.enter(running.child, request)
        ahead = ReadAhead(request)
        async with contextlib.aclosing(ahead.stream(running.client)) as signs:
            async for sign in signs:
                yield sign
        async with contextlib.aclosing(running.client.stream(request)) as deltas:
            async for delta in deltas:
                if isinstance(delta, Reply):
                    await self._slots.leave(running.child, request, delta)
                    delta = replace(delta, host=self.host, model=self.model, usage=ahead.counted(delta.usage))
                yield delta

    async def _loading(self) -> AsyncGenerator[Waiting, None]:
        """Notices while the process starts; none when it runs."""
        if self._alive() is not None:
            return
        ready = asyncio.ensure_future(self._ready())
        try:
            while not ready.done():
                yield Waiting(f"loading model {self._name}")
                pause = asyncio.ensure_future(self._clock.sleep(NOTICE_SECONDS))
                try:
                    await asyncio.wait({ready, pause}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    pause.cancel()
            ready.result()
        finally:
            ready.cancel()  # ends this waiting, not the start itself, which others may be waiting for

    def _alive(self) -> Running | None:
        return self._running if self._running is not None and self._running.child.alive else None

    async def _ready(self) -> Running:
        """The running process; started when there is none. A start is shared by all who wait for it."""
        running = self._alive()
        if running is not None:
            return running
        if self._starting is None or self._starting.done():
            self._starting = asyncio.create_task(self._start())
            self._starting.add_done_callback(_looked_at)
        try:
            return await asyncio.shield(self._starting)
        except asyncio.CancelledError:
            if self._closed and self._starting.cancelled():
                raise HostDown("the local model is being stopped") from None
            raise

    async def _start(self) -> Running:
        if self._closed:
            raise HostDown("the local model is being stopped")
        if self._running is not None:  # found dead
            self._crashes.append(self._clock.monotonic())
            await self._retire(self._running)
        if not self._path.is_file():
            raise ModelMissing(f"there is no model file {self._path}; `innkeeper models list` shows what there is")
        await self._pause_after_crashes()
        await self._seat.take(self)
        try:
            child = await Child.start(self._settings, self._command)
        except HostDown:
            self._crashes.append(self._clock.monotonic())
            raise
        self._slots.emptied()
        self._running = Running(child, self._client_for(f"{child.address}/v1", child.key))
        if isinstance(self._running.client, Warmable):
            await self._running.client.warm()
        return self._running

    async def _pause_after_crashes(self) -> None:
        """At once after one crash, then ever later, then not at all until the oldest is ten minutes old."""
        now = self._clock.monotonic()
        while self._crashes and now - self._crashes[0] > CRASH_SECONDS:
            self._crashes.popleft()
        if len(self._crashes) >= CRASHES_ALLOWED:
            minutes = math.ceil((CRASH_SECONDS - (now - self._crashes[0])) / 60)
            raise HostDown(
                f"the local model's process ended {len(self._crashes)} times within ten minutes and is not started "
                f"again for {minutes} min; {self._log} may say why, `innkeeper models use` picks another model"
            )
        if len(self._crashes) > 1:
            await self._clock.sleep(min(2.0 ** (len(self._crashes) - 2), LONGEST_PAUSE))

    async def _gone(self, running: Running) -> bool:
        """Whether the process died, or hangs and was ended for it."""
        if await running.child.died(DEATH_SECONDS):
            return True
        if await running.child.healthy():
            return False
        await running.child.stop(0)
        return True

    async def _retire(self, running: Running) -> None:
        if self._running is running:
            self._running = None
        await running.client.close()
        await running.child.stop(STOP_SECONDS)


def _looked_at(start: asyncio.Task[Running]) -> None:
    """A start may fail after everybody who waited for it went away; that is no fault of the event loop's."""
    if not start.cancelled():
        start.exception()


def open_local(
    name: str,
    models_folder: Path,
    folder: Path,
    *,
    clock: Clock,
    window: int | None = None,
    threads: int | None = None,
    seat: Seat | None = None,
) -> LocalHost:
    """The host for a model's name (`auto` is the small one), with what the catalogue knows of it.

    Raises ModelMissing for a name that is no model. A file that is not there yet is no error until the first request.
    """
    wanted = DEFAULT_MODEL if name == "auto" else name
    path = model_path(wanted, models_folder)
    entry = entry_named(wanted) or entry_of(path)
    if entry is None:
        return LocalHost(path, folder, clock=clock, window=window, threads=threads, seat=seat)
    return LocalHost(
        path,
        folder,
        clock=clock,
        name=entry.name,
        window=window or entry.window,
        threads=threads,
        temperature=entry.temperature,
        known=HostInfo(window=window or entry.window, tools=entry.tools, local=True),
        seat=seat,
    )


def compatible_client(name: str, window: int, clock: Clock) -> ClientFactory:
    """The ordinary client for a running process; imported when the first process runs."""

    def build(base_url: str, key: str) -> ModelClient:
        from gateway.models.openai_compatible import OpenAICompatible

        return OpenAICompatible(HOST, name, base_url, key, clock=clock, window=window, local=True, llama_cpp=True)

    return build
