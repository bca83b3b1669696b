"""The live preview of a reply: one state machine that makes the chat read like the text so far, at its pace.

A streamed message's id is committed before anything else happens with it, so that whoever goes on after a crash
edits it. The preview is cosmetic: what cannot be shown now is delivered at the end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from gateway.clock import Clock
from gateway.engine.delivery import Delivery
from gateway.engine.steps import to_its_end
from gateway.errors import StaleEpoch
from gateway.state.connection import DatabaseFault
from gateway.state.protocols import Outbox
from gateway.state.records import Part, PartDraft
from platforms.adapter import Adapter
from platforms.chunking import split
from platforms.errors import DeliveryError, NotSent, Refused, RetryAfter, Uncertain
from platforms.messages import ChatRef, Outbound

FIRST_AFTER = 0.3
"""Seconds before the first preview, so that a quick answer is sent once and never edited."""

BEHIND = 0.1
"""Seconds between two looks while an earlier answer is still being delivered, at least."""

TYPING_AFTER = 0.1
"""Seconds before the typing sign: the request to the model goes first, and a quick answer needs none."""

TYPING_EVERY = 4.0


class Preview:
    """One turn's preview in one chat. `start()` it, `show()` text, and `close()` it before the reply is stored."""

    def __init__(
        self,
        delivery: Delivery,
        outbox: Outbox,
        adapter: Adapter,
        chat: ChatRef,
        source: str,
        clock: Clock,
        halted: Callable[[], bool] = lambda: False,
        *,
        group: bool = False,
    ) -> None:
        self._delivery = delivery
        self._outbox = outbox
        self._adapter = adapter
        self._chat = chat
        self._source = source
        self._clock = clock
        self._halted = halted
        self._group = group
        self._parts: list[Part | None] = []
        self._texts: list[str] = []
        self._wanted = ""
        self._news = asyncio.Event()
        self._broken = False
        self._tasks: list[asyncio.Task[None]] = []
        self._line = ""
        self._telling: asyncio.Task[None] | None = None

    async def start(self, *, taken_over: bool) -> None:
        """Show that an answer is coming, and go on from what an earlier process had streamed, if one had."""
        for part in await self._outbox.of_source(self._source) if taken_over else []:
            self._parts.append(part if part.remote_id is not None else None)
            self._texts.append(part.text)
            self._broken = self._broken or part.remote_id is None
        self._tasks = [asyncio.ensure_future(self._type())]
        if self._adapter.capabilities.edits:
            self._tasks.append(asyncio.ensure_future(self._follow()))

    def show(self, text: str) -> None:
        self._wanted = text
        self._news.set()

    async def progress(self, text: str) -> None:
        """A passing line. Nobody waits for it: of those that come while one is on the wire, the last is shown."""
        self._line = text
        if self._telling is None or self._telling.done():
            self._line, line = "", text
            self._telling = asyncio.ensure_future(self._tell(line))

    async def close(self) -> None:
        """Stop; a call that is on the wire is waited for, so that its message id is known."""
        tasks = [*self._tasks, *([self._telling] if self._telling is not None else [])]
        for task in tasks:
            task.cancel()
        for task in tasks:
            while not task.done():
                await asyncio.wait({task})
        self._tasks, self._telling = [], None

    async def _tell(self, line: str) -> None:
        while line and not self._halted():
            if not self._delivery.quiet(self._chat):
                await self._adapter.progress(self._chat, line)
            line, self._line = self._line, ""

    async def _type(self) -> None:
        await self._clock.sleep(TYPING_AFTER)
        while not self._halted():
            if not self._delivery.quiet(self._chat):
                await self._adapter.typing(self._chat)
            await self._clock.sleep(TYPING_EVERY)

    async def _follow(self) -> None:
        can = self._adapter.capabilities
        pace = max(can.edit_seconds, can.group_edit_seconds if self._group else 0.0)
        await self._news.wait()
        await self._clock.sleep(min(FIRST_AFTER, pace))
        while not self._broken and not self._halted():
            await self._news.wait()
            if self._delivery.busy(self._chat):  # an earlier answer is on its way: nothing may overtake it
                await self._clock.sleep(max(pace, BEHIND))
                continue
            self._news.clear()
            if not self._delivery.quiet(self._chat):
                await to_its_end(self._catch_up())
            await self._clock.sleep(pace)

    async def _catch_up(self) -> None:
        """Make the chat read like the wanted text, part by part."""
        can = self._adapter.capabilities
        for number, text in enumerate(split(self._wanted, can.limit, can.unit) if self._wanted.strip() else []):
            if number < len(self._texts) and self._texts[number] == text:
                continue
            try:
                async with self._delivery.lane(self._chat).lock:
                    await self._put(number, text)
            except RetryAfter as error:
                self._delivery.hush(self._chat, error.seconds)
                return
            except (DeliveryError, StaleEpoch, DatabaseFault):
                self._broken = True  # the end will tell: delivery sends or edits what is missing
                return

    async def _put(self, number: int, text: str) -> None:
        if number < len(self._parts) and (known := self._parts[number]) is not None:
            await self._adapter.edit(str(known.remote_id), Outbound(self._chat, text))
        else:
            await self._post(number, text)
        if number < len(self._texts):
            self._texts[number] = text
        else:
            self._texts.append(text)

    async def _post(self, number: int, text: str) -> None:
        part = await self._outbox.preview(self._chat, self._source, number, PartDraft(text), self._clock.now())
        try:
            sent = await self._adapter.send(Outbound(self._chat, text, nonce=part.nonce))
        except Uncertain:
            raise  # stays `sending`: whoever delivers the reply knows that a preview may be there
        except (RetryAfter, NotSent, Refused):
            await self._outbox.drop_preview(part.id)
            raise
        await self._outbox.mark(part.id, "preview", self._clock.now(), remote_id=sent)
        self._parts = [*self._parts[:number], replace(part, remote_id=sent)]
