"""The skills that come with the program: put in place at the first start, brought up to date where nobody changed
them, left alone where somebody did, or does not want them.

What was put in place stands in `.bundled.json`, with hashes. A skill that a person took away stays away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from memory.files import FileTrouble, Unwritable, write_atomic
from memory.model import Author
from memory.skills.crate import Folder
from memory.skills.edits import plan_install
from memory.skills.install import Store
from memory.skills.ledger import BUNDLED, Ledger, Line, in_place, place_of
from memory.skills.library import Library
from memory.skills.model import Found, SkillApplied, SkillRefused, SkillUnchanged
from memory.skills.parcel import Parcel, look, parcel
from memory.skills.tree import Tree

MARKER = ".no-bundled-skills"
_SOURCE = "bundled"
_WORDS = (
    "The skills that come with the program are neither put here nor brought up to date while this file exists.\n"
    "Remove it to have them again.\n"
)


@dataclass(frozen=True, slots=True)
class Seeded:
    """What became of each bundled skill, by name. `kept` were changed here; `gone` were taken away here; `taken` are
    names that other skills have; `failed` has the reason. `off`: the marker is there, nothing was done."""

    added: tuple[str, ...] = ()
    refreshed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    failed: Mapping[str, str] | None = None
    off: bool = False


@dataclass(frozen=True, slots=True)
class OptedOut:
    """`removed` were put away, `kept` were changed here and stay, `failed` has the reason."""

    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    failed: Mapping[str, str] | None = None


def bundled_folder() -> Path:
    """Where the program's own skills lie."""
    return Path(__file__).parent / "bundled"


def bundled(folder: Path | None = None) -> tuple[Parcel, ...]:
    """The skills that come with the program, by name. Raises `crate.Rejected` for one that is not fit to be one."""
    crate = Folder(folder or bundled_folder())
    return tuple(sorted((parcel(crate, each) for each in look(crate).skills), key=lambda each: each.name))


def mark(folder: Path) -> None:
    """Leave the marker in the skills folder: the program's own skills are not wanted there. Raises `FileTrouble`."""
    marker = folder / MARKER
    if marker.is_symlink():
        raise Unwritable(f"{marker} is a link; it was not followed.")
    if not marker.exists():
        write_atomic(marker, _WORDS)


class Seeds:
    """`now()` in seconds since the epoch. Everything raises `FileTrouble` where the records cannot be had."""

    def __init__(
        self,
        library: Library,
        store: Store,
        now: Callable[[], float],
        parcels: Callable[[], tuple[Parcel, ...]] = bundled,
    ) -> None:
        self._library = library
        self._store = store
        self._now = now
        self._parcels = parcels
        self._tree = Tree(library.root)
        self._ledger = Ledger(library.root, BUNDLED)
        self._marker = library.root / MARKER

    @property
    def off(self) -> bool:
        """Whether they are not wanted here."""
        return self._marker.is_symlink() or self._marker.exists()

    def sow(self, by: Author) -> Seeded:
        """At start: add what is missing for the first time, refresh what is unmodified."""
        if self.off:
            return Seeded(off=True)
        done: dict[str, list[str]] = {}
        failed: dict[str, str] = {}
        found = self._library.found()  # names differ, so that what is put in place changes nothing for the others
        for each in self._parcels():
            what = self._standing(each, found)
            if what in ("added", "refreshed") and (why := self._put(each, by)):
                failed[each.name] = why
                continue
            done.setdefault(what, []).append(each.name)
        words = {what: tuple(names) for what, names in done.items() if what != "same"}
        return Seeded(**words, failed=failed or None)  # type: ignore[arg-type]  # the keys are those of Seeded

    def opt_out(self, by: Author, *, remove: bool = False) -> OptedOut:
        """Write the marker. With `remove`, put those away that nobody changed."""
        mark(self._library.root)
        removed: list[str] = []
        kept: list[str] = []
        failed: dict[str, str] = {}
        found = self._library.found()
        for name, line in self._ledger.all().items() if remove else ():
            place = place_of(found, self._library.root, name)
            if place is None:
                continue
            if not line.knows(in_place(self._tree, place)):
                kept.append(name)
                continue
            outcome = self._store.archive(name, by)
            if isinstance(outcome, SkillApplied):
                removed.append(name)
                self._ledger.drop(name)
            else:
                failed[name] = getattr(outcome, "message", "It was left as it is.")
        return OptedOut(tuple(removed), tuple(kept), failed or None)

    # Inside

    def _standing(self, parcel: Parcel, found: Found) -> str:
        line = self._ledger.all().get(parcel.name)
        place = place_of(found, self._library.root, parcel.name)
        if place is None:
            if line is not None and line.digest:
                return "gone"
            return "taken" if self._occupied(parcel.name, found) else "added"
        digest = in_place(self._tree, place)
        if digest == parcel.digest:
            if line is None or line.digest != digest:
                self._ledger.put(parcel.name, self._line(parcel))
            return "same"
        if line is None:
            return "taken"
        return "refreshed" if line.knows(digest) else "kept"

    def _occupied(self, name: str, found: Found) -> bool:
        named = {each.name for each in found.skills} | {each.name for each in found.broken}
        return name in named or self._tree.kind(name) is not None

    def _put(self, parcel: Parcel, by: Author) -> str:
        """Put one in place; why that could not be, else empty."""
        known = self._ledger.all().get(parcel.name)
        try:
            draft = plan_install(
                self._library.found(), self._tree, parcel.name, parcel.files, replaces=known is not None
            )
            if isinstance(draft, SkillRefused):
                return draft.message
            self._ledger.begin(parcel.name, self._line(parcel))
            outcome = self._store.carry_out(draft, by, "bundled")
        except FileTrouble as error:
            return str(error)
        if not isinstance(outcome, SkillApplied | SkillUnchanged):
            return outcome.message
        self._ledger.put(parcel.name, self._line(parcel))
        return ""

    def _line(self, parcel: Parcel) -> Line:
        known = self._ledger.all().get(parcel.name)
        line = Line(_SOURCE, parcel.digest, installed=self._now(), updated=self._now())
        return replace(line, installed=known.installed) if known else line
