"""A stored session as a text to take away: Markdown for people, JSON Lines for programs, piece by piece. Pure.

Nothing is left out: tool calls and their results are folded away in Markdown, and fields in JSON Lines.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import AsyncIterator
from typing import Any, Literal

from commands.pending_words import fenced, literal
from commands.ports import SessionView
from commands.session_ports import Entry
from commands.session_words import as_data, iso, moment

Format = Literal["md", "jsonl"]
FRAME = re.compile(r"^ {0,3}(?:#|<|```|~~~|=+[ \t]*$|-+[ \t]*$)", re.MULTILINE)
"""What in a message could pass for a part of what stands around messages, or swallow it: then it is a quotation."""

LINES = re.compile(r"\r\n?|\n")
"""What ends a line in Markdown."""

FORMATS: tuple[Format, ...] = ("md", "jsonl")


def told(head: SessionView, rows: AsyncIterator[Entry], kind: str) -> AsyncIterator[str]:
    """The pieces of one session's transcript."""
    return _json_lines(head, rows) if kind == "jsonl" else _markdown(head, rows)


async def _json_lines(head: SessionView, rows: AsyncIterator[Entry]) -> AsyncIterator[str]:
    """First the session, then one line a row; empty fields are left out."""
    yield _line({"type": "session", **as_data(head)})
    async for row in rows:
        yield _line({"type": "message", "id": row.id, "session_id": head.id, **_fields(row)})


def _fields(row: Entry) -> dict[str, Any]:
    calls = [{"id": each.id, "name": each.name, "arguments": _value(each.arguments)} for each in row.calls]
    maybe = {
        "note": row.note,
        "tool_calls": calls,
        "tool_call_id": row.answers,
        "model": row.model,
        "untrusted": row.untrusted,
        "files": list(row.files),
    }
    kept = {name: value for name, value in maybe.items() if value}
    return {"role": row.role, "time": iso(row.time), "text": row.text, **kept}


def _value(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:  # masking a secret may have broken it
        return arguments


def _line(fields: dict[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False) + "\n"


async def _markdown(head: SessionView, rows: AsyncIterator[Entry]) -> AsyncIterator[str]:
    ended = "still open" if head.open else f"ended: {head.end_reason}"
    yield (
        f"# {literal(' '.join(head.title.split()))}\n\n- session: `{head.id}`\n- chat: {literal(head.chat)}\n"
        f"- from {moment(head.started_at)} to {moment(head.active_at)}, {ended}\n"
    )
    names: dict[str, str] = {}
    async for row in rows:
        names |= {call.id: call.name for call in row.calls}
        yield _result(row, names.pop(row.answers or "", "a tool")) if row.role == "tool" else _said(row)


def _said(row: Entry) -> str:
    by = f" ({row.model})" if row.model else ""
    pieces = [f"## {row.role}{by}, {moment(row.time)}"]
    pieces += [_quoted(row.note)] if row.note else []
    text = "\n".join(LINES.split(row.text))
    pieces += [_quoted(text) if FRAME.search(text) else text] if text else []
    pieces += [_files(row)] if row.files else []
    pieces += [_folded(f"calls {each.name}", each.arguments) for each in row.calls]
    return "\n" + "\n\n".join(pieces) + "\n"


def _result(row: Entry, name: str) -> str:
    files = f"\n\n{_files(row)}" if row.files else ""
    return f"\n{_folded(f'{name} answers', row.text)}{files}\n"


def _files(row: Entry) -> str:
    return f"Files: {', '.join(map(literal, row.files))}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {each}" for each in LINES.split(text))


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{html.escape(title)}</summary>\n\n{fenced(text)}\n\n</details>"
