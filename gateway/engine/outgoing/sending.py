"""One try at one stored part, and what its end means for the part.

The only place that judges whether a part may be tried again. A part whose end is unknown is looked up or named by its
nonce where the platform can do that; elsewhere it is left alone and the person is told. When it is tried, in which
order, and how long to wait, is `delivery`'s.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Protocol, assert_never

from gateway.clock import Clock
from gateway.engine import notices
from gateway.engine.outgoing.reach import Reach
from gateway.events import Bus, PartEnded
from gateway.state.protocols import Store
from gateway.state.records import Part, PartState
from platforms.adapter import Adapter
from platforms.errors import PLUGIN_FAULTS, DeliveryError, Gone, NotSent, Refused, RetryAfter, Uncertain
from platforms.messages import ChatRef, Outbound


class Ways(Protocol):
    """What a part's end may have to do with its chat's way out."""

    moved: Callable[[ChatRef, ChatRef], Awaitable[None]]

    async def post(self, chat: ChatRef, source: str, text: str) -> None: ...

    def hush(self, chat: ChatRef, seconds: float) -> None: ...

    def wake(self, chat: ChatRef) -> None: ...

    def outdate(self, chat: ChatRef) -> None:
        """What was read of the outbox for this chat holds no longer."""


class Sending:
    """Every try answers True when the part is settled, False when it must be tried again later."""

    def __init__(self, store: Store, clock: Clock, bus: Bus, reach: Reach, ways: Ways) -> None:
        self._store = store
        self._clock = clock
        self._bus = bus
        self._reach = reach
        self._ways = ways

    async def deliver(self, part: Part, adapter: Adapter) -> bool:
        """Try a part, or clear up what became of a former try."""
        if part.tried_at is not None and part.remote_id is None:
            return await self._again(part, adapter)
        return await self._try(part, adapter)

    async def end(
        self, part: Part, state: PartState, *, remote_id: str | None = None, error: str | None = None
    ) -> None:
        """Nothing more will be done for this part."""
        await self._store.outbox.mark(part.id, state, self._clock.now(), remote_id=remote_id, error=error)
        self._bus.publish(PartEnded(part.chat.platform, state == "sent"))

    async def _again(self, part: Part, adapter: Adapter) -> bool:
        """A former try ended unknown: clear that up as the platform allows, and go on."""
        outbox, can = self._store.outbox, adapter.capabilities
        age = self._clock.now() - (part.tried_at or 0)
        if can.nonce_seconds and age <= can.nonce_seconds:
            return await self._try(part, adapter)
        if can.finds:
            try:
                with self._reach.trying(part.chat.platform, part.chat.key):
                    there = await adapter.find(part.chat, part.nonce)
            except DeliveryError:
                return False
            if there is not None and not part.preview:
                await self.end(part, "sent", remote_id=there)
                return True
            if there is not None:
                await outbox.mark(part.id, "queued", self._clock.now(), remote_id=there)
            return await self._try(replace(part, remote_id=there, tried_at=None), adapter)
        if part.preview:  # what may be there is an unfinished preview; the answer itself was never sent
            await outbox.forget_try(part.id)
            await self._ways.post(part.chat, f"doubt:{part.source}:{part.part}", notices.TWICE)
            return await self._try(replace(part, preview=False, tried_at=None), adapter)
        await self._doubt(part, "the connection broke before the platform confirmed it")
        return True

    async def _try(self, part: Part, adapter: Adapter) -> bool:
        try:
            if (shown := await self._make(part, adapter)) is not None:
                part = replace(part, remote_id=shown)
                await self._make(part, adapter)
        except DeliveryError as error:
            return await self._failed(part, error, adapter)
        except PLUGIN_FAULTS as fault:  # an adapter that breaks its promise must not hold up its chat
            return await self._failed(part, Uncertain(f"{type(fault).__name__}: {fault}"), adapter)
        return True

    async def _make(self, part: Part, adapter: Adapter) -> str | None:
        """The call itself. The message's id when the nonce gave back the preview instead of the answer, which is then
        still to come. Raises what the adapter raises."""
        outbox, now = self._store.outbox, self._clock.now()
        where = (part.chat.platform, part.chat.key)
        if part.remote_id is not None and not part.text:
            await adapter.delete(part.chat, part.remote_id)
            await outbox.mark(part.id, "dropped", now)
        elif part.remote_id is not None:
            with self._reach.trying(*where):
                await adapter.edit(part.remote_id, _outbound(part))
            await self.end(part, "sent")
        else:
            await outbox.mark(part.id, "sending", now)
            with self._reach.trying(*where):
                sent = await adapter.send(_outbound(part))
            if part.preview and part.tried_at is not None:
                await outbox.mark(part.id, "queued", now, remote_id=sent)
                return sent
            await self.end(part, "sent", remote_id=sent)
        return None

    async def _failed(self, part: Part, error: DeliveryError, adapter: Adapter) -> bool:
        """What a failed try means for the part."""
        outbox, now = self._store.outbox, self._clock.now()
        doubt = part.tried_at is not None  # that this try did not arrive says nothing about the one before
        match error:
            case RetryAfter():
                await outbox.mark(part.id, "queued", now, error=str(error), doubt=doubt)
                self._ways.hush(part.chat, error.seconds)
                return False
            case NotSent():
                await outbox.mark(part.id, "queued", now, error=str(error), doubt=doubt)
                return False
            case Uncertain() if part.remote_id is not None:
                await outbox.mark(part.id, "queued", now, error=str(error))
                return False
            case Uncertain():
                return await self._uncertain(part, str(error), adapter)
            case Gone(new_chat_id=moved) if moved is not None:
                new = ChatRef(part.chat.platform, moved, part.chat.thread_id)
                await outbox.mark(part.id, "queued", now)
                await self._ways.moved(part.chat, new)
                self._ways.wake(new)
                return True
            case Refused() if part.remote_id is not None and part.text:
                return await self._anew(part, adapter)
            case Refused() | Gone() | DeliveryError():
                await self.end(part, "refused", error=str(error))
                if part.file is not None:  # nobody can see what is missing
                    await self._ways.post(part.chat, f"lost:{part.id}", notices.file_lost(part.file.name, str(error)))
                return True
            case _:
                assert_never(error)

    async def _uncertain(self, part: Part, why: str, adapter: Adapter) -> bool:
        if adapter.capabilities.nonce_seconds or adapter.capabilities.finds:
            await self._store.outbox.mark(part.id, "queued", self._clock.now(), error=why, doubt=True)
            return False
        await self._doubt(part, why)
        return True

    async def _doubt(self, part: Part, why: str) -> None:
        await self.end(part, "uncertain", error=why)
        if not part.source.startswith("doubt:"):
            await self._ways.post(part.chat, f"doubt:{part.source}", notices.CUT_SHORT)

    async def _anew(self, part: Part, adapter: Adapter) -> bool:
        """The streamed message cannot be edited any more (deleted by somebody): it is sent as if for the first time,
        and so is what stood behind it, so that the text reads in order."""
        outbox = self._store.outbox
        for each in await outbox.of_source(part.source):
            if each.part > part.part and each.remote_id is not None and each.text and each.state == "queued":
                try:
                    await adapter.delete(each.chat, each.remote_id)
                except DeliveryError:
                    continue  # it stays, and is edited where it stands
                await outbox.unbind(each.id)
                self._ways.outdate(part.chat)
        return await self._try(await outbox.unbind(part.id), adapter)


def _outbound(part: Part) -> Outbound:
    return Outbound(part.chat, part.text, part.buttons, part.reply_to, part.nonce, file=part.file)
