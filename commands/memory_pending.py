"""Deciding what waits for memory: the common flow in memory's words, and editing, which only memory has."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from commands.context import Context
from commands.pending_flow import SEEN, Carried, Flow, Kind
from commands.pending_words import as_data, buttons, change_shown, fenced, in_full, listed
from commands.ports import Gatehouse
from commands.reply import CommandReply
from commands.spec import Arguments
from memory.model import Applied, Unchanged
from memory.pending.model import PendingWrite
from memory.pending.store import PendingStore
from platforms.messages import Button

Gate = Gatehouse[PendingWrite, Applied | Unchanged]
PendingHandler = Callable[[Context, Gate, Arguments], Awaitable[CommandReply]]


def approved(name: str, write: PendingWrite, outcome: Applied | Unchanged) -> Carried:
    """With the full text of everything overwritten or removed."""
    changes = outcome.changes if isinstance(outcome, Applied) else ()
    change = outcome.id if isinstance(outcome, Applied) else ""
    shown = [change_shown(each) for each in changes] or [" ".join(outcome.notes) or "Nothing had to change."]
    text = "\n".join([f"✅ `{name}` approved; in {write.file}, {outcome.usage}.", *shown])
    theirs = "/" in write.file  # a person's or a room's own: undone from there, not from here
    undo = ((Button("Undo", f"/memory undo {change}"),),) if change and not theirs else ()
    return Carried(text, change, undo)


def ruled(rule: bool | str) -> str:
    """What `memory.write_approval` means."""
    match rule:
        case True:
            return "Every write to memory waits for a yes (on)."
        case "auto":
            return (
                "Writes from Telegram, Discord, jobs and reviews wait for a yes; on the console they do not (auto)."
            )
        case _:
            return "Writes to memory are made at once (off); risky ones wait all the same."


def _folder(profile: Path, now: float) -> PendingStore:
    return PendingStore(profile / "pending" / "memory", lambda: now)


FLOW: Flow[PendingWrite, Applied | Unchanged] = Flow(
    Kind(
        "memory",
        CommandReply("Memory is off here.", ok=False),
        gate=lambda ports: ports.pending,
        at=_folder,
        listed=listed,
        in_full=in_full,
        as_data=as_data,
        buttons=buttons,
        approved=approved,
        ruled=ruled,
    )
)
ACTIONS, at_the_gate, show = FLOW.actions, FLOW.at_the_gate, FLOW.show


async def edit(context: Context, gate: Gate, arguments: Arguments) -> CommandReply:
    """Put another text in its place; it then waits with that text."""
    pending = context.ports.pending
    text = arguments.get("text").strip()
    if not text:
        return CommandReply("Say what it is to read: /memory edit ID TEXT", ok=False)
    found = await FLOW.one(gate, arguments.get("id"))
    if isinstance(found, CommandReply):
        return found
    assert pending is not None, "its gate was passed"
    resolution = await asyncio.to_thread(pending.resolver.edit, found, text, context.who, arguments.get(SEEN.name))
    await pending.decided(found, resolution)
    return FLOW.reply([(found, resolution)], pending)


async def revise(context: Context, gate: Gate, arguments: Arguments) -> CommandReply:
    """How to edit: what the Edit button answers."""
    write = await FLOW.wanted(gate, arguments.get("id"))
    if isinstance(write, CommandReply):
        return write
    texts = [each.after for each in write.changes if each.after is not None]
    if len(write.changes) != 1 or not texts:
        return CommandReply(
            f"`{write.id}` cannot be edited: reject it and use /remember TEXT or /forget TEXT.", ok=False
        )
    return CommandReply(f"Send it back as it should read:\n{fenced(f'/memory edit {write.id} {texts[0]}')}")
