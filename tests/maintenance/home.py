"""A home that was lived in: an archive of years, writes that wait, skills that nobody used; and its night's work."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gateway.config.paths import Profile
from gateway.config.profiles import prepare
from gateway.config.schema import Settings
from gateway.config.sections import Memory
from gateway.engine.gates.gatekeeper import memories
from gateway.engine.gates.skill_gatekeeper import gated_skills
from gateway.state.store import SqliteStore
from memory.model import Action, Author, Operation, Origin, Staged, Target
from memory.skills.model import SkillAction, SkillApplied, SkillOperation
from tests.bench.archive import archive
from tests.cli.shell import Shell
from tests.memory.skills.shed import skill

DAY = 86_400.0
PENDING, STALE = 40, 60
CUT = datetime(2022, 7, 1, tzinfo=UTC).timestamp()
"""Sessions of the archive that ended before leave."""


@dataclass(frozen=True)
class Done:
    """What one task said of itself, and the seconds that it took, a process' start aside."""

    name: str
    dry: dict[str, Any]
    came: dict[str, Any]
    seconds: float


async def lived_in(folder: Path, messages: int) -> Shell:
    """The home in an empty folder; everything that was said is indexed."""
    profile = prepare(Profile("default", folder, folder))
    (await archive(folder, messages)).rename(profile.database)
    for stray in folder.glob("archive-*"):
        stray.unlink()
    now = time.time()
    days = int((now - CUT) / DAY)
    homes = 'access: {owners: ["telegram:111"], home_chats: ["telegram:111"]}\n'
    profile.config.write_text(f"{homes}sessions: {{retention_days: {days}}}\n")
    gated = Settings(memory=Memory(write_approval=True))
    store = await SqliteStore.open(profile.database)
    try:
        while await store.search.index():
            pass
    finally:
        await store.close()
    _waits(profile, gated, now)
    _unused(profile, now)
    return Shell(folder)


def _waits(profile: Profile, gated: Settings, now: float) -> None:
    own = memories(profile, lambda: gated, lambda: now).shelf.own
    for number in range(PENDING):
        by = Author(Origin.REVIEW, message="review:1", chat=f"telegram:{number}")
        wish = [Operation(Action.ADD, f"Room {number} is painted blue.")]
        assert isinstance(own.apply(Target.MEMORY, wish, by), Staged)


def _unused(profile: Profile, now: float) -> None:
    then = now - 40 * DAY
    kept = gated_skills(profile, Settings, lambda: then)
    for number in range(STALE):
        name = f"errand-{number:02}"
        wish = [SkillOperation(SkillAction.CREATE, name, skill(name))]
        assert isinstance(kept.store.apply(wish, Author(Origin.OPERATOR, who="shell")), SkillApplied)


def worked(shell: Shell) -> dict[str, Done]:
    """Each task foretold, then done, at the shell, in the order of a night."""
    found = {}
    for name in [each["name"] for each in shell.json("maintenance", "list")]:
        dry = shell.json("maintenance", "run", name, "--dry-run")
        began = time.perf_counter()
        came = shell.json("maintenance", "run", name)
        found[name] = Done(name, dry, came, time.perf_counter() - began)
    return found


def restored(shell: Shell, folder: Path) -> dict[str, int]:
    """The newest backup put into an empty home: what is counted in there."""
    backup = shell.json("backup", "list")[0]
    folder.mkdir(mode=0o700)
    other = Shell(folder)
    result = other("backup", "restore", backup["file"], "--json")
    assert result.exit_code == 0, result.output
    sessions = json.loads(other("sessions", "list", "--json").stdout)
    assert sessions, "it opens"
    counts: dict[str, int] = json.loads(result.stdout)["counts"]
    return counts
