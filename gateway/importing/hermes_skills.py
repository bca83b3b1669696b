"""The skills of a Hermes Agent home, opened one by one: where each comes from, and whether it is as it was shipped.

Whether a skill may come in is for the project's own guard, putting it in place for `carry`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gateway.importing.hermes_home import HermesHome
from memory.files import FileTrouble
from memory.skills.crate import Rejected, opened
from memory.skills.parcel import Parcel, look, parcel
from memory.skills.tree import Tree
from memory.skills.validate import objection_to_name

CACHES = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"})


@dataclass(frozen=True, slots=True)
class Found:
    """A skill there. `parcel` is None where it cannot be used, for the reason `why`. `shipped`: it came with Hermes
    Agent and was not changed. `source` names the place that it was fetched from, empty for one that was written."""

    path: Path
    name: str
    category: str = ""
    parcel: Parcel | None = None
    why: str = ""
    shipped: bool = False
    source: str = ""


def skills(home: HermesHome) -> Iterator[Found]:
    """All of them, in the order of their folders."""
    for place in sorted(home.skills):
        yield _found(home, place)


def _found(home: HermesHome, place: str) -> Found:
    path = home.folder / "skills" / place
    category, _, name = place.rpartition("/")
    category = category.partition("/")[0].lower()
    category = category if objection_to_name(category) is None else ""
    digest = home.bundled.get(name, "")
    if digest and digest in (_digest(path, cached=False), _digest(path, cached=True)):
        return Found(path, name, shipped=True)
    try:
        crate = opened(path)
        try:
            it = parcel(crate, look(crate).pick())
        finally:
            crate.close()
    except (Rejected, FileTrouble) as error:
        return Found(path, name, why=str(error))
    # In the lists there it stands under the name that its SKILL.md has.
    digest = home.bundled.get(it.name, "")
    if digest and digest in (_digest(path, cached=False), _digest(path, cached=True)):
        return Found(path, it.name, shipped=True)
    return Found(path, it.name, category, it, source=home.hub.get(it.name, home.hub.get(name, "")))


def _digest(folder: Path, *, cached: bool) -> str:
    """The digest by which Hermes Agent knows what it shipped: over names and bytes of all files, caches aside unless
    `cached`. Empty where anything cannot be read."""
    tree, whole = Tree(folder), hashlib.md5(usedforsecurity=False)
    try:
        listed = sorted((Path(name), kind) for name, kind in tree.walk("", hidden=True))
        for name, kind in listed:
            if not cached and (not CACHES.isdisjoint(name.parts) or name.suffix in (".pyc", ".pyo")):
                continue
            data = tree.read(name.as_posix()) if kind == "file" else None
            if data is None:
                return ""
            whole.update(str(name).encode() + data)
    except (FileTrouble, UnicodeEncodeError):
        return ""
    return whole.hexdigest()
