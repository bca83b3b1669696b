"""The care of skills beside the house: what comes with the program is put in place, what nobody uses is put away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from gateway.config.schema import Settings
from gateway.config.sections import Curator, Gateway
from gateway.engine.care.skill_care import START, SkillCare, sow
from memory.files import FileTrouble
from memory.model import Author, Origin
from memory.skills.curator import DAY, HOUR
from memory.skills.model import SkillAction, SkillApplied, SkillOperation
from memory.skills.seeding import MARKER, bundled
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.memory.skills.shed import skill

MONDAY_NOON = 1_800_000_000.0 // DAY * DAY + DAY / 2


@dataclass
class Cared:
    """A house with its care; `told` are the notices to the owner."""

    guests: Guesthouse
    clock: FakeClock
    turns: int = 0
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        skills = self.guests.house.skills
        assert skills is not None
        self.skills = skills
        self.care = SkillCare(self.guests.house, skills, lambda: self.turns, self._tell)

    async def _tell(self, source: str, text: str) -> None:
        self.told.append(text)

    async def make(self, name: str) -> None:
        operation = SkillOperation(SkillAction.CREATE, name, skill(name))
        made = await asyncio.to_thread(self.skills.store.apply, [operation], Author(Origin.FOREGROUND))
        assert isinstance(made, SkillApplied)

    async def after(self, days: float) -> list[str]:
        """Time passes without a turn, and the care looks once; the skills that are there."""
        await self.clock.advance(days * DAY)
        await self.care.look()
        return [each.name for each in self.skills.library.found().skills]


@asynccontextmanager
async def cared(folder: Path, **changes: Any) -> AsyncIterator[Cared]:
    clock = FakeClock(MONDAY_NOON)
    rules: Settings = settings(**{"gateway": Gateway(timezone="UTC", drain_seconds=0), **changes})
    async with guesthouse(folder, ["Hello."] * 3, clock=clock, with_memory=True, with_settings=rules) as guests:
        yield Cared(guests, clock)


# What comes with the program


async def test_a_first_start_brings_the_skills_of_the_program(tmp_path: Path) -> None:
    async with cared(tmp_path) as at:
        names = [each.name for each in bundled()]
        assert sow(at.skills) == []
        assert [each.name for each in at.skills.library.found().skills] == names
        assert {each.source for each in at.skills.library.found().skills} == {"bundled"}
        before = at.skills.store.history()
        assert sow(at.skills) == []
        assert at.skills.store.history() == before, "nothing is done twice"


async def test_who_does_not_want_them_gets_none(tmp_path: Path) -> None:
    async with cared(tmp_path) as at:
        (tmp_path / "skills").mkdir()
        (tmp_path / "skills" / MARKER).touch()
        assert sow(at.skills) == []
        assert at.skills.library.found().skills == ()


async def test_records_that_cannot_be_read_are_reported_and_stop_no_start(tmp_path: Path) -> None:
    async with cared(tmp_path) as at:
        (tmp_path / "skills").mkdir()
        (tmp_path / "skills" / ".bundled.json").write_text("{")
        (line,) = sow(at.skills)
        assert line.startswith("the skills that come with the program could not be put in place: ")
        assert START.origin is Origin.OPERATOR


# What nobody uses


async def test_what_nobody_used_goes_after_a_quiet_while_and_is_told(tmp_path: Path) -> None:
    async with cared(tmp_path) as at:
        await at.make("old")
        assert await at.after(0) == ["old"], "the first look only sets the clock"
        assert await at.after(89) == ["old"]
        await at.make("new")
        assert at.told == []
        assert await at.after(8) == ["new"]
        assert at.told == [
            "🗄 A skill that nobody used is in the archive now: old. /curator restore NAME brings one back."
        ]
        assert at.guests.notes.named("curator.ran")[-1] == {"archived": ["old"], "left": []}
        restored = await asyncio.to_thread(at.skills.caretaker.restore, "old", Author(Origin.OPERATOR, who="shell"))
        assert isinstance(restored, SkillApplied)


async def test_a_house_that_is_not_quiet_is_let_alone(tmp_path: Path) -> None:
    async with cared(tmp_path) as at:
        await at.make("old")
        await at.after(0)
        at.turns = 1
        assert await at.after(100) == ["old"], "a turn runs"
        at.turns = 0
        await at.guests.adapter.reply_to("Hi.")
        assert await at.after(1 * HOUR / DAY) == ["old"], "one ended an hour ago"
        assert await at.after(1.1 * HOUR / DAY) == []


async def test_quiet_is_known_across_restarts(tmp_path: Path) -> None:
    async with cared(tmp_path) as at:
        await at.make("old")
        await at.after(0)
        await at.clock.advance(100 * DAY)
        await at.guests.adapter.reply_to("Hi.")
        again = Cared(at.guests, at.clock)
        assert await again.after(1 * HOUR / DAY) == ["old"]
        assert await again.after(1.1 * HOUR / DAY) == []


async def test_it_can_be_switched_off_while_the_house_runs(tmp_path: Path) -> None:
    async with cared(tmp_path) as at:
        await at.make("old")
        await at.after(0)
        at.guests.change(settings(curator=Curator(enabled=False)))
        assert await at.after(100) == ["old"]
        at.guests.change(settings(curator=Curator(archive_after_days=200)))
        assert await at.after(8) == ["old"]


async def test_nobody_is_told_in_quiet_hours(tmp_path: Path) -> None:
    hours = {"timezone": "UTC", "drain_seconds": 0, "quiet_hours": "22:00-07:00"}
    async with cared(tmp_path, gateway=Gateway.model_validate(hours)) as at:
        await at.make("old")
        await at.after(0)
        assert await at.after(100.5) == []
        assert at.told == []
        await at.after(8 * HOUR / DAY)
        assert len(at.told) == 1


async def test_a_record_that_cannot_be_read_is_a_fault_and_looked_at_again(tmp_path: Path) -> None:
    async with cared(tmp_path) as at:
        await at.make("old")
        await at.after(0)
        state = tmp_path / "skills" / ".curator.json"
        kept = state.read_text()
        state.write_text("{")
        with pytest.raises(FileTrouble, match="cannot be understood"):
            await at.care.look()
        state.write_text(kept)
        assert await at.after(100) == []
