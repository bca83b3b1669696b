"""What a wish is about: the person's words without the asking, where they can be told apart. Pure.

In doubt it is the whole sentence, or the one that the asking points to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gateway.agent.asking.folding import Sentence, fold
from gateway.agent.asking.rules import Rules

LIMIT = 500
"""Characters."""

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_EDGE = " \t\r\n,;:.!?。、,!?:-–—…"
_OPENING = " \t\r\n,;:.!?。、,!?:–—…"
_LINK = re.compile(
    r"(?:[\s,;:–—-]+(?:and|so|please|bitte|und|y|et|e|i|и|так что|alors|donc|por favor|entonces|então|entao|also|"
    r"which|but|aber|mais|pero|mas|but|то|так|все|это|a|das|den|es|lo|le|ça|isso|por|te|se|dir|que|dass|that))?[\s,;:–—-]*$",
    re.IGNORECASE,
)
_PARTICLES = re.compile(r"(?:だって|という|っていう|ということ|ってこと|って|と|こと|の|を|は|も|に|ので|から|、|,|,|请|請|你|都|要|的话|帮我|幫我|麻烦|麻煩|把)+$")
_REASON = re.compile(r"(?:から|ので)[、,]?.{0,8}$")
_COLON = re.compile(r"^[^:：]{0,60}[:：]\s*(?=\S)")


@dataclass(frozen=True, slots=True)
class Hit:
    """The asking words: the number of the sentence, and where they stand in it."""

    at: int
    start: int
    end: int


def matter(rules: Rules, said: Sequence[Sentence], hit: Hit, *, change: bool) -> str:
    """At most 500 characters; never empty unless the message is."""
    text = said[hit.at].text
    head, tail = _before(rules, text[: hit.start]), _after(rules, text[hit.end :])
    asking = _says(rules, text[hit.start : hit.end])
    told_before, told_after = _says(rules, head), _says(rules, tail)
    if change:
        return _cut(_changed(rules, said, hit, head if told_before else ""))
    if told_after and not told_before and (not asking or tail != text[hit.end :].strip(_EDGE)):
        return _cut(tail)
    if told_before and not told_after:
        reason = hit.at > 0 and _REASON.search(text[: hit.start].rstrip()) is not None
        return _cut(f"{said[hit.at - 1].text} {text}" if reason else head)
    if told_before or told_after:
        return _cut(text)
    for near in (hit.at - 1, hit.at + 1):
        if 0 <= near < len(said) and _says(rules, said[near].text):
            return _cut(said[near].text)
    return _cut(text)


def _changed(rules: Rules, said: Sequence[Sentence], hit: Hit, head: str) -> str:
    """What is true now. It stands in the asking ("change my birthday to 4 May"), or in a clause beside it."""
    text = said[hit.at].text
    if re.search(r"\d", text) or re.search(r"[:：]\s*\S", text):
        return text
    if head and re.search(r"[,;–—-]\s*$|[、,。]\s*$", said[hit.at].text[: hit.start].rstrip(" ") or "x") and len(_WORD.findall(head)) > 2:
        return text
    near = hit.at - 1 if hit.at else hit.at + 1
    if near >= len(said):
        return text
    return f"{said[near].text.strip()} {text.strip()}" if near < hit.at else f"{text.strip()} {said[near].text.strip()}"


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


def _says(rules: Rules, text: str) -> bool:
    """Whether there is a word in it that says something."""
    folded = fold(text)
    if rules.glued:
        for filler in sorted(rules.fillers, key=len, reverse=True):
            folded = folded.replace(filler, " ")
        return len(re.sub(r"[\W_]+", "", folded)) >= 2
    return any(word not in rules.fillers for word in _WORD.findall(folded))


def _cut(text: str) -> str:
    flat = " ".join(text.split()).strip(_EDGE).lstrip("¿¡")
    return flat if len(flat) <= LIMIT else flat[: LIMIT - 1] + "…"
