"""The nouns of curated memory: stores, wishes to write, changes, and what became of a wish.

An entry is its text, so it has no class. Everything here is a value; nothing here reads or writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from memory.usage import Usage

ERASED = "[erased]"
"""What stands in the journal for a text that a person had erased everywhere."""


class Target(StrEnum):
    """One of the two stores."""

    MEMORY = "memory"
    USER = "user"

    @property
    def file_name(self) -> str:
        """The file's name inside `memories/`."""
        return "MEMORY.md" if self is Target.MEMORY else "USER.md"

    @property
    def heading(self) -> str:
        """What the store is called in the prompt."""
        return "MEMORY (your personal notes)" if self is Target.MEMORY else "USER PROFILE (who the user is)"


def misnamed(target: Target, file: str) -> str | None:
    """Why this is no name of a file of that store, relative to the memories folder; None when it is one. Every file
    has one name, and the owner's two are of one store each: its limit and its switch hold for them."""
    path = PurePosixPath(file)
    if (
        str(path) != file
        or path.is_absolute()
        or ".." in path.parts
        or path.suffix != ".md"
        or not file.isprintable()
    ):
        return f"{file!r} is no memory file"
    owners = {each.file_name.casefold() for each in Target}
    if file.casefold() in owners and file != target.file_name:
        return f"{file!r} is not the file of the store {target.value}"
    return None


class Origin(StrEnum):
    """Where a wish to write comes from; the gate decides by it."""

    FOREGROUND = "foreground"
    REVIEW = "review"
    CRON = "cron"
    COMMAND = "command"
    OPERATOR = "operator"


class Action(StrEnum):
    """What can be done to entries."""

    ADD = "add"
    PATCH = "patch"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class Operation:
    """One wish. `content` is new text (add, patch), `old_text` finds the entry (patch, remove)."""

    action: Action
    content: str = ""
    old_text: str = ""


@dataclass(frozen=True, slots=True)
class Author:
    """Who is behind a write: `session` and `message` name the conversation and the place in it, where there is one
    (`turn:12` for a turn, `inbox:34` for an event that was an order); `who` is the person who ordered or approved it
    (`platform:id`), empty when nobody was asked. `chat` is the chat's key. `flags` are risks, such as
    `untrusted:document`. `pending` names the pending write that this one carries out."""

    origin: Origin
    session: str | None = None
    message: str | None = None
    who: str = ""
    chat: str | None = None
    flags: tuple[str, ...] = ()
    pending: str | None = None
    speaker: str = ""
    """Who said what led to it (`platform:id`): for those who decide. The journal keeps who ordered or approved."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The sizes in force, in characters, and which stores are on."""

    memory: int = 2200
    user: int = 1375
    enabled: frozenset[Target] = frozenset(Target)

    def of(self, target: Target) -> int:
        return self.memory if target is Target.MEMORY else self.user


@dataclass(frozen=True, slots=True)
class Change:
    """What one operation does to one entry: `before` is None for a new one, `after` for one that goes.

    `at` is the entry's place when the operation runs. `folded` is the text that a patch really replaced, when that
    is not to the letter what was asked for.
    """

    action: Action
    at: int
    before: str | None
    after: str | None
    folded: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A valid write, thought through and not yet made. `notes` are words about operations that change nothing.

    The `before` of a change is the full text of the entry that it would alter.
    """

    target: Target
    operations: tuple[Operation, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()
    undoes: str | None = None


class Reason(StrEnum):
    """Why a write was refused, for those who act on it; the words are in `Refused.message`."""

    INVALID = "invalid"
    OVER_LIMIT = "over limit"
    NO_MATCH = "no match"
    AMBIGUOUS = "ambiguous"
    REPEATED = "repeated"
    EMPTIES = "empties"
    DISABLED = "disabled"
    DRIFTED = "drifted"
    UNREADABLE = "unreadable"
    UNWRITABLE = "unwritable"
    BUSY = "busy"
    SCAN = "scan"
    CHANGED = "changed"
    UNKNOWN = "unknown"
    DENIED = "denied"


@dataclass(frozen=True, slots=True)
class Applied:
    """It is on the disk. `id` is the change's name in the journal; `usage` and `entry_count` are the new state."""

    target: Target
    id: str
    changes: tuple[Change, ...]
    usage: Usage
    entry_count: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unchanged:
    """Everything was as wished before; nothing was written."""

    target: Target
    usage: Usage
    entry_count: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Staged:
    """It is valid and waits for a yes under `pending_id`; `message` says so."""

    target: Target
    pending_id: str
    message: str


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was written. `message` says why and what to do.

    `operation` is the number (from 1) of the one that failed in a batch. `entries` are the current entries when the
    limit is the trouble, the nearest ones when nothing matched, and previews when several did. `target` is None only
    for a change that nobody knows.
    """

    target: Target | None
    reason: Reason
    message: str
    operation: int | None = None
    entries: tuple[str, ...] = ()
    usage: Usage | None = None


Outcome = Applied | Unchanged | Staged | Refused


def change_fields(change: Change) -> dict[str, object]:
    """A change as it is kept in files."""
    return {"action": change.action.value, "at": change.at, "before": change.before, "after": change.after}


def change_from(fields: Mapping[str, object]) -> Change:
    """The inverse of `change_fields`. Raises ValueError, KeyError."""
    at, before, after = fields["at"], fields["before"], fields["after"]
    if not isinstance(at, int) or not isinstance(before, str | None) or not isinstance(after, str | None):
        raise ValueError("a change has a number and two texts")
    return Change(Action(str(fields["action"])), at, before, after)


def replay(entries: Sequence[str], changes: Sequence[Change]) -> tuple[str, ...]:
    """The entries after changes that were made to exactly these entries: how the journal gives the past back, to the
    journey and to tests. Raises LookupError when they were not."""
    now = list(entries)
    for change in changes:
        if change.before is not None and now[change.at] != change.before:
            raise LookupError(f"entry {change.at} is another one")
        now[change.at : change.at + (change.before is not None)] = [] if change.after is None else [change.after]
    return tuple(now)
