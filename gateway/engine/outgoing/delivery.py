"""Getting stored parts into their chats: in order, at the platform's pace, each once.

The only place that decides when a send is tried, and tried again. What the end of a try means for a part is
`sending`'s; what nobody needs (edits, signs, receipts) passes by here only to learn whether it may be shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager

from gateway.clock import Clock
from gateway.engine import notices
from gateway.engine.outgoing.lane import Lane
from gateway.engine.outgoing.pacing import Pacing
from gateway.engine.outgoing.reach import Reach
from gateway.engine.outgoing.sending import Sending
from gateway.events import Bus
from gateway.state.connection import DatabaseFault
from gateway.state.protocols import Store
from gateway.state.records import Part, PartDraft
from platforms.adapter import Adapter
from platforms.chunking import split
from platforms.errors import DeliveryError, RetryAfter, Uncertain
from platforms.messages import Button, ChatRef, Outbound, OutFile

MAX_AGE = 12 * 3600.0
"""Seconds after which a part that could not be delivered is dropped, with one notice."""

LONGEST_PAUSE = 30.0
"""Seconds between two tries at most, when the platform cannot be reached."""

LONG_WAIT = 30.0
"""Seconds that a platform may hold an answer back before the person is told why it came late."""

PARTING = 5.0
"""Seconds that a platform gets for what is on the wire when the house closes."""

EXPIRED = "expired:"
"""What the source of a notice about dropped parts begins with."""

Buttons = tuple[tuple[Button, ...], ...]


class Delivery:
    """Delivers what the outbox holds. `adapters` maps a platform's name to its adapter, and may change."""

    def __init__(
        self,
        store: Store,
        adapters: Mapping[str, Adapter],
        clock: Clock,
        bus: Bus | None = None,
    ) -> None:
        self._store = store
        self._adapters = adapters
        self._clock = clock
        self._lanes: dict[str, Lane] = {}
        self._closing = False
        self.pacing = Pacing(clock)
        self.reach = Reach(clock)
        self._sending = Sending(store, clock, bus or Bus(), self.reach, self)
        self.moved: Callable[[ChatRef, ChatRef], Awaitable[None]] = store.sessions.move_chat
        """What is done about a chat that has a new id. The engine and the doors put more behind it."""

    def lane(self, chat: ChatRef) -> Lane:
        if (lane := self._lanes.get(chat.key)) is None:
            lane = self._lanes[chat.key] = Lane(self._clock)
        return lane

    @property
    def chats(self) -> list[ChatRef]:
        """Every chat that somebody wrote to or looked at since the start."""
        return [ChatRef.parse(key) for key in self._lanes]

    def quiet(self, chat: ChatRef) -> bool:
        """Whether the platform wants to be left alone in this chat right now: no cosmetic call then."""
        return self.lane(chat).hushed

    def quiet_for(self, chat: ChatRef) -> float:
        """For how many seconds more."""
        return max(0.0, self.lane(chat).quiet_until - self._clock.monotonic())

    def busy(self, chat: ChatRef) -> bool:
        """Whether stored parts are on their way to this chat, or wait for it."""
        return self.lane(chat).task is not None

    def hush(self, chat: ChatRef, seconds: float) -> None:
        """The platform asked to be left alone in this chat."""
        self.lane(chat).hush(seconds)
        self.pacing.pressed(chat)

    def outdate(self, chat: ChatRef) -> None:
        """What was read of the outbox for this chat holds no longer."""
        self.lane(chat).stale = True

    def cut(self, chat: ChatRef, text: str, buttons: Buttons = (), reply_to: str | None = None) -> list[PartDraft]:
        """A text as parts that fit the chat's platform; buttons stand under the last one."""
        adapter = self._adapters.get(chat.platform)
        pieces = [text]
        if adapter is not None:
            can = adapter.capabilities
            pieces = [each for each in split(text, can.limit, can.unit) if each.strip()]
        drafts = [PartDraft(piece, reply_to=reply_to if number == 0 else None) for number, piece in enumerate(pieces)]
        if buttons and drafts:
            drafts[-1] = PartDraft(drafts[-1].text, buttons, drafts[-1].reply_to)
        return drafts

    async def post(
        self,
        chat: ChatRef,
        source: str,
        text: str,
        *,
        buttons: Buttons = (),
        finishes: tuple[int, ...] = (),
        file: OutFile | None = None,
        picture: OutFile | None = None,
    ) -> None:
        """Store a text, a picture before it and a file after it, and send them in this order. The same `source` is
        posted once, whatever happens."""
        drafts = [PartDraft("", file=picture)] if picture is not None else []
        drafts += self.cut(chat, text, buttons) if text else []
        drafts += [PartDraft("", file=file)] if file is not None else []
        await self._store.outbox.put(chat, source, drafts, self._clock.now(), finishes=finishes)
        self.wake(chat)

    async def receipt(self, chat: ChatRef, text: str) -> bool:
        """A passing line that is worth nothing later: sent once, not stored, and dropped when it cannot be sent.
        False when it certainly did not arrive."""
        adapter = self._adapters.get(chat.platform)
        if adapter is None or self.quiet(chat):
            return False
        try:
            async with self.lane(chat).lock:
                await adapter.send(Outbound(chat, text, quiet=True))
        except RetryAfter as error:
            self.hush(chat, error.seconds)
            return False
        except DeliveryError as error:
            return isinstance(error, Uncertain)
        return True

    @contextmanager
    def cosmetic(self, chat: ChatRef) -> Iterator[Adapter | None]:
        """For a call that nobody needs (a typing sign, a passing line, a reaction): the adapter to make it with, or
        None while the platform wants to be left alone in this chat."""
        try:
            yield None if self.quiet(chat) else self._adapters.get(chat.platform)
        except RetryAfter as error:
            self.hush(chat, error.seconds)

    def wake(self, chat: ChatRef) -> None:
        """Something is queued for this chat, or its platform is back."""
        lane = self.lane(chat)
        lane.wake.set()
        if lane.task is None and not self._closing:
            lane.task = asyncio.ensure_future(self._work(chat, lane))

    async def wake_all(self, platform: str | None = None) -> None:
        """See to everything that waits, of one platform or of all."""
        for chat in await self._store.outbox.chats():
            if platform is None or chat.platform == platform:
                self.wake(chat)

    async def flushed(self, chat: ChatRef) -> None:
        """Wait until nothing more can be sent to this chat for now."""
        lane = self.lane(chat)
        while (task := lane.task) is not None and not lane.resting:
            rests = asyncio.ensure_future(lane.rests.wait())
            await asyncio.wait({task, rests}, return_when=asyncio.FIRST_COMPLETED)
            rests.cancel()

    async def close(self) -> None:
        """Send what can be sent at once, and take no more; what is left waits in the outbox."""
        self._closing = True
        for lane in self._lanes.values():
            lane.wake.set()
        tasks = {lane.task for lane in self._lanes.values() if lane.task is not None}
        if not tasks:
            return
        late = asyncio.ensure_future(self._clock.sleep(PARTING))
        ended = asyncio.ensure_future(asyncio.wait(tasks))
        await asyncio.wait({ended, late}, return_when=asyncio.FIRST_COMPLETED)
        late.cancel()
        ended.cancel()
        for task in tasks:
            task.cancel()  # its part stays `sending`: the next process knows that its end is unknown
        await asyncio.wait(tasks)

    async def _work(self, chat: ChatRef, lane: Lane) -> None:
        """Send until nothing waits; an unreachable platform is tried again with growing pauses."""
        pause = 1.0
        try:
            while True:
                lane.wake.clear()
                unsettled = False
                try:
                    for part in await self._store.outbox.queued(chat):
                        if not await self._deliver(part, lane):
                            unsettled = True
                            break
                        pause = 1.0
                        if lane.stale:
                            lane.wake.set()
                            break
                except DatabaseFault:  # a full disk: what waits is sent once there is room
                    unsettled = True
                lane.stale = False
                if unsettled and not self._closing:
                    await lane.rest(pause, lambda: self._closing)
                    pause = min(pause * 2, LONGEST_PAUSE)
                    continue
                if not unsettled:
                    await self._explain(chat, lane)
                if unsettled or not lane.wake.is_set():
                    return
        finally:
            lane.task = None

    async def _deliver(self, part: Part, lane: Lane) -> bool:
        """Try one part. True when it is settled, False when it must be tried again later."""
        adapter = self._adapters.get(part.chat.platform)
        if self._clock.now() - part.created_at > MAX_AGE:
            await self._expire(part.chat)
            return True
        if adapter is None or lane.hushed:
            return False
        async with lane.lock:
            self.pacing.spent(part.chat, adapter.capabilities.edit_seconds)
            settled = await self._sending.deliver(part, adapter)
        if settled and part.source.startswith(EXPIRED):
            await self._store.facts.put(part.chat.key, "expired", None)
        return settled

    async def _explain(self, chat: ChatRef, lane: Lane) -> None:
        """Everything is there; when the platform had held it back for long, one quiet line says so."""
        held, lane.held = lane.held, 0.0
        if held >= LONG_WAIT and not self._closing:
            await self.receipt(chat, notices.held_back(chat.platform, held))

    async def _expire(self, chat: ChatRef) -> None:
        """Drop whatever waited too long. One notice counts all that was dropped since the chat was last told."""
        now, waiting = self._clock.now(), await self._store.outbox.queued(chat)
        old = [each for each in waiting if now - each.created_at > MAX_AGE]
        for each in old:
            await self._sending.end(each, "expired", error="too old")
        self.outdate(chat)
        lost = {each.source for each in old if not each.source.startswith(EXPIRED)}
        if not lost:
            return
        for each in waiting:
            if each.source.startswith(EXPIRED) and each not in old and each.tried_at is None:
                await self._store.outbox.mark(each.id, "dropped", now)
        count = await self._store.facts.count(chat.key, "expired", len(lost))
        await self.post(chat, f"{EXPIRED}{old[0].id}", notices.expired(count))
