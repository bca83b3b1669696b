"""What a rule is, and how rules are looked for in a folded text. The phrases are in the tables of
`memory.scan.rules`.

The time is linear in the text: gaps have a bound, and what must stand near a match is looked for in a bounded window.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from memory.scan.needs import Needs, beginnings, needs

_REACH = 260
"""How far, in characters, what belongs to a match may stand from it."""
_EXCUSE = 60
"""How far off a word may stand that shows that something else is meant: else any text could be excused by a word."""


class Within(Enum):
    """Where the other words of a rule must stand: in the same sentence, or in some sentence nearby. Steps may be
    told in several entries; of a passage, one entry must hold all but the words that are cut in two."""

    SENTENCE = "sentence"
    PASSAGE = "passage"
    STEPS = "steps"


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
class Written:
    """A rule with its shorthands written out. `needs` is what a text must hold for each of its parts, where that is
    known."""

    rule: Rule
    pattern: str
    near: tuple[str, ...]
    unless: str
    needs: tuple[Needs, ...]


@functools.cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.DOTALL)


def written(rule: Rule, families: Mapping[str, str]) -> Written:
    """The rule, ready to be looked for; nothing is compiled before it is needed. Raises KeyError for an unknown
    family."""
    pattern, *near, unless = (_written_out(each, families) for each in (rule.pattern, *rule.near, rule.unless))
    needed = [needs(each) for each in (pattern, *near)]
    return Written(rule, pattern, tuple(near), unless, tuple(each for each in needed if each is not None))


def _written_out(pattern: str, families: Mapping[str, str]) -> str:
    while re.search(r"%[A-Z_]+%", pattern):
        pattern = re.sub(r"%([A-Z_]+)%", lambda match: f"(?:{families[match[1]]})", pattern)
    pattern = pattern.replace(" ", r"(?:[\W_]{1,3})")
    return re.sub(r"<(\d+)>", r"(?:[^.!?。]|[.!?](?=\\S)){0,\1}?", pattern)


class Text:
    """A folded text, cut into words and sentences when a rule asks for it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._beginnings = beginnings(text)
        self._places: dict[str, list[tuple[int, int]]] = {}
        self._ends: list[int] | None = None

    def hits(self, rule: Written) -> Iterator[Hit]:
        """Where the rule is broken; matches do not overlap."""
        if not all(each.met(self.text, self._beginnings) for each in rule.needs):
            return
        for start, end in self._found(rule.pattern):
            low, high = self._window(start, end, rule.rule.within)
            if rule.unless and _pattern(rule.unless).search(
                self.text, max(low, start - _EXCUSE), min(high, end + _EXCUSE)
            ):
                continue
            beside = [_pattern(near).search(self.text, low, high) for near in rule.near]
            found = [each.span() for each in beside if each is not None]
            if end > start and len(found) == len(beside):
                places = [(start, end), *found]
                yield Hit(rule.rule, start, end, min(first for first, _ in places), max(last for _, last in places))

    def _found(self, pattern: str) -> list[tuple[int, int]]:
        if pattern not in self._places:
            self._places[pattern] = [match.span() for match in _pattern(pattern).finditer(self.text)]
        return self._places[pattern]

    def _window(self, start: int, end: int, within: Within) -> tuple[int, int]:
        low, high = max(0, start - _REACH), min(len(self.text), end + _REACH)
        if within is not Within.SENTENCE:
            return low, high
        if self._ends is None:
            self._ends = [match.end() for match in _sentence_end().finditer(self.text)]
        before, behind = bisect_right(self._ends, start), bisect_right(self._ends, end - 1)
        low = max(low, self._ends[before - 1] if before else 0)
        return low, min(high, self._ends[behind] if behind < len(self._ends) else high)


@functools.cache
def _sentence_end() -> re.Pattern[str]:
    return re.compile(r"[.!?][\"')\]]*(?=\s|$|[^\x00-\x7f])|。|\n(?=\n|[-*#>|•]|\d+[.)])")
