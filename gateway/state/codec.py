"""Text and JSON on their way into and out of the database: nothing that SQLite or JSON would choke on is lost."""

from __future__ import annotations

import json
from typing import Any

from gateway.state.records import KeptFile
from gateway.transcript import ToolCall
from platforms.messages import Attachment, Button, ChatKind, ChatRef, Inbound, OutFile, Sender


def clean(text: str) -> str:
    """Text that UTF-8 can hold: split surrogate pairs are joined, lone surrogates become U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def dump_event(event: Inbound) -> str:
    """An event as ASCII JSON; lone surrogates survive as escapes."""
    return json.dumps(event, default=_fields, separators=(",", ":"))


def _fields(record: Any) -> dict[str, Any]:
    """A record's fields by name; `dataclasses.asdict` copies everything and takes ten times as long."""
    return {name: getattr(record, name) for name in record.__slots__}


def load_event(body: str) -> Inbound:
    """The inverse of `dump_event`."""
    raw: dict[str, Any] = json.loads(body)
    raw["chat"] = ChatRef(**raw["chat"])
    raw["kind"] = ChatKind(raw["kind"])
    raw["sender"] = Sender(**raw["sender"])
    raw["quoted_from"] = Sender(**quoted) if (quoted := raw.get("quoted_from")) else None
    raw["attachments"] = tuple(Attachment(**each) for each in raw["attachments"])
    return Inbound(**raw)


def dump_calls(calls: tuple[ToolCall, ...]) -> str | None:
    """Tool calls as JSON, or None when there are none."""
    if not calls:
        return None
    return json.dumps([[clean(each) for each in (call.id, call.name, call.arguments)] for call in calls])


def load_calls(body: str | None) -> tuple[ToolCall, ...]:
    """The inverse of `dump_calls`."""
    return tuple(ToolCall(*each) for each in json.loads(body)) if body else ()


def dump_buttons(buttons: tuple[tuple[Button, ...], ...]) -> str:
    """Rows of buttons as JSON."""
    return json.dumps([[[clean(button.label), clean(button.action)] for button in row] for row in buttons])


def load_buttons(body: str) -> tuple[tuple[Button, ...], ...]:
    """The inverse of `dump_buttons`."""
    return tuple(tuple(Button(*each) for each in row) for row in json.loads(body))


def dump_kept(files: tuple[KeptFile, ...]) -> str:
    """Files of a row as JSON; empty when there are none."""
    return (
        json.dumps([[clean(each) for each in (f.kind, f.name, f.media_type, f.path)] for f in files]) if files else ""
    )


def load_kept(body: str) -> tuple[KeptFile, ...]:
    """The inverse of `dump_kept`."""
    return tuple(KeptFile(*each) for each in json.loads(body)) if body else ()


def dump_file(file: OutFile | None) -> str:
    """A part's file as JSON; empty when there is none."""
    return json.dumps([clean(each) for each in (file.name, file.media_type, file.path)]) if file is not None else ""


def load_file(body: str) -> OutFile | None:
    """The inverse of `dump_file`."""
    return OutFile(*json.loads(body)) if body else None
