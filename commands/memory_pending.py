"""Deciding what waits: /memory pending, show ID, approve, reject, edit, later, approval. One handler for buttons,
typed commands and the shell.

Who may decide is a role; from a button, it must also be a button of ours in that very chat.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, assert_never

from commands.context import Context
from commands.pending_words import as_data, buttons, change_shown, fenced, in_full, listed
from commands.ports import Pending
from commands.reply import CommandReply
from commands.spec import Action, Argument, Arguments, Handler, Role
from memory.files import FileTrouble
from memory.pending.model import PendingWrite
from memory.pending.resolve import Approved, Decided, Edited, Kept, Rejected, Resolution, Unknown
from memory.pending.store import PendingStore
from platforms.messages import Button

NO_GATE = CommandReply("Memory is off here.", ok=False)
NOT_HERE = CommandReply("Others may read along here: decide in a direct chat or in a home chat.", ok=False)
NOTHING = "Nothing waits."
STRANGE = CommandReply(
    "This button is from another chat, or too old. Nothing was decided; /memory pending lists what waits.", ok=False
)
RULES: Mapping[str, bool | str] = {"on": True, "off": False, "auto": "auto"}

PendingHandler = Callable[[Context, Pending, Arguments], Awaitable[CommandReply]]


def at_the_gate(handler: PendingHandler) -> Handler:
    """The handler, where what waits may be seen, and for a button of ours."""

    async def handle(context: Context, arguments: Arguments) -> CommandReply:
        pending = context.ports.pending
        if pending is None:
            return NO_GATE
        if context.surface == "chat" and not context.direct and not context.home:
            return NOT_HERE
        if context.pressed is not None and not await _offered(context, pending):
            return STRANGE
        try:
            return await handler(context, pending, arguments)
        except FileTrouble as error:
            return CommandReply(f"⚠️ {error}", ok=False)

    return handle


async def _offered(context: Context, pending: Pending) -> bool:
    """Whether the pressed button is one of ours in this chat. Who presses has been judged already."""
    return context.chat is not None and await pending.offered(context.chat, context.pressed or "", context.said)


async def waiting(context: Context, pending: Pending, arguments: Arguments) -> CommandReply:
    """What waits, the oldest first."""
    return await asyncio.to_thread(_waiting, pending.resolver.pendings, pending.now())


def quick(folder: Path, now: float) -> CommandReply:
    """The same, from a profile's folder."""
    return _waiting(PendingStore(folder / "pending" / "memory", lambda: now), now)


def _waiting(pendings: PendingStore, now: float) -> CommandReply:
    writes, broken = pendings.waiting(), pendings.broken()
    lines = [listed(each, now) for each in writes]
    lines += [f"`{each.id}` cannot be carried out: {each.why}. /memory reject {each.id}" for each in broken]
    if not lines:
        return CommandReply(NOTHING, data=[])
    rows = tuple((Button(f"Show {each.id}", f"/memory show {each.id}"),) for each in writes[:5])
    return CommandReply("\n\n".join(lines), data=[as_data(each) for each in writes], buttons=rows)


async def show(context: Context, pending: Pending, arguments: Arguments) -> CommandReply:
    """One pending write in full."""
    found = await _one(pending, arguments.get("id"))
    if isinstance(found, CommandReply):
        return found
    write = await _waits(pending, found)
    if isinstance(write, CommandReply):
        return write
    return CommandReply(in_full(write, pending.now()), data=as_data(write), buttons=buttons([write]))


async def approve(context: Context, pending: Pending, arguments: Arguments) -> CommandReply:
    """Carry out one, or all of them."""
    return await _decide(context, pending, arguments.get("id"), pending.resolver.approve)


async def reject(context: Context, pending: Pending, arguments: Arguments) -> CommandReply:
    """Let one go, or all of them."""
    return await _decide(context, pending, arguments.get("id"), pending.resolver.reject)


