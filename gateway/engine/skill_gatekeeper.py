"""The profile's skills behind their gate: what changes them, what waits, and who decides it. And the desk for that.

Which changes wait is `memory.skills.gated`'s rule; where the console is, and who is an operator, is the gatekeeper's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.engine.gatekeeper import Gatehouse, SetKey, at_console, may_decide
from gateway.state.protocols import Store
from memory.pending.receipts import Receipts
from memory.pending.skill_model import SkillWrite
from memory.pending.skill_resolve import SkillResolver
from memory.pending.skill_store import SkillPendings
from memory.skills.apply import Check, SkillStore
from memory.skills.gated import SkillGate
from memory.skills.library import Library
from memory.skills.model import SkillApplied, SkillUnchanged
from memory.skills.usage import Usage


@dataclass(frozen=True, slots=True)
class GatedSkills:
    """`store` changes skills or puts the change aside, `resolver` decides what waits in `pending/skills`."""

    library: Library
    store: SkillStore
    pendings: SkillPendings
    resolver: SkillResolver

    def repair(self) -> list[str]:
        """At start: what killed writers and deciders left. Lines for the log."""
        return [*self.store.repair(), *self.resolver.mend()]


def gated_skills(
    profile: Profile,
    settings: Callable[[], Settings],
    now: Callable[[], float],
    check: Check | None = None,
) -> GatedSkills:
    """The skills of a profile, guarded by `check` and gated. The external folders are those of this moment."""
    pendings = SkillPendings(profile.pending / "skills", now)
    source = Usage(profile.skills, now).source
    external = [Path(each).expanduser() for each in settings().skills.external_dirs]
    library = Library(profile.skills, external, source)
    gate = SkillGate(
        rule=lambda: settings().skills.write_approval,
        source=source,
        console=at_console,
        operator=lambda who: may_decide(who, settings()),
        put=pendings.put,
    )
    store = SkillStore(library, now, check=check, decide=gate)
    receipts = Receipts(profile.pending / "skills" / "decided.jsonl")
    return GatedSkills(library, store, pendings, SkillResolver(pendings, receipts, store, now))


SkillDesk = Gatehouse[SkillWrite, SkillApplied | SkillUnchanged]
"""`commands.ports.SkillPending`."""


def skill_desk(
    kept: GatedSkills, store: Store, settings: Callable[[], Settings], now: Callable[[], float], set_key: SetKey
) -> SkillDesk:
    """Where what waits is decided; the choice of what waits goes into config.yaml by `set_key`."""
    key = "skills.write_approval"
    return Gatehouse(kept.resolver, store, now, lambda: settings().skills.write_approval, key, set_key)
