"""Words in drawings: lines that no terminal obeys, dates and counts in plain English. Pure; knows no colours."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, tzinfo

from memory.journey.model import Kind, Node

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
KINDS: tuple[Kind, ...] = ("skill", "memory", "user")
"""In the order in which they stand, from the top."""

NAMES = {"skill": ("skill", "skills"), "memory": ("memory", "memories"), "user": ("about people", "about people")}
"""Of each kind, what one is called and what several are called."""

NOTHING = "Nothing was learnt yet."
_JOINERS = "\u200c\u200d"
_GAPS = "\t\n\r\v\f\u0085\u2028\u2029"


def one_line(text: str) -> str:
    """`text` on one line, without what a terminal would obey or what turns the direction of writing; what is no
    character at all (half a pair) is replaced."""
    kept = []
    for sign in text:
        category = unicodedata.category(sign)
        if sign in _GAPS or category.startswith("Z"):
            kept.append(" ")
        elif category == "Cs":
            kept.append("\ufffd")
        elif category not in ("Cc", "Cf") or sign in _JOINERS:
            kept.append(sign)
    return " ".join("".join(kept).split())


def day(at: float, zone: tzinfo) -> str:
    """`30 November 2026`."""
    moment = datetime.fromtimestamp(at, zone)
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"


def span(nodes: Sequence[Node], zone: tzinfo) -> str:
    """From the first node's day to the last one's: `3 October to 30 November 2026`; one day alone stands once."""
    if not nodes:
        return ""
    first, last = (datetime.fromtimestamp(nodes[each].at, zone) for each in (0, -1))
    end = day(nodes[-1].at, zone)
    if first.date() == last.date():
        return end
    words = [str(first.day)]
    if (first.year, first.month) != (last.year, last.month):
        words.append(MONTHS[first.month - 1])
    if first.year != last.year:
        words.append(str(first.year))
    return f"{' '.join(words)} to {end}"


def things(count: int) -> str:
    """`1 thing`, `5,000 things`."""
    return f"{count:,} thing{'' if count == 1 else 's'}"


def counts(nodes: Sequence[Node]) -> list[tuple[Kind, str]]:
    """How many of each kind there are, in words; kinds that are not there are left out."""
    found = Counter(each.kind for each in nodes)
    return [(kind, f"{found[kind]:,} {NAMES[kind][found[kind] != 1]}") for kind in KINDS if found[kind]]
