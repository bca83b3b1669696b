"""Whether a person asks to have something kept, changed or forgotten, and what. Pure.

The answer decides whether the turn ends with a receipt, and whether a model that cannot call tools is asked for a
write by schema. The words of the languages are in `agent.asking`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from gateway.agent.asking.about import Hit, matter
from gateway.agent.asking.folding import Sentence, sentences
from gateway.agent.asking.rules import Rules, languages


class Kind(StrEnum):
    """What a person asks to have done with something."""

    KEEP = "keep"
    CHANGE = "change"
    FORGET = "forget"


@dataclass(frozen=True, slots=True)
class Request:
    """A wish that the gateway answers for. `about` is what is to be kept, put right or forgotten, in the person's own
    words, at most 500 characters."""

    kind: Kind
    about: str


@dataclass(frozen=True, slots=True)
class _Found:
    """A wish in a sentence. A weak one (a lasting instruction without an asking word) gives way to any other."""

    kind: Kind
    hit: Hit
    weak: bool = False


def recognise(text: str) -> Request | None:
    """The wish in a message; None when there is none. Less than a millisecond for a normal message, and bounded for
    any; the first call in a language takes some tens of milliseconds more."""
    said = sentences(text)
    found = None
    for rules in languages(" ".join(each.folded for each in said)):
        one = _first(rules, [_without_near_misses(rules, each) for each in said])
        if one is not None and (found is None or (found[0].weak and not one.weak)):
            found = one, rules
    if found is None:
        return None
    one, rules = found
    change, forget = one.kind is Kind.CHANGE, one.kind is Kind.FORGET
    return Request(one.kind, matter(rules, said, one.hit, change=change, forget=forget))


def asks_to_keep(text: str) -> bool:
    """Whether the text holds such a wish."""
    return recognise(text) is not None


def _without_near_misses(rules: Rules, sentence: Sentence) -> Sentence:
    """The sentence to look in; an empty one for a question that is no wish."""
    if sentence.asks and rules.asked.match(sentence.folded) is not None:
        return replace(sentence, folded="")
    return replace(sentence, folded=rules.no.sub(_blank, sentence.folded))


def _blank(found: re.Match[str]) -> str:
    return " " * (found.end() - found.start())


def _first(rules: Rules, said: Sequence[Sentence]) -> _Found | None:
    weak = None
    for at in range(len(said)):
        found = _in(rules, said, at)
        if found is not None and not found.weak:
            return found
        weak = weak or found
    return weak


def _in(rules: Rules, said: Sequence[Sentence], at: int) -> _Found | None:
    """The wish in one sentence; its neighbours say what it is about."""
    folded = said[at].folded

    def found(kind: Kind, match: re.Match[str], weak: bool = False) -> _Found:
        return _Found(kind, Hit(at, match.start(), match.end(match.lastindex or 0)), weak)

    if not folded:
        return None
    if (match := rules.remind.search(folded)) is not None:
        return found(Kind.KEEP, match)
    if (match := rules.forget.search(folded)) is not None:
        return found(Kind.FORGET, match)
    here = rules.memory.search(folded) is not None
    beside = (*said[max(0, at - 1) : at], *said[at + 1 : at + 2])
    near = here or any(rules.memory.search(each.folded) for each in beside)
    other = not here and rules.other.search(folded) is not None
    if near and not other and (match := rules.drop.search(folded)) is not None:
        return found(Kind.FORGET, match)
    if not other and (match := rules.change.search(folded)) is not None:
        # "Put in your notes that …" may mean either; then it is a change only of what is so no longer.
        stale = _stale(rules, said, at)
        if stale or (near and rules.store.match(folded, match.start()) is None):
            return found(Kind.CHANGE, match)
    if (match := rules.keep.search(folded)) is not None:
        return found(Kind.KEEP, match)
    if (match := rules.save.search(folded)) is not None:
        kept = _beside(rules, match)
        if kept or (rules.other.search(folded) is None and _pointed(rules, said, at)):
            return found(Kind.KEEP, match)
    if here and (match := rules.store.search(folded)) is not None and _beside(rules, match):
        return found(Kind.KEEP, match, weak=True)
    if rules.lasting.search(folded) is not None and not said[at].asks and rules.mine.search(folded):
        return _Found(Kind.KEEP, Hit(at, 0, 0), weak=True)  # "from now on" is part of what is to be kept
    return None


def _beside(rules: Rules, match: re.Match[str]) -> bool:
    """Whether memory is named beside a verb that may be part of such a name itself."""
    text, gap = match.string, " " * (match.end() - match.start())
    return rules.memory.search(text[: match.start()] + gap + text[match.end() :]) is not None


def _stale(rules: Rules, said: Sequence[Sentence], at: int) -> bool:
    """Whether something about the person is said to be so no longer, here or just before."""
    told = " ".join(each.folded for each in said[max(0, at - 1) : at + 1])
    found = rules.stale.search(told) is not None and rules.mine.search(told) is not None
    return found and rules.other.search(told) is None


def _pointed(rules: Rules, said: Sequence[Sentence], at: int) -> bool:
    """Whether it is said what to keep: by a pointing word, or as the person's own, or just before."""
    folded = said[at].folded
    if rules.glued or ":" in folded or rules.this.search(folded) or rules.mine.search(folded):
        return True
    return at > 0 and len(folded.split()) <= 4 and rules.mine.search(said[at - 1].folded) is not None
