"""The lock file `.hub.json` beside the skills: what came from where, and the hashes of what was put in place.

A skill is unmodified as long as its files are those. Written whole, by one process at a time; a file that cannot be
read is never written over.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from memory.files import LOCK_SECONDS, Unreadable, Unwritable, locked, read, write_atomic
from memory.skills.model import FILE_BYTES, MOST_FILES, NAME, Found, Source
from memory.skills.parcel import digest_of
from memory.skills.tree import Tree

LEDGER = ".hub.json"
BUNDLED = ".bundled.json"
CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Line:
    """One skill. `source` is the address as it was ordered, `version` what it was then (a commit, or the hash of an
    archive). `digest` names the files in place; `coming` those of a change that had begun when this was written.
    `reasons` are doubts that a person heard and agreed to. Times in seconds since the epoch."""

    source: str
    digest: str
    version: str = ""
    files: Mapping[str, str] | None = None
    coming: str = ""
    verdict: str = ""
    reasons: tuple[str, ...] = ()
    installed: float = 0.0
    updated: float = 0.0

    def knows(self, digest: str) -> bool:
        """Whether files of that digest were put there from outside, unchanged since."""
        return digest in {self.digest, self.coming} - {""}


class Ledger:
    """`folder` is the skills folder. Reading raises `Unreadable`, writing any `FileTrouble`."""

    def __init__(self, folder: Path, name: str = LEDGER, patience: float = LOCK_SECONDS) -> None:
        self._path = folder / name
        self._lock = folder / f"{name}.lock"
        self._patience = patience

    def all(self) -> Mapping[str, Line]:
        """By name of the skill, sorted."""
        return dict(sorted(self._load().items()))

    def begin(self, name: str, line: Line) -> None:
        """Say what is about to be put in place, so that a crash leaves nothing that looks changed by hand. What is
        known of the skill stays, until `put`."""

        def begun(lines: dict[str, Line]) -> None:
            known = lines.get(name)
            coming = line.digest
            lines[name] = replace(known, coming=coming) if known else replace(line, digest="", coming=coming)

        self._change(begun)

    def put(self, name: str, line: Line) -> None:
        self._change(lambda lines: lines.__setitem__(name, line))

    def drop(self, name: str) -> None:
        self._change(lambda lines: lines.pop(name, None))

    def _change(self, how: Callable[[dict[str, Line]], object]) -> None:
        for path in (self._path, self._lock):
            if path.is_symlink():
                raise Unwritable(f"{path} is a link; it was not followed.")
        with locked(self._lock, self._patience):
            lines = self._load()
            how(lines)
            document = {"version": 1, "skills": {name: _written(each) for name, each in lines.items()}}
            write_atomic(self._path, json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n")

    def _load(self) -> dict[str, Line]:
        if self._path.is_symlink():
            raise Unreadable(f"{self._path} is a link; it was not followed.")
        text = read(self._path)
        if text is None:
            return {}
        try:
            kept = json.loads(text)["skills"]
            return {name: _line(each) for name, each in kept.items() if NAME.fullmatch(name)}
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise Unreadable(f"{self._path} is no list of skills ({error}). Mend it, or move it away.") from None


def brought(folder: Path, name: str) -> Source | None:
    """Where the lock files of a skills folder say that the skill of that name was brought from. While one cannot be
    read, the answer that asks for most care."""
    places: tuple[tuple[str, Source], ...] = ((LEDGER, "hub"), (BUNDLED, "bundled"))
    try:
        return next((source for file, source in places if name in Ledger(folder, file).all()), None)
    except Unreadable:
        return "bundled"


def place_of(found: Found, root: Path, name: str) -> str | None:
    """Where the profile's own skill of that name lies, relative to the skills folder, usable or broken."""
    own = [each.folder for each in found.skills if each.name == name and not each.external]
    own += [each.folder for each in found.broken if each.name == name and root in each.folder.parents]
    return own[0].relative_to(root).as_posix() if own else None


def in_place(tree: Tree, place: str) -> str:
    """The digest of the files of a skill as they are now, hidden ones aside; `changed` when there is anything that
    was never put there from outside: a link, a file that is too large or cannot be read. Empty for no files."""
    files: dict[str, bytes] = {}
    try:
        for path, kind in tree.walk(place):
            data = tree.read(f"{place}/{path}", FILE_BYTES) if kind == "file" else None
            if data is None or len(files) >= MOST_FILES:
                return CHANGED
            files[path] = data
    except Unreadable:
        return CHANGED
    return digest_of(files) if files else ""


def _written(line: Line) -> dict[str, Any]:
    return {key: value for key, value in asdict(line).items() if value}


def _line(kept: Any) -> Line:
    known = {each.name: kept[each.name] for each in fields(Line) if each.name in kept}
    line = Line(**{"source": "", "digest": "", **known})
    strings = (line.source, line.digest, line.version, line.coming, line.verdict)
    if not all(isinstance(each, str) for each in (*strings, *line.reasons)):
        raise ValueError("a line has something else than texts")
    if not isinstance(line.installed, int | float) or not isinstance(line.updated, int | float):
        raise ValueError("a time is no number")
    return replace(line, reasons=tuple(line.reasons))
