"""Carrying out what was staged: exactly the entries that were shown are changed, or nothing is. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.entries import objection, parse
from memory.model import Change, Draft, Operation, Reason, Refused, Target
from memory.operations import objection_to_size
from memory.usage import usage


def carry_out(target: Target, entries: Sequence[str], changes: Sequence[Change], limit: int) -> Draft | Refused:
    """The draft that makes these changes to the entries of now. Places do not count, texts do, to the letter."""
    now = list(entries)
    done: list[Change] = []
    notes: list[str] = []
    for change in changes:
        if change.after is not None and (why := _objection(change.after)) is not None:
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
    refused = objection_to_size(draft, limit)
    if refused is None or any(len(each.after or "") > limit for each in done):
        return refused or draft  # no room would be enough for a text that is longer than everything
    return replace(refused, message=_full(draft, limit))


def _objection(text: str) -> str | None:
    """What was staged is tidy; what people wrote into its file may not be."""
    why = objection(text)
    if why is None and parse(text) != (text,):
        return "The text would not come back the same: it has blank lines around it, or line ends of another system."
    return why


def _full(draft: Draft, limit: int) -> str:
    """For a person, who frees the room by hand."""
    before, over = usage(draft.before, limit), usage(draft.after, limit).over
    free = "1 character" if over == 1 else f"{over:,} characters"
    return f"{draft.target.value} is too full for it ({before.fraction} characters). Free at least {free} first."
