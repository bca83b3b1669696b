"""Whether a person asks to have something remembered, changed or forgotten. Pure.

It decides when a model that cannot call tools is asked for a write, by schema. A miss costs nothing but that
question; `/remember` and `/forget` need no model at all.
"""

from __future__ import annotations

import re

_ASKING = (
    r"\b(?:remember|memori[sz]e|note(?: down)?|keep (?:this |that |it )?in mind|don'?t forget)\b",
    r"\b(?:save|store|add|put) (?:this|that|it)?.{0,40}\b(?:memory|notes?|profile)\b",
    r"\b(?:forget|remove|delete|change|update|correct)\b.{0,60}\b(?:that i|about me|from (?:your )?memory|my \w+)\b",
    r"\b(?:merk(?:e)? dir|vergiss(?: nicht)?|behalte|notiere?)\b",
    r"\b(?:retiens|rappelle-toi|souviens-toi|n'oublie pas|oublie|note que)\b",
    r"\b(?:recuerda|acuérdate|no olvides|olvida|anota|apunta)\b",
    r"\b(?:onthoud|vergeet(?: niet)?|noteer)\b",
    r"\b(?:lembre(?:-se)?|não (?:se )?esqueça|esqueça|anote)\b",
    r"\b(?:ricorda(?:ti)?|non dimenticare|dimentica|annota)\b",
    r"(?:запомни|не забудь|забудь|запиши)",
    r"(?:覚えて|おぼえて|忘れて|忘れないで|メモして|記憶して)",
    r"(?:记住|記住|记得|記得|记下|記下|别忘|別忘|忘掉|忘记|忘記)",
)
_PATTERN = re.compile("|".join(_ASKING), re.IGNORECASE)
_LOOKING_BACK = re.compile(
    r"\bdo you (?:still )?(?:remember|know)\b|\bremember (?:when|how|the time)\b", re.IGNORECASE
)


def asks_to_keep(text: str) -> bool:
    """Whether the text holds such a wish. A question about the past ("do you remember when …?") is none."""
    return bool(_PATTERN.search(text)) and not _LOOKING_BACK.search(text)
