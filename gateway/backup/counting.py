"""What is in a profile's folder, counted by the code that reads it every day: the proof that a copy can be used."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gateway.backup.errors import Damaged
from gateway.backup.manifest import DATABASE, Manifest
from gateway.state.connection import DatabaseFault
from gateway.state.health import Stopped, inspect, never
from memory.entries import parse
from memory.files import FileTrouble, read
from memory.skills.library import Library

TABLES = ("messages", "sessions", "jobs")
"""Rows that people would miss first."""


@dataclass(frozen=True, slots=True)
class Counted:
    """`database` is the schema's version, None without one; `known` the newest that this Innkeeper knows."""

    counts: dict[str, int]
    database: int | None = None
    known: int = 0

    @property
    def too_new(self) -> bool:
        return self.database is not None and self.database > self.known


def counted(folder: Path, stopped: Stopped = never) -> Counted:
    """Count what is in a folder that nobody writes to. Raises Damaged when the database is not whole, memory cannot
    be read, or it was stopped."""
    try:
        counts = {
            "entries": _entries(folder / "memories"),
            "skills": len(Library(folder / "skills").found().skills),
            "archived_skills": _found(folder / "skills" / ".archive", "SKILL.md"),
            "pending": sum(
                _found(folder / "pending" / kind, each, deep=False)
                for kind in ("memory", "skills")
                for each in ("*.json", "*.claimed")
            ),
        }
        database = folder / DATABASE
        if not database.exists():
            return Counted({"messages": 0, "sessions": 0, **counts})
        seen = inspect(database, stopped)
    except (DatabaseFault, FileTrouble) as error:
        raise Damaged(str(error)) from None
    if seen.health.faults:
        raise Damaged(f"the database is damaged: {seen.health.faults[0]}")
    rows = {each.name: each.rows or 0 for each in seen.tables if each.name in TABLES}
    return Counted({**rows, **counts}, seen.health.version, seen.health.newest)


def fits(manifest: Manifest, found: Counted) -> None:
    """Raises Damaged when a copy does not hold what its manifest says."""
    wanted = dict(manifest.counts)
    differing = [
        name for name in sorted({*wanted, *found.counts}) if wanted.get(name, 0) != found.counts.get(name, 0)
    ]
    if differing:
        told = ", ".join(f"{name}: {found.counts.get(name, 0)} of {wanted.get(name, 0)}" for name in differing)
        raise Damaged(f"the copy does not hold what it should ({told})")
    if manifest.database != found.database:
        raise Damaged("the database in the copy has another version than the one that was copied")


def _entries(folder: Path) -> int:
    files = [each for pattern in ("*.md", "*/*.md") for each in folder.glob(pattern) if not each.is_symlink()]
    return sum(len(parse(read(each) or "")) for each in files)


def _found(folder: Path, pattern: str, *, deep: bool = True) -> int:
    return sum(1 for each in (folder.rglob(pattern) if deep else folder.glob(pattern)) if each.is_file())
