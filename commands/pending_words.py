"""How a pending write is shown: in full, before and after, whatever stands in it; and its buttons. Pure.

Cards, `/memory pending`, `/memory show` and replies to decisions use the same words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from memory.gate import DOUBTFUL
from memory.model import Author, Change
from memory.pending.model import PendingWrite
from memory.pending.store import REPLACES
from memory.skills.gated import GUARD, OTHERS
from platforms.fences import LONGEST_FENCE
from platforms.messages import Button

WHENCE = {
    "foreground": "wished for in a conversation",
    "review": "a review's",
    "cron": "a job's",
    "command": "ordered",
    "operator": "ordered by an operator",
}

_MARKUP = re.compile(r"[`*_~\[\]<>|\\$]|^\s*(?:#|[-+] |\d+[.)] )", re.MULTILINE)
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def age(seconds: float) -> str:
    """A time span in its largest unit: `3 min`, `2 h`, `4 d`."""
    for unit, name in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= unit:
            return f"{int(seconds // unit)} {name}"
    return "a moment"


def fenced(text: str) -> str:
    """A text to the letter, as a block of code that nothing in the text can end. One that holds the longest fences of
    both kinds has a bar before each line: a fence that is longer still is none where long texts are cut."""
    for mark in "`~":
        longest = max((len(run) for run in re.findall(f"{mark}+", text)), default=0)
        if longest < LONGEST_FENCE:
            fence = mark * max(3, longest + 1)
            return f"{fence}\n{text}\n{fence}"
    barred = "\n".join(f"│ {line}" for line in text.split("\n"))
    return f"```\n{barred}\n```"


def quoted(text: str) -> str:
    """A text in quotation marks, to the letter; one of several lines with markup in it is a block of code."""
    if "\n" in text and _MARKUP.search(text) is not None:
        return f"\n{fenced(text)}"
    return f"«{literal(text)}»"


def literal(text: str) -> str:
    """A text of one line to the letter: as code, where Markdown would take a part of it for markup."""
    if _MARKUP.search(text) is None:
        return text
    ticks = "`" * (max((len(run) for run in re.findall(r"`+", text)), default=0) + 1)
    room = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{room}{text}{room}{ticks}"


def change_shown(change: Change) -> str:
    """One change, with the whole entry before and after."""
    match change.before, change.after:
        case None, str(after):
            return f"New entry:\n{fenced(after)}"
        case str(before), None:
            return f"Goes:\n{fenced(before)}"
        case before, after:
            return f"Before:\n{fenced(before or '')}\nAfter:\n{fenced(after or '')}"


class Shown(Protocol):
    """What every pending write has for people. `created_at` in seconds since the epoch."""

    @property
    def id(self) -> str: ...
    @property
    def gist(self) -> str: ...
    @property
    def author(self) -> Author: ...
    @property
    def created_at(self) -> float: ...
    @property
    def flags(self) -> tuple[str, ...]: ...
    @property
    def unattended(self) -> bool: ...


def head(write: Shown, place: str, now: float) -> str:
    """Id, mark, gist, where to, where from, and age, on one line; the risks below."""
    auto = " [auto]" if write.unattended else ""
    who = f" by {write.author.who}" if write.author.who else ""
    chat = f" in {write.author.chat}" if write.author.chat else ""
    line = (
        f"`{write.id}`{auto} {literal(write.gist)} → {place}, {WHENCE[write.author.origin.value]}{who}{chat}, "
        f"{age(now - write.created_at)} ago"
    )
    return "\n".join([line, *(f"⚠️ {risk(flag)}" for flag in write.flags)])


def risk(flag: str, literal: Callable[[str], str] = literal) -> str:
    """A flag in words; `literal` marks what is quoted in them."""
    if flag.startswith("untrusted:"):
        whence = literal(flag.partition(":")[2])
        return f"wished for after reading text from outside ({whence}) that nobody vouches for"
    if flag.startswith(DOUBTFUL):
        return f"it reads like an order to the assistant rather than a note ({literal(flag.removeprefix(DOUBTFUL))})"
    if flag.startswith(GUARD):
        return f"the scan of skills is not sure about it: {literal(flag.removeprefix(GUARD))}"
    if flag == OTHERS:
        return "wished for where others than the owner are heard"
    if flag.startswith(REPLACES):
        return f"edited; it stands in place of {literal(flag.removeprefix(REPLACES))}"
    return literal(" ".join(flag.split()) or "?")


def in_full(write: PendingWrite, now: float) -> str:
    """Everything that a person decides by."""
    return "\n".join([head(write, write.file, now), *map(change_shown, write.changes)])


def listed(write: PendingWrite, now: float) -> str:
    """The write in a list: its head, and the whole entry that it would change or remove."""
    pinned = [f"{each.action.value} of:\n{fenced(each.before)}" for each in write.changes if each.before is not None]
    return "\n".join([head(write, write.file, now), *pinned])


def buttons(writes: Sequence[PendingWrite]) -> tuple[tuple[Button, ...], ...]:
    """Approve, Reject, Edit for each, and Later; numbered when there are several."""
    if len(writes) == 1:
        name = writes[0].id
        return (
            (Button("✅ Approve", f"/memory approve {name}"), Button("❌ Reject", f"/memory reject {name}")),
            (Button("✏️ Edit", f"/memory revise {name}"), Button("🕓 Later", f"/memory later {name}")),
        )
    rows = [
        (
            Button(f"✅ {number}", f"/memory approve {each.id}"),
            Button(f"❌ {number}", f"/memory reject {each.id}"),
            Button(f"✏️ {number}", f"/memory revise {each.id}"),
        )
        for number, each in enumerate(writes, 1)
    ]
    return (*rows, (Button("🕓 Later", "/memory later"),))


def card(writes: Sequence[PendingWrite], now: float) -> str:
    """One card about one or several writes."""
    return card_of("write", "writes", "to memory", [in_full(each, now) for each in writes])


def card_of(one: str, many: str, rest: str, shown: Sequence[str]) -> str:
    """A card, from the writes as they are shown."""
    if len(shown) == 1:
        return f"🔏 A {one} {rest} waits for you:\n{shown[0]}"
    numbered = [f"**{number}.** {each}" for number, each in enumerate(shown, 1)]
    return "\n\n".join([f"🔏 {len(shown)} {many} {rest} wait for you:", *numbered])


def moment(seconds: float) -> str:
    """A time for programs, with the offset of here."""
    from datetime import datetime

    return datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="seconds")


def as_data(write: PendingWrite) -> dict[str, Any]:
    """A pending write for `--json`; several changes are joined as in the file."""
    before = [each.before for each in write.changes if each.before is not None]
    after = [each.after for each in write.changes if each.after is not None]
    return {
        "id": write.id,
        "action": write.action,
        "target": write.target.value,
        "origin": write.author.origin.value,
        "gist": write.gist,
        "before": "\n§\n".join(before) if before else None,
        "after": "\n§\n".join(after) if after else None,
        "created_at": moment(write.created_at),
        "flags": list(write.flags),
    }