async def edit(context: Context, pending: Pending, arguments: Arguments) -> CommandReply:
    """Put another text in its place; it then waits with that text."""
    text = arguments.get("text").strip()
    if not text:
        return CommandReply("Say what it is to read: /memory edit ID TEXT", ok=False)
    found = await _one(pending, arguments.get("id"))
    if isinstance(found, CommandReply):
        return found
    resolution = await asyncio.to_thread(pending.resolver.edit, found, text, context.who)
    pending.decided(found, resolution)
    return _reply([(found, resolution)], pending)


async def revise(context: Context, pending: Pending, arguments: Arguments) -> CommandReply:
    """How to edit: what the Edit button answers."""
    name = await _one(pending, arguments.get("id"))
    if isinstance(name, CommandReply):
        return name
    write = await _waits(pending, name)
    if isinstance(write, CommandReply):
        return write
    texts = [each.after for each in write.changes if each.after is not None]
    if len(write.changes) != 1 or not texts:
        return CommandReply(f"`{name}` cannot be edited: reject it and use /remember or /forget.", ok=False)
    return CommandReply(f"Send it back as it should read:\n{fenced(f'/memory edit {name} {texts[0]}')}")


async def later(context: Context, pending: Pending, arguments: Arguments) -> CommandReply:
    """Decide another time; whoever waits for it on the console goes on."""
    wish = arguments.get("id")
    name = await _one(pending, wish) if wish else ""
    if isinstance(name, CommandReply):
        return name
    if name and isinstance(gone := await _waits(pending, name), CommandReply):
        return gone
    pending.put_off(name)
    return CommandReply("🕓 It waits. /memory pending shows what does.")


async def approval(context: Context, pending: Pending, arguments: Arguments) -> CommandReply:
    """Which writes wait: say it, or set it."""
    wish = arguments.get("rule")
    if not wish:
        return CommandReply(_rule_words(pending.rule()), data={"write_approval": pending.rule()})
    if context.role < Role.OWNER:
        return CommandReply("/memory approval on|off|auto is for an owner of this bot.", ok=False)
    rule = RULES[wish]
    if problem := await pending.set_rule(str(rule).lower()):
        return CommandReply(f"⚠️ {problem}", ok=False)
    return CommandReply(f"Set. {_rule_words(rule)}", data={"write_approval": rule})


def _rule_words(rule: object) -> str:
    match rule:
        case True:
            return "Every write to memory waits for a yes (on)."
        case "auto":
            return (
                "Writes from Telegram, Discord, jobs and reviews wait for a yes; on the console they do not (auto)."
            )
        case _:
            return "Writes to memory are made at once (off); risky ones wait all the same."


async def _decide(
    context: Context, pending: Pending, wish: str, step: Callable[[str, str], Resolution]
) -> CommandReply:
    names = await _meant(context, pending, wish)
    if isinstance(names, CommandReply):
        return names
    done: list[tuple[str, Resolution]] = []
    for name in names:
        resolution = await asyncio.to_thread(step, name, context.who)
        pending.decided(name, resolution)
        done.append((name, resolution))
    return _reply(done, pending, several=wish == "all")


async def _meant(context: Context, pending: Pending, wish: str) -> Sequence[str] | CommandReply:
    """The ids that an order means. When it is carried out once more, after a crash, it means the same ones, and not
    what was put aside since."""
    if context.item_id and (before := await pending.meant(context.item_id)):
        return before
    if wish == "all":
        names = [each.id for each in await asyncio.to_thread(pending.resolver.pendings.waiting)]
        if not names:
            return CommandReply(NOTHING, data=[])
    else:
        found = await _one(pending, wish)
        if isinstance(found, CommandReply):
            return replace(found, data={"id": wish, "result": "unknown", "detail": found.text})
        names = [found]
    if context.item_id and names != [wish]:
        await pending.meant(context.item_id, names)
    return names


