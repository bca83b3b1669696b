"""Commands about curated memory: /remember, /forget and /memory. They write without a model, by the same checks.

The stores are synchronous; they are called off the event loop. Whose files they act on, and where entries are shown,
is the memory's matter (`at`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from commands import memory_edits, memory_erasing, memory_pending, memory_scan, pending_flow
from commands.context import Context
from commands.memory_words import (
    REVIEW,
    SHOWN,
    as_data,
    by_review,
    described,
    overview,
    row_number,
    say_which,
    told,
    told_all,
)
from commands.ports import Memory
from commands.reply import CommandReply
from commands.spec import Action, Argument, Arguments, CommandSpec, Handler, Role
from memory.files import FileTrouble
from memory.model import Action as Change
from memory.model import Applied, Author, Operation, Origin, Target
from platforms.messages import Button

RECENT = 20
"""Changes among which a command that is carried out once more looks for its own."""

ERASES = "/forget --everywhere TEXT"
STAYS = f"Its text stays in the journal and in the archive; {ERASES} erases it there too."
STAYS_THERE = "Its text stays in the journal and in the archive; an owner of this bot can erase it there too."
NO_MEMORY = CommandReply("Memory is off here.", ok=False)
NOT_HERE = CommandReply("Others may read along here: ask me about memory in a direct chat.", ok=False)
NOT_YOURS = CommandReply("Memory is for an owner of this bot.", ok=False)

MemoryHandler = Callable[[Context, Memory, Arguments], Awaitable[CommandReply]]


def at_the_desk(handler: MemoryHandler) -> Handler:
    """The handler where memory may be seen; a file that cannot be read is its answer."""

    async def handle(context: Context, arguments: Arguments) -> CommandReply:
        if context.ports.memory is None:
            return NO_MEMORY
        memory = context.ports.memory.at(context.chat, context.who, direct=context.direct)
        if memory is None:
            return NOT_YOURS if context.direct else NOT_HERE
        try:
            with memory.writing():
                return await handler(context, memory, arguments)
        except FileTrouble as error:
            return CommandReply(f"⚠️ {error}", ok=False)

    return handle


async def remember(context: Context, memory: Memory, arguments: Arguments) -> CommandReply:
    """Keep an entry: about the person, or with `memory:` in front about everything else."""
    if done := await _done_already(context, memory):
        return told_all(memory, done)
    target, text = _aimed(arguments.get("text"))
    wish = [Operation(Change.ADD, content=text)]
    return told(memory, await asyncio.to_thread(memory.stores.apply, target, wish, await _author(context)))


async def forget(context: Context, memory: Memory, arguments: Arguments) -> CommandReply:
    """Remove the entry that holds a text, all entries, or a text everywhere."""
    text = arguments.get("text").strip()
    if store := arguments.get(memory_edits.STORE.name):
        told_so, gone = await memory_edits.remove_exactly(memory, store, text, await _author(context))
        return _staying(context, told_so) if gone else told_so
    if text == "all":
        return await asyncio.to_thread(_ask_for_all, memory)
    if text == "all!":
        done = await _done_already(context, memory)
        return told_all(memory, [*done, *await asyncio.to_thread(memory.stores.forget_all, await _author(context))])
    if (order := memory_erasing.EVERYWHERE.fullmatch(text)) is not None:
        return await memory_erasing.everywhere(context, memory, order, await _author(context))
    if done := await _done_already(context, memory):
        reply = told_all(memory, done)
        return _staying(context, reply)
    found = await asyncio.to_thread(_meant, memory, text)
    if len(found) != 1:
        return say_which(memory, text, found)
    target, entry = found[0]
    wish = [Operation(Change.REMOVE, old_text=entry)]
    outcome = await asyncio.to_thread(memory.stores.apply, target, wish, await _author(context))
    reply = told(memory, outcome)
    return _staying(context, reply) if isinstance(outcome, Applied) else reply


def _staying(context: Context, reply: CommandReply) -> CommandReply:
    """The reply, and where the text still stands."""
    if context.role is not Role.OWNER:
        return replace(reply, text=f"{reply.text}\n{STAYS_THERE}")
    return replace(reply, text=f"{reply.text}\n{STAYS}", orders=(*reply.orders, ERASES))


async def show(context: Context, memory: Memory, arguments: Arguments) -> CommandReply:
    """The asker's files: how full, and every entry."""
    return await asyncio.to_thread(overview, memory)


