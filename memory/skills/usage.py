"""The sidecar `.usage.json` beside the skills: what each was used for and when, where it comes from, whether it is
pinned. Written whole, by one process at a time; a file that cannot be read is never written over.

What follows from the figures belongs to the curator.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, cast, get_args

from memory.files import LOCK_SECONDS, Unreadable, Unwritable, clear_strays, locked, read, write_atomic
from memory.skills.model import Source

SIDECAR = ".usage.json"
_SOURCES: tuple[Source, ...] = get_args(Source)
_STRICTEST: Source = "hub"


@dataclass(frozen=True, slots=True)
class Tally:
    """Of one skill. Times in seconds since the epoch, None for never; `created` is None for one that was put there by
    hand, `archived` for one that is in use."""

    views: int = 0
    uses: int = 0
    patches: int = 0
    viewed: float | None = None
    used: float | None = None
    patched: float | None = None
    created: float | None = None
    archived: float | None = None
    source: Source = "person"
    pinned: bool = False

    @property
    def active(self) -> float | None:
        """When anything was last done with it."""
        return max((each for each in (self.viewed, self.used, self.patched, self.created) if each), default=None)


class Usage:
    """`folder` is the skills folder; `now()` in seconds since the epoch. Everything raises `FileTrouble`; what counts
    is worth less than what is counted, so a caller may go on after it."""

    def __init__(self, folder: Path, now: Callable[[], float], patience: float = LOCK_SECONDS) -> None:
        self._folder = folder
        self._path = folder / SIDECAR
        self._lock = folder / ".usage.lock"
        self._now = now
        self._patience = patience
        self._seen: tuple[tuple[int, int, int], dict[str, Tally]] | None = None

    def all(self) -> Mapping[str, Tally]:
        """The tally of each skill of which anything is known, by name; read again when the file changed."""
        stamp = _stamp(self._path)
        if stamp is None:
            return {}
        if self._seen is None or self._seen[0] != stamp:
            self._seen = (stamp, {name: _tally(each) for name, each in self._load()["skills"].items()})
        return self._seen[1]

    def of(self, name: str) -> Tally:
        return self.all().get(name, Tally())

    def source(self, name: str) -> Source:
        """Where a skill comes from. While the file cannot be read, the answer that asks for most care."""
        return self.sources()(name)

    def sources(self) -> Callable[[str], Source]:
        """`source` as of now, for many skills."""
        try:
            known = self.all()
        except Unreadable:
            return lambda name: _STRICTEST
        return lambda name: known[name].source if name in known else "person"

    def viewed(self, name: str) -> None:
        self._change([name], lambda one: replace(one, views=one.views + 1, viewed=self._now()))

    def used(self, names: Iterable[str]) -> None:
        """Skills that a person or a job called up, each once."""
        self._change(names, lambda one: replace(one, uses=one.uses + 1, used=self._now()))

    def created(self, names: Iterable[str], source: Source) -> None:
        """A new skill, or one put in the place of another: it begins anew, but stays pinned."""
        self.changed(names, source)

    def comes_from(self, names: Iterable[str], source: Source) -> None:
        """Another source for skills that stay what they are, such as one that an update wrote anew."""
        self._change(names, lambda one: replace(one, source=source))

    def pin(self, name: str, pinned: bool) -> None:
        self._change([name], lambda one: replace(one, pinned=pinned))

    def changed(
        self,
        created: Iterable[str],
        source: Source,
        *,
        patched: Iterable[str] = (),
        archived: Iterable[str] = (),
        restored: Iterable[str] = (),
    ) -> None:
        """All that one change of skills did, counted at once: `created` from that source, and the others."""
        now = self._now()
        fresh, more, away, back = map(frozenset, (created, patched, archived, restored))

        def how(name: str, one: Tally) -> Tally:
            if name in fresh:
                one = Tally(created=now, source=source, pinned=one.pinned)
            if name in more:
                one = replace(one, patches=one.patches + 1, patched=now)
            if name in away | back:
                one = replace(one, archived=now if name in away else None)
            return one

        self._each([*sorted(fresh | more | away | back)], how)

    def repair(self) -> None:
        """At start: remove what a killed writer left half written."""
        if not self._path.is_symlink() and self._folder.is_dir():
            with self._alone():
                clear_strays(self._path)

    def _change(self, names: Iterable[str], how: Callable[[Tally], Tally]) -> None:
        self._each(list(dict.fromkeys(names)), lambda name, one: how(one))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if self._lock.is_symlink():
            raise Unwritable(f"{self._lock} is a link; it was not followed.")
        with locked(self._lock, self._patience):
            yield

    def _each(self, wanted: Sequence[str], how: Callable[[str, Tally], Tally]) -> None:
        if not wanted:
            return
        with self._alone():
            document = self._load()
            skills = document["skills"]
            for name in wanted:
                known = skills.get(name)
                # What a newer version may have added stays.
                skills[name] = {**(known if isinstance(known, dict) else {}), **asdict(how(name, _tally(known)))}
            if self._path.is_symlink():
                raise Unwritable(f"{self._path} is a link; it was not followed.")
            write_atomic(self._path, json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n")

    def _load(self) -> dict[str, Any]:
        if self._path.is_symlink():
            raise Unreadable(f"{self._path} is a link; it was not followed.")
        text = read(self._path)
        if text is None:
            return {"version": 1, "skills": {}}
        try:
            document = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise Unreadable(f"{self._path} is no JSON ({error}). Mend it, or move it away.") from None
        if not isinstance(document, dict) or not isinstance(document.get("skills"), dict):
            raise Unreadable(f"{self._path} does not hold the figures of skills. Mend it, or move it away.")
        return document


def _tally(kept: object) -> Tally:
    """One skill's part of the file; what people made unusable counts as not there, an unknown source as one that
    asks for care."""
    if not isinstance(kept, dict):
        return Tally()
    usable = {each.name: kept[each.name] for each in fields(Tally) if _usable(each.name, kept.get(each.name))}
    if usable.get("source", "person") not in _SOURCES:
        usable["source"] = _STRICTEST
    return Tally(**cast(Any, usable))


def _usable(name: str, value: object) -> bool:
    match name:
        case "source":
            return value is not None
        case "pinned":
            return isinstance(value, bool)
        case "views" | "uses" | "patches":
            return isinstance(value, int) and not isinstance(value, bool) and value >= 0
        case _:
            return isinstance(value, int | float) and not isinstance(value, bool)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        about = path.lstat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size, about.st_ino
