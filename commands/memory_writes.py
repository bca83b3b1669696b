"""Commands about curated memory: /remember, /forget and /memory. They write without a model, by the same checks.

The stores are synchronous; they are called off the event loop. Entries are shown in direct chats and on the shell
only.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, assert_never

from commands.context import Context
from commands.ports import Memory
from commands.reply import CommandReply
from commands.spec import Action, Argument, Arguments, CommandSpec, Handler, Role
from memory.files import FileTrouble
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
from memory.store import Erased
from platforms.messages import Button

SHOWN = 10
RECENT = 20
"""Changes among which a command that is carried out once more looks for its own."""

STAYS = "Its text stays in the journal and in the archive; /forget --everywhere TEXT erases it there too."
NO_MEMORY = CommandReply("Memory is off here.", ok=False)
SHORTEST = 4
"""Characters of a text that may be erased everywhere: a shorter one is part of too many words."""
EVERYWHERE = re.compile(r"--everywhere(?P<sure>!)?(?:\s+(?P<text>.*))?", re.DOTALL)
NOT_HERE = CommandReply("Others may read along here: ask me about memory in a direct chat.", ok=False)

MemoryHandler = Callable[[Context, Memory, Arguments], Awaitable[CommandReply]]


def at_the_desk(handler: MemoryHandler) -> Handler:
    """The handler where memory may be seen; a file that cannot be read is its answer."""

    async def handle(context: Context, arguments: Arguments) -> CommandReply:
        if context.ports.memory is None:
            return NO_MEMORY
        if not context.direct:
            return NOT_HERE
        try:
            with context.ports.memory.writing():
                return await handler(context, context.ports.memory, arguments)
        except FileTrouble as error:
            return CommandReply(f"⚠️ {error}", ok=False)

    return handle


async def remember(context: Context, memory: Memory, arguments: Arguments) -> CommandReply:
    """Keep an entry: about the person, or with `memory:` in front about everything else."""
    if done := await _done_already(context, memory):
        return _told_all(done)
    target, text = _aimed(arguments.get("text"))
    wish = [Operation(Change.ADD, content=text)]
    return _told(await asyncio.to_thread(memory.stores.apply, target, wish, await _author(context)))


async def forget(context: Context, memory: Memory, arguments: Arguments) -> CommandReply:
    """Remove the entry that holds a text, all entries, or a text everywhere."""
    text = arguments.get("text").strip()
    if text == "all":
        return await asyncio.to_thread(_ask_for_all, memory)
    if text == "all!":
        done = await _done_already(context, memory)
        return _told_all([*done, *await asyncio.to_thread(memory.stores.forget_all, await _author(context))])
    if (order := EVERYWHERE.fullmatch(text)) is not None:
        return await _everywhere(context, memory, order)
    if done := await _done_already(context, memory):
        reply = _told_all(done)
        return replace(reply, text=f"{reply.text}\n{STAYS}")
    found = await asyncio.to_thread(_meant, memory, text)
    if len(found) != 1:
        return _which(text, found)
    target, entry = found[0]
    wish = [Operation(Change.REMOVE, old_text=entry)]
    reply = _told(await asyncio.to_thread(memory.stores.apply, target, wish, await _author(context)))
    return replace(reply, text=f"{reply.text}\n{STAYS}") if reply.ok else reply


async def show(context: Context, memory: Memory, arguments: Arguments) -> CommandReply:
    """Both stores: how full, and every entry."""
    return await asyncio.to_thread(_shown, memory)


async def history(context: Context, memory: Memory, arguments: Arguments) -> CommandReply:
    """The last changes, with the texts before and after."""
    count = arguments.get("count") or str(SHOWN)
    if not count.isdigit() or not int(count):
        return CommandReply(f"count is a number from 1, not {count!r}.", ok=False)
    records = await asyncio.to_thread(memory.stores.history, int(count))
    lines = [_record(each) for each in records]
    return CommandReply("\n".join(lines) or "Nothing was changed yet.", data=[_as_data(each) for each in records])


async def undo(context: Context, memory: Memory, arguments: Arguments) -> CommandReply:
    """Take back the last change, or the one with this id."""
    if done := await _done_already(context, memory):
        return _told_all(done)
    by = await _author(context)
    return _told(await asyncio.to_thread(memory.stores.undo, by, arguments.get("id") or None))


async def doctor(context: Context, memory: Memory, arguments: Arguments) -> CommandReply:
    """Why something was not remembered, cause by cause, and the next step."""
    return CommandReply("\n".join(await memory.diagnosis(context.session_key)))


async def _done_already(context: Context, memory: Memory) -> list[Applied]:
    """What this very command changed before its process died: it is told, and not done again."""

    def look() -> list[Applied]:
        stores, message = memory.stores, _message(context)
        mine = (Origin.COMMAND, message, context.who)
        return [
            Applied(each.target, each.id, each.changes, stores.usage(each.target), len(stores.entries(each.target)))
            for each in reversed(stores.history(RECENT))
            if (each.author.origin, each.author.message, each.author.who) == mine
        ]

    return await asyncio.to_thread(look) if context.item_id else []


def _message(context: Context) -> str | None:
    return f"inbox:{context.item_id}" if context.item_id else None


async def _author(context: Context) -> Author:
    conversation, key = context.ports.conversation, context.session_key
    current = await conversation.current(key) if conversation is not None and key is not None else None
    return Author(
        Origin.COMMAND,
        session=current.id if current is not None else None,
        message=_message(context),
        who=context.who,
    )


def _aimed(text: str) -> tuple[Target, str]:
    """The store that a text is for, and the text without the word that says so."""
    head, colon, rest = text.partition(":")
    if colon and head.strip().lower() in ("memory", "user"):
        return Target(head.strip().lower()), rest.strip()
    return Target.USER, text.strip()


def _meant(memory: Memory, text: str) -> list[tuple[Target, str]]:
    """The entries that a text may mean; `user:` or `memory:` in front names the file, unless an entry holds that."""
    found = list(memory.stores.holding(text))
    if not found and (aimed := _aimed(text))[1] != text:
        found = [each for each in memory.stores.holding(aimed[1]) if each[0] is aimed[0]]
    return found


def _told_all(outcomes: Sequence[Outcome]) -> CommandReply:
    """What became of several writes, those left out that had nothing to do."""
    replies = [_told(each) for each in outcomes if not isinstance(each, Unchanged)]
    buttons = tuple(row for each in replies for row in each.buttons)
    text = "\n".join(each.text for each in replies)
    return CommandReply(text or "Nothing is remembered.", buttons=buttons, ok=all(each.ok for each in replies))


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


def _ask_for_all(memory: Memory) -> CommandReply:
    counts = [(target, len(memory.stores.entries(target))) for target in memory.stores.enabled]
    held = ", ".join(f"{count} in {target.file_name}" for target, count in counts if count)
    if not held:
        return CommandReply("Nothing is remembered.")
    return CommandReply(f"Forget all entries ({held})?", buttons=((Button("Forget all", "/forget all!"),),))


async def _everywhere(context: Context, memory: Memory, order: re.Match[str]) -> CommandReply:
    """Say what a text would take with it, and ask; on the answer, which names that order, do it.

    The answer carries no text, where it is stored: it would be a trace.
    """
    text, sure = (order["text"] or "").strip(), order["sure"] is not None
    if sure and context.surface == "chat":
        said = await memory.ordered(int(text), context.session_key) if text.isdecimal() else ""
        asked = EVERYWHERE.fullmatch("".join(said.split(maxsplit=1)[1:]).strip())
        if asked is None or asked["sure"]:
            return CommandReply("That question is too old; ask again: /forget --everywhere TEXT", ok=False)
        text = (asked["text"] or "").strip()
    if len(text) < SHORTEST:
        return CommandReply(f"Which text, of at least {SHORTEST} characters? /forget --everywhere TEXT", ok=False)
    found = await asyncio.to_thread(memory.stores.holding, text)
    if len({entry for _, entry in found}) > 1:
        return _which(text, found)
    texts = [text, *(entry for _, entry in found)]
    if not sure:
        return await _ask_for_everywhere(context, memory, texts, found)
    by = await _author(context)
    for target, entry in found:
        wish = [Operation(Change.REMOVE, old_text=entry)]
        outcome = await asyncio.to_thread(memory.stores.apply, target, wish, by)
        if isinstance(outcome, Refused):
            return _told(outcome)
    erased = await asyncio.to_thread(memory.stores.erase, texts)
    if isinstance(erased, Refused):
        return CommandReply(f"⚠️ {erased.message}", ok=False)
    touched = _touched(len(found), erased, await memory.erase(texts))
    return CommandReply(f"🗑 Erased: {touched}. This cannot be undone.")


async def _ask_for_everywhere(
    context: Context, memory: Memory, texts: Sequence[str], found: Sequence[tuple[Target, str]]
) -> CommandReply:
    would = await asyncio.to_thread(partial(memory.stores.erase, texts, dry=True))
    if isinstance(would, Refused):
        return CommandReply(f"⚠️ {would.message}", ok=False)
    quoted = "".join(f"\n- {target.file_name}: {entry}" for target, entry in found)
    touched = _touched(len(found), would, await memory.traces(texts))
    action = f"/forget --everywhere! {context.item_id or texts[0]}"
    return CommandReply(
        f"Erase {texts[0]!r} for good? It takes {touched}.{quoted}", buttons=((Button("Erase it", action),),)
    )


def _touched(entries: int, erased: Erased, messages: int) -> str:
    return (
        f"{_counted(entries, 'entry', 'entries')}, {_counted(erased.texts, 'text')} in the journal, "
        f"{_counted(erased.backups, 'backup')}, {_counted(messages, 'message')} in the archive"
    )


def _which(text: str, found: Sequence[tuple[Target, str]]) -> CommandReply:
    if not found:
        return CommandReply(f"No entry holds {text!r}. /memory shows them all.", ok=False)
    listed = "\n".join(f"- {target.file_name}: {entry}" for target, entry in found[:SHOWN])
    same = len({entry for _, entry in found}) == 1
    more = f"say which: /forget {found[0][0].value}: TEXT" if same else "give more of the one you mean"
    return CommandReply(f"{text!r} is in several entries; {more}:\n{listed}", ok=False)


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def _shown(memory: Memory) -> CommandReply:
    lines: list[str] = []
    data: list[dict[str, Any]] = []
    for target in memory.stores.enabled:
        try:
            usage, entries = memory.stores.usage(target), memory.stores.entries(target)
        except FileTrouble:
            continue  # it is among the problems
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
            texts.append(f"was: {change.before}")
        if change.after is not None:
            texts.append(f"now: {change.after}")
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
        "remember", "keep something: /remember TEXT, or /remember memory: TEXT", at_the_desk(remember),
        (Argument("text", "what to keep", required=True, rest=True),), role=Role.OWNER, when="anytime",
    ),
    CommandSpec(
        "forget", "remove an entry; `all` asks first, --everywhere TEXT erases its traces too", at_the_desk(forget),
        (Argument("text", "part of the entry, or all", required=True, rest=True),), role=Role.OWNER, when="anytime",
    ),
    CommandSpec(
        "memory", "what is remembered, its history, undo, and why something was forgotten", at_the_desk(show),
        role=Role.OWNER, when="anytime",
        actions=(
            Action("show", "both files, with usage", at_the_desk(show)),
            Action("history", "the last changes", at_the_desk(history), (Argument("count", "how many"),)),
            Action("undo", "take back a change", at_the_desk(undo), (Argument("id", "the change"),)),
            Action("doctor", "why something was not remembered", at_the_desk(doctor)),
        ),
    ),
)  # fmt: skip
