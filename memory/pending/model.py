"""A pending write as a value, and as the JSON that people can read. Pure.

What the file must hold to be carried out is checked here; where it lies and who decides is for the siblings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from memory.model import Action, Author, Change, Origin, Target, change_fields, change_from, misnamed
from memory.pending.fields import author_from, dumped, loaded, moment, texts, whence

_GIST = 80


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
    kind: Literal["memory"] = "memory"

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
    return dumped(
        {
            "id": write.id,
            "kind": write.kind,
            "action": write.action,
            "target": write.target.value,
            "gist": write.gist,
            **whence(write.author, write.created_at),
            "payload": {"file": write.file, "changes": [change_fields(each) for each in write.changes]},
            "pins": list(write.pins),
        }
    )


def load(text: str, name: str) -> PendingWrite:
    """The write in a file of that name (without suffix). Raises Unusable."""
    return loaded(text, lambda fields: _read(fields, name))


def _read(fields: Mapping[str, Any], name: str) -> PendingWrite:
    payload, target = fields["payload"], Target(fields["target"])
    if fields.get("kind", "memory") != "memory":
        raise ValueError("it is no write to memory")
    changes = tuple(change_from(each) for each in payload["changes"])
    if not changes or not all(map(_fits, changes)):
        raise ValueError("a change does not fit its action" if changes else "it has no changes")
    if (why := misnamed(target, file := str(payload["file"]))) is not None:
        raise ValueError(why)
    return PendingWrite(
        id=name,
        target=target,
        file=file,
        author=author_from(fields),
        created_at=moment(fields["created_at"]),
        changes=changes,
        pins=texts(fields, "pins"),
        gist=gist(changes),  # never what the file says of itself: people decide by it
    )


def _fits(change: Change) -> bool:
    """Whether it has the texts that its action is about: what is shown as a removal must not write."""
    shape = (change.before is not None, change.after is not None)
    shapes = {Action.ADD: (False, True), Action.PATCH: (True, True), Action.REMOVE: (True, False)}
    return shape == shapes[change.action] and change.before != change.after
