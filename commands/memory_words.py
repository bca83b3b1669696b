"""What commands about memory say of writes, of entries, and of changes that were made."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, assert_never

from commands.pending_words import quoted
from commands.ports import Memory
from commands.reply import CommandReply
from memory.files import FileTrouble
from memory.journal import Record
from memory.model import Applied, Outcome, Refused, Staged, Target, Unchanged
from platforms.messages import Button

SHOWN = 10
LONGEST_NUMBER = 18
"""Digits that a row's number may have."""

REVIEW = "review:"
"""How the message behind a change begins that a review made."""


def told_all(memory: Memory, outcomes: Sequence[Outcome]) -> CommandReply:
    """What became of several writes, those left out that had nothing to do."""
    replies = [told(memory, each) for each in outcomes if not isinstance(each, Unchanged)]
    buttons = tuple(row for each in replies for row in each.buttons)
    text = "\n".join(each.text for each in replies)
    orders = tuple(order for each in replies for order in each.orders)
    done = all(each.ok for each in replies)
    return CommandReply(text or "Nothing is remembered.", buttons=buttons, ok=done, orders=orders)


def told(memory: Memory, outcome: Outcome) -> CommandReply:
    """What became of a write, in words that quote what was overwritten or removed in full."""
    match outcome:
        case Applied(target, name, changes, usage):
            lines = []
            for each in changes:
                file, now, old = memory.stores.file(target), quoted(each.after or ""), quoted(each.before or "")
                match each.before, each.after:
                    case None, _:
                        lines.append(f"💾 Kept in {file}: {now}")
                    case _, None:
                        lines.append(f"🗑 Removed from {file}: {old}")
                    case _:
                        lines.append(f"✏️ Changed in {file}: {now}\nIt was: {old}")
            undo = f"/memory undo {name}"
            lines.append(f"{usage}. Undo: {undo}")
            return CommandReply("\n".join(lines), buttons=((Button("Undo", undo),),), orders=(undo,))
        case Unchanged(notes=notes):
            return CommandReply(" ".join(notes) or "Nothing had to be changed.")
        case Staged(message=message):
            return CommandReply(message)
        case Refused(message=message, entries=entries):
            near = "\n".join(f"- {each}" for each in entries)
            return CommandReply(f"⚠️ Not saved. {message}" + (f"\n{near}" if near else ""), ok=False)
        case _:
            assert_never(outcome)


def say_which(memory: Memory, text: str, found: Sequence[tuple[Target, str]]) -> CommandReply:
    if not found:
        return CommandReply(f"No entry holds {text!r}. /memory shows them all.", ok=False)
    listed = "\n".join(f"- {memory.stores.file(target)}: {entry}" for target, entry in found[:SHOWN])
    same = len({entry for _, entry in found}) == 1
    more = f"say which: /forget {found[0][0].value}: TEXT" if same else "give more of the one you mean"
    return CommandReply(f"{text!r} is in several entries; {more}:\n{listed}", ok=False)


def row_number(text: str) -> int:
    """A row's number as a button has it; 0, which no row has, for anything else."""
    return int(text) if text.isdecimal() and len(text) <= LONGEST_NUMBER else 0


def counted(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def overview(memory: Memory) -> CommandReply:
    lines: list[str] = []
    data: list[dict[str, Any]] = []
    for target in memory.stores.enabled:
        try:
            usage, entries = memory.stores.usage(target), memory.stores.entries(target)
        except FileTrouble:
            continue  # it is among the problems
        lines += [
            f"**{memory.stores.file(target)}** [{usage}]",
            *(f"- {each}" for each in entries or ("(nothing yet)",)),
            "",
        ]
        data += [{"target": target.value, "entry": each} for each in entries]
    problems = memory.stores.problems()
    return CommandReply("\n".join([*lines, *(f"⚠️ {each}" for each in problems)]).rstrip() or "Memory is off.", data)


def described(each: Record) -> str:
    when = datetime.fromtimestamp(each.time).astimezone()
    undone = f" (taken back by {each.undone_by})" if each.undone_by else ""
    texts = []
    for change in each.changes:
        if change.before is not None:
            texts.append(f"was: {change.before}")
        if change.after is not None:
            texts.append(f"now: {change.after}")
    who = f" by {each.author.who}" if each.author.who else ""
    head = f"`{each.id}` {when:%Y-%m-%d %H:%M} {each.target.value}, {each.author.origin.value}{who}{undone}"
    return "\n".join([head, *texts])


def by_review(each: Record, session: str | None) -> str:
    """That a review wrote it, of which conversation, and when; `session` is the one in which that is asked."""
    when = datetime.fromtimestamp(each.time).astimezone()
    whose = "this conversation" if session and each.author.session == session else f"session {each.author.session}"
    done = "wished for it; it was approved" if each.author.pending else "wrote it"
    return f"A review of {whose} {done} on {when:%Y-%m-%d at %H:%M}."


def as_data(each: Record) -> dict[str, Any]:
    return {
        "id": each.id,
        "time": datetime.fromtimestamp(each.time).astimezone().isoformat(timespec="seconds"),
        "target": each.target.value,
        "origin": each.author.origin.value,
        "session": each.author.session,
        "who": each.author.who,
        "before": [change.before for change in each.changes],
        "after": [change.after for change in each.changes],
        "undone_by": each.undone_by,
    }
