"""Finds in a model's text what is shaped like a tool call: JSON bare, fenced or in tags, and where it stands.

Pure. Whether such a thing names an offered tool and fits it is judged in toolcalls.py.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

MARKS = (
    "<tool_call>",
    "<tool_calls>",
    "<function_call>",
    "<function_calls>",
    "<tool>",
    "<tools>",
    "<|tool_call|>",
    "<|python_tag|>",
    "[TOOL_CALLS]",
    "[TOOL_CALL]",
)
"""What templates teach models to put before a call."""
FENCE_WORDS = frozenset({"", "json", "jsonc", "json5", "tool_call", "tool_calls", "tool", "tool_code"})
"""Languages of a code fence that may hold a call; anything else is code for the reader."""
CALL_KEYS = frozenset(
    {"name", "tool", "tool_name", "function", "function_name", "tool_calls", "type", "id"}
    | {"arguments", "parameters", "args", "input", "params"}
)
"""First keys of an object that may be a call."""

_MARK = re.compile("|".join(map(re.escape, MARKS)) + r"|<function=([\w.\-]+)>", re.IGNORECASE)
_END_MARK = re.compile(r"</(?:tool_calls?|function_calls?|function|tools?)>|<\|/?tool_call\|>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[^\n`]*(?:\n|$)", re.MULTILINE)
_START = re.compile(r"\{\s*[\"']|\[\s*\{\s*[\"']")
_CALL_HEAD = re.compile(r"[\[\s]*\{\s*[\"'](?:" + "|".join(sorted(CALL_KEYS - {"type", "id"})) + r")[\"']\s*:")
_BETWEEN = re.compile(r"[\s,;]*")
_TICKS = re.compile(r"\s*(`{3,}|~{3,})?\s*")
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]"]', re.DOTALL)
_MOST_FAILURES = 64
"""Brackets that turn out to open nothing readable, after which the search stops: the text is no call."""
_MOST_MISSING = 4
"""Closing brackets that are added at the end of a text, at most."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """`text[start:end]` holds JSON. `values` are what it says; empty when it begins like a call but is unreadable.

    `marked` tells that tags said "call"; `name` is the tool's name when the tag carries it. `closed` is False
    while more text might still belong to it.
    """

    start: int
    end: int
    values: tuple[Any, ...]
    marked: bool = False
    name: str = ""
    closed: bool = True


def candidates(text: str, *, repair: bool = True) -> list[Candidate]:
    """Everything in `text` that might be a call, in order, without overlaps.

    `repair` reads JSON at the very end of the text whose closing brackets are missing.
    """
    found: list[Candidate] = []
    at = failures = 0
    while failures < _MOST_FAILURES:
        mark, fence, start = _MARK.search(text, at), _FENCE.search(text, at), _START.search(text, at)
        match = min((each for each in (mark, fence, start) if each), key=lambda each: each.start(), default=None)
        if match is None:
            break
        if match is mark:
            one: Candidate | None = _marked(text, match, repair)
        elif match is fence:
            one = _fenced(text, match, repair)
        else:
            one = _bare(text, match.start(), repair)
            failures += one is None
        if one is not None:
            found.append(one)
            at = one.end
        else:
            at = _fence_end(text, match)[1] if match is fence else match.start() + 1
    return found


def _marked(text: str, match: re.Match[str], repair: bool) -> Candidate:
    name = match[1] or ""
    ending = _END_MARK.search(text, match.end())
    at = _content(text, match.end())
    # The JSON is read before the closing tag is looked for: a string in it may hold anything.
    values, end = _values(text, at, repair)
    if not values and ending:
        values, end = _values(text[: ending.start()], at, repair)
    if not values:
        following = _MARK.search(text, match.end())
        stops = [ending.end()] if ending else []
        stops += [following.start()] if following else []
        return Candidate(match.start(), min(stops, default=len(text)), (), True, name, closed=bool(stops))
    tail = _TICKS.match(text, end)
    closing = _END_MARK.match(text, tail.end() if tail else end)
    if closing:
        return Candidate(match.start(), closing.end(), values, True, name)
    end = tail.end() if tail and tail[1] else end
    rest = text[end:].strip()
    undecided = not rest.strip("`") or (rest.startswith("<") and ">" not in rest[:20])
    return Candidate(match.start(), end, values, True, name, closed=not undecided)


def _fenced(text: str, match: re.Match[str], repair: bool) -> Candidate | None:
    if match[2].lower() not in FENCE_WORDS:
        return None
    stop, fence_end = _fence_end(text, match)
    closed = stop < fence_end
    at = _blanks(text, match.end())
    mark = _MARK.match(text, at)
    if mark:
        one = _marked(text, mark, repair)
        ticks = _TICKS.match(text, one.end)
        return Candidate(match.start(), ticks.end() if ticks else one.end, one.values, True, one.name, one.closed)
    values, end = _values(text, at, repair)
    if not values and closed:
        values, end = _values(text[:stop], at, repair)
    if not values:
        if not _CALL_HEAD.match(text, at):
            return None
        return Candidate(match.start(), fence_end, (), closed=closed)
    # Some models close the fence on the line of the last bracket, or go on without closing it.
    ticks = _TICKS.match(text, end)
    if ticks and ticks[1]:
        return Candidate(match.start(), ticks.end(), values)
    if not text[end:].strip().strip("`~"):
        return Candidate(match.start(), len(text), values, closed=False)
    return None if closed and end < stop else Candidate(match.start(), end, values)


def _content(text: str, at: int) -> int:
    """Where the content behind a tag begins: after blanks and the head of a fence."""
    at = _blanks(text, at)
    fence = _FENCE.match(text, at)
    return _blanks(text, fence.end()) if fence else at


def _blanks(text: str, at: int) -> int:
    return len(text) - len(text[at:].lstrip())


def _fence_end(text: str, match: re.Match[str]) -> tuple[int, int]:
    """Where the content of a fence ends, and where the fence ends; both at the end of the text when it is open."""
    closing = re.compile(r"^[ \t]*" + re.escape(match[1]) + r"[ \t]*$", re.MULTILINE).search(text, match.end())
    return (closing.start(), closing.end()) if closing else (len(text), len(text))


def _bare(text: str, start: int, repair: bool) -> Candidate | None:
    if start > 0 and text[start - 1] == "`":
        return None  # code within a line, shown to the reader
    read = read_json(text, start, repair=repair)
    if read is not None:
        return Candidate(start, read[1], (read[0],))
    alone = not text[:start].rpartition("\n")[2].strip()
    if alone and _CALL_HEAD.match(text, start):
        return Candidate(start, len(text), (), closed=False)
    return None


def _values(text: str, at: int, repair: bool) -> tuple[tuple[Any, ...], int]:
    """The JSON values that stand at `at`, one after another, and where the last one ends."""
    values: list[Any] = []
    end = at
    while (read := read_json(text, at, repair=repair)) is not None:
        values.append(read[0])
        end = read[1] + len(text[read[1] :]) - len(text[read[1] :].lstrip("}]"))
        between = _BETWEEN.match(text, end)
        at = between.end() if between else end
    return tuple(values), end


def read_json(text: str, start: int = 0, *, repair: bool = False) -> tuple[Any, int] | None:
    """The object or list at `start` and where it ends; None when there is none.

    Line ends within strings are forgiven; NaN and infinities are not JSON. `repair` adds closing brackets that are
    missing at the end of the text.
    """
    if not text.startswith(("{", "["), start):
        return None
    decoder = json.JSONDecoder(strict=False, parse_constant=_no_constant)
    try:
        return decoder.raw_decode(text, start)
    except (ValueError, RecursionError):
        pass
    if not repair:
        return None
    body = text[start:].rstrip().rstrip("`").rstrip()
    missing = _missing_brackets(body)
    try:
        return (decoder.decode(body + missing), len(text)) if missing else None
    except (ValueError, RecursionError):
        return None


def _missing_brackets(text: str) -> str:
    """What would close `text`, when it ends outside a string and lacks a few brackets; else nothing."""
    stack: list[str] = []
    for match in _STRING_OR_BRACKET.finditer(text):
        token = match[0]
        if token == '"':
            return ""  # a string that never ends
        if token in "{[":
            stack.append("}" if token == "{" else "]")
        elif token in "}]" and (not stack or stack.pop() != token):
            return ""
    return "".join(reversed(stack)) if len(stack) <= _MOST_MISSING else ""


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
