"""Nobody has to remember to look: what waits comes to the operators' home chats, once.

Cards are batched over a minute and keep quiet hours. Without a home chat, the chat that caused a write hears of it.
What still waits is repeated each day by `digest`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic

from commands import skill_pending_words, tool_pending_words
from commands.pending_words import buttons, card
from gateway.clock import Clock
from gateway.config.schema import Settings
from gateway.engine import notices
from gateway.engine.arrival.session_key import home_chats
from gateway.engine.house import House, Report
from gateway.engine.outgoing.delivery import Buttons, Delivery
from gateway.engine.sessions.boundary import zone
from gateway.state.connection import DatabaseFault
from gateway.state.protocols import Facts
from memory.files import FileTrouble
from memory.model import Author, Origin
from memory.pending.call_model import PendingCall
from memory.pending.folder import PendingFolder, W
from memory.pending.model import PendingWrite
from memory.pending.skill_model import SkillWrite
from platforms.messages import ChatRef

BATCH_SECONDS = 60.0
"""How long a card waits for more that comes together with it."""

ON_A_CARD = 5
REMEMBERED = 2000
"""Ids of writes that were shown, more than can wait: one that is claimed and given back is not shown twice."""
_SCOPE = "pending"


@dataclass(frozen=True, slots=True)
class Pile(Generic[W]):
    """What waits of one kind, and how it is shown. `scope` and `source` name it in facts and in the outbox."""

    kind: notices.Kind
    scope: str
    source: str
    pendings: PendingFolder[W]
    card: Callable[[Sequence[W], float], str]
    buttons: Callable[[Sequence[W]], Buttons]
    show: Buttons


def piles(
    memory: PendingFolder[PendingWrite],
    skills: PendingFolder[SkillWrite] | None,
    calls: PendingFolder[PendingCall] | None = None,
) -> tuple[Pile[Any], ...]:
    """Everything that may wait for the operators."""
    found: list[Pile[Any]] = [Pile("memory", _SCOPE, "card", memory, card, buttons, notices.SHOW)]
    if skills is not None:
        words = skill_pending_words
        found.append(
            Pile("skills", "pending_skills", "skills", skills, words.card, words.buttons, notices.SHOW_SKILLS)
        )
    if calls is not None:
        named = tool_pending_words
        found.append(Pile("tools", "pending_calls", "calls", calls, named.card, named.buttons, notices.SHOW_CALLS))
    return tuple(found)


class Cards:
    """`run()` beside the engine. `batch` in seconds."""

    def __init__(
        self,
        pendings: PendingFolder[PendingWrite],
        facts: Facts,
        delivery: Delivery,
        clock: Clock,
        settings: Callable[[], Settings],
        report: Report,
        *,
        skills: PendingFolder[SkillWrite] | None = None,
        calls: PendingFolder[PendingCall] | None = None,
        batch: float = BATCH_SECONDS,
    ) -> None:
        self._piles = piles(pendings, skills, calls)
        self._facts = facts
        self._delivery = delivery
        self._clock = clock
        self._settings = settings
        self._report = report
        self._batch = batch

    async def run(self) -> None:
        """Until cancelled. Other processes put writes aside as well, so the folders themselves are looked at."""
        while True:
            try:
                await self.look()
            except (FileTrouble, DatabaseFault, OSError) as fault:
                self._report.warning("cards.fault", why=str(fault))
            await self._clock.sleep(self._batch / 4)

    async def look(self) -> None:
        """Send cards about what nobody was told of yet, once the oldest of it has waited for the batch."""
        if not self._quiet():
            for pile in self._piles:
                await self._look(pile)

    async def _look(self, pile: Pile[W]) -> None:
        waiting = await asyncio.to_thread(pile.pendings.waiting)
        homes = home_chats(self._settings())
        told = "shown" if homes else "told"  # a home chat that is set later gets its cards all the same
        known = await self._facts.get(pile.scope, told) or []
        fresh = [each for each in waiting if each.id not in known]
        if not fresh or self._clock.now() - fresh[0].created_at < self._batch:
            return
        if homes:
            for start in range(0, len(fresh), ON_A_CARD):
                await self._send(pile, homes, fresh[start : start + ON_A_CARD])
        else:
            await self._tell_causes(pile, fresh)
        await self._facts.put(pile.scope, told, [*known, *(each.id for each in fresh)][-REMEMBERED:])

    async def _send(self, pile: Pile[W], homes: Sequence[ChatRef], writes: Sequence[W]) -> None:
        text, ids = pile.card(writes, self._clock.now()), "-".join(each.id for each in writes)
        for chat in homes:
            await self._delivery.post(chat, f"{pile.source}:{ids}:{chat.key}", text, buttons=pile.buttons(writes))

    async def _tell_causes(self, pile: Pile[W], writes: Sequence[W]) -> None:
        """A line in each chat behind them, unless whatever caused them tells its own."""
        for key in dict.fromkeys(each.author.chat for each in writes):
            caused = [each for each in writes if each.author.chat == key]
            mine = [each for each in caused if pile.kind == "tools" or not self._tells(each.author)]
            if (chat := _place(key)) is not None and mine:
                source = f"waits:{mine[0].id}:{key}"
                await self._delivery.post(chat, source, notices.waits(len(mine), pile.kind), buttons=pile.show)

    def _tells(self, author: Author) -> bool:
        """A turn has told its own already; a review does so at its end, where notices are wanted."""
        if author.origin is not Origin.REVIEW:
            return author.origin is Origin.FOREGROUND
        place = _place(author.chat)
        return place is not None and self._settings().display.notices_on(place.platform) != "off"

    def _quiet(self) -> bool:
        return quiet(self._settings(), self._clock.now())


def cards_of(house: House, batch: float = BATCH_SECONDS, report: Report | None = None) -> Cards:
    """The cards about all that waits in a house with memory."""
    assert house.memories is not None, "it has memory"
    return Cards(
        house.memories.pendings,
        house.store.facts,
        house.delivery,
        house.clock,
        house.settings,
        report or house.report,
        skills=house.skills.pendings if house.skills is not None else None,
        calls=house.remote.desk.resolver.pendings if house.remote is not None else None,
        batch=batch,
    )


def quiet(settings: Settings, now: float) -> bool:
    """Whether nobody is to be told anything unasked at this moment."""
    hours, here = settings.gateway.quiet_hours, datetime.fromtimestamp(now, zone(settings))
    return hours is not None and hours.cover(here.time())


def _place(key: str | None) -> ChatRef | None:
    """The chat of a pending write; None for what people wrote into its file instead of one."""
    try:
        return ChatRef.parse(key) if key is not None else None
    except ValueError:
        return None
