"""What a review wrote, told once where its conversation is; to somebody who asked for it, also that it found nothing.

It is told from the books, the journals and what waits, never from what a model says. A process that dies between a
review's end and its notice tells it when it starts again. The wording of lines is in `gateway.agent.receipts`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass

from gateway.agent.receipts import Happened, Receipt, Waiting, joined, notice
from gateway.agent.skill_receipts import SkillsHappened, skill_notice
from gateway.engine import notices
from gateway.engine.gates.cards import quiet
from gateway.engine.gates.gatekeeper import Memories
from gateway.engine.gates.review_fates import deeds_taken_back
from gateway.engine.gates.skill_gatekeeper import GatedSkills
from gateway.engine.house import House
from gateway.events import Event, ReviewFinished
from gateway.state.connection import DatabaseFault
from gateway.state.records import Session
from gateway.state.review_records import ReviewResult
from memory.files import FileTrouble
from platforms.messages import ChatKind

EVERY = 60.0
"""Seconds after which is looked again for what could not be told yet."""

AGE = 7 * 86_400.0
"""Seconds after which the end of a review is no news any more."""

RECENT = 100
"""Results that are looked through, the newest; many of them were told, and are remembered for twice as long."""

TOLD = ("reviews", "told")
"""The fact that holds the numbers of the reviews whose end was told, or was not worth telling."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is left of a review's writes: applied and not taken back, or waiting."""

    memory: Happened
    skills: SkillsHappened


class ReviewNotices:
    """`run()` beside the engine; it hears of ends on the bus."""

    def __init__(self, house: House, settle: Collection[Callable[[], Awaitable[None]]] = ()) -> None:
        """`settle` are steps that bring the books of reviews up to date, taken at the start."""
        self._house = house
        self._settle = settle
        self._ended = asyncio.Event()
        house.bus.subscribe(self._heard)

    def _heard(self, event: Event) -> None:
        if isinstance(event, ReviewFinished):
            self._ended.set()

    async def run(self) -> None:
        """Until cancelled."""
        for step in self._settle:
            await step()
        while True:
            self._ended.clear()
            try:
                await self.look()
            except DatabaseFault as fault:
                self._house.report.warning("reviews.untold", why=str(fault))
            nap = asyncio.ensure_future(self._house.clock.sleep(EVERY))
            ended = asyncio.ensure_future(self._ended.wait())
            try:
                await asyncio.wait([nap, ended], return_when=asyncio.FIRST_COMPLETED)
            finally:
                nap.cancel()
                ended.cancel()

    async def look(self) -> None:
        """Tell the ends that were not told yet, the oldest first."""
        store, now = self._house.store, self._house.clock.now()
        told: list[int] = await store.facts.get(*TOLD) or []
        recent = await store.review_books.results(RECENT)
        for result in reversed(recent):
            if result.id in told or result.ended_at < now - AGE:
                continue
            try:
                done = await self._tell(result)
            except FileTrouble as fault:
                self._house.report.warning("reviews.untold", review=result.id, why=str(fault))
                continue
            if done:
                told = [*told, result.id][-2 * RECENT :]
                await store.facts.put(*TOLD, told)

    async def _tell(self, result: ReviewResult) -> bool:
        """Whether there is nothing left to tell. Raises FileTrouble."""
        house, asked = self._house, result.cause == "person"
        session = await house.store.sessions.get(result.session_id)
        if session is None:
            return True
        settings = house.settings()
        if not asked and quiet(settings, house.clock.now()):
            return False
        found = await asyncio.to_thread(self._found, result)
        direct = await self._direct(session)
        level = settings.display.notices_on(session.chat.platform)
        if asked:
            level = "verbose" if direct else "on"
        elif not direct and level == "verbose":
            level = "on"
        said = joined(notice(found.memory, level), skill_notice(found.skills, level))
        said = _answer(result, said) if asked else said
        if said is not None:
            buttons = said.buttons if direct else ()
            await house.delivery.post(session.chat, f"review:{result.id}", said.text, buttons=buttons)
        return True

    async def _direct(self, session: Session) -> bool:
        """Whether nobody else reads along where the session is, as far as its last message tells."""
        store = self._house.store
        turn = await store.turns.last(session.id)
        if turn is None or turn.chat != session.chat or not turn.inbox_ids:
            return False
        item = await store.inbox.get(turn.inbox_ids[0])
        return item is not None and item.event.kind is ChatKind.DIRECT

    def _found(self, result: ReviewResult) -> Found:
        """By the references in the books, and by the name that a review's writes have in the journals."""
        house, message = self._house, f"review:{result.id}"
        refs = frozenset(each.ref for each in result.writes)
        memory = _of_memory(house.memories, message, refs) if house.memories is not None else Happened()
        skills = _of_skills(house.skills, message, refs) if house.skills is not None else SkillsHappened()
        return Found(memory, skills)


def _of_memory(kept: Memories, message: str, refs: Collection[str]) -> Happened:
    applied = [
        each
        for each in kept.shelf.changes()
        if (each.author.message == message or each.id in refs)
        and each.undone_by is None
        and each.undoes is None
        and not each.author.pending  # whoever approved it has read that
    ]
    waiting = [
        Waiting(each.id, each.target, each.gist)
        for each in kept.pendings.waiting()
        if each.author.message == message or each.id in refs
    ]
    return Happened(applied, waiting)


def _of_skills(kept: GatedSkills, message: str, refs: Collection[str]) -> SkillsHappened:
    deeds = kept.store.history()
    gone = deeds_taken_back(deeds)
    applied = [
        each
        for each in reversed(deeds)
        if (each.author.message == message or each.id in refs)
        and not gone[each.id]
        and each.undoes is None
        and not each.author.pending
    ]
    waiting = [each for each in kept.pendings.waiting() if each.author.message == message or each.id in refs]
    return SkillsHappened(applied, waiting)


def _answer(result: ReviewResult, said: Receipt | None) -> Receipt:
    """For somebody who asked for the review."""
    if result.outcome in ("error", "dropped"):
        lines = [said.text] if said is not None else []
        text = "\n".join([*lines, notices.review_unfinished(result.outcome, result.reason)])
        return Receipt(text, said.buttons if said is not None else (), saved=False)
    if said is not None:
        return said
    return Receipt(notices.NOTHING_FOUND if result.outcome == "none" else notices.DEALT_WITH, (), saved=False)
