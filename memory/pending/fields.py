"""What the files of every kind of pending write share: JSON that people can read, and who is behind a write. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from memory.model import Author, Origin

ID = re.compile(r"[0-9a-f]{8}")
T = TypeVar("T")


class Unusable(ValueError):
    """A file that is no pending write; the text says what is missing or wrong."""


def dumped(fields: Mapping[str, Any]) -> str:
    """The file's text."""
    return json.dumps(fields, ensure_ascii=False, indent=2) + "\n"


def loaded(text: str, read: Callable[[Mapping[str, Any]], T]) -> T:
    """What `read` makes of the fields in a file; it may raise KeyError, TypeError, ValueError and OverflowError.
    Raises Unusable."""
    try:
        fields = json.loads(text)
        json.dumps(fields, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise Unusable("it holds half a character, which can be neither kept nor shown") from None
    except (ValueError, RecursionError) as error:
        raise Unusable(f"it is not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise Unusable("it is not an object")
    try:
        return read(fields)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        missing = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise Unusable(missing) from None


def whence(author: Author, created_at: float) -> dict[str, Any]:
    """Who is behind a write, where and when, as fields."""
    return {
        "origin": author.origin.value,
        "flags": list(author.flags),
        "created_at": datetime.fromtimestamp(created_at, UTC).isoformat(timespec="microseconds"),
        "session": author.session,
        "message": author.message,
        "chat": author.chat,
        "author": author.who or author.speaker,
    }


def author_from(fields: Mapping[str, Any]) -> Author:
    """The inverse, but for the time."""
    return Author(
        Origin(fields["origin"]),
        _text(fields, "session"),
        _text(fields, "message"),
        _text(fields, "author") or "",
        chat=_text(fields, "chat"),
        flags=texts(fields, "flags"),
    )


def moment(text: str) -> float:
    """Seconds since the epoch; of a year that every time zone can show."""
    found = datetime.fromisoformat(text)
    if not 1 < found.year < 9999:
        raise ValueError("created_at is no time that anybody can have meant")
    return found.timestamp()


def texts(fields: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A list of texts; empty when it is left out."""
    value = fields.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"{key} is no list of texts")
    return tuple(value)


def _text(fields: Mapping[str, Any], key: str) -> str | None:
    value = fields.get(key)
    if not isinstance(value, str | None):
        raise ValueError(f"{key} is no text")
    return value
