"""All rules that words can break, in the order in which they are named, and the search for them.

The tables are split by language; how a rule is written is told by `memory.scan.rule`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from memory.scan.rule import Compiled, Hit, Rule, Text, compiled
from memory.scan.rules_cjk import CJK, CJK_FAMILIES
from memory.scan.rules_code import CODE, CODE_FAMILIES
from memory.scan.rules_english import ENGLISH, ENGLISH_FAMILIES
from memory.scan.rules_other import CYRILLIC, OTHER, OTHER_FAMILIES

RULES: tuple[Rule, ...] = (*CODE, *ENGLISH, *CJK, *OTHER, *CYRILLIC)


def hits(text: str) -> Iterator[Hit]:
    """Where a folded text breaks rules, rule by rule."""
    sentences = Text(text)
    for script, rules in _tables():
        if script is None or script.search(text):
            for rule in rules:
                yield from sentences.hits(rule)


@functools.cache
def _tables() -> tuple[tuple[re.Pattern[str] | None, tuple[Compiled, ...]], ...]:
    """The compiled tables, each with the letters without which none of its rules can match."""
    families = {**CODE_FAMILIES, **ENGLISH_FAMILIES, **CJK_FAMILIES, **OTHER_FAMILIES}
    latin = re.compile(r"[a-z]{3}")
    return (
        (None, tuple(compiled(rule, families) for rule in CODE)),
        (latin, tuple(compiled(rule, families) for rule in ENGLISH)),
        (re.compile("[\u3040-\u30ff\u4e00-\u9fff]"), tuple(compiled(rule, families) for rule in CJK)),
        (latin, tuple(compiled(rule, families) for rule in OTHER)),
        (re.compile("[а-я]{3}"), tuple(compiled(rule, families) for rule in CYRILLIC)),
    )
