"""What a text must hold for a pattern to match at all, so that most patterns need not be tried on most texts.

This reads the small part of the language of patterns that the rules are written in, and knows when it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LONGEST = 10
_OPTIONAL = ("?", "*", "{")


@dataclass(frozen=True, slots=True)
class Needs:
    """One of these must be there: a word that begins so, or these letters anywhere."""

    words: frozenset[str]
    parts: frozenset[str]

    def met(self, text: str, beginnings: frozenset[str]) -> bool:
        return not self.words.isdisjoint(beginnings) or any(part in text for part in self.parts)


def beginnings(text: str) -> frozenset[str]:
    """The first letters of the words of a text, from one letter up to ten."""
    words = set(re.findall(r"\w+", text))
    return frozenset(word[:length] for word in words for length in range(1, min(len(word), _LONGEST) + 1))


def needs(pattern: str) -> Needs | None:
    """What each match must hold; None when that cannot be said."""
    return _needs(pattern, at_word=False)


def _needs(pattern: str, *, at_word: bool) -> Needs | None:
    words: set[str] = set()
    parts: set[str] = set()
    for option in _options(pattern):
        found = _of_option(option, at_word)
        if found is None:
            return None
        words |= found.words
        parts |= found.parts
    return Needs(frozenset(words), frozenset(parts))


def _of_option(option: str, at_word: bool) -> Needs | None:
    while option.startswith(r"\b"):
        option, at_word = option[2:], True
    if option.startswith("(?:"):
        end = _closing(option)
        if option[end + 1 : end + 2] not in _OPTIONAL:
            found = _needs(option[3:end], at_word=at_word)
            if found is not None:
                return found
    elif at_word and (start := _literals(option)[0]) and start[0].isalpha():
        letters = re.match("[a-z]*", start)
        assert letters is not None
        return Needs(frozenset((letters[0][:_LONGEST],)), frozenset()) if letters[0] else None
    longest = max(_literals(option), key=len)
    enough = len(longest) > 1 or not longest.isascii() or longest in ("@", ">", "`")
    return Needs(frozenset(), frozenset((longest,))) if longest and enough else None


def _literals(option: str) -> list[str]:
    """The runs of letters and signs that every match of the option holds as they stand; the first is its start."""
    runs, run, at = [], "", 0
    while at < len(option):
        sign, width = option[at], 1
        if sign == "\\":
            sign, width = ("", 2) if option[at + 1].isalnum() else (option[at + 1], 2)
        elif sign == "[":
            sign, width = "", _class_length(option[at:])
        elif sign == "(":
            sign, width = "", _closing(option[at:]) + 1
        elif sign in ".^$?*+{":
            sign = ""
            width = option.index("}", at) - at + 1 if option[at] == "{" else 1
        if not sign or option[at + width : at + width + 1] in _OPTIONAL:
            runs.append(run)
            run = ""
        else:
            run += sign
        at += width
    return [*runs, run]


def _class_length(pattern: str) -> int:
    at = 2 if pattern[1] in "]^" else 1
    while pattern[at] != "]":
        at += 2 if pattern[at] == "\\" else 1
    return at + 1


def _options(pattern: str) -> Iterator[str]:
    """The alternatives of the pattern."""
    start = 0
    for at, depth in _depths(pattern):
        if depth == 0 and pattern[at] == "|":
            yield pattern[start:at]
            start = at + 1
    yield pattern[start:]


def _closing(pattern: str) -> int:
    """Where the group ends with which the pattern starts."""
    return next(at for at, depth in _depths(pattern) if depth == 0 and pattern[at] == ")")


def _depths(pattern: str) -> Iterator[tuple[int, int]]:
    """Each sign that is neither escaped nor in a class, with the number of groups that are open behind it."""
    depth = at = 0
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\":
            at += 2
        elif sign == "[":
            at += _class_length(pattern[at:])
        else:
            depth += (sign == "(") - (sign == ")")
            yield at, depth
            at += 1