async def history(context: Context, memory: Memory, arguments: Arguments) -> CommandReply:
    """The last changes, with the texts before and after."""
    count = arguments.get("count") or str(SHOWN)
    if not count.isdigit() or not int(count):
        return CommandReply(f"count is a number from 1, not {count!r}.", ok=False)
    records = await asyncio.to_thread(memory.stores.history, int(count))
    lines = [described(each) for each in records]
    return CommandReply("\n".join(lines) or "Nothing was changed yet.", data=[as_data(each) for each in records])


async def undo(context: Context, memory: Memory, arguments: Arguments) -> CommandReply:
    """Take back the last change, or the one with this id."""
    if done := await _done_already(context, memory):
        return told_all(memory, done)
    by = await _author(context)
    outcome = await asyncio.to_thread(memory.stores.undo, by, arguments.get("id") or None)
    if context.ports.pending is not None:
        await context.ports.pending.settle()
    return told(memory, outcome)


async def why(context: Context, memory: Memory, arguments: Arguments) -> CommandReply:
    """Which message a change came from, or that a review wrote it."""
    wish = arguments.get("id").lower()
    found = [each for each in await asyncio.to_thread(memory.stores.history) if wish and each.id.startswith(wish)]
    if len(found) != 1:
        return CommandReply(f"There is no change {wish!r}; /memory history lists them.", ok=False)
    by, head = found[0].author, described(found[0])
    if (by.message or "").startswith(REVIEW):
        return CommandReply(f"{head}\n{by_review(found[0], await _session(context))}")
    said = await memory.cause(by.message)
    quoted = "\n".join(f"> {line}" for line in said.splitlines()) or "Its message is not in the archive any more."
    return CommandReply(f"{head}\nIt came from:\n{quoted}")


async def keep(context: Context, memory: Memory, arguments: Arguments) -> CommandReply:
    """What the button under a receipt gives: keep what the person asked for, in their own words."""
    if done := await _done_already(context, memory):
        return told_all(memory, done)
    text = await memory.wish(row_number(arguments.get("turn")), context.session_key)
    if not text:
        return CommandReply("I do not find what was to be kept; /remember TEXT keeps it.", ok=False)
    wish = [Operation(Change.ADD, content=text)]
    return told(memory, await asyncio.to_thread(memory.stores.apply, Target.USER, wish, await _author(context)))


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


async def _session(context: Context) -> str | None:
    """The id of the session that is open where the order was given."""
    conversation, key = context.ports.conversation, context.session_key
    current = await conversation.current(key) if conversation is not None and key is not None else None
    return current.id if current is not None else None


