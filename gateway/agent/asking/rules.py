"""The languages' words, compiled when they are first needed. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from gateway.agent.asking.folding import fold_pattern
from gateway.agent.asking.words import Words

_LATIN = ("english", "german", "french", "spanish", "portuguese")
_SHARE = 0.34
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_KANA = re.compile(r"[\u3041-\u30ff][^\u3041-\u30ff]{0,20}[\u3041-\u30ff]")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_LETTERS = re.compile(r"[a-z]{3}")


@dataclass(frozen=True, slots=True)
class Rules:
    """One language, ready to search."""

    no: re.Pattern[str]
    remind: re.Pattern[str]
    keep: re.Pattern[str]
    save: re.Pattern[str]
    store: re.Pattern[str]
    forget: re.Pattern[str]
    drop: re.Pattern[str]
    change: re.Pattern[str]
    memory: re.Pattern[str]
    other: re.Pattern[str]
    stale: re.Pattern[str]
    mine: re.Pattern[str]
    this: re.Pattern[str]
    lasting: re.Pattern[str]
    asked: re.Pattern[str]
    ahead: re.Pattern[str]
    fillers: frozenset[str]
    glued: bool


@cache
def rules_of(language: str) -> Rules:
    """Compiled once; some tens of milliseconds."""
    words: Words = getattr(import_module(f"gateway.agent.asking.{language}"), language.upper())
    bound = "" if words.glued else r"\b"

    def any_of(parts: Iterable[str], before: str = "", after: str = "") -> re.Pattern[str]:
        return re.compile(f"{before}(?:{fold_pattern('|'.join(parts))}){after}")

    return Rules(
        **{
            name: any_of(getattr(words, name))
            for name in ("no", "remind", "keep", "save", "store", "forget", "drop", "change")
        },
        **{
            name: any_of(getattr(words, name), bound, bound) for name in ("other", "stale", "mine", "this", "lasting")
        },
        memory=any_of(words.memory, bound, r"(?!\.\w)"),
        asked=any_of(words.asked, r"[ ,]*"),
        ahead=any_of(words.ahead, r"[\s,:;-]*", "" if words.glued else r"(?!\w)"),
        fillers=frozenset(_WORD.findall(fold_pattern(words.fillers.lower()))),
        glued=words.glued,
    )


def compile_all() -> None:
    """Compile every language now, in some hundred milliseconds, so that no message waits for it."""
    for name in (*_LATIN, "russian", "chinese", "japanese"):
        rules_of(name)


def languages(folded: str) -> list[Rules]:
    """The languages that a text may be in, the likeliest first: by its letters, and those in Latin letters by the
    small words in it. A text with too few of them may be in any."""
    names: list[str] = []
    if _WIDE.search(folded):
        names.append("japanese" if _KANA.search(folded) else "chinese")
    if _CYRILLIC.search(folded):
        names.append("russian")
    latin = [rules_of(name) for name in _LATIN] if _LETTERS.search(folded) else []
    words = _WORD.findall(folded)
    counts = [sum(word in each.fillers for word in words) for each in latin]
    enough = max(counts, default=0) * _SHARE
    ranked = sorted(zip(counts, latin, strict=True), key=lambda pair: -pair[0])
    likely = [each for count, each in ranked if count >= enough or (count and each is latin[0])]  # English mixes in
    return [*(rules_of(name) for name in names), *likely]
