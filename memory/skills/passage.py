"""Finding the one passage of a document that a patch means, and putting another in its place (pure).

Line ends do not matter for finding it, and are kept as the document has them. Quotes, dashes and spaces of another
kind are forgiven when that leaves one place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FOLD = {
    **dict.fromkeys(map(ord, "‐‑‒–—―−⁃﹘"), "-"),
    **dict.fromkeys(map(ord, "‘’‚‛′‵`´‹›"), "'"),
    **dict.fromkeys(map(ord, "“”„‟″‶«»"), '"'),
    **dict.fromkeys(map(ord, "\u00a0\u2007\u202f\u3000\t"), " "),
}
_CLOSE = 3
_LINE = 160


@dataclass(frozen=True, slots=True)
class Replaced:
    """The document after it; `folded` is the passage as it really stood there, when only nearly the same was asked
    for."""

    text: str
    folded: str | None = None


@dataclass(frozen=True, slots=True)
class NotOne:
    """The passage stands there `times` times; for 0, `closest` are the lines most like its first one."""

    times: int
    closest: tuple[str, ...] = ()


def replace_passage(text: str, old: str, new: str) -> Replaced | NotOne:
    """`old` is not empty. What is not in it stays to the letter."""
    body, wanted = _lines(text), _lines(old)
    folded = False
    places = _places(body, wanted)
    if not places:
        places = _places(body.translate(_FOLD), wanted.translate(_FOLD))
        folded = True
    if len(places) != 1:
        return NotOne(len(places), () if places else _closest(body, wanted))
    start, end = _at(text, places[0]), _at(text, places[0] + len(wanted))
    crlf = 2 * text.count("\r\n") > text.count("\n")
    ended = _lines(new).replace("\n", "\r\n") if crlf else _lines(new)
    return Replaced(text[:start] + ended + text[end:], text[start:end] if folded else None)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _places(text: str, part: str) -> list[int]:
    """Where it begins, overlapping ones included."""
    found: list[int] = []
    at = text.find(part)
    while at >= 0 and len(found) < 1000:
        found.append(at)
        at = text.find(part, at + 1)
    return found


def _at(text: str, place: int) -> int:
    """A place counted in plain line ends, in the text as it is."""
    for match in re.finditer("\r\n", text):
        if match.start() >= place:
            break
        place += 1
    return place


def _closest(text: str, wanted: str) -> tuple[str, ...]:
    from rapidfuzz import fuzz, process  # a quarter of the shell's patience, and rarely needed

    lines = list(dict.fromkeys(line.strip()[:_LINE] for line in text.split("\n") if line.strip()))
    first = next((line.strip()[:_LINE] for line in wanted.split("\n") if line.strip()), "")
    return tuple(
        line for line, _, _ in process.extract(first, lines, scorer=fuzz.ratio, limit=_CLOSE, score_cutoff=40)
    )
