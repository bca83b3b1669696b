"""A session's rows as its page shows them: a call and its result are one piece, long texts are cut (pure).

Nothing is lost: what is cut is on the row's own page. Masking is the archive's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from commands.session_ports import CallView, Entry

SAID, CALLED, NOTED = 6000, 1500, 1500
"""Characters of a message, of a call or its result, and of a note, that are shown at first."""

LINES = 40
"""Lines of any of them."""

SLACK = 1.2
"""A text that is only so many times as long is shown whole."""

SOURCES: Mapping[str, str] = {
    "document": "from a document",
    "quote": "quotes somebody else",
    "web": "from the web",
    "mcp": "from an MCP server",
    "job": "from a job",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A text, or its beginning; `more` characters are left out. `id` is its place on both pages."""

    id: str
    text: str
    more: int = 0


@dataclass(slots=True)
class Called:
    """A tool that was called, and what it answered, where that is known already."""

    name: str
    arguments: Piece
    row: int
    answer: Piece | None = None
    answered: int = 0
    files: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class Leaf:
    """What somebody said, with the calls that came with it. `source` says where a text comes from for which nobody
    vouches; `model` is what answered."""

    id: int
    role: str
    time: float
    said: Piece | None
    note: Piece | None = None
    model: str = ""
    source: str = ""
    files: tuple[str, ...] = ()
    calls: list[Called] = field(default_factory=list)


def leaves(rows: Sequence[Entry], *, whole: bool = False) -> list[Leaf]:
    """Rows in order. A result whose call is not among them stands by itself. `whole`: nothing is cut."""
    found: list[Leaf] = []
    open_calls: dict[str, Called] = {}
    for row in rows:
        if row.role == "tool":
            call = open_calls.pop(row.answers or "", None)
            if call is None:
                call = Called("a tool", Piece("", ""), row.id)
                found.append(Leaf(row.id, "tool", row.time, None, calls=[call]))
            call.answer = _piece(f"m{row.id}-text", pretty(row.text), CALLED, whole)
            call.answered, call.files, call.source = row.id, row.files, _source(row)
            continue
        leaf = _leaf(row, whole)
        open_calls |= dict(zip((each.id for each in row.calls), leaf.calls, strict=True))
        found.append(leaf)
    return found


def _leaf(row: Entry, whole: bool) -> Leaf:
    return Leaf(
        id=row.id,
        role=row.role,
        time=row.time,
        said=_piece(f"m{row.id}-text", row.text, SAID, whole) if row.text else None,
        note=_piece(f"m{row.id}-note", row.note, NOTED, whole) if row.note else None,
        model=row.model or "",
        source=_source(row),
        files=row.files,
        calls=[_called(row.id, place, each, whole) for place, each in enumerate(row.calls)],
    )


def _called(row: int, place: int, call: CallView, whole: bool) -> Called:
    return Called(call.name, _piece(f"m{row}-call-{place}", pretty(call.arguments), CALLED, whole), row)


def _source(row: Entry) -> str:
    return SOURCES.get(row.untrusted, row.untrusted)


def _piece(place: str, text: str, most: int, whole: bool) -> Piece:
    fits = len(text) <= most * SLACK and text.count("\n") <= LINES * SLACK
    if whole or fits:
        return Piece(place, text)
    shown = "\n".join(text[:most].split("\n")[:LINES])
    return Piece(place, shown, len(text) - len(shown))


def pretty(text: str) -> str:
    """JSON with one field a line; any other text as it is."""
    if text[:1] not in ("{", "["):
        return text
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text


def marked(snippet: str, text: str) -> list[tuple[str, bool]]:
    """A snippet in parts, each with whether it was found. `text` is the whole message: where it has the marks itself,
    nobody can tell which are whose, and nothing is marked."""
    if "**" in text:
        return [(snippet.replace("**", ""), False)]
    parts = snippet.split("**")
    return [(part, place % 2 == 1) for place, part in enumerate(parts) if part]
