"""What can become of a decision, whatever kind of write waited. Values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from memory.journal import Receipt

W = TypeVar("W")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Approved(Generic[W, Made]):
    """It is carried out; `outcome` says what that did."""

    write: W
    outcome: Made


@dataclass(frozen=True, slots=True)
class Rejected(Generic[W]):
    """It is gone; `write` is None for a file that was no pending write."""

    id: str
    write: W | None


@dataclass(frozen=True, slots=True)
class Edited(Generic[W]):
    """`write` waits in place of `former`."""

    former: W
    write: W


@dataclass(frozen=True, slots=True)
class Kept(Generic[W]):
    """It could not be carried out, and waits on."""

    id: str
    why: str
    write: W | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """Somebody else was first."""

    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nothing waits under that id, and nothing ever did."""

    id: str


Resolved = Approved[W, Made] | Rejected[W] | Edited[W] | Kept[W] | Decided | Unknown
