"""Taking a change back: the entries as they were before it, or why that can no longer be had. Pure.

Which change is meant, and writing the result down, belong to `memory.store` and `memory.journal`.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory.model import ERASED, Action, Change, Draft, Operation, Reason, Refused, Target


def reverse(
    target: Target, entries: Sequence[str], changes: Sequence[Change], undoes: str, *, untouched: bool
) -> Draft | Refused:
    """The draft that takes these changes back, the last one first. Texts and places are restored exactly where
    nothing else moved meanwhile; an entry that changed since is a refusal.

    `untouched` says that the store is just as the changes left it: then nothing is in doubt.
    """
    now = list(entries)
    back: list[Change] = []
    operations: list[Operation] = []
    for change in reversed(changes):
        reversed_ = _reversed(now, change, untouched)
        if isinstance(reversed_, str):
            return Refused(target, Reason.CHANGED, reversed_)
        now[reversed_.at : reversed_.at + (reversed_.before is not None)] = (
            [] if reversed_.after is None else [reversed_.after]
        )
        back.append(reversed_)
        operations.append(Operation(reversed_.action, reversed_.after or "", reversed_.before or ""))
    return Draft(target, tuple(operations), tuple(entries), tuple(now), tuple(back), undoes=undoes)


def _reversed(entries: Sequence[str], change: Change, untouched: bool) -> Change | str:
    if ERASED in (change.before, change.after):
        return "The text of this change was erased; it cannot be taken back."
    if change.after is None:
        assert change.before is not None
        if change.before in entries and not untouched:
            return f"The removed entry is there again: {_short(change.before)}"
        return Change(Action.ADD, min(change.at, len(entries)), None, change.before)
    at = _place(entries, change.after, change.at)
    if at is None:
        return f"The entry changed since, or is gone: {_short(change.after)}"
    if change.before is None:
        return Change(Action.REMOVE, at, change.after, None)
    return Change(Action.PATCH, at, change.after, change.before)


def _place(entries: Sequence[str], text: str, at: int) -> int | None:
    """Where the entry stands: at its old place, else the nearest one."""
    places = [index for index, entry in enumerate(entries) if entry == text]
    return min(places, key=lambda index: abs(index - at), default=None)


def _short(entry: str) -> str:
    line = " ".join(entry.split())
    return line if len(line) <= 100 else line[:99] + "…"
