"""Carrying out what was staged: exactly the entries that were shown are changed, or nothing is. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from memory.entries import objection
from memory.model import Change, Draft, Operation, Reason, Refused, Target
from memory.operations import objection_to_size


def carry_out(target: Target, entries: Sequence[str], changes: Sequence[Change], limit: int) -> Draft | Refused:
    """The draft that makes these changes to the entries of now. Places do not count, texts do, to the letter."""
    now = list(entries)
    done: list[Change] = []
    notes: list[str] = []
    for change in changes:
        if change.after is not None and (why := objection(change.after)) is not None:
            return Refused(target, Reason.INVALID, why)
        if change.before is None:
            assert change.after is not None
            if change.after in now:
                notes.append("Nothing was added: this entry is there already.")
                continue
            done.append(Change(change.action, len(now), None, change.after))
            now.append(change.after)
            continue
        if change.before not in now:
            gone = "The entry changed since this was put aside, or is gone. It read:"
            return Refused(target, Reason.CHANGED, f"{gone} «{change.before}»")
        at = now.index(change.before)
        now[at : at + 1] = [] if change.after is None else [change.after]
        done.append(Change(change.action, at, change.before, change.after))
    operations = tuple(Operation(each.action, each.after or "", each.before or "") for each in done)
    draft = Draft(target, operations, tuple(entries), tuple(now), tuple(done), tuple(notes))
    return objection_to_size(draft, limit) or draft
