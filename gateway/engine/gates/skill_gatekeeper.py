"""The profile's skills behind their gate: what changes them, what waits, and who decides it. And the desk for that.

Which changes wait is `memory.skills.gated`'s rule; where the console is, and who is an operator, is the gatekeeper's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.engine.gates.gatekeeper import Gatehouse, SetKey, at_console, may_decide
from gateway.engine.gates.review_fates import ReviewFates, deeds_taken_back
from gateway.state.protocols import Store
from memory.pending.receipts import Receipts
from memory.pending.skill_model import SkillWrite
from memory.pending.skill_resolve import SkillResolver
from memory.pending.skill_store import SkillPendings
from memory.skills.apply import SkillStore
from memory.skills.caretaker import Caretaker, Refers
from memory.skills.curator import Rules
from memory.skills.gated import SkillGate
from memory.skills.guard import check, doubt
from memory.skills.ledger import brought
from memory.skills.library import Library
from memory.skills.model import SkillApplied, SkillUnchanged, Source
from memory.skills.seeding import Seeds
from memory.skills.usage import Usage


@dataclass(frozen=True, slots=True)
class GatedSkills:
    """`store` changes skills or puts the change aside, `resolver` decides what waits in `pending/skills`; `seeds` are
    the skills that come with the program, `caretaker` puts away what nobody uses."""

    library: Library
    store: SkillStore
    pendings: SkillPendings
    resolver: SkillResolver
    seeds: Seeds
    caretaker: Caretaker
    gate: SkillGate

    def repair(self) -> list[str]:
        """At start: what killed writers and deciders left. Lines for the log."""
        return [*self.store.repair(), *self.resolver.mend()]


def nobody_refers(name: str) -> bool:
    """Where there are no jobs, none needs a skill."""
    return False


def gated_skills(
    profile: Profile, settings: Callable[[], Settings], now: Callable[[], float], refers: Refers = nobody_refers
) -> GatedSkills:
    """The skills of a profile, gated, and guarded where that is wished. The external folders are those of this
    moment. `refers(name)` tells whether a job needs a skill."""

    def guarded() -> bool:
        return settings().skills.guard_agent_created

    def came_from(name: str) -> Source:
        # Figures may be lost, or not have been written; what was brought is not a person's own for that.
        said = source(name)
        return said if said != "person" else brought(profile.skills, name) or said

    pendings = SkillPendings(profile.pending / "skills", now)
    source = Usage(profile.skills, now).source
    external = [Path(each).expanduser() for each in settings().skills.external_dirs]
    library = Library(profile.skills, external, source)
    gate = SkillGate(
        rule=lambda: settings().skills.write_approval,
        source=came_from,
        console=at_console,
        operator=lambda who: may_decide(who, settings()),
        put=pendings.put,
        doubt=lambda draft: doubt(draft) if guarded() else "",
    )
    store = SkillStore(library, now, check=lambda draft: check(draft) if guarded() else None, decide=gate)
    receipts = Receipts(profile.pending / "skills" / "decided.jsonl")
    seeds = Seeds(library, store, now)
    caretaker = Caretaker(library, store.usage, store, lambda: rules(settings()), now, refers)
    resolver = SkillResolver(pendings, receipts, store, now)
    return GatedSkills(library, store, pendings, resolver, seeds, caretaker, gate)


def rules(settings: Settings) -> Rules:
    """The curator's rules, as configured."""
    chosen = settings.curator
    return Rules(
        enabled=chosen.enabled,
        interval_hours=chosen.interval_hours,
        min_idle_hours=chosen.min_idle_hours,
        stale_after_days=chosen.stale_after_days,
        archive_after_days=chosen.archive_after_days,
        consolidate=chosen.consolidate,
    )


SkillDesk = Gatehouse[SkillWrite, SkillApplied | SkillUnchanged]
"""`commands.ports.SkillPending`."""


def skill_desk(
    kept: GatedSkills, store: Store, settings: Callable[[], Settings], now: Callable[[], float], set_key: SetKey
) -> SkillDesk:
    """Where what waits is decided; the choice of what waits goes into config.yaml by `set_key`."""
    key = "skills.write_approval"
    fates = ReviewFates(store.review_books, "skill", kept.resolver, lambda: deeds_taken_back(kept.store.history()))
    return Gatehouse(kept.resolver, store, now, lambda: settings().skills.write_approval, key, set_key, fates)
