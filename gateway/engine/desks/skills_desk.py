"""What commands ask about skills: the library, what changes it, its care, and skills from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from commands.skill_ports import Doubted, SkillHub
from gateway.config.schema import Settings
from gateway.engine.gates.skill_gatekeeper import GatedSkills, rules
from gateway.engine.house import House
from gateway.state.protocols import Facts
from memory.skills.apply import SkillStore
from memory.skills.caretaker import Caretaker
from memory.skills.curator import Rules
from memory.skills.library import Library
from memory.skills.seeding import Seeds

DOUBTS = ("skills", "doubts")
"""The fact that holds what a person may still say yes to, by its short name."""

KEPT = 20
NAME_SIGNS = 16


class SkillsDesk:
    """`commands.skill_ports.Skills`."""

    def __init__(
        self,
        kept: GatedSkills,
        facts: Facts,
        settings: Callable[[], Settings],
        now: Callable[[], float],
        hub: SkillHub | None = None,
    ) -> None:
        self._kept = kept
        self._facts = facts
        self._settings = settings
        self._now = now
        self._hub = hub

    @classmethod
    def of(cls, house: House, hub: SkillHub | None) -> SkillsDesk | None:
        """The desk of a running house; None when it has no skills."""
        if house.skills is None:
            return None
        return cls(house.skills, house.store.facts, house.settings, house.clock.now, hub)

    @property
    def library(self) -> Library:
        return self._kept.library

    @property
    def store(self) -> SkillStore:
        return self._kept.store

    @property
    def seeds(self) -> Seeds:
        return self._kept.seeds

    @property
    def caretaker(self) -> Caretaker:
        return self._kept.caretaker

    @property
    def hub(self) -> SkillHub | None:
        return self._hub

    def rules(self) -> Rules:
        return rules(self._settings())

    def now(self) -> float:
        return self._now()

    async def doubt(self, doubted: Doubted) -> str:
        name = doubted.digest[:NAME_SIGNS]
        kept: dict[str, dict[str, str]] = await self._facts.get(*DOUBTS) or {}
        kept.pop(name, None)
        await self._facts.put(*DOUBTS, dict([*kept.items(), (name, asdict(doubted))][-KEPT:]))
        return name

    async def doubted(self, name: str) -> Doubted | None:
        kept: dict[str, dict[str, str]] = await self._facts.get(*DOUBTS) or {}
        return Doubted(**kept[name]) if name in kept else None
