"""A write that has to wait, asked about right where somebody sits: the turn waits for the answer at the console.

It is put aside first, so that nothing is lost when nobody answers. Elsewhere the card comes to the operators.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from commands.pending_words import buttons, card
from gateway.clock import Clock
from gateway.engine.gates.gatekeeper import Gatehouse, Made, PendingDesk
from gateway.engine.outgoing.delivery import Delivery
from gateway.tools.tool import ToolContext
from memory.files import FileTrouble
from memory.journal import Receipt
from memory.model import Outcome, Reason, Refused, Staged
from memory.pending.folder import W
from memory.pending.model import PendingWrite
from memory.pending.outcomes import Resolved
from memory.pending.resolve import Approved, Decided, Edited, Rejected, Resolution
from platforms.adapter import Adapter

PATIENCE = 240.0
"""Seconds that a turn waits for an answer. The write waits on after that."""

LOOK = 1.0
"""Seconds between two looks at what other processes decided, and whether somebody still sits there."""


class Inline:
    """Asks at the console. Anything else stays as it was put aside."""

    def __init__(self, desk: PendingDesk, delivery: Delivery, adapters: Mapping[str, Adapter], clock: Clock) -> None:
        self._desk = desk
        self._delivery = delivery
        self._adapters = adapters
        self._clock = clock
        self._asked: dict[str, int] = {}

    async def ask(self, staged: Staged, context: ToolContext) -> Outcome:
        """What became of a write that waits, when somebody could be asked; `staged` itself when not, or when it was
        put off."""
        if not self._attended(context) or self._asked.get(staged.pending_id) == context.turn_id:
            return staged
        late, shown = self._clock.monotonic() + PATIENCE, ""
        try:
            while True:
                name = staged.pending_id
                self._asked[name] = context.turn_id
                write = await asyncio.to_thread(self._desk.resolver.pendings.get, name)
                if isinstance(write, PendingWrite) and name != shown:
                    await self._show(write, context)
                match await self._decision(name, late, context):
                    case Approved(outcome=outcome):
                        return outcome
                    case Rejected():
                        return _denied(staged, "the person")
                    case Edited(write=write):  # whoever edited it sees it in the answer to that
                        staged, shown = _edited(staged, write.id), write.id
                    case Decided(receipt) if receipt.result == "edited":
                        staged = _edited(staged, receipt.detail)
                    case Decided(receipt):
                        return await asyncio.to_thread(self._elsewhere, staged, write, receipt)
                    case _:
                        return staged
        except FileTrouble:
            return staged

    def _attended(self, context: ToolContext) -> bool:
        adapter = self._adapters.get(context.chat.platform)
        return adapter is not None and adapter.attended(context.chat)

    async def _show(self, write: PendingWrite, context: ToolContext) -> None:
        """The card; once for each turn, since a write that was put off may be wished for again."""
        text = card([write], self._desk.now())
        await self._delivery.post(context.chat, f"ask:{write.id}:{context.turn_id}", text, buttons=buttons([write]))

    async def _decision(self, name: str, late: float, context: ToolContext) -> Resolution | None:
        return await decision(self._desk, name, self._clock, late, lambda: self._attended(context))

    def _elsewhere(self, staged: Staged, write: object, receipt: Receipt) -> Outcome:
        """What another process decided. Raises FileTrouble."""
        if receipt.result != "approved" or not isinstance(write, PendingWrite):
            return _denied(staged, receipt.who)
        return self._desk.resolver.stands(write)


async def decision(
    desk: Gatehouse[W, Made], name: str, clock: Clock, late: float, attended: Callable[[], bool]
) -> Resolved[W, Made] | None:
    """What was decided, here or by another process; None when it was put off, when nobody sits there any more, or
    when it took until `late`. Raises FileTrouble."""
    decided = desk.decision(name)
    try:
        while not decided.done():
            became = await asyncio.to_thread(desk.resolver.became, name)
            if isinstance(became, Decided):
                return decided.result() if decided.done() else became
            if clock.monotonic() >= late or not attended():
                return None
            nap: asyncio.Future[Any] = asyncio.ensure_future(clock.sleep(LOOK))
            await asyncio.wait([decided, nap], return_when=asyncio.FIRST_COMPLETED)
            nap.cancel()
        return decided.result()
    finally:
        desk.put_off(name)


def _edited(staged: Staged, name: str) -> Staged:
    return Staged(staged.target, name, f"The person edited it; it waits for a yes as {name}. Nothing is saved yet.")


def _denied(staged: Staged, who: str) -> Refused:
    why = f"It was turned down by {who}. Nothing was saved; do not try again."
    return Refused(staged.target, Reason.DENIED, why)
