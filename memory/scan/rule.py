"""What a rule is, and how rules are looked for in a folded text. The phrases are in the tables of `memory.scan.rules`.

The time is linear in the text: gaps have a bound, and what must stand near a match is looked for in a bounded window.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

_REACH = 260
"""How far, in characters, what belongs to a match may stand from it."""


class Within(Enum):
    """Where the other words of a rule must stand: in the same sentence, or just nearby."""

    SENTENCE = "sentence"
    PASSAGE = "passage"


@dataclass(frozen=True, slots=True)
class Rule:
    """`id` is kebab-case, `why` one plain sentence for a person.

    A text breaks the rule where `pattern` matches, each of `near` is found within the same sentence or passage, and
    `unless` is not. In patterns, a space stands for anything between two words, `<40>` for up to 40 characters of one
    sentence, and `%NAME%` for a family of words. Texts are in small letters without accents.
    """

    id: str
    why: str
    pattern: str
    near: tuple[str, ...] = ()
    unless: str = ""
    within: Within = Within.SENTENCE


@dataclass(frozen=True, slots=True)
class Hit:
    """A rule that was broken at `start:end`, with the words that it needs between `reach_start` and `reach_end`."""

    rule: Rule
    start: int
    end: int
    reach_start: int
    reach_end: int


@dataclass(frozen=True, slots=True)
class Compiled:
    """A rule ready to be looked for."""

    rule: Rule
    pattern: re.Pattern[str]
    near: tuple[re.Pattern[str], ...]
    unless: re.Pattern[str] | None


@functools.cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.DOTALL)


def compiled(rule: Rule, families: Mapping[str, str]) -> Compiled:
    """The rule with its shorthands written out. Raises KeyError for an unknown family."""
    write = functools.partial(_written_out, families=families)
    unless = _pattern(write(rule.unless)) if rule.unless else None
    return Compiled(rule, _pattern(write(rule.pattern)), tuple(_pattern(write(each)) for each in rule.near), unless)


def _written_out(pattern: str, families: Mapping[str, str]) -> str:
    while re.search(r"%[A-Z_]+%", pattern):
        pattern = re.sub(r"%([A-Z_]+)%", lambda match: f"(?:{families[match[1]]})", pattern)
    pattern = pattern.replace(" ", r"[\W_]{1,3}")
    return re.sub(r"<(\d+)>", r"(?:[^.!?。]|[.!?](?=\\S)){0,\1}?", pattern)


class Text:
    """A folded text, cut into sentences when a rule asks for it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends: list[int] | None = None

    def hits(self, rule: Compiled) -> Iterator[Hit]:
        """Where the rule is broken; matches do not overlap."""
        for match in rule.pattern.finditer(self.text):
            start, end = match.span()
            if end == start:
                continue
            low, high = self._window(start, end, rule.rule.within)
            if rule.unless is not None and rule.unless.search(self.text, low, high):
                continue
            beside = [near.search(self.text, low, high) for near in rule.near]
            found = [each.span() for each in beside if each is not None]
            if len(found) == len(beside):
                places = [(start, end), *found]
                yield Hit(rule.rule, start, end, min(first for first, _ in places), max(last for _, last in places))

    def _window(self, start: int, end: int, within: Within) -> tuple[int, int]:
        low, high = max(0, start - _REACH), min(len(self.text), end + _REACH)
        if within is Within.PASSAGE:
            return low, high
        if self._ends is None:
            self._ends = [match.end() for match in _sentence_end().finditer(self.text)]
        before, behind = bisect_right(self._ends, start), bisect_right(self._ends, end - 1)
        low = max(low, self._ends[before - 1] if before else 0)
        return low, min(high, self._ends[behind] if behind < len(self._ends) else high)


@functools.cache
def _sentence_end() -> re.Pattern[str]:
    return re.compile(r"[.!?][\"')\]]*(?=\s|$|[^\x00-\x7f])|。|\n(?=\n|[-*#>|•]|\d+[.)])")
