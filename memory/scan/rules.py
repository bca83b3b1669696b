"""All rules that words can break, in the order in which they are named, and the search for them.

The tables are split by language; how a rule is written is told by `memory.scan.rule`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from memory.scan.rule import Hit, Rule, Text, Written, written
from memory.scan.rules_cjk import CJK, CJK_FAMILIES
from memory.scan.rules_code import CODE, CODE_FAMILIES
from memory.scan.rules_english import ENGLISH, ENGLISH_FAMILIES
from memory.scan.rules_intent import INTENT, INTENT_FAMILIES
from memory.scan.rules_intent_acts import INTENT_ACT_FAMILIES, INTENT_ACTS
from memory.scan.rules_intent_cjk import INTENT_CJK, INTENT_CJK_FAMILIES
from memory.scan.rules_other import CYRILLIC, KOREAN, OTHER, OTHER_FAMILIES
from memory.scan.rules_veiled import VEILED, VEILED_FAMILIES

_LONGEST = 20

_CJK = (*CJK, *INTENT_CJK)

RULES: tuple[Rule, ...] = (*CODE, *ENGLISH, *VEILED, *INTENT, *INTENT_ACTS, *_CJK, *OTHER, *KOREAN, *CYRILLIC)


def hits(text: str) -> Iterator[Hit]:
    """Where a folded text breaks rules, rule by rule."""
    sentences = Text(text)
    for script, rules in _tables():
        if script is None or script.search(text):
            for rule in rules:
                yield from sentences.hits(rule)


def knows(word: str) -> bool:
    """Whether rules speak of such a word: only then another reading of a text matters."""
    beginnings = (word[:length] for length in range(4, min(len(word), _LONGEST)))
    return (len(word) > 2 and word in _words()) or not _words().isdisjoint(beginnings)


@functools.cache
def _words() -> frozenset[str]:
    families = " ".join(
        [*CODE_FAMILIES.values(), *ENGLISH_FAMILIES.values(), *VEILED_FAMILIES.values(), *OTHER_FAMILIES.values()]
    )
    patterns = " ".join(pattern for rule in RULES for pattern in (rule.pattern, *rule.near))
    return frozenset(re.findall("[a-z]{3,}", re.sub(r"\\[a-zA-Z]", " ", f"{families} {patterns}")))


@functools.cache
def _tables() -> tuple[tuple[re.Pattern[str] | None, tuple[Written, ...]], ...]:
    """The tables, each with the letters without which none of its rules can match."""
    families = {**CODE_FAMILIES, **ENGLISH_FAMILIES, **VEILED_FAMILIES, **CJK_FAMILIES, **OTHER_FAMILIES}
    families |= {**INTENT_FAMILIES, **INTENT_ACT_FAMILIES, **INTENT_CJK_FAMILIES}
    latin = re.compile(r"[a-z]{3}")
    return (
        (None, tuple(written(rule, families) for rule in CODE)),
        (latin, tuple(written(rule, families) for rule in (*ENGLISH, *VEILED, *INTENT, *INTENT_ACTS))),
        (re.compile("[\u3040-\u30ff\u4e00-\u9fff]"), tuple(written(rule, families) for rule in _CJK)),
        (latin, tuple(written(rule, families) for rule in OTHER)),
        (re.compile("[가-힣]{2}"), tuple(written(rule, families) for rule in KOREAN)),
        (re.compile("[а-я]{3}"), tuple(written(rule, families) for rule in CYRILLIC)),
    )
