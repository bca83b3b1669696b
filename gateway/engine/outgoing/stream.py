"""The live preview of a reply: one state machine that makes the chat read like the text so far, at its pace.

Nothing here must arrive: no call is made while the platform wants to be left alone, and fewer when it does not keep
up. A streamed message's id is committed before anything else happens with it, so that whoever goes on after a crash
edits it; what could not be shown is delivered at the end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from gateway.clock import Clock
from gateway.engine.outgoing.delivery import Delivery
from gateway.errors import StaleEpoch
from gateway.state.connection import DatabaseFault
from gateway.state.protocols import Outbox
from gateway.state.records import Part, PartDraft
from gateway.unbroken import to_its_end
from platforms.adapter import Adapter
from platforms.chunking import split
from platforms.errors import DeliveryError, NotSent, Refused, RetryAfter, Uncertain
from platforms.messages import ChatRef, Outbound

FIRST_AFTER = 0.3
"""Seconds before the first preview, so that a quick answer is sent once and never edited."""

BEHIND = 0.1
"""Seconds between two looks while an earlier answer is still being delivered, at least."""

AGAIN = 1.0
"""Seconds before what could not be shown is tried again, at least."""

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
        self._parts: list[Part | None] = []
        self._texts: list[str] = []
        self._wanted = ""
        self._news = asyncio.Event()
        self._broken = False
        self._tasks: list[asyncio.Task[None]] = []
        self._line = ""
        self._telling: asyncio.Task[None] | None = None
        self._changed_at = float("-inf")
        can = adapter.capabilities
        self._base = max(can.edit_seconds, can.group_edit_seconds if group else 0.0)

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

    @property
    def _pace(self) -> float:
        return self._delivery.pacing.seconds(self._chat, self._base)

    async def _tell(self, line: str) -> None:
        while line and not self._halted():
            with self._delivery.cosmetic(self._chat) as adapter:
                if adapter is not None:
                    await adapter.progress(self._chat, line)
                    self._delivery.pacing.spent(self._chat, self._base)
            await self._clock.sleep(self._pace)
            line, self._line = self._line, ""

    async def _type(self) -> None:
        """The sign that an answer is coming. What changes before everybody's eyes needs none."""
        await self._clock.sleep(TYPING_AFTER)
        while not self._halted():
            if self._clock.monotonic() - self._changed_at >= TYPING_EVERY:
                with self._delivery.cosmetic(self._chat) as adapter:
                    if adapter is not None:
                        await adapter.typing(self._chat)
            await self._clock.sleep(TYPING_EVERY)

    async def _follow(self) -> None:
        await self._news.wait()
        await self._clock.sleep(min(FIRST_AFTER, self._base))
        with self._delivery.pacing.showing(self._chat):
            while not self._broken and not self._halted():
                await self._news.wait()
                if self._delivery.busy(self._chat):  # an earlier answer is on its way: nothing may overtake it
                    await self._clock.sleep(max(self._pace, BEHIND))
                    continue
                if (left := self._delivery.quiet_for(self._chat)) > 0:
                    await self._clock.sleep(left)
                    continue
                self._news.clear()
                shown = await self._catch_up()
                await self._clock.sleep(self._pace if shown else max(self._pace, AGAIN))

    async def _catch_up(self) -> bool:
        """Make the chat read like the wanted text, part by part. False when that must be tried again."""
        can = self._adapter.capabilities
        for number, text in enumerate(split(self._wanted, can.limit, can.unit) if self._wanted.strip() else []):
            if number < len(self._texts) and self._texts[number] == text:
                continue
            try:
                async with self._delivery.lane(self._chat).lock:
                    await to_its_end(self._put(number, text))
            except (DeliveryError, StaleEpoch, DatabaseFault) as error:
                self._missed(number, error)
                return False
        return True

    def _missed(self, number: int, fault: Exception) -> None:
        """What could not be shown now is shown with what comes next, if its message can still be known; otherwise the
        end will tell: delivery sends or edits what is missing."""
        match fault:
            case RetryAfter():
                self._delivery.hush(self._chat, fault.seconds)
            case NotSent():
                pass
            case Uncertain() if self._known(number) is not None:
                self._delivery.pacing.pressed(self._chat)
            case _:
                self._broken = True
        self._news.set()

    def _known(self, number: int) -> Part | None:
        """The streamed message of a part, where there is one."""
        return self._parts[number] if number < len(self._parts) else None

    async def _put(self, number: int, text: str) -> None:
        with self._delivery.reach.trying(self._chat.platform, self._chat.key):
            if (known := self._known(number)) is not None:
                await self._adapter.edit(str(known.remote_id), Outbound(self._chat, text))
            else:
                await self._post(number, text)
        self._changed_at = self._clock.monotonic()
        self._delivery.pacing.spent(self._chat, self._base)
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
