"""`/forget --everywhere TEXT`: what a text would take with it, the question, and doing it; and what it cannot reach.

Looking and erasing are the house's (`Memory.traces`, `Memory.erase`), but for what waits for a yes: that is rejected
where it is decided.
"""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from commands.context import Context
from commands.memory_words import counted, row_number, say_which, told
from commands.ports import Gatehouse, Memory, Ports, Traces
from commands.reply import CommandReply
from commands.spec import Role
from memory.model import Action, Author, Operation, Refused, Target
from memory.pending.call_model import PendingCall
from memory.pending.model import PendingWrite
from memory.pending.outcomes import Rejected
from memory.pending.skill_model import SkillWrite
from memory.spellings import Sought
from memory.store import Erased
from platforms.messages import Button

SHORTEST = 4
"""Characters of a text that may be erased everywhere: a shorter one is part of too many words."""

NAMED = 10
"""Files that are named in one answer."""

FEW = 5
"""Files that are named where it is asked for."""

UNSEEN = re.compile(
    "[\u0300-\u036f\u0640\u064b-\u0652\u115f\u1160\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Marks on letters, and fillers: where texts are compared, they make no difference."""

EVERYWHERE = re.compile(r"--everywhere(?P<sure>!)?(?:\s+(?P<text>.*))?", re.DOTALL)
KINDS = {"write": ("write to memory", "writes to memory"), "skill": ("change of skills", "changes of skills")}
KINDS |= {"call": ("call", "calls")}


@dataclass(frozen=True, slots=True)
class Took:
    """What an order takes with it: entries of the files, what stands in their journal and backups, what the house
    found, and by kind how much that waits for a yes. `unread` are ids of what waits and cannot be looked into."""

    entries: int
    journal: Erased
    traces: Traces
    waits: Mapping[str, int] = field(default_factory=dict)
    unread: tuple[str, ...] = ()


async def everywhere(context: Context, memory: Memory, order: re.Match[str], by: Author) -> CommandReply:
    """Say what a text would take with it, and ask; on the answer, which names that order, do it.

    The answer carries no text, where it is stored: it would be a trace.
    """
    if context.role is not Role.OWNER:
        return CommandReply("/forget --everywhere is for an owner of this bot.", ok=False)
    text, sure = (order["text"] or "").strip(), order["sure"] is not None
    if sure and context.surface == "chat":
        said = await memory.ordered(row_number(text), context.session_key)
        asked = EVERYWHERE.fullmatch("".join(said.split(maxsplit=1)[1:]).strip())
        if asked is None or asked["sure"]:
            return CommandReply("That question is too old; ask again: /forget --everywhere TEXT", ok=False)
        text = (asked["text"] or "").strip()
    if _signs(text) < SHORTEST:
        return CommandReply(f"Which text, of at least {SHORTEST} characters? /forget --everywhere TEXT", ok=False)
    found = await asyncio.to_thread(memory.stores.holding, text)
    if len({entry for _, entry in found}) > 1:
        return say_which(memory, text, found)
    texts = [text, *(entry for _, entry in found)]
    return await (_done(context, memory, texts, found, by) if sure else _asked(context, memory, texts, found))


async def _asked(
    context: Context, memory: Memory, texts: Sequence[str], found: Sequence[tuple[Target, str]]
) -> CommandReply:
    would = await asyncio.to_thread(partial(memory.stores.erase, texts, dry=True))
    if isinstance(would, Refused):
        return CommandReply(f"⚠️ {would.message}", ok=False)
    waits, unread = await _waiting(context.ports, Sought(texts))
    counts = {kind: len(names) for kind, names in waits.items()}
    took = Took(len(found), would, await memory.traces(texts), counts, unread)
    takes = ", ".join(_counts(took, "wait"))
    says = f"It takes {takes}." if takes else "I find it nowhere but in this order."
    quoted = [f"- {memory.stores.file(target)}: {entry}" for target, entry in found]
    action = f"/forget --everywhere! {context.item_id or texts[0]}"
    return CommandReply(
        "\n".join([f"Erase {texts[0]!r} for good? {says}", *quoted, *_named(took.traces), *_left(took, "read")]),
        buttons=((Button("Erase it", action),),),
    )


async def _done(
    context: Context, memory: Memory, texts: Sequence[str], found: Sequence[tuple[Target, str]], by: Author
) -> CommandReply:
    for target, entry in found:
        wish = [Operation(Action.REMOVE, old_text=entry)]
        outcome = await asyncio.to_thread(memory.stores.apply, target, wish, by)
        if isinstance(outcome, Refused):
            return told(memory, outcome)
    erased = await asyncio.to_thread(memory.stores.erase, texts)
    if isinstance(erased, Refused):
        return CommandReply(f"⚠️ {erased.message}", ok=False)
    dropped, unread = await _rejected(context, Sought(texts))
    took = Took(len(found), erased, await memory.erase(texts), dropped, unread)
    what = ", ".join(_counts(took, "waited")) or "this order, for there was nothing else"
    return CommandReply("\n".join([f"🗑 Erased: {what}. This cannot be undone.", *_left(took, "read or removed")]))


# What waits for a yes


async def _rejected(context: Context, sought: Sought) -> tuple[dict[str, int], tuple[str, ...]]:
    """Reject what waits and holds it, by kind, and say so to whoever waits for that; ids of what stayed."""
    waits, unread = await _waiting(context.ports, sought)
    dropped, stayed = dict.fromkeys(waits, 0), list(unread)
    for kind, gate, _ in _gates(context.ports):
        for name in waits[kind]:
            resolution = await asyncio.to_thread(gate.resolver.reject, name, context.who)
            await gate.decided(name, resolution)
            if isinstance(resolution, Rejected):
                dropped[kind] += 1
            else:
                stayed.append(name)
    calls = context.ports.call_pending
    if calls is not None:  # nor is its session told of it, in its own words
        await asyncio.to_thread(calls.resolver.calls.decided.told, waits["call"])
    return dropped, tuple(stayed)


async def _waiting(ports: Ports, sought: Sought) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """By kind, the ids of what waits and holds it; and the ids of what nobody can look into."""

    def look() -> tuple[dict[str, list[str]], tuple[str, ...]]:
        found: dict[str, list[str]] = {kind: [] for kind in KINDS}
        unread: list[str] = []
        for kind, gate, holds in _gates(ports):
            pendings = gate.resolver.pendings
            found[kind] = [each.id for each in pendings.waiting() if holds(each, sought)]
            unread += [each.id for each in pendings.broken()]
        return found, tuple(unread)

    return await asyncio.to_thread(look)


def _gates(ports: Ports) -> Iterator[tuple[str, Gatehouse[Any, Any], Callable[[Any, Sought], bool]]]:
    if ports.pending is not None:
        yield "write", ports.pending, _write_holds
    if ports.skill_pending is not None:
        yield "skill", ports.skill_pending, _skill_holds
    if ports.call_pending is not None:
        yield "call", ports.call_pending, _call_holds


def _write_holds(write: PendingWrite, sought: Sought) -> bool:
    return any(sought.said(side) for each in write.changes for side in (each.before, each.after) if side)


def _skill_holds(write: SkillWrite, sought: Sought) -> bool:
    return any(sought.within(side) for each in write.draft.changes for side in (each.before, each.after) if side)


def _call_holds(call: PendingCall, sought: Sought) -> bool:
    return sought.among(call.arguments)


# In words


def _signs(text: str) -> int:
    """How many characters of a text are left where it is compared with others."""
    plain = UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    return sum(unicodedata.category(each)[0] != "C" for each in " ".join(plain.split()))


def _named(traces: Traces) -> list[str]:
    """The first few of the files that would go."""
    more = f" and {len(traces.named) - FEW} more" if len(traces.named) > FEW else ""
    return [f"Among them: {', '.join(traces.named[:FEW])}{more}"] if traces.named else []


def _counts(took: Took, waits: str) -> list[str]:
    """What it takes, a phrase a kind; nothing of what there is none of. `waits`: of now, or as it was."""
    traces, now = took.traces, waits == "wait"
    kinds = (
        (took.entries, "entry", "entries"),
        (took.journal.texts, "text in the journal", "texts in the journal"),
        (took.journal.backups, "backup of a memory file", "backups of memory files"),
        (traces.messages, "message in the archive", "messages in the archive"),
        (traces.large, "large text", "large texts"),
        (traces.files, "file of a conversation", "files of conversations"),
        (traces.facts, "fact of the outside memory holographic", "facts of the outside memory holographic"),
        (traces.calls, "call that was decided", "calls that were decided"),
        *(
            (
                took.waits.get(kind, 0),
                f"{one} that {waits}{'s' if now else ''} for a yes",
                f"{many} that {waits} for a yes",
            )
            for kind, (one, many) in KINDS.items()
        ),
    )
    return [counted(count, one, many) for count, one, many in kinds if count]


def _left(took: Took, could: str) -> list[str]:
    """Lines on where it is not erased, or nobody knows: what could not be read, for one."""
    traces = took.traces
    lines = [f"The outside memory {name} keeps what it was told; delete it there." for name in traces.outside]
    if traces.backups:
        they = "it" if traces.backups == 1 else "them"
        lines.append(
            f"{counted(traces.backups, 'backup')} may hold it until newer ones replace {they}: innkeeper backup list"
        )
    if unread := [*traces.unread, *(f"what waits as {name}" for name in took.unread)]:
        more = f" and {len(unread) - NAMED} more" if len(unread) > NAMED else ""
        lines.append(f"⚠️ Could not be {could}: {', '.join(unread[:NAMED])}{more}")
    return lines
