"""Putting skills from outside in place, bringing them up to date, and taking them away: by the guard's verdict, and
by what people made of them since.

Fetching belongs to the gateway, opening what was fetched to `crate` and `parcel`, writing to the store. What was
changed here is never written over.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from memory.files import Unreadable
from memory.model import Author
from memory.skills.edits import plan_install
from memory.skills.guard import Assessment, Verdict, assess
from memory.skills.ledger import Ledger, Line, in_place, place_of
from memory.skills.library import Library
from memory.skills.model import (
    SkillApplied,
    SkillDraft,
    SkillOutcome,
    SkillRefused,
    SkillStaged,
    SkillUnchanged,
    Source,
)
from memory.skills.parcel import Parcel
from memory.skills.tree import Tree
from memory.skills.validate import objection_to_name, shown

State = Literal["unmodified", "changed", "missing"]


Assess = Callable[[Mapping[str, bytes]], Assessment]
"""The guard: looks at the files of a skill, by their path in it."""


class Store(Protocol):
    """What is asked of `memory.skills.apply.SkillStore`. Trouble with files is a refusal, too."""

    def carry_out(self, draft: SkillDraft, by: Author, source: Source | None = None) -> SkillOutcome: ...

    def archive(self, name: str, by: Author) -> SkillOutcome: ...


@dataclass(frozen=True, slots=True)
class Origins:
    """Where a parcel comes from: the address as it was ordered, and what it was then (a commit, or the SHA-256 of an
    archive)."""

    source: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """A skill as it would be put in place, and how it stands with the one that is there. `obstacle` is why that
    cannot be, whatever a person says; `current` that exactly this is there already."""

    parcel: Parcel
    verdict: Verdict
    reasons: tuple[str, ...]
    obstacle: str = ""
    current: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """It is in place, or put away. `notes` are sentences."""

    name: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Same:
    """There was nothing to do."""

    name: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """Nothing was written: a person has to hear these reasons and agree first, to the files of that digest."""

    name: str
    reasons: tuple[str, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Declined:
    """Nothing was written, and `why` says why, in a sentence."""

    name: str
    why: str


Result = Done | Same | Doubt | Declined


@dataclass(frozen=True, slots=True)
class Standing:
    """A skill of the hub: what the lock file says of it, and how its files are now."""

    name: str
    line: Line
    state: State


class Installer:
    """`now()` in seconds since the epoch; `assess` is the guard. Only what is in the lock file is updated or removed.
    Raises `FileTrouble` where the lock file cannot be read or written."""

    def __init__(
        self,
        library: Library,
        store: Store,
        now: Callable[[], float],
        assess: Assess = assess,
    ) -> None:
        self._library = library
        self._store = store
        self._assess = assess
        self._now = now
        self._ledger = Ledger(library.root)
        self._tree = Tree(library.root)

    def offer(self, parcel: Parcel) -> Offer:
        """What would become of it; nothing is written."""
        assessed = self._assess(parcel.files)
        line = self._ledger.all().get(parcel.name)
        obstacle = self._obstacle(parcel.name, line)
        current = not obstacle and line is not None and self._digest(parcel.name) == parcel.digest
        return Offer(parcel, assessed.verdict, tuple(assessed.reasons), obstacle, current)

    def install(
        self, parcel: Parcel, origins: Origins, by: Author, *, agreed: Collection[str] = (), category: str = ""
    ) -> Result:
        """Put it in place, or in that of an unmodified one from the hub. `agreed` are the digests of what a person
        heard the doubts about: what comes in its stead when it is fetched again is asked about anew."""
        if category and (why := objection_to_name(category, "name of a category")) is not None:
            return Declined(parcel.name, why[:1].upper() + why[1:])
        offer = self.offer(parcel)
        if offer.obstacle:
            return Declined(parcel.name, offer.obstacle)
        if offer.verdict == "dangerous":
            return Declined(parcel.name, f"It is dangerous and is not installed. {' '.join(offer.reasons)}")
        known = self._ledger.all().get(parcel.name)
        # Whoever agreed to a doubt once is not asked about the same one with every update from the same place.
        same = known is not None and known.source == origins.source
        heard = parcel.digest in agreed or (known is not None and same and set(offer.reasons) <= set(known.reasons))
        if offer.verdict == "doubtful" and not heard:
            return Doubt(parcel.name, offer.reasons, parcel.digest)
        line = self._line(offer, origins, known)
        if offer.current:
            self._ledger.put(parcel.name, replace(line, updated=known.updated if known else line.updated))
            return Same(parcel.name)
        return self._put(parcel, line, by, category)

    def update(self, parcel: Parcel, origins: Origins, by: Author, *, agreed: Collection[str] = ()) -> Result:
        """Bring an installed skill up to date, where nobody changed it here."""
        standing = self.standing(parcel.name)
        if standing is None:
            return Declined(parcel.name, f"{shown(parcel.name)} is not from the hub.")
        if standing.state == "missing":
            why = f"The skill {parcel.name} was taken away here; install it again if it is missed."
            return Declined(parcel.name, why)
        return self.install(parcel, origins, by, agreed=agreed)

    def remove(self, name: str, by: Author) -> Result:
        """Put a skill from the hub away; it lies in the archive then, also when it was changed here."""
        standing = self.standing(name)
        if standing is None:
            return Declined(name, f"{shown(name)} is not from the hub, so it is not removed here.")
        if standing.state != "missing":
            outcome = self._store.archive(name, by)
            if not isinstance(outcome, SkillApplied):
                return _told(name, outcome)
        self._ledger.drop(name)
        return Done(name)

    def standing(self, name: str) -> Standing | None:
        """How one skill of the hub stands; None for one that is not in the lock file."""
        line = self._ledger.all().get(name)
        return None if line is None else Standing(name, line, self._state(name, line))

    def installed(self) -> tuple[Standing, ...]:
        """All of the lock file, by name."""
        return tuple(Standing(name, line, self._state(name, line)) for name, line in self._ledger.all().items())

    # Inside

    def _state(self, name: str, line: Line) -> State:
        digest = self._digest(name)
        if not digest:
            return "missing"
        return "unmodified" if line.knows(digest) else "changed"

    def _digest(self, name: str) -> str:
        """Of the profile's own skill of that name, usable or broken; empty when there is none."""
        place = place_of(self._library.found(), self._library.root, name)
        return in_place(self._tree, place) if place is not None else ""

    def _obstacle(self, name: str, line: Line | None) -> str:
        """Why nothing may be put under that name; empty when something may."""
        if line is not None:
            if self._state(name, line) == "changed":
                return f"The skill {name} was changed here since it was installed; it is left as it is."
            return ""
        found = self._library.found()
        skill = next((each for each in found.skills if each.name == name), None)
        if skill is not None:
            whose = {"bundled": "came with the program", "agent": "the assistant wrote"}.get(skill.source, "is yours")
            whose = "is in an external folder" if skill.external else whose
            return f"There is a skill {name} already, which {whose}. Rename or remove that one first."
        if any(each.name == name for each in found.broken):
            return f"There is a folder {name} already, which is broken. Mend it, or take it away first."
        return ""

    def _line(self, offer: Offer, origins: Origins, known: Line | None) -> Line:
        files = {path: hashlib.sha256(data).hexdigest() for path, data in offer.parcel.files.items()}
        now = self._now()
        return Line(
            origins.source,
            offer.parcel.digest,
            origins.version,
            files,
            verdict=offer.verdict,
            reasons=offer.reasons,
            installed=known.installed if known else now,
            updated=now,
        )

    def _put(self, parcel: Parcel, line: Line, by: Author, category: str) -> Result:
        known = self._ledger.all().get(parcel.name)
        try:
            draft = plan_install(
                self._library.found(), self._tree, parcel.name, parcel.files, category, replaces=known is not None
            )
        except Unreadable as error:
            return Declined(parcel.name, str(error))
        if isinstance(draft, SkillRefused):
            return Declined(parcel.name, draft.message)
        self._ledger.begin(parcel.name, line)
        outcome = self._store.carry_out(draft, by, "hub")
        if not isinstance(outcome, SkillApplied | SkillUnchanged):
            self._back(parcel.name, known)
            return _told(parcel.name, outcome)
        self._ledger.put(parcel.name, line)
        left = tuple(f"Not taken: {each}." for each in parcel.left)
        return Done(parcel.name, (*draft.notes, *left))

    def _back(self, name: str, known: Line | None) -> None:
        """What the lock file said before a change that did not happen."""
        if known is None:
            self._ledger.drop(name)
        else:
            self._ledger.put(name, known)


def _told(name: str, outcome: SkillOutcome) -> Declined:
    match outcome:
        case SkillRefused() | SkillStaged():
            return Declined(name, outcome.message)
        case _:
            return Declined(name, f"Nothing was changed about {name}.")
