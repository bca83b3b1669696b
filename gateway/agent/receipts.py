"""The gateway's own word at the end of a turn: what was really saved, what waits, what was refused. Pure.

It is written from the journal and the gate, never from what a model says. Who asked for what is `agent.requests`;
when a line is shown, and where, is the engine's matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from commands.pending_words import literal, quoted
from gateway.agent.requests import Kind, Request
from memory.journal import Record
from memory.model import Action, Change, Target
from platforms.messages import Button

Level = Literal["off", "on", "verbose"]
"""`display.memory_notifications`."""

_QUOTED = 300
_PREVIEW = 120
_LINES = 8


@dataclass(frozen=True, slots=True)
class Waiting:
    """A write that waits for a yes: its id, the store it is for, and itself in a few words."""

    id: str
    target: Target
    gist: str


@dataclass(frozen=True, slots=True)
class Happened:
    """What became of a turn's writes. `refused` are the reasons as the model was told them; `already` are words about
    wishes that were true before, so that nothing had to be written."""

    applied: Sequence[Record] = ()
    waiting: Sequence[Waiting] = ()
    refused: Sequence[str] = ()
    already: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """Markdown and buttons for the chat. `saved`: the memory is as the person wished, now or before already; what
    only waits is not saved."""

    text: str
    buttons: tuple[tuple[Button, ...], ...]
    saved: bool


def receipt(request: Request, happened: Happened, turn: int, *, alone: bool = True) -> Receipt:
    """The answer to a wish. `turn` is the turn's number, by which a button finds the person's words again. Unless the
    person is `alone`, no entry is quoted, and there are no buttons."""
    shown = _shown if alone else _named
    lines = [shown(record, change) for record in happened.applied for change in record.changes]
    lines += [
        f"🕓 Waits for approval{f': {literal(_short(each.gist, _QUOTED))}' if alone else ''} (`{each.id}`)"
        for each in happened.waiting
    ]
    lines += [f"☑️ {_short(each, _QUOTED)}" for each in dict.fromkeys(happened.already)]
    rows = _undo(happened.applied)
    missed = not _answered(request.kind, happened)
    refused = [_short(each, _QUOTED) for each in dict.fromkeys(happened.refused)]
    if not missed:
        lines += [f"⚠️ A try was refused: {each}" for each in refused]
    elif refused:
        what = "Not forgotten" if request.kind is Kind.FORGET else "Not saved"
        lines += [f"⚠️ {what}: {each}" for each in refused]
    elif request.kind is Kind.FORGET:
        lines.append("⚠️ Nothing was forgotten. /forget TEXT removes an entry.")
    else:
        lines.append("⚠️ Nothing was saved.")
    if missed and alone and request.kind is not Kind.FORGET and request.about:
        lines.append(quoted(_short(request.about, _QUOTED)))
        rows = (*rows, (Button("Save it", f"/keep {turn}"),))
    saved = not missed and bool(happened.applied or happened.already)
    return Receipt("\n".join(_bounded(lines)), rows if alone else (), saved)


def notice(happened: Happened, level: Level) -> Receipt | None:
    """A line about writes that nobody asked for; None when nothing happened, or the person wants no such lines."""
    if level == "off" or not (happened.applied or happened.waiting):
        return None
    waits = f"waits: {len(happened.waiting)}"
    if not happened.applied:
        lines = [f"🕓 Memory is unchanged · {waits}"]
    else:
        lines = [f"💾 Memory updated · {waits}" if happened.waiting else "💾 Memory updated"]
    if level == "verbose":
        lines += _bounded([_previewed(change) for record in happened.applied for change in record.changes])
        lines += [f"🕓 {literal(_short(each.gist, _PREVIEW))} (`{each.id}`)" for each in happened.waiting]
    return Receipt("\n".join(lines), _choices(happened), bool(happened.applied))


def joined(first: Receipt | None, second: Receipt | None) -> Receipt | None:
    """Memory's word and that about skills, as one."""
    if first is None or second is None:
        return first or second
    return Receipt(f"{first.text}\n{second.text}", (*first.buttons, *second.buttons), first.saved or second.saved)


def _answered(kind: Kind, happened: Happened) -> bool:
    """Whether something was done, or waits, that the wish may have meant: a new entry is no answer to "forget it",
    nor is a removal to "keep it". What a waiting write would do is not known here."""
    if happened.waiting or happened.already:
        return True
    done = {change.action for record in happened.applied for change in record.changes}
    return bool(done & _ANSWERS[kind])


_ANSWERS = {
    Kind.KEEP: frozenset({Action.ADD, Action.PATCH}),
    Kind.CHANGE: frozenset({Action.ADD, Action.PATCH}),
    Kind.FORGET: frozenset({Action.REMOVE, Action.PATCH}),
}


def _shown(record: Record, change: Change) -> str:
    """One change, with the file and the whole entry unless it is very long."""
    match change.before, change.after:
        case None, str(after):
            return f"💾 Saved in {record.file}: {quoted(_short(after, _QUOTED))}"
        case str(before), None:
            return f"🗑 Removed from {record.file}: {quoted(_short(before, _QUOTED))}"
        case before, after:
            now, old = _short(after or "", _QUOTED), _short(before or "", _QUOTED)
            return f"✏️ Changed in {record.file}: {quoted(now)} (it was: {quoted(old)})"


def _named(record: Record, change: Change) -> str:
    """One change where others read along."""
    match change.before, change.after:
        case None, _:
            return f"💾 Saved in {record.file}."
        case _, None:
            return f"🗑 Removed from {record.file}."
        case _:
            return f"✏️ Changed in {record.file}."


def _previewed(change: Change) -> str:
    match change.before, change.after:
        case str(before), None:
            return f"➖ {quoted(_short(before, _PREVIEW))}"
        case None, after:
            return f"➕ {quoted(_short(after or '', _PREVIEW))}"
        case _, after:
            return f"✏️ {quoted(_short(after or '', _PREVIEW))}"


def _undo(applied: Sequence[Record]) -> tuple[tuple[Button, ...], ...]:
    """One button for each change, the last one first, since only that order undoes several to the same entry."""
    if len(applied) == 1:
        return ((Button("Undo", f"/memory undo {applied[0].id}"),),)
    numbered = list(enumerate(applied, 1))[-_LINES:]
    return tuple((Button(f"Undo {number}", f"/memory undo {record.id}"),) for number, record in reversed(numbered))


def _choices(happened: Happened) -> tuple[tuple[Button, ...], ...]:
    """What can be done about the last change; or about the last write that waits, when nothing was changed."""
    if not happened.applied:
        return ((Button("Show", f"/memory show {happened.waiting[-1].id}"),),)
    last = happened.applied[-1].id
    return (
        (
            Button("Undo", f"/memory undo {last}"),
            Button("Edit", f"/memory revise {last}"),
            Button("Why", f"/memory why {last}"),
        ),
    )


def _short(text: str, limit: int) -> str:
    """On one line, and cut where it is longer than the limit."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def _bounded(lines: list[str]) -> list[str]:
    """No more lines than a person reads: the rest is counted. The last line, which says what failed, stays."""
    if len(lines) <= 2 * _LINES:
        return lines
    kept = 2 * _LINES - 2
    return [*lines[:kept], f"… and {len(lines) - kept - 1} more: /memory history", lines[-1]]
