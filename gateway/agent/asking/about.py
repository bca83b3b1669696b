"""What a wish is about: the person's words without the asking, where they can be told apart. Pure.

In doubt it is the whole sentence, or the one that the asking points to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gateway.agent.asking.folding import Sentence, fold
from gateway.agent.asking.rules import Rules

_THIN = 5
"""Characters of a script without spaces that hardly say all that is to be kept."""

LIMIT = 500
"""Characters."""

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_EDGE = " \t\r\n,;:.!?。、\uff0c\uff01\uff1f\uff1a-–—…"
_OPENING = " \t\r\n,;:.!?。、\uff0c\uff01\uff1f\uff1a–—…"
_LINK = re.compile(
    r"(?:[\s,;:–—-]+(?:and|so|please|bitte|und|y|et|e|i|и|так что|alors|donc|por favor|entonces|então|entao|also|"
    r"which|but|aber|mais|pero|mas|but|то|так|все|это|a|das|den|es|lo|le|ça|isso|por|te|se|dir|que|dass|"
    r"that))?[\s,;:–—-]*$",
    re.IGNORECASE,
)
_PARTICLES = re.compile(
    r"(?:だって|という|っていう|ということ|ってこと|って|と|こと|の|を|は|も|に|ので|から|、|,|\uff0c|请|請|你|都|要|的话|帮我|幫我|麻烦|麻煩|把)+$"
)
_VALUE = re.compile(r"\d|[:\uff1a]\s*\S")
_CLAUSE = re.compile(r"[,;–—、\uff0c-]\s*$")
_REASON = re.compile(r"(?:から|ので)[、,]?.{0,8}$")
_COLON = re.compile(r"^[^:：]{0,60}[:：]\s*(?=\S)")


@dataclass(frozen=True, slots=True)
class Hit:
    """The asking words: the number of the sentence, and where they stand in it."""

    at: int
    start: int
    end: int


def matter(rules: Rules, said: Sequence[Sentence], hit: Hit, *, change: bool = False, forget: bool = False) -> str:
    """At most 500 characters; never empty unless the message is."""
    text = said[hit.at].text
    head, tail = _before(rules, text[: hit.start]), _after(rules, text[hit.end :])
    asking = text[hit.start : hit.end]
    mixed = len(asking) > 2 * _THIN if rules.glued else _says(rules, asking)
    told_before, told_after = _says(rules, head, forget), _says(rules, tail, forget)
    if change:
        return _cut(_changed(rules, said, hit, head if told_before else ""))
    if rules.glued and len(said) > 1 and max(len(head), len(tail)) <= _THIN:
        return _cut(_beside(said, hit))
    if told_after and not told_before and (not mixed or tail != text[hit.end :].strip(_EDGE)):
        return _cut(tail)
    if told_before and not told_after:
        reason = hit.at > 0 and _REASON.search(text[: hit.start].rstrip()) is not None
        return _cut(f"{said[hit.at - 1].text} {text}" if reason else head)
    if told_before or told_after or (forget and mixed):
        return _cut(text)
    for near in (hit.at - 1, hit.at + 1):
        if 0 <= near < len(said) and _says(rules, said[near].text):
            return _cut(said[near].text)
    return _cut(text)


def _changed(rules: Rules, said: Sequence[Sentence], hit: Hit, head: str) -> str:
    """What is true now. It stands in the asking ("change my birthday to 4 May"), or in a clause beside it."""
    text = said[hit.at].text
    in_asking = _VALUE.search(text) is not None
    in_clause = len(_WORD.findall(head)) > 2 and _CLAUSE.search(text[: hit.start]) is not None
    if in_asking or in_clause:
        return text
    return _beside(said, hit)


def _beside(said: Sequence[Sentence], hit: Hit) -> str:
    """The sentence with the one before it, or with the next when it is the first."""
    first = max(0, hit.at - 1)
    return " ".join(each.text.strip() for each in said[first : first + 2])


def _before(rules: Rules, text: str) -> str:
    """What stands before the asking, without what leads over to it."""
    text = text.strip()
    for _ in range(3):
        shorter = (_PARTICLES if rules.glued else _LINK).sub("", text).rstrip()
        if shorter == text:
            break
        text = shorter
    return text.strip(_OPENING)


def _after(rules: Rules, text: str) -> str:
    """What stands after the asking, without what leads over to it: after a colon that comes soon, all of it."""
    colon = _COLON.match(text)
    if colon is not None and not _says(rules, colon.group()):
        return text[colon.end() :].strip(_EDGE)
    for _ in range(6):
        led = rules.ahead.match(fold(text))
        if led is None or led.end() == 0:
            break
        text = text[led.end() :]
    return text.strip(_EDGE)


def _says(rules: Rules, text: str, forget: bool = False) -> bool:
    """Whether there is a word in it that says something; what names memory itself says nothing of what to forget."""
    folded = fold(text)
    if forget:
        folded = rules.memory.sub(" ", folded)
    if rules.glued:
        for filler in sorted(rules.fillers, key=len, reverse=True):
            folded = folded.replace(filler, " ")
        return len(re.sub(r"[\W_]+", "", folded)) >= 2
    return any(word not in rules.fillers for word in _WORD.findall(folded))


def _cut(text: str) -> str:
    flat = " ".join(text.split()).strip(_EDGE).lstrip("¿¡")
    return flat if len(flat) <= LIMIT else flat[: LIMIT - 1] + "…"
