"""The messages of one Hermes Agent session as rows of the archive. Pure.

Words stay as they are. What is no message of anybody (the program's notes, reviews, summaries, what was taken back)
is counted and left; a tool call that the archive could not replay, and a result of none, become text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from gateway.state.records import Row
from gateway.transcript import ToolCall

COLUMNS = (
    *("role", "content", "tool_call_id", "tool_calls", "tool_name", "timestamp"),
    *("active", "compacted", "_compressed_summary", "display_kind"),
)
"""What is read of a message. Old versions have the first six alone."""

STRUCTURED = "\0json:"
"""Content that is no text begins so, and goes on as JSON."""

OUTSIDE = "import"
"""Where the results of tools come from, of which nobody here knows what they read."""

EARLIEST, LATEST = 946_684_800.0, 4_102_444_800.0
"""Times that are believed: the years 2000 to 2099."""

_REVIEW = "Review the conversation above and"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ID_CHARS = 200


@dataclass(frozen=True, slots=True)
class Said:
    """A row, when it was written in seconds since the epoch, and its number in the source."""

    row: Row
    at: float
    number: int


@dataclass(slots=True)
class Talk:
    """`left` counts what was not taken, by the reason; `last` is the number of the last message that was read."""

    said: list[Said] = field(default_factory=list)
    last: int = 0
    left: Counter[str] = field(default_factory=Counter)


def talk(messages: Iterable[Mapping[str, Any]], start: float, model: str | None, *, job: bool = False) -> Talk:
    """`start` is the time of what has none. With `job`, a job spoke and no person."""
    out, at = Talk(), start
    awaited: set[str] = set()
    reviewed = False
    for message in messages:
        at, out.last = moment(message["timestamp"], at), int(message["rowid"])
        role, text = str(message["role"]), words(message["content"])
        review = role == "user" and text.lstrip().startswith(_REVIEW)
        if (why := _no_message(message, role, review or (reviewed and role != "user"))) is not None:
            reviewed = review or (reviewed and role != "user")
            out.left[why] += 1
            continue
        reviewed = False
        row = _row(message, role, text, awaited, model, job)
        if row is None:
            out.left["empty"] += 1
            continue
        if row.role != "tool":
            awaited = {call.id for call in row.tool_calls}
        out.said.append(Said(row, at, out.last))
    return out


def _no_message(message: Mapping[str, Any], role: str, review: bool) -> str | None:
    if message["active"] == 0 and not message["compacted"]:
        return "taken back there"
    if message["_compressed_summary"]:
        return "a summary of what is there in full"
    if role not in ("user", "assistant", "tool"):
        return "a note of the program"
    if message["display_kind"] == "hidden":
        return "never shown to anybody"
    return "part of a review" if review else None


def _row(
    message: Mapping[str, Any], role: str, text: str, awaited: set[str], model: str | None, job: bool
) -> Row | None:
    if role == "user":
        return Row("user", text, untrusted="job" if job else "") if text.strip() else None
    if role == "tool":
        answered = str(message["tool_call_id"] or "")
        if answered in awaited:
            awaited.discard(answered)
            return Row("tool", text, tool_call_id=answered, untrusted=OUTSIDE)
        name = f" {message['tool_name']}" if message["tool_name"] else ""
        return Row("assistant", f"[The tool{name} answered]\n{text}", untrusted=OUTSIDE) if text.strip() else None
    written = _loaded(message["tool_calls"])
    calls = _calls(written)
    if calls is None:
        told = "\n".join(_told(each) for each in (written if isinstance(written, list) else [written]))
        text, calls = "\n\n".join(each for each in (text, told) if each), ()
    return Row("assistant", text, tool_calls=calls, model=model) if text.strip() or calls else None


def words(content: Any) -> str:
    """A content as text: the texts of its parts, and what its other parts were in brackets."""
    if content is None:
        return ""
    if isinstance(content, bytes):
        content = content.decode("utf-8", "replace")
    if isinstance(content, str) and content.startswith(STRUCTURED):
        try:
            content = json.loads(content.removeprefix(STRUCTURED))
        except (ValueError, RecursionError):
            content = content.removeprefix(STRUCTURED)
    parts = content if isinstance(content, list) else [content]
    return "\n".join(piece for piece in map(_piece, parts) if piece).replace("\0", "\ufffd")


def _piece(part: Any) -> str:
    if not isinstance(part, Mapping):
        return str(part)
    inner = part.get("text", part.get("content"))
    if isinstance(inner, list):
        return "\n".join(map(_piece, inner))
    if isinstance(inner, str):
        return inner
    kind = str(part.get("type") or "")
    if "image" in kind:
        return "[picture]"
    return f"[{kind}]" if kind else json.dumps(part, ensure_ascii=False)


def moment(value: Any, otherwise: float) -> float:
    """A time in seconds since the epoch, however it was written; `otherwise` for what is none."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            try:
                read = datetime.fromisoformat(value.strip())
            except ValueError:
                return otherwise
            value = (read if read.tzinfo is not None else read.replace(tzinfo=UTC)).timestamp()
    if not isinstance(value, int | float):
        return otherwise
    seconds = value / 1000 if value > 1e11 else float(value)
    return seconds if EARLIEST <= seconds <= LATEST else otherwise


def _loaded(written: Any) -> Any:
    if not isinstance(written, str):
        return None
    try:
        return json.loads(written) or None
    except (ValueError, RecursionError):
        return written.strip() or None


def _calls(written: Any) -> tuple[ToolCall, ...] | None:
    """The calls, when all of them could be replayed; none for none, None for anything else."""
    if written is None:
        return ()
    calls = tuple(_call(each) for each in written) if isinstance(written, list) else (None,)
    sound = [each for each in calls if each is not None]
    unique = len({each.id for each in sound}) == len(calls)
    return tuple(sound) if len(sound) == len(calls) and unique else None


def _call(written: Any) -> ToolCall | None:
    function = written.get("function") if isinstance(written, Mapping) else None
    if not isinstance(function, Mapping):
        return None
    name, arguments = function.get("name"), function.get("arguments")
    number = written.get("id") or written.get("call_id")
    if not isinstance(name, str) or _NAME.fullmatch(name) is None or not isinstance(number, str):
        return None
    try:
        parsed = json.loads(arguments) if isinstance(arguments, str) and arguments.strip() else arguments or {}
        if not isinstance(parsed, dict) or not 0 < len(number) <= _ID_CHARS:
            return None
        plain = json.dumps(parsed, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (ValueError, RecursionError):
        return None
    return ToolCall(number, name, plain.replace("\\u0000", "\\ufffd"))


def _told(written: Any) -> str:
    """A call that could not be replayed, as text."""
    function = written.get("function") if isinstance(written, Mapping) else None
    shown = function if isinstance(function, Mapping) else written
    if isinstance(shown, Mapping) and shown.get("name"):
        return f"[Called the tool {shown['name']}: {shown.get('arguments', '')}]"
    text = shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False, default=str)
    return f"[Called a tool: {text}]"