async def _one(pending: Pending, prefix: str) -> str | CommandReply:
    """The id that a prefix names; the only one that waits when none is given. A full id of something decided already
    is taken as it is: the answer says who decided."""
    ids = await asyncio.to_thread(pending.resolver.pendings.ids)
    if not prefix:
        if len(ids) == 1:
            return ids[0]
        writes = await asyncio.to_thread(pending.resolver.pendings.waiting)
        text = "\n".join([f"{len(ids)} writes wait; say which:", *(listed(each, pending.now()) for each in writes)])
        return CommandReply(text if ids else NOTHING, ok=False)
    found = [each for each in ids if each.startswith(prefix.lower())]
    if len(found) > 1:
        return CommandReply(f"{prefix} stands for {len(found)} writes: {', '.join(found)}", ok=False)
    return found[0] if found else prefix.lower()


async def _waits(pending: Pending, name: str) -> PendingWrite | CommandReply:
    """The write that waits under this id, or what became of it."""
    write = await asyncio.to_thread(pending.resolver.pendings.get, name)
    if isinstance(write, PendingWrite):
        return write
    if write is not None:
        return CommandReply(f"`{name}` cannot be carried out: {write.why}. /memory reject {name}", ok=False)
    return _told(name, await asyncio.to_thread(pending.resolver.became, name), pending)


def _reply(done: Sequence[tuple[str, Resolution]], pending: Pending, *, several: bool = False) -> CommandReply:
    told = [_told(name, resolution, pending) for name, resolution in done]
    data = [dict(each.data) for each in told if isinstance(each.data, Mapping)]
    rows = tuple(row for each in told for row in each.buttons) if not several else ()
    text = "\n\n".join(each.text for each in told)
    if several:
        text = f"{sum(each.ok for each in told)} of {len(told)} done.\n\n{text}"
    return CommandReply(text, data=data if several else data[0], buttons=rows, ok=all(each.ok for each in told))


def _told(name: str, resolution: Resolution, pending: Pending) -> CommandReply:
    """What became of one decision, with the full text of everything overwritten or removed."""

    def data(result: str, detail: str = "") -> dict[str, Any]:
        return {"id": name, "result": result, "detail": detail}

    match resolution:
        case Approved(write, outcome):
            changes = getattr(outcome, "changes", ())
            change = getattr(outcome, "id", "")
            shown = [change_shown(each) for each in changes] or [" ".join(outcome.notes) or "Nothing had to change."]
            text = "\n".join([f"✅ `{name}` approved; in {write.file}, {outcome.usage}.", *shown])
            theirs = "/" in write.file  # a person's or a room's own: undone from there, not from here
            undo = ((Button("Undo", f"/memory undo {change}"),),) if change and not theirs else ()
            return CommandReply(text, data=data("approved", change), buttons=undo)
        case Rejected():
            return CommandReply(f"❌ `{name}` rejected. Nothing was changed.", data=data("rejected"))
        case Edited(write=write):
            text = f"✏️ It waits as:\n{in_full(write, pending.now())}"
            return CommandReply(text, data=data("edited", write.id), buttons=buttons([write]))
        case Kept(why=why):
            return CommandReply(f"⚠️ `{name}` waits on: {why}", data=data("refused", why), ok=False)
        case Decided(receipt):
            words = f"`{name}` was {receipt.result} already, by {receipt.who}"
            words += f"; it waits as `{receipt.detail}` now." if receipt.result == "edited" else "."
            return CommandReply(words, data=data("decided", words), ok=False)
        case Unknown():
            text = f"Nothing waits as `{name}`. /memory pending lists what does."
            return CommandReply(text, data=data("unknown"), ok=False)
        case _:
            assert_never(resolution)


_ID = Argument("id", "its id, or the beginning of it")
ACTIONS = (
    Action("pending", "what waits for a yes", at_the_gate(waiting), role=Role.OPERATOR, quick=quick),
    Action("approve", "carry it out; `all` for everything", at_the_gate(approve), (_ID,), Role.OPERATOR),
    Action("reject", "let it go; `all` for everything", at_the_gate(reject), (_ID,), Role.OPERATOR),
    Action("later", "decide another time", at_the_gate(later), (_ID,), Role.OPERATOR),
    Action("approval", "which writes wait: on, off or auto", at_the_gate(approval),
           (Argument("rule", "on, off or auto", choices=("on", "off", "auto")),), Role.OPERATOR),
)  # fmt: skip
