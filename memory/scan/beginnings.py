"""With which letters the matches of a pattern begin, so that most patterns need not be tried on most texts.

This reads the small part of the language of patterns that the rules are written in, and knows when it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LONGEST = 10


def beginnings(text: str) -> frozenset[str]:
    """The first letters of the words of a text, from one letter up to ten."""
    words = set(re.findall(r"\w+", text))
    return frozenset(word[:length] for word in words for length in range(1, min(len(word), _LONGEST) + 1))


def first_letters(pattern: str, *, at_word: bool = False) -> frozenset[str] | None:
    """Of what each match starts with, at the start of a word; None when that cannot be said."""
    found: set[str] = set()
    for option in _options(pattern):
        letters = _of_option(option, at_word)
        if letters is None:
            return None
        found |= letters
    return frozenset(found)


def _of_option(option: str, at_word: bool) -> frozenset[str] | None:
    while option.startswith(r"\b"):
        option, at_word = option[2:], True
    if not at_word:
        return None
    if option.startswith("(?:"):
        end = _closing(option)
        return None if option[end + 1 : end + 2] in ("?", "*", "{") else first_letters(option[3:end], at_word=True)
    literal = re.match(r"[a-z]*", option)
    letters = literal[0] if literal else ""
    if option[len(letters) : len(letters) + 1] in ("?", "*", "{"):
        letters = letters[:-1]
    return frozenset((letters[:_LONGEST],)) if letters else None


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
    depth, at, in_class = 0, 0, False
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\":
            at += 2
            continue
        if in_class:
            in_class = sign != "]"
        elif sign == "[":
            in_class = True
        else:
            depth += (sign == "(") - (sign == ")")
            yield at, depth
        at += 1
