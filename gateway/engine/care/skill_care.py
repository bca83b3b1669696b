"""The care of skills that nobody asks for: the program's own are put in place at the start, and those that nobody
uses are put away when the house is quiet.

What is put away belongs to `memory.skills.curator`; here are the moments for it, and who is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from gateway.engine import notices
from gateway.engine.care.skill_merging import SkillMerging
from gateway.engine.gates.cards import quiet
from gateway.engine.gates.skill_gatekeeper import GatedSkills
from gateway.engine.house import House
from gateway.events import TurnFinished
from memory.files import FileTrouble
from memory.model import Author, Origin
from memory.skills.crate import Rejected
from memory.skills.report import Report

START = Author(Origin.OPERATOR, who="start")


def sow(skills: GatedSkills) -> list[str]:
    """Put the skills of the program in place, or bring them up to date; lines for the log about what could not be
    done. Touches the disk."""
    try:
        done = skills.seeds.sow(START)
    except (FileTrouble, Rejected) as error:
        return [f"the skills that come with the program could not be put in place: {error}"]
    return [f"the bundled skill {name} could not be put in place: {why}" for name, why in (done.failed or {}).items()]


class SkillCare:
    """`running()` is the number of turns that run now; `tell` takes a name for a notice and its text."""

    def __init__(
        self,
        house: House,
        skills: GatedSkills,
        running: Callable[[], int],
        tell: Callable[[str, str], Awaitable[None]],
    ) -> None:
        self._house = house
        self._clock = house.clock
        self._skills = skills
        self._running = running
        self._tell = tell
        self._last: float | None = None
        self._untold: list[str] = []
        house.bus.subscribe(self._heard)

    async def run(self) -> None:
        """Until cancelled: as long as it runs, a model can be asked about merging."""
        merging, caretaker = SkillMerging(self._house, self._skills, self._tell), self._skills.caretaker
        caretaker.consolidate_by(merging.consolidation)
        try:
            await asyncio.Event().wait()
        finally:
            caretaker.consolidate_by(None)
            merging.close()

    async def look(self) -> Report | None:
        """One look at whether it is time: what the run came to, if it was. Raises FileTrouble."""
        report = await asyncio.to_thread(self._skills.caretaker.tick, await self._idle())
        if report is not None:
            names = [each.name for each in report.archived]
            self._house.report.info("curator.ran", archived=names, left=[each.name for each in report.left])
            self._untold += names
        settings = self._house.settings()
        if self._untold and not quiet(settings, self._clock.now()):
            names, self._untold = self._untold, []
            await self._tell(f"curator:{self._clock.now():.0f}", notices.put_away(names))
        return report

    async def _idle(self) -> float:
        """Seconds since the last turn ended, also one of an earlier process; 0 while one runs."""
        if self._running():
            return 0.0
        if self._last is None:
            recent = await self._house.store.sessions.recent(1)
            self._last = recent[0].session.active_at if recent else 0.0
        return max(0.0, self._clock.now() - self._last)

    def _heard(self, event: object) -> None:
        if isinstance(event, TurnFinished):
            self._last = self._clock.now()
