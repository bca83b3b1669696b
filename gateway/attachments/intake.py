"""Attachments on their way in: fetched beside everything else from the moment their event is stored, then read.

Owns which file of an event is being fetched, how many at a time, and for how long. What is in a file is reading.py's
matter, the words are wording.py's. Nothing here is stored but bytes in the cache: after a crash it is done again.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from gateway.attachments.brought import Brought
from gateway.attachments.cache import FileCache
from gateway.attachments.extraction import Extractor
from gateway.attachments.reading import Ears, Reader
from gateway.attachments.wording import missing, too_large
from gateway.clock import Clock
from gateway.config.schema import Settings
from gateway.state.records import InboxItem
from platforms.adapter import Adapter
from platforms.errors import PLUGIN_FAULTS, DeliveryError, Gone, Refused, RetryAfter
from platforms.messages import Attachment, Inbound

T = TypeVar("T")

AT_A_TIME = 4
"""Files that are fetched at the same time from one platform; one that hangs keeps no other waiting."""

DEADLINE = 90.0
"""Seconds until a file is there, waiting for its turn and further tries included."""

READING = 300.0
"""Seconds that looking into a file may take; a recording of some minutes is written down in less."""

PAUSES = (1.0, 4.0)
"""Seconds before the second and the third try."""

KEPT = 64
"""Events whose files are remembered when nobody asks for them any more."""


class Report(Protocol):
    """Where trouble is written down."""

    def info(self, event: str, **fields: object) -> object: ...

    def warning(self, event: str, **fields: object) -> object: ...


class _Lost(Exception):
    """A file that cannot be had, and why."""


class Intake:
    """`begin(item)` when an event is stored, `brought(items)` when its turn comes."""

    def __init__(
        self,
        adapters: Mapping[str, Adapter],
        reader: Reader,
        settings: Callable[[], Settings],
        clock: Clock,
        report: Report,
    ) -> None:
        self._adapters = adapters
        self._reader = reader
        self._settings = settings
        self._clock = clock
        self._report = report
        self._places: dict[str, asyncio.Semaphore] = {}
        self._tasks: OrderedDict[int, asyncio.Task[tuple[Brought, ...]]] = OrderedDict()

    def begin(self, item: InboxItem) -> None:
        """Start to fetch what came with an event; returns at once. Nothing happens for an event without files, or
        for one that is known."""
        if item.event.attachments and item.id not in self._tasks:
            self._tasks[item.id] = asyncio.ensure_future(self._bring(item.event))
            for old in [key for key, task in self._tasks.items() if task.done()][: max(0, len(self._tasks) - KEPT)]:
                del self._tasks[old]

    def ready(self, items: Sequence[InboxItem]) -> bool:
        """Whether `brought` answers at once."""
        return all(
            (task := self._tasks.get(item.id)) is not None and task.done() for item in items if item.event.attachments
        )

    async def brought(self, items: Sequence[InboxItem]) -> dict[str, tuple[Brought, ...]]:
        """What came with these events, by event id; events without files are left out. Being cancelled stops no
        fetch. Never raises for what is wrong with a file: that is said in words."""
        tasks = {}
        for item in items:
            self.begin(item)
            if item.event.attachments:  # held at once: to begin the next may be to forget this one
                tasks[item.event.event_id] = self._tasks[item.id]
        if tasks:
            await asyncio.wait(tasks.values())
        return {event_id: task.result() for event_id, task in tasks.items()}

    def forget(self, items: Sequence[InboxItem]) -> None:
        """The turn has what came with these events."""
        for item in items:
            if (task := self._tasks.pop(item.id, None)) is not None:
                task.cancel()

    async def close(self) -> None:
        """Stop fetching; what has not been answered is fetched again by the next process."""
        tasks = list(self._tasks.values())
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _bring(self, event: Inbound) -> tuple[Brought, ...]:
        files = [asyncio.ensure_future(self._one(event, each)) for each in event.attachments]
        try:
            return tuple(await asyncio.gather(*files))
        finally:
            for file in files:
                file.cancel()

    async def _one(self, event: Inbound, file: Attachment) -> Brought:
        """One file, fetched and looked into, each within its time."""
        if (unread := self._reader.unread(file)) is not None:
            return unread
        try:
            data = await self._within(DEADLINE, self._fetch(event, file))
            return await self._within(READING, self._reader.read(file, data))
        except _Lost as lost:
            why = str(lost)
        except DeliveryError as error:
            why = str(error)
        except OSError as error:
            why = f"it cannot be kept on this machine ({error.strerror})"
        self._report.warning("attachment.lost", chat=event.chat.key, kind=file.kind, why=why)
        return Brought(missing(file, why))

    async def _within(self, seconds: float, step: Coroutine[Any, Any, T]) -> T:
        """The step's result. Raises `_Lost` when it takes longer, and what it raises."""
        work = asyncio.ensure_future(step)
        late = asyncio.ensure_future(self._clock.sleep(seconds))
        try:
            await asyncio.wait({work, late}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise _Lost(f"no end after {seconds:.0f} s")
            return work.result()
        finally:
            work.cancel()
            late.cancel()

    async def _fetch(self, event: Inbound, file: Attachment) -> bytes:
        """The bytes. Raises DeliveryError, or `_Lost` for what is too large or breaks the adapter."""
        adapter = self._adapters.get(event.chat.platform)
        bound = self._settings().attachments.max_bytes
        bound = min(bound, adapter.capabilities.takes_files if adapter is not None else 0)
        if adapter is None or not bound:
            raise _Lost("no file can be taken here")
        if file.size > bound:
            raise _Lost(too_large(file.size, bound))
        async with self._places.setdefault(event.chat.platform, asyncio.Semaphore(AT_A_TIME)):
            try:
                data = await self._fetched(adapter, file)
            except PLUGIN_FAULTS as fault:
                raise _Lost(type(fault).__name__) from None
        if len(data) > bound:
            raise _Lost(too_large(len(data), bound))
        return data

    async def _fetched(self, adapter: Adapter, file: Attachment) -> bytes:
        """The bytes, with another try where that may help. Raises DeliveryError, or what a plugin raises."""
        for pause in PAUSES:
            try:
                return await adapter.fetch(file)
            except (Refused, Gone):
                raise
            except DeliveryError as error:
                await self._clock.sleep(max(pause, error.seconds if isinstance(error, RetryAfter) else 0.0))
        return await adapter.fetch(file)


def open_intake(
    folder: Path,
    adapters: Mapping[str, Adapter],
    settings: Callable[[], Settings],
    clock: Clock,
    report: Report,
    ears: Callable[[], Ears | None] = lambda: None,
) -> Intake:
    """An intake that keeps its files in `folder`."""
    reader = Reader(FileCache(folder), Extractor(clock), settings, ears)
    return Intake(adapters, reader, settings, clock, report)
