"""Whether a small model's fact was told by a person at all, or is made of the question and thin air; pure.

Words are compared by their beginnings, so that a fact need not be told in the same form. What is kept from a model
that calls tools itself is not judged here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

SHARE = 0.5
"""Of a fact's own words, that people must have used."""

_STEM = 4
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_FILLERS = frozenset(
    (
        *("the", "and", "this", "that", "who", "with", "for", "has", "have", "had", "are", "was", "were"),
        *("user", "users", "person", "they", "them", "their", "his", "her", "its"),
    )
)
"""Words that stand in any fact, or for the person."""


def statements(said: Iterable[str]) -> str:
    """What people stated: their sentences without the questions, which tell nothing of them."""
    found = (each.strip() for text in said for each in _SENTENCE.findall(text))
    return "\n".join(each for each in found if each and not each.endswith(("?", "？"))).casefold()


def grounded(fact: str, stated: str) -> bool:
    """Whether at least half of what the fact says stands in `stated` (see `statements`)."""
    keys = _keys(fact.casefold())
    if not keys:
        return False
    heard = {word[:_STEM] for word in _WORD.findall(stated)}
    known = sum(key in heard or (_wide(key) and key in stated) for key in keys)
    return known >= SHARE * len(keys)


def _keys(fact: str) -> set[str]:
    """The beginnings of the words that carry it; pairs of signs where words are written without blanks."""
    found: set[str] = set()
    for word in _WORD.findall(fact):
        if _wide(word):
            found.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
        elif (len(word) > 2 or word.isdigit()) and word not in _FILLERS:
            found.add(word[:_STEM])
    return found


def _wide(word: Sequence[str]) -> bool:
    """Chinese, Japanese, Korean."""
    return any(ord(each) >= 0x2E80 for each in word)
