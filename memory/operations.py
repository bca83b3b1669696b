"""What operations do to entries: all of them or none, and in words why not. Pure.

The limit is looked at in the final state alone. Locks, files and the journal belong to `memory.store`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from memory.entries import objection, parse, tidy
from memory.matching import Match, Missing, Repeated, Several, find
from memory.model import Action, Change, Draft, Operation, Reason, Refused, Target
from memory.usage import usage

_NOTHING_TO_TAKE_OUT = (
    "patch needs a content: an empty one would only cut words out. Quote a longer span that contains them as "
    "old_text and give that span without them as content; to delete the whole entry, use remove."
)


def perform(
    target: Target,
    entries: Sequence[str],
    operations: Sequence[Operation],
    limit: int,
    *,
    may_empty: bool | None = None,
) -> Draft | Refused:
    """The write that these operations amount to. `may_empty` defaults to: a single operation may, a batch may not."""
    now = list(entries)
    changes: list[Change] = []
    notes: list[str] = []
    for number, operation in enumerate(operations, 1):
        step = _step(target, now, operation)
        if isinstance(step, Refused):
            return _numbered(step, number, operation, len(operations))
        if isinstance(step, str):
            notes.append(step)
            continue
        now[step.at : step.at + (step.before is not None)] = [] if step.after is None else [step.after]
        changes.append(step)
        if (longest := len(step.after or "")) > max(limit, len(step.before or "")):
            # Not even on the way: whoever scans it, shows it or decides about it would have to read it.
            size = usage(entries, limit)
            return Refused(target, Reason.OVER_LIMIT, _alone(longest, limit), None, tuple(entries), size)
    may_empty = len(operations) == 1 if may_empty is None else may_empty
    if entries and not now and not may_empty:
        return Refused(target, Reason.EMPTIES, "This batch would leave the store empty, so nothing was done.")
    draft = Draft(target, tuple(operations), tuple(entries), tuple(now), tuple(changes), tuple(notes))
    return objection_to_size(draft, limit) or draft


def objection_to_size(draft: Draft, limit: int) -> Refused | None:
    """A final state over the limit is refused, except where the store was over it and shrinks."""
    before, after = usage(draft.before, limit), usage(draft.after, limit)
    if not draft.changes or not after.over or (before.over and after.chars < before.chars):
        return None
    return Refused(draft.target, Reason.OVER_LIMIT, _over(draft, limit), None, draft.before, before)


def _over(draft: Draft, limit: int) -> str:
    before, after = usage(draft.before, limit), usage(draft.after, limit)
    longest = max((change.after or "" for change in draft.changes), key=len)
    if len(longest) > limit:
        return _alone(len(longest), limit)
    state = f"{draft.target.value} holds {before.fraction} characters"
    adds = any(change.before is None for change in draft.changes)
    again = "adds the entry" if adds else "makes this change"
    free = "1 character" if after.over == 1 else f"{after.over:,} characters"
    return (
        f"Over the limit: {state}, and this would make it {after.chars:,}. Nothing was changed. Free at least "
        f"{free}: send ONE batch (operations) that removes or shortens what matters least and "
        f"{again}."
    )


def _alone(chars: int, limit: int) -> str:
    return (
        f"The text alone has {chars:,} characters, more than the whole limit of {limit:,}. Nothing was "
        f"changed. Keep the essence of it, in one dense entry."
    )


def _step(target: Target, entries: Sequence[str], operation: Operation) -> Change | str | Refused:
    """The change, a note when there is nothing to change, or the refusal."""
    match operation.action:
        case Action.ADD:
            return _add(target, entries, operation)
        case Action.PATCH:
            if not operation.content.strip():
                return Refused(target, Reason.INVALID, _NOTHING_TO_TAKE_OUT)
            found = _find(target, entries, operation)
            return found if isinstance(found, Refused) else _patched(target, entries[found.index], found, operation)
        case Action.REMOVE:
            found = _find(target, entries, operation)
            if isinstance(found, Refused):
                return found
            return Change(Action.REMOVE, found.index, entries[found.index], None)
        case _:
            assert_never(operation.action)


def _add(target: Target, entries: Sequence[str], operation: Operation) -> Change | str | Refused:
    content = tidy(operation.content)
    if (why := objection(content)) is not None:
        return Refused(target, Reason.INVALID, why)
    if content in entries:
        return "Nothing was added: this entry is there already."
    return Change(Action.ADD, len(entries), None, content)


def _patched(target: Target, entry: str, found: Match, operation: Operation) -> Change | str | Refused:
    content = operation.content.replace("\r\n", "\n").replace("\r", "\n")
    if found.folded and operation.old_text != operation.old_text.strip():
        content = content.strip()  # what stood around the quoted words was left out of the span as well
    whole = (found.start, found.end) == (0, len(entry))
    text = tidy(content) if whole else entry[: found.start] + content + entry[found.end :]
    # Nothing blank comes to stand around an entry that had nothing blank there.
    text = text if entry[0].isspace() else text.lstrip()
    text = text if entry[-1].isspace() else text.rstrip()
    if (why := objection(text)) is not None:
        return Refused(target, Reason.INVALID, why)
    # Only its edges can need care: what the patch does not touch is kept to the letter.
    after = "".join(parse(text))
    if after == entry:
        return "Nothing was changed: the entry reads like that already."
    replaced = entry[found.start : found.end] if found.folded else None
    return Change(Action.PATCH, found.index, entry, after, replaced)


def _find(target: Target, entries: Sequence[str], operation: Operation) -> Match | Refused:
    if not operation.old_text.strip():
        why = f"{operation.action.value} needs old_text: a part of the entry that no other entry has."
        return Refused(target, Reason.INVALID, why)
    found = find(entries, operation.old_text, span=operation.action is Action.PATCH)
    match found:
        case Match():
            return found
        case Missing(closest):
            if not entries:
                return Refused(
                    target, Reason.NO_MATCH, f"The store {target.value} is empty: there is nothing to find."
                )
            why = "No entry contains old_text. Quote part of one to the letter; closest_entries are the nearest."
            return Refused(target, Reason.NO_MATCH, why, None, closest)
        case Several(previews):
            why = f"old_text stands in {len(previews)} different entries. Quote more of the one that is meant."
            return Refused(target, Reason.AMBIGUOUS, why, None, previews)
        case Repeated(times):
            why = f"old_text occurs {times} times in the entry. Quote more of what stands around the place."
            return Refused(target, Reason.REPEATED, why)
        case _:
            assert_never(found)


def _numbered(refused: Refused, number: int, operation: Operation, count: int) -> Refused:
    if count == 1:
        return refused
    lead = f"Operation {number} of {count} ({operation.action.value}): "
    tail = " Nothing of the batch was done."
    return Refused(
        refused.target, refused.reason, lead + refused.message + tail, number, refused.entries, refused.usage
    )
