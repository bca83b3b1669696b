"""A model's arguments for session_search as one of its four ways, or what to send instead. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gateway.tools.search_guidance import HITS, MOST_HITS, WIDEST, WINDOW, example

_ALIASES = {
    **dict.fromkeys(("q", "search", "text", "keywords", "words"), "query"),
    **dict.fromkeys(("session", "id"), "session_id"),
    **dict.fromkeys(("message_id", "around", "around_id"), "around_message_id"),
    **dict.fromkeys(("max_results", "count", "n"), "limit"),
    **dict.fromkeys(("page", "cursor"), "more"),
}
_NUMBERS = ("around_message_id", "window", "limit", "after", "offset")
_LARGEST = 2**62

LONGEST = 2000
"""Characters of a text in a call."""

SKIPPED = 1000
"""Sessions that a list of recent ones goes back to at most."""


@dataclass(frozen=True, slots=True)
class Discover:
    query: str
    limit: int
    more: str | None


@dataclass(frozen=True, slots=True)
class Scroll:
    session_id: str
    around: int
    window: int
    offset: int


@dataclass(frozen=True, slots=True)
class Read:
    session_id: str
    after: int


@dataclass(frozen=True, slots=True)
class Browse:
    limit: int
    skip: int


Call = Discover | Scroll | Read | Browse


def read_call(arguments: Mapping[str, Any]) -> Call | str:
    """The call, or what is wrong with it and an example of a right one. What is empty counts as left out."""
    given = _renamed(arguments)
    numbers: dict[str, int] = {}
    for name in _NUMBERS:
        if name in given:
            number = _number(given[name])
            if number is None:
                return _wrong(f"{name} is a whole number, not {_shown(given[name])}.", _instead(given))
            numbers[name] = number
    texts = {name: _text(given.get(name)) for name in ("query", "session_id", "more")}
    for name, text in texts.items():
        if len(text) > LONGEST:
            return _wrong(f"{name} has at most {LONGEST:,} characters, and a few telling words do.", example())
    query, session_id, more = texts.values()
    around = numbers.get("around_message_id", 0)  # models send 0 for what they leave out
    if around and not session_id:
        return _wrong("around_message_id needs the session_id that came with it.", _instead(given))
    if around:
        window = min(numbers.get("window", WINDOW), WIDEST)
        return Scroll(session_id, around, window, numbers.get("offset", 0))
    limit = min(numbers.get("limit") or HITS, MOST_HITS)
    if query:
        # In front: a quotation mark that is never closed reaches to the end.
        here = f'in:"{session_id.replace(chr(34), "")}" {query}' if session_id else query
        return Discover(here, limit, more or None)
    if session_id:
        return Read(session_id, numbers.get("after", 0))
    if not more:
        return Browse(limit, 0)
    if not more.isdecimal() or len(more) > 4:
        return _wrong("more goes with the query whose answer named it.", {**example(), "more": more[:60]})
    return Browse(limit, min(int(more), SKIPPED))


def _renamed(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """With the names of the schema; a name of the schema wins over an alias."""
    named = {_ALIASES[key]: value for key, value in arguments.items() if key in _ALIASES}
    given = named | {key: value for key, value in arguments.items() if key not in _ALIASES}
    return {key: value for key, value in given.items() if value not in (None, "", [], {})}


def _text(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value)).strip()
    return "" if value is None else str(value).strip()


def _number(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str) and value.strip().isdecimal() and len(value.strip()) < 20:
        value = int(value)
    sound = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST
    return value if sound else None


def _instead(given: Mapping[str, Any]) -> dict[str, Any]:
    session_id = _text(given.get("session_id"))[:100] or "20261130-1f2e3d4c"
    return {"session_id": session_id, "around_message_id": 1234} if "around_message_id" in given else example()


def _wrong(why: str, instead: Mapping[str, Any]) -> str:
    return f"{why} Example: {json.dumps(instead, ensure_ascii=False)}"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 100 else text[:99] + "…"
