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

from memory.scan.beginnings import beginnings, first_letters

_REACH = 260
"""How far, in characters, what belongs to a match may stand from it."""


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
    """A rule with its shorthands written out. `begins` are the first letters of words of which one must be there for
    each of its parts, as far as they are known."""

    rule: Rule
    pattern: str
    near: tuple[str, ...]
    unless: str
    begins: tuple[frozenset[str], ...]


@functools.cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.DOTALL)


def written(rule: Rule, families: Mapping[str, str]) -> Written:
    """The rule, ready to be looked for; nothing is compiled before it is needed. Raises KeyError for an unknown
    family."""
    pattern, *near, unless = (_written_out(each, families) for each in (rule.pattern, *rule.near, rule.unless))
    begins = [first_letters(each) for each in (pattern, *near)]
    return Written(rule, pattern, tuple(near), unless, tuple(each for each in begins if each is not None))


def _written_out(pattern: str, families: Mapping[str, str]) -> str:
    while re.search(r"%[A-Z_]+%", pattern):
        pattern = re.sub(r"%([A-Z_]+)%", lambda match: f"(?:{families[match[1]]})", pattern)
    pattern = pattern.replace(" ", r"(?:[\W_]{1,3})")
    return re.sub(r"<(\d+)>", r"(?:[^.!?。]|[.!?](?=\\S)){0,\1}?", pattern)


class Text:
    """A folded text, cut into words and sentences when a rule asks for it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._begins = beginnings(text)
        self._ends: list[int] | None = None

    def hits(self, rule: Written) -> Iterator[Hit]:
        """Where the rule is broken; matches do not overlap."""
        if any(self._begins.isdisjoint(letters) for letters in rule.begins):
            return
        for match in _pattern(rule.pattern).finditer(self.text):
            start, end = match.span()
            low, high = self._window(start, end, rule.rule.within)
            if rule.unless and _pattern(rule.unless).search(self.text, low, high):
                continue
            beside = [_pattern(near).search(self.text, low, high) for near in rule.near]
            found = [each.span() for each in beside if each is not None]
            if end > start and len(found) == len(beside):
                places = [(start, end), *found]
                yield Hit(rule.rule, start, end, min(first for first, _ in places), max(last for _, last in places))

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
