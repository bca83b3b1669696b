"""Another text for an entry that a change left in memory: /memory edit and /memory revise with the change's id.

What still waits is edited in `memory_pending`; which of the two an id means is told apart here.
"""

from __future__ import annotations

import asyncio

from commands.context import Context
from commands.memory_words import told
from commands.pending_words import fenced
from commands.ports import Memory
from commands.reply import CommandReply
from commands.spec import Argument, Role
from memory.files import FileTrouble
from memory.journal import Record
from memory.model import ERASED, Action, Applied, Author, Operation, Outcome, Reason, Refused
from memory.pending.resolve import Decided

ENTRY = Argument("entry", "the entry to the letter, where the id is the name of its store")
STORE = Argument("store", "the name of the store, where the text is the whole entry to the letter")
NOT_YOURS = CommandReply("What waits is for an operator of this bot.", ok=False)


async def of_what_waits(context: Context, memory: Memory | None, wish: str) -> bool | CommandReply:
    """Whether an id, or the beginning of one, means a write that waits or waited; else it means a change. A reply
    when it may mean both, or something that is not for this person. Raises FileTrouble."""

    def look() -> tuple[bool, bool]:
        pending = context.ports.pending
        waits = waited = False
        if pending is not None:
            waits = any(each.startswith(wish) for each in pending.resolver.pendings.ids())
            waited = isinstance(pending.resolver.became(wish), Decided)
        return waits or waited, memory is not None and any(_named(memory, wish))

    waits, changed = await asyncio.to_thread(look)
    if waits and changed and context.role >= Role.OPERATOR:
        return CommandReply(f"{wish} stands for a write that waits and for a change; give more of the id.", ok=False)
    if changed:
        return False
    return NOT_YOURS if context.role < Role.OPERATOR else True


async def revise(memory: Memory, wish: str) -> CommandReply:
    """How to edit the entry: what the Edit button under a notice answers."""
    found = await asyncio.to_thread(_editable, memory, wish)
    if isinstance(found, CommandReply):
        return found
    record, entry = found
    return CommandReply(f"Send it back as it should read:\n{fenced(f'/memory edit {record.id} {entry}')}")


async def edit(memory: Memory, wish: str, text: str, by: Author) -> CommandReply:
    """Rewrite the entry, by the same checks as any write by hand."""
    found = await asyncio.to_thread(_editable, memory, wish)
    if isinstance(found, CommandReply):
        return found
    record, entry = found
    rewriting = [Operation(Action.PATCH, content=text, old_text=entry)]
    return told(memory, await asyncio.to_thread(memory.stores.apply, record.target, rewriting, by))


async def edit_exactly(memory: Memory, store: str, entry: str, text: str, by: Author) -> CommandReply:
    """Rewrite the entry that a page showed, whoever wrote it, by the same checks."""
    return told(memory, await _exactly(memory, store, Operation(Action.PATCH, content=text, old_text=entry), by))


async def remove_exactly(memory: Memory, store: str, entry: str, by: Author) -> tuple[CommandReply, bool]:
    """Remove the entry that a page showed; and whether that was done."""
    outcome = await _exactly(memory, store, Operation(Action.REMOVE, old_text=entry), by)
    return told(memory, outcome), isinstance(outcome, Applied)


async def _exactly(memory: Memory, store: str, wish: Operation, by: Author) -> Outcome:
    """An entry that is gone is not taken for another one that holds its text."""
    target = next((each for each in memory.stores.enabled if each.value == store), None)

    def carry_out() -> Outcome:
        if target is None or wish.old_text not in memory.stores.entries(target):
            return Refused(target, Reason.CHANGED, "The entry changed since it was shown, or is gone; look again.")
        return memory.stores.apply(target, [wish], by)

    return await asyncio.to_thread(carry_out)


def _named(memory: Memory, wish: str) -> list[Record]:
    try:
        return [each for each in memory.stores.history() if wish and each.id.startswith(wish)]
    except FileTrouble:
        return []


def _editable(memory: Memory, wish: str) -> tuple[Record, str] | CommandReply:
    """The change and the one entry that it left, as that still stands; or why it cannot be edited."""
    found = _named(memory, wish)
    if len(found) != 1:
        return CommandReply(f"{wish} stands for {len(found)} changes; /memory history lists them.", ok=False)
    record = found[0]
    if len(record.changes) != 1:
        return CommandReply(f"`{record.id}` changed several entries: use /forget TEXT and /remember TEXT.", ok=False)
    entry = record.changes[0].after
    if entry is None:
        return CommandReply(f"`{record.id}` removed an entry; /memory undo {record.id} brings it back.", ok=False)
    if entry == ERASED or entry not in memory.stores.entries(record.target):
        return CommandReply(
            f"The entry of `{record.id}` changed since, or is gone. /memory shows what is kept.", ok=False
        )
    return record, entry
