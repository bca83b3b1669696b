"""A pending write as a value, and as the JSON that people can read. Pure.

What the file must hold to be carried out is checked here; where it lies and who decides is for the siblings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from memory.model import Action, Author, Change, Origin, Target, change_fields, change_from, misnamed

ID = re.compile(r"[0-9a-f]{8}")
Kind = Literal["memory", "skills"]
_GIST = 80


class Unusable(ValueError):
    """A file that is no pending write; the text says what is missing or wrong."""


@dataclass(frozen=True, slots=True)
class PendingWrite:
    """What waits. `file` is the store's, relative to the memories folder. `changes` were thought through when it was
    staged; `pins` are the full texts of the entries that they alter. `created_at` in seconds since the epoch."""

    id: str
    target: Target
    file: str
    author: Author
    created_at: float
    changes: tuple[Change, ...]
    pins: tuple[str, ...]
    gist: str
    kind: Kind = "memory"

    @property
    def action(self) -> str:
        """`add`, `patch` or `remove`; `batch` for several."""
        return self.changes[0].action.value if len(self.changes) == 1 else "batch"

    @property
    def flags(self) -> tuple[str, ...]:
        return self.author.flags

    @property
    def unattended(self) -> bool:
        """Whether nobody asked for it: a review's, marked `[auto]`."""
        return self.author.origin is Origin.REVIEW

    @property
    def unpinned(self) -> str | None:
        """Why it can never be carried out, for one that was made by hand or by something older; None when it can."""
        known = set(self.pins)
        for change in self.changes:
            if change.before is not None and change.before not in known:
                return "it does not record the entry that it would change, so nobody can tell what it would do"
            known |= {change.after} if change.after is not None else set()
        return None

    def same_as(self, other: PendingWrite) -> bool:
        """Whether both would do the same to the same file. Places move, and do not count."""
        return (self.target, self.file, self._texts) == (other.target, other.file, other._texts)

    @property
    def _texts(self) -> list[tuple[Action, str | None, str | None]]:
        return [(each.action, each.before, each.after) for each in self.changes]


def gist(changes: tuple[Change, ...]) -> str:
    """The write in a few words, on one line."""
    first = changes[0]
    words = {Action.ADD: first.after, Action.PATCH: first.after, Action.REMOVE: first.before}[first.action] or ""
    flat = " ".join(words.split())
    flat = flat if len(flat) <= _GIST else flat[: _GIST - 1] + "…"
    more = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
    return f"{first.action.value} «{flat}»{more}"


def pins_of(changes: tuple[Change, ...]) -> tuple[str, ...]:
    """The entries of the store that the changes alter: those that none of them brought."""
    made: set[str] = set()
    pins = []
    for change in changes:
        if change.before is not None and change.before not in made:
            pins.append(change.before)
        if change.after is not None:
            made.add(change.after)
    return tuple(dict.fromkeys(pins))


def dump(write: PendingWrite) -> str:
    """The file's text."""
    author = write.author
    fields = {
        "id": write.id,
        "kind": write.kind,
        "action": write.action,
        "target": write.target.value,
        "gist": write.gist,
        "origin": author.origin.value,
        "flags": list(author.flags),
        "created_at": datetime.fromtimestamp(write.created_at, UTC).isoformat(timespec="microseconds"),
        "session": author.session,
        "message": author.message,
        "chat": author.chat,
        "author": author.who or author.speaker,
        "payload": {"file": write.file, "changes": [change_fields(each) for each in write.changes]},
        "pins": list(write.pins),
    }
    return json.dumps(fields, ensure_ascii=False, indent=2) + "\n"


def load(text: str, name: str) -> PendingWrite:
    """The write in a file of that name (without suffix). Raises Unusable."""
    try:
        fields = json.loads(text)
        json.dumps(fields, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise Unusable("it holds half a character, which can be neither kept nor shown") from None
    except (ValueError, RecursionError) as error:
        raise Unusable(f"it is not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise Unusable("it is not an object")
    try:
        return _read(fields, name)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        missing = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise Unusable(missing) from None


def _read(fields: Mapping[str, Any], name: str) -> PendingWrite:
    payload, target = fields["payload"], Target(fields["target"])
    if fields.get("kind", "memory") != "memory":
        raise ValueError("it is no write to memory")
    changes = tuple(change_from(each) for each in payload["changes"])
    if not changes or not all(map(_fits, changes)):
        raise ValueError("a change does not fit its action" if changes else "it has no changes")
    if (why := misnamed(target, file := str(payload["file"]))) is not None:
        raise ValueError(why)
    author = Author(
        Origin(fields["origin"]),
        _text(fields, "session"),
        _text(fields, "message"),
        _text(fields, "author") or "",
        chat=_text(fields, "chat"),
        flags=_texts(fields, "flags"),
    )
    return PendingWrite(
        id=name,
        target=target,
        file=file,
        author=author,
        created_at=_moment(fields["created_at"]),
        changes=changes,
        pins=_texts(fields, "pins"),
        gist=gist(changes),  # never what the file says of itself: people decide by it
    )


def _moment(text: str) -> float:
    """Seconds since the epoch; of a year that every time zone can show."""
    moment = datetime.fromisoformat(text)
    if not 1 < moment.year < 9999:
        raise ValueError("created_at is no time that anybody can have meant")
    return moment.timestamp()


def _fits(change: Change) -> bool:
    """Whether it has the texts that its action is about: what is shown as a removal must not write."""
    shape = (change.before is not None, change.after is not None)
    shapes = {Action.ADD: (False, True), Action.PATCH: (True, True), Action.REMOVE: (True, False)}
    return shape == shapes[change.action] and change.before != change.after


def _text(fields: Mapping[str, Any], key: str) -> str | None:
    value = fields.get(key)
    if not isinstance(value, str | None):
        raise ValueError(f"{key} is no text")
    return value


def _texts(fields: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = fields.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"{key} is no list of texts")
    return tuple(value)
