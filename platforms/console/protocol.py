"""What the gateway and a chat window say to each other over the socket: frozen messages, one JSON object a line.

Owns the shapes and their (de)serialisation, both ways. Times, retries and meaning belong to adapter and client.
Lines are ASCII, so any text survives, lone surrogates included.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from platforms.messages import Button

VERSION = 1
LONGEST_LINE = 8 * 1024 * 1024
"""In bytes. A text of 100,000 characters outside ASCII takes 1.2 MB."""

Kind = Literal["chat", "ask"]
Buttons = tuple[tuple[Button, ...], ...]


class ProtocolError(Exception):
    """The other side said something that is no message of this protocol."""


@dataclass(frozen=True, slots=True)
class Hello:
    """The first line of a window: the chat it shows, and whether somebody sits there (`chat`) or a script (`ask`)."""

    chat: str
    kind: Kind = "chat"
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class Say:
    """The person wrote. Said again with the same id until `Stored` names it. `files` are whole paths on this machine;
    a gateway that does not know them leaves them out."""

    event_id: str
    text: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Press:
    """The person took a button; acknowledged like `Say`."""

    event_id: str
    action: str
    message_id: str


@dataclass(frozen=True, slots=True)
class Bye:
    """The window closes on purpose."""


@dataclass(frozen=True, slots=True)
class Message:
    """A new message of the bot."""

    id: str
    text: str
    buttons: Buttons = ()


@dataclass(frozen=True, slots=True)
class Edit:
    """A message reads differently now. A window that never saw it shows it as new."""

    id: str
    text: str
    buttons: Buttons = ()


@dataclass(frozen=True, slots=True)
class Delete:
    """A message was taken back."""

    id: str


@dataclass(frozen=True, slots=True)
class Typing:
    """An answer is coming."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A passing line, such as how much of a prompt has been read."""

    text: str


@dataclass(frozen=True, slots=True)
class Stored:
    """The event is safe: it need not be said again."""

    event_id: str


@dataclass(frozen=True, slots=True)
class Error:
    """Something went wrong. With an `event_id`, that event is not stored; `fatal` ends the connection for good."""

    text: str
    event_id: str | None = None
    fatal: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """Nothing more will come for these events: see `platforms.messages.TurnSummary`."""

    event_ids: tuple[str, ...]
    session_id: str
    reply: str
    usage: Mapping[str, float | int | None] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    outcome: str = "answered"


FromClient = Hello | Say | Press | Bye
FromServer = Message | Edit | Delete | Typing | Progress | Stored | Error | Done


def encode(message: FromClient | FromServer) -> bytes:
    """One line, newline included."""
    fields: dict[str, Any] = {"type": type(message).__name__.lower()}
    for name in message.__dataclass_fields__:
        value = getattr(message, name)
        if name == "buttons":
            value = [[{"label": button.label, "action": button.action} for button in row] for row in value]
        fields[name] = dict(value) if isinstance(value, Mapping) else value
    return json.dumps(fields, separators=(",", ":")).encode("ascii") + b"\n"


def from_client(line: bytes) -> FromClient:
    """Read what a window said. Raises ProtocolError."""
    fields = _fields(line)
    match fields.get("type"):
        case "hello":
            kind: Kind = "ask" if fields.get("kind") == "ask" else "chat"
            version = fields.get("version")
            return Hello(_text(fields, "chat"), kind, version if isinstance(version, int) else 0)
        case "say":
            return Say(_text(fields, "event_id"), _text(fields, "text"), _files(fields))
        case "press":
            return Press(_text(fields, "event_id"), _text(fields, "action"), _text(fields, "message_id"))
        case "bye":
            return Bye()
        case other:
            raise ProtocolError(f"a window cannot say {other!r}")


def from_server(line: bytes) -> FromServer:
    """Read what the gateway said. Raises ProtocolError."""
    fields = _fields(line)
    match fields.get("type"):
        case "message":
            return Message(_text(fields, "id"), _text(fields, "text"), _buttons(fields))
        case "edit":
            return Edit(_text(fields, "id"), _text(fields, "text"), _buttons(fields))
        case "delete":
            return Delete(_text(fields, "id"))
        case "typing":
            return Typing()
        case "progress":
            return Progress(_text(fields, "text"))
        case "stored":
            return Stored(_text(fields, "event_id"))
        case "error":
            event_id = fields.get("event_id")
            return Error(_text(fields, "text"), str(event_id) if event_id else None, bool(fields.get("fatal")))
        case "done":
            return _done(fields)
        case other:
            raise ProtocolError(f"the gateway said {other!r}, which this version does not know")


def _fields(line: bytes) -> dict[str, Any]:
    try:
        loaded = json.loads(line)
    except ValueError as error:
        raise ProtocolError(f"not a line of JSON: {error}") from error
    if not isinstance(loaded, dict):
        raise ProtocolError("not a JSON object")
    return loaded


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise ProtocolError(f"{fields.get('type')}: {name} must be text")
    return value


def _files(fields: dict[str, Any]) -> tuple[str, ...]:
    files = fields.get("files") or []
    if not isinstance(files, list) or not all(isinstance(each, str) for each in files):
        raise ProtocolError("say: files must be paths")
    return tuple(files)


def _buttons(fields: dict[str, Any]) -> Buttons:
    try:
        return tuple(
            tuple(Button(str(button["label"]), str(button["action"])) for button in row)
            for row in fields.get("buttons", ())
        )
    except (TypeError, KeyError) as error:
        raise ProtocolError("buttons must be rows of label and action") from error


def _done(fields: dict[str, Any]) -> Done:
    usage = fields.get("usage") or {}
    lists = [fields.get(name) or [] for name in ("event_ids", "notices")]
    if not isinstance(usage, dict) or not all(isinstance(one, list) for one in lists):
        raise ProtocolError("done: usage must be an object, event_ids and notices lists")
    event_ids, notices = (tuple(str(item) for item in one) for one in lists)
    outcome = str(fields.get("outcome") or "answered")
    return Done(event_ids, _text(fields, "session_id"), _text(fields, "reply"), usage, notices, outcome)
