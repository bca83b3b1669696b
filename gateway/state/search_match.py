"""Whether a message holds what was asked for, how well, and the piece of it that shows that (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from gateway.state.search_fold import aligned
from gateway.state.search_query import Query, Term

MARK = "**"
"""Stands around what was found, in snippets."""

REST = "\u2026"
COUNTED = 8
"""A word that a message repeats more often says no more about it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """How well a message fits: more is better; and the terms that it holds."""

    score: float
    held: tuple[Term, ...]


def judge(query: Query, folded: str) -> Judged | None:
    """None when the folded message does not hold what the query asks for."""
    for term in query.without:
        if next(term.spots(folded), None) is not None:
            return None
    if not query.either:
        return Judged(0.0, ())
    held: dict[Term, float] = {}
    for group in query.either:
        weights = []
        for term in group:
            if not (count := len(list(islice(term.spots(folded), COUNTED)))):
                break
            weights.append(2 * count / (count + 1))
        else:
            held.update(zip(group, weights, strict=True))
    if not held:
        return None
    together = " ".join(term.text for term in held)
    beside = len(held) > 1 and together in folded
    return Judged(sum(held.values()) / (1 + len(folded) / 2000) + (2.0 if beside else 0.0), tuple(held))


def snippet(text: str, terms: tuple[Term, ...], width: int) -> str:
    """About `width` signs of a text around what was found in it, which is marked; `…` where something is left out."""
    folded, places = aligned(text)
    spots = sorted((places[start], places[end]) for term in terms for start, end in islice(term.spots(folded), 1))
    first = spots[0][0] if spots else 0
    begin = _border(text, max(0, first - width // 3), first)
    end = begin + width if begin + width < len(text) else len(text)
    pieces, at = [REST if begin else ""], begin
    for start, stop in spots:
        if at <= start and stop <= end:
            pieces += [text[at:start], MARK, text[start:stop], MARK]
            at = stop
    return "".join([*pieces, text[at:end], REST if end < len(text) else ""])


def _border(text: str, at: int, latest: int) -> int:
    """The beginning of a word at or after `at`, if there is one soon."""
    if at == 0:
        return 0
    space = text.find(" ", at, min(latest, at + 20))
    return at if space < 0 else space + 1
