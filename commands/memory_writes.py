"""Commands about curated memory: /remember, /forget and /memory. They write without a model, by the same checks.

The stores are synchronous; they are called off the event loop.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any, assert_never

from commands.context import Context
from commands.ports import Memory
from commands.reply import CommandReply
from commands.spec import Action, Argument, Arguments, CommandSpec, Role
from memory.journal import Record
from memory.model import (
    Action as Change,
)
from memory.model import (
    Applied,
    Author,
    Operation,
    Origin,
    Outcome,
    Refused,
    Staged,
    Target,
    Unchanged,
)
from platforms.messages import Button

SHOWN = 10
STAYS = "Its text stays in the journal and in the archive; /forget --everywhere TEXT erases it there too."
NO_MEMORY = CommandReply("Memory is off here.", ok=False)


async def remember(context: Context, arguments: Arguments) -> CommandReply:
    """Keep an entry: about the person, or with `memory:` in front about everything else."""
    memory = context.ports.memory
    if memory is None:
        return NO_MEMORY
    target, text = _aimed(arguments.get("text"))
    wish = [Operation(Change.ADD, content=text)]
    return _told(await asyncio.to_thread(memory.stores.apply, target, wish, _author(context)))


async def forget(context: Context, arguments: Arguments) -> CommandReply:
    """Remove the entry that holds a text, all entries, or a text everywhere."""
    memory = context.ports.memory
    if memory is None:
        return NO_MEMORY
    text = arguments.get("text").strip()
    if text == "all":
        return await _ask_for_all(memory)
    if text == "all!":
        outcomes = await asyncio.to_thread(memory.stores.forget_all, _author(context))
        return CommandReply("\n".join(_told(each).text for each in outcomes))
    if text.startswith("--everywhere"):
        return await _everywhere(context, memory, text.removeprefix("--everywhere").strip())
    found = await asyncio.to_thread(memory.stores.holding, text)
    if len(found) != 1:
        return _which(text, [entry for _, entry in found])
    target, entry = found[0]
    wish = [Operation(Change.REMOVE, old_text=entry)]
    reply = _told(await asyncio.to_thread(memory.stores.apply, target, wish, _author(context)))
    return CommandReply(f"{reply.text}\n{STAYS}" if reply.ok else reply.text, ok=reply.ok)


async def show(context: Context, arguments: Arguments) -> CommandReply:
    """Both stores: how full, and every entry."""
    memory = context.ports.memory
    if memory is None:
        return NO_MEMORY
    return await asyncio.to_thread(_shown, memory)


async def history(context: Context, arguments: Arguments) -> CommandReply:
    """The last changes, with the texts before and after."""
    memory = context.ports.memory
    if memory is None:
        return NO_MEMORY
    count = arguments.get("count") or str(SHOWN)
    if not count.isdigit() or not int(count):
        return CommandReply(f"count is a number from 1, not {count!r}.", ok=False)
    records = await asyncio.to_thread(memory.stores.history, int(count))
    lines = [_record(each) for each in records]
    return CommandReply("\n".join(lines) or "Nothing was changed yet.", data=[_as_data(each) for each in records])


async def undo(context: Context, arguments: Arguments) -> CommandReply:
    """Take back the last change, or the one with this id."""
    memory = context.ports.memory
    if memory is None:
        return NO_MEMORY
    return _told(await asyncio.to_thread(memory.stores.undo, _author(context), arguments.get("id") or None))


async def doctor(context: Context, arguments: Arguments) -> CommandReply:
    """Why something was not remembered, cause by cause, and the next step."""
    memory = context.ports.memory
    if memory is None:
        return NO_MEMORY
    return CommandReply("\n".join(await memory.diagnosis(context.session_key)))


def _author(context: Context) -> Author:
    return Author(Origin.COMMAND, message=str(context.item_id) if context.item_id else None, who=context.who)


def _aimed(text: str) -> tuple[Target, str]:
    """The store that a text is for, and the text without the word that says so."""
    head, colon, rest = text.partition(":")
    if colon and head.strip().lower() in ("memory", "user"):
        return Target(head.strip().lower()), rest.strip()
    return Target.USER, text.strip()


def _told(outcome: Outcome) -> CommandReply:
    """What became of a write, in words that quote what was overwritten or removed in full."""
    match outcome:
        case Applied(target, name, changes, usage):
            lines = []
            for each in changes:
                match each.before, each.after:
                    case None, after:
                        lines.append(f"💾 Kept in {target.file_name}: «{after}»")
                    case before, None:
                        lines.append(f"🗑 Removed from {target.file_name}: «{before}»")
                    case before, after:
                        lines.append(f"✏️ Changed in {target.file_name}: «{after}»\nIt was: «{before}»")
            lines.append(f"{usage}. Undo: /memory undo {name}")
            return CommandReply("\n".join(lines), buttons=((Button("Undo", f"/memory undo {name}"),),))
        case Unchanged(notes=notes):
            return CommandReply(" ".join(notes) or "Nothing had to be changed.")
        case Staged(message=message):
            return CommandReply(message)
        case Refused(message=message, entries=entries):
            near = "\n".join(f"- {each}" for each in entries)
            return CommandReply(f"⚠️ Not saved. {message}" + (f"\n{near}" if near else ""), ok=False)
        case _:
            assert_never(outcome)


async def _ask_for_all(memory: Memory) -> CommandReply:
    counts = [(target, len(memory.stores.entries(target))) for target in memory.stores.enabled]
    held = ", ".join(f"{count} in {target.file_name}" for target, count in counts if count)
    if not held:
        return CommandReply("Nothing is remembered.")
    return CommandReply(f"Forget all entries ({held})?", buttons=((Button("Forget all", "/forget all!"),),))


async def _everywhere(context: Context, memory: Memory, text: str) -> CommandReply:
    """Remove the entry if there is one, then erase the text from journal, backups and archive."""
    if context.role is not Role.OWNER:
        return CommandReply("/forget --everywhere is for an owner of this bot.", ok=False)
    if not text:
        return CommandReply("Which text? /forget --everywhere TEXT", ok=False)
    found = await asyncio.to_thread(memory.stores.holding, text)
    for target, entry in found:
        wish = [Operation(Change.REMOVE, old_text=entry)]
        outcome = await asyncio.to_thread(memory.stores.apply, target, wish, _author(context))
        if isinstance(outcome, Refused):
            return _told(outcome)
    erased = await asyncio.to_thread(memory.stores.erase, [text, *(entry for _, entry in found)])
    if isinstance(erased, Refused):
        return CommandReply(f"⚠️ {erased.message}", ok=False)
    rows = await memory.erase([text, *(entry for _, entry in found)])
    return CommandReply(
        f"🗑 Erased: {len(found)} entries, {erased.texts} texts in the journal, {erased.backups} backups, "
        f"{rows} messages in the archive. This cannot be undone."
    )


def _which(text: str, entries: list[str]) -> CommandReply:
    if not entries:
        return CommandReply(f"No entry holds {text!r}. /memory shows them all.", ok=False)
    listed = "\n".join(f"- {each}" for each in entries[:SHOWN])
    return CommandReply(f"{text!r} is in several entries; give more of the one you mean:\n{listed}", ok=False)


def _shown(memory: Memory) -> CommandReply:
    lines: list[str] = []
    data: list[dict[str, Any]] = []
    for target in memory.stores.enabled:
        usage, entries = memory.stores.usage(target), memory.stores.entries(target)
        lines += [f"**{target.file_name}** [{usage}]", *(f"- {each}" for each in entries or ("(nothing yet)",)), ""]
        data += [{"target": target.value, "entry": each} for each in entries]
    problems = memory.stores.problems()
    return CommandReply("\n".join([*lines, *(f"⚠️ {each}" for each in problems)]).rstrip() or "Memory is off.", data)


def _record(each: Record) -> str:
    when = datetime.fromtimestamp(each.time).astimezone()
    undone = f" (taken back by {each.undone_by})" if each.undone_by else ""
    texts = []
    for change in each.changes:
        if change.before is not None:
            texts.append(f"  - {change.before}")
        if change.after is not None:
            texts.append(f"  + {change.after}")
    who = f" by {each.author.who}" if each.author.who else ""
    head = f"`{each.id}` {when:%Y-%m-%d %H:%M} {each.target.value}, {each.author.origin.value}{who}{undone}"
    return "\n".join([head, *texts])


def _as_data(each: Record) -> dict[str, Any]:
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


SPECS = (
    CommandSpec(
        "remember", "keep something: /remember TEXT, or /remember memory: TEXT", remember,
        (Argument("text", "what to keep", required=True, rest=True),), role=Role.OWNER, when="anytime",
    ),
    CommandSpec(
        "forget", "remove an entry; `all` asks first, --everywhere TEXT erases its traces too", forget,
        (Argument("text", "part of the entry, or all", required=True, rest=True),), role=Role.OWNER, when="anytime",
    ),
    CommandSpec(
        "memory", "what is remembered, its history, undo, and why something was forgotten", show,
        role=Role.OWNER, when="anytime",
        actions=(
            Action("show", "both files, with usage", show),
            Action("history", "the last changes", history, (Argument("count", "how many"),)),
            Action("undo", "take back a change", undo, (Argument("id", "the change"),)),
            Action("doctor", "why something was not remembered", doctor),
        ),
    ),
)  # fmt: skip
