"""Getting stored parts into their chats: in order, at the platform's pace, each once.

The only place that tries a send again. A part whose end is unknown is looked up or named by its nonce where the
platform can do that; elsewhere it is left alone and the person is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from gateway.clock import Clock
from gateway.engine import notices
from gateway.events import Bus, PartEnded
from gateway.state.connection import DatabaseFault
from gateway.state.protocols import Store
from gateway.state.records import Part, PartDraft, PartState
from platforms.adapter import Adapter
from platforms.chunking import split
from platforms.errors import PLUGIN_FAULTS, DeliveryError, Gone, NotSent, Refused, RetryAfter, Uncertain
from platforms.messages import Button, ChatRef, Outbound

MAX_AGE = 12 * 3600.0
"""Seconds after which a part that could not be delivered is dropped, with one notice."""

LONGEST_PAUSE = 30.0
"""Seconds between two tries at most, when the platform cannot be reached."""

PARTING = 5.0
"""Seconds that a platform gets for what is on the wire when the house closes."""

Buttons = tuple[tuple[Button, ...], ...]


@dataclass(slots=True)
class Lane:
    """One chat's way out: one network call at a time, and none before `quiet_until` (monotonic)."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    quiet_until: float = 0.0
    rests: asyncio.Event = field(default_factory=asyncio.Event)
    stale: bool = False
    """What was read of the outbox holds no longer."""

    @property
    def resting(self) -> bool:
        """Whether the lane waits for its platform."""
        return self.rests.is_set()


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
        self._bus = bus or Bus()
        self._lanes: dict[str, Lane] = {}
        self._closing = False
        self.moved: Callable[[ChatRef, ChatRef], Awaitable[None]] = store.sessions.move_chat
        """What is done about a chat that has a new id. The engine and the doors put more behind it."""

    def lane(self, chat: ChatRef) -> Lane:
        return self._lanes.setdefault(chat.key, Lane())

    def quiet(self, chat: ChatRef) -> bool:
        """Whether the platform wants to be left alone in this chat right now: no cosmetic call then."""
        return self.lane(chat).quiet_until > self._clock.monotonic()

    def busy(self, chat: ChatRef) -> bool:
        """Whether stored parts are on their way to this chat, or wait for it."""
        return self.lane(chat).task is not None

    def hush(self, chat: ChatRef, seconds: float) -> None:
        lane = self.lane(chat)
        lane.quiet_until = max(lane.quiet_until, self._clock.monotonic() + seconds)

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
        self, chat: ChatRef, source: str, text: str, *, buttons: Buttons = (), finishes: tuple[int, ...] = ()
    ) -> None:
        """Store a text and send it. The same `source` is posted once, whatever happens."""
        drafts = self.cut(chat, text, buttons) if text else []
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

    def _hushed(self, lane: Lane) -> bool:
        return lane.quiet_until > self._clock.monotonic()

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
                    await self._rest(lane, pause)
                    pause = min(pause * 2, LONGEST_PAUSE)
                elif unsettled or not lane.wake.is_set():
                    return
        finally:
            lane.task = None

    async def _rest(self, lane: Lane, pause: float) -> None:
        """Wait as long as the platform asked; otherwise for the pause, or until somebody wakes the lane."""
        lane.rests.set()
        left = lane.quiet_until - self._clock.monotonic()
        nap = asyncio.ensure_future(self._clock.sleep(left if left > 0 else pause))
        while True:
            lane.wake.clear()
            woken = asyncio.ensure_future(lane.wake.wait())
            await asyncio.wait({nap, woken}, return_when=asyncio.FIRST_COMPLETED)
            woken.cancel()
            if nap.done() or self._closing or not self._hushed(lane):
                nap.cancel()
                lane.rests.clear()
                return

    async def _deliver(self, part: Part, lane: Lane) -> bool:
        """Try one part. True when it is settled, False when it must be tried again later."""
        adapter = self._adapters.get(part.chat.platform)
        if self._clock.now() - part.created_at > MAX_AGE:
            await self._expire(part.chat, lane)
            return True
        if adapter is None or self._hushed(lane):
            return False
        async with lane.lock:
            if part.tried_at is not None and part.remote_id is None:
                return await self._again(part, adapter)
            return await self._try(part, adapter)

    async def _again(self, part: Part, adapter: Adapter) -> bool:
        """A former try ended unknown: clear that up as the platform allows, and go on. The same answers as `_try`."""
        outbox, can = self._store.outbox, adapter.capabilities
        age = self._clock.now() - (part.tried_at or 0)
        if can.nonce_seconds and age <= can.nonce_seconds:
            return await self._try(part, adapter)
        if can.finds:
            try:
                there = await adapter.find(part.chat, part.nonce)
            except DeliveryError:
                return False
            if there is not None and not part.preview:
                await self._end(part, "sent", remote_id=there)
                return True
            if there is not None:
                await outbox.mark(part.id, "queued", self._clock.now(), remote_id=there)
            return await self._try(replace(part, remote_id=there, tried_at=None), adapter)
        if part.preview:  # what may be there is an unfinished preview; the answer itself was never sent
            await outbox.forget_try(part.id)
            return await self._try(replace(part, preview=False, tried_at=None), adapter)
        await self._doubt(part, "the connection broke before the platform confirmed it")
        return True

    async def _try(self, part: Part, adapter: Adapter) -> bool:
        outbox, now = self._store.outbox, self._clock.now()
        try:
            if part.remote_id is not None and not part.text:
                await adapter.delete(part.chat, part.remote_id)
                await outbox.mark(part.id, "dropped", now)
                return True
            if part.remote_id is not None:
                await adapter.edit(part.remote_id, _outbound(part))
                await self._end(part, "sent")
            else:
                await outbox.mark(part.id, "sending", now)
                sent = await adapter.send(_outbound(part))
                if part.preview and part.tried_at is not None:  # the nonce gave back the preview, not the answer
                    await outbox.mark(part.id, "queued", now, remote_id=sent)
                    part = replace(part, remote_id=sent)
                    await adapter.edit(sent, _outbound(part))
                await self._end(part, "sent", remote_id=sent)
        except DeliveryError as error:
            return await self._failed(part, error)
        except PLUGIN_FAULTS as fault:  # an adapter that breaks its promise must not hold up its chat
            return await self._failed(part, Uncertain(f"{type(fault).__name__}: {fault}"))
        return True

    async def _failed(self, part: Part, error: DeliveryError) -> bool:
        """What a failed try means for the part; the same answers as `_try`."""
        outbox, now = self._store.outbox, self._clock.now()
        doubt = part.tried_at is not None  # that this try did not arrive says nothing about the one before
        match error:
            case RetryAfter():
                await outbox.mark(part.id, "queued", now, error=str(error), doubt=doubt)
                self.hush(part.chat, error.seconds)
                return False
            case NotSent():
                await outbox.mark(part.id, "queued", now, error=str(error), doubt=doubt)
                return False
            case Uncertain() if part.remote_id is not None:
                await outbox.mark(part.id, "queued", now, error=str(error))
                return False
            case Uncertain():
                return await self._uncertain(part, str(error))
            case Gone(new_chat_id=moved) if moved is not None:
                new = ChatRef(part.chat.platform, moved, part.chat.thread_id)
                await outbox.mark(part.id, "queued", now)
                await self.moved(part.chat, new)
                self.wake(new)
                return True
            case Refused() if part.remote_id is not None and part.text:
                return await self._anew(part)
            case Refused() | Gone() | DeliveryError():
                await self._end(part, "refused", error=str(error))
                return True
            case _:
                assert_never(error)

    async def _uncertain(self, part: Part, why: str) -> bool:
        adapter = self._adapters[part.chat.platform]
        if adapter.capabilities.nonce_seconds or adapter.capabilities.finds:
            await self._store.outbox.mark(part.id, "queued", self._clock.now(), error=why, doubt=True)
            return False
        await self._doubt(part, why)
        return True

    async def _doubt(self, part: Part, why: str) -> None:
        await self._end(part, "uncertain", error=why)
        if not part.source.startswith("doubt:"):
            await self.post(part.chat, f"doubt:{part.source}", notices.CUT_SHORT)

    async def _anew(self, part: Part) -> bool:
        """The streamed message cannot be edited any more (deleted by somebody): it is sent as if for the first time,
        and so is what stood behind it, so that the text reads in order."""
        adapter, outbox = self._adapters[part.chat.platform], self._store.outbox
        for each in await outbox.of_source(part.source):
            if each.part > part.part and each.remote_id is not None and each.text and each.state == "queued":
                try:
                    await adapter.delete(each.chat, each.remote_id)
                except DeliveryError:
                    continue  # it stays, and is edited where it stands
                await outbox.unbind(each.id)
                self.lane(part.chat).stale = True
        return await self._try(await outbox.unbind(part.id), adapter)

    async def _end(
        self, part: Part, state: PartState, *, remote_id: str | None = None, error: str | None = None
    ) -> None:
        """Nothing more will be done for this part."""
        await self._store.outbox.mark(part.id, state, self._clock.now(), remote_id=remote_id, error=error)
        self._bus.publish(PartEnded(part.chat.platform, state == "sent"))

    async def _expire(self, chat: ChatRef, lane: Lane) -> None:
        """Drop whatever waited too long, with one notice."""
        now = self._clock.now()
        old = [each for each in await self._store.outbox.queued(chat) if now - each.created_at > MAX_AGE]
        for each in old:
            await self._end(each, "expired", error="too old")
        lane.stale = True
        if sources := {each.source for each in old if not each.source.startswith("expired:")}:
            await self.post(chat, f"expired:{old[0].id}", notices.expired(len(sources)))


def _outbound(part: Part) -> Outbound:
    return Outbound(part.chat, part.text, part.buttons, part.reply_to, part.nonce, file=part.file)
