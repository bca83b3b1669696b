"""How stored sessions are named, listed and told apart: one line each, data for programs, pages. Pure but for looking
one up."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from typing import Any

from commands.context import Context
from commands.pending_words import literal
from commands.ports import SessionView
from commands.reply import CommandReply

TITLE = 200
"""Characters of a title that a person gives."""

UNSEEN = "A title needs a sign that can be seen."
JOINERS = "\u200c\u200d"
"""Signs that are not to be seen and yet belong into words and emoji."""

SHOWN = 1000
"""Characters of one message that a chat shows of an old transcript; the rest is in the export."""


def as_data(each: SessionView) -> dict[str, Any]:
    """A session for `--json`."""
    return {
        "id": each.id,
        "chat": each.chat,
        "title": each.title,
        "messages": each.messages,
        "started_at": iso(each.started_at),
        "active_at": iso(each.active_at),
        "open": each.open,
        "end_reason": each.end_reason,
        "pinned": each.pinned,
    }


def line(each: SessionView) -> str:
    """A session in a list."""
    state = "open" if each.open else f"ended: {each.end_reason}"
    pin = "📌 " if each.pinned else ""
    return f"{pin}`{each.id}` {named(each)} {each.chat}, {count(each.messages)}, {moment(each.active_at)}, {state}"


def named(each: SessionView) -> str:
    """A session's title, to the letter: a model or a stranger may have written it."""
    return f"«{literal(each.title)}»"


def titled(text: str) -> str:
    """What a person wrote, as a title."""
    title = visible(text)
    return title if len(title) <= TITLE else f"{title[: TITLE - 1]}…"


def visible(text: str) -> str:
    """On one line, without what is not to be seen."""
    shown = "".join(
        each for each in " ".join(text.split()) if each in JOINERS or unicodedata.category(each)[0] != "C"
    )
    return " ".join(shown.split()) if shown.strip(JOINERS + " ") else ""


def said(role: str, text: str, *, shortened: bool) -> str:
    """One message of a transcript."""
    more = len(text) - SHOWN
    cut = shortened and more > 0
    return f"**{role}**: {text[:SHOWN] if cut else text}" + (f"… ({more:,} more)" if cut else "")


def count(messages: int) -> str:
    return f"{messages:,} message{'' if messages == 1 else 's'}"


def amount(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def gist(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 160 else flat[:159] + "…"


def iso(when: float) -> str:
    return datetime.fromtimestamp(when).astimezone().isoformat(timespec="seconds")


def moment(when: float) -> str:
    return f"{datetime.fromtimestamp(when).astimezone():%Y-%m-%d %H:%M}"


def number(text: str, default: int, most: int = 1_000_000) -> int | None:
    """A whole number from 1 on; `default` for nothing, None for anything else."""
    if not text:
        return default
    return int(text) if text.isdecimal() and len(text) <= 9 and 1 <= int(text) <= most else None


async def one(context: Context, prefix: str) -> SessionView | CommandReply:
    """The one session that a prefix names, or the reply that says why there is none."""
    found = await context.ports.archive.find(prefix, context.visible)
    if not found:
        return CommandReply(f"There is no session {prefix!r} here. /sessions lists them.", ok=False)
    if len(found) > 1:
        return CommandReply(f"{prefix!r} fits several:\n" + "\n".join(map(line, found[:5])), ok=False)
    return found[0]