async def _author(context: Context) -> Author:
    return Author(
        Origin.COMMAND,
        session=await _session(context),
        message=_message(context),
        who=context.who,
        chat=context.chat.key if context.chat is not None else None,
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


def _ask_for_all(memory: Memory) -> CommandReply:
    counts = [(target, len(memory.stores.entries(target))) for target in memory.stores.enabled]
    held = ", ".join(f"{count} in {memory.stores.file(target)}" for target, count in counts if count)
    if not held:
        return CommandReply("Nothing is remembered.")
    return CommandReply(f"Forget all entries ({held})?", buttons=((Button("Forget all", "/forget all!"),),))


def _show_either(stores: MemoryHandler) -> Handler:
    """`/memory show` alone shows the files, with an id what waits."""
    files, waiting = at_the_desk(stores), memory_pending.at_the_gate(memory_pending.show)

    async def handle(context: Context, arguments: Arguments) -> CommandReply:
        if not arguments.get("id"):
            return await files(context, arguments)
        if context.role < Role.OPERATOR:
            return CommandReply("What waits is for an operator of this bot.", ok=False)
        return await waiting(context, arguments)

    return handle


def _edit_either(waiting: memory_pending.PendingHandler, saved: MemoryHandler) -> Handler:
    """Acts on what waits under an id, or on the entry that the change of that id left."""
    at_gate, at_desk = memory_pending.at_the_gate(waiting), at_the_desk(saved)

    async def handle(context: Context, arguments: Arguments) -> CommandReply:
        if arguments.get(memory_edits.ENTRY.name):
            return await at_desk(context, arguments)
        ports = context.ports.memory
        memory = ports.at(context.chat, context.who, direct=context.direct) if ports is not None else None
        try:
            waits = await memory_edits.of_what_waits(context, memory, arguments.get("id").lower())
        except FileTrouble as error:
            return CommandReply(f"⚠️ {error}", ok=False)
        if isinstance(waits, CommandReply):
            return waits
        return await (at_gate if waits else at_desk)(context, arguments)

    return handle


async def edit(context: Context, memory: Memory, arguments: Arguments) -> CommandReply:
    """Another text for an entry that is kept already."""
    if done := await _done_already(context, memory):
        return told_all(memory, done)
    wish, text = arguments.get("id").lower(), arguments.get("text").strip()
    if entry := arguments.get(memory_edits.ENTRY.name):
        return await memory_edits.edit_exactly(memory, wish, entry, text, await _author(context))
    return await memory_edits.edit(memory, wish, text, await _author(context))


async def revise(context: Context, memory: Memory, arguments: Arguments) -> CommandReply:
    """How to do that."""
    return await memory_edits.revise(memory, arguments.get("id").lower())


SPECS = (
    CommandSpec(
        "remember", "keep something: /remember TEXT, or /remember memory: TEXT", at_the_desk(remember),
        (Argument("text", "what to keep", required=True, rest=True),), when="anytime",
    ),
    CommandSpec(
        "keep", "keep what was asked for", at_the_desk(keep), (Argument("turn", "the turn", required=True),),
        when="anytime", shell=False, hidden=True,
    ),
    CommandSpec(
        "forget", "remove an entry; `all` asks first, --everywhere TEXT erases its traces too", at_the_desk(forget),
        (Argument("text", "part of the entry, or all", required=True, rest=True),), when="anytime",
        web=(memory_edits.STORE,),
    ),
    CommandSpec(
        "memory", "what is remembered, its history, undo, and why something was forgotten", at_the_desk(show),
        when="anytime",
        actions=(
            Action("show", "both files, or one that waits, in full", _show_either(show), (Argument("id", "its id"),)),
            *memory_pending.ACTIONS,
            Action("edit", "put another text in place of what waits, or of an entry, by the id of its change",
                   _edit_either(memory_pending.edit, edit),
                   (Argument("id", "its id", required=True),
                    Argument("text", "the new text", required=True, rest=True)),
                   web=(pending_flow.SEEN, memory_edits.ENTRY)),
            Action("revise", "how to edit it", _edit_either(memory_pending.revise, revise),
                   (Argument("id", "its id", required=True),)),
            memory_scan.ACTION,
            Action("history", "the last changes", at_the_desk(history), (Argument("count", "how many"),)),
            Action("undo", "take back a change", at_the_desk(undo), (Argument("id", "the change"),)),
            Action("why", "which message a change came from", at_the_desk(why),
                   (Argument("id", "the change", required=True),)),
            Action("doctor", "why something was not remembered", at_the_desk(doctor)),
        ),
    ),
)  # fmt: skip
