"""Text as it is compared: without case, width, accents, fancy quotes and invisible signs (pure).

Both sides of every comparison go through `fold`: what is indexed, what is asked for, and what is checked.
"""

from __future__ import annotations

import re
import unicodedata
from types import MappingProxyType

from gateway.state.search_scripts import MARKS

PLAIN = MappingProxyType(
    {
        **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u02bc\u2032\u0060\u00b4"), "'"),
        **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"), '"'),
        **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63"), "-"),
        **dict.fromkeys(map(ord, "\u00ad\u034f\u061c\u0640\u180e\u200b\u200c\u200e\u200f\u2060\ufe0e\ufe0f\ufeff")),
        **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2061, 0x2070), *range(0x64B, 0x653))),
        **{ord(sign): plain for sign, plain in zip("ıøłđðħŧ", "iolddht", strict=True)},
        ord("œ"): "oe",
        ord("æ"): "ae",
    }
)
"""Signs that are written one way or another without a difference; None for those that are not seen at all."""

UNPLAIN = re.compile(f"[{''.join(re.escape(chr(sign)) for sign in PLAIN)}]")
"""There is something to do for `PLAIN`; it is the slow step."""

ACCENTED = re.compile("[\u00c0-\u024f\u0300-\u03ff\u0451\u1e00-\u1fff]")
ACCENTS = re.compile("(?<=[a-z\u0370-\u03ff])[\u0300-\u036f]+|(?<=\u0435)\u0308")
"""Accents of Latin and Greek letters, and the dots that Russian leaves out; those of other scripts make letters."""

CLUSTER = re.compile(f".[{MARKS}\u3099\u309a\uff9e\uff9f]*", re.DOTALL)


def fold(text: str) -> str:
    """The text as it is compared. Folding twice changes nothing more for any text that people write."""
    if text.isascii():
        return text.lower().replace("`", "'")
    whole = unicodedata.normalize("NFKC", text).casefold()
    if UNPLAIN.search(whole) is not None:
        whole = whole.translate(PLAIN)
    if ACCENTED.search(whole) is None:
        return whole
    return unicodedata.normalize("NFKC", ACCENTS.sub("", unicodedata.normalize("NFKD", whole)))


def fold_name(text: str) -> str:
    """The name of a place as it is compared: without case and width. Accents tell names apart."""
    return unicodedata.normalize("NFKC", text).casefold()


def aligned(text: str) -> tuple[str, list[int]]:
    """The folded text, and for each of its signs (and its end) where that stands in `text`."""
    if text.isascii():
        return fold(text), list(range(len(text) + 1))
    pieces: list[str] = []
    places: list[int] = []
    known: dict[str, str] = {}
    for found in CLUSTER.finditer(text):
        cluster = found[0]
        if (piece := known.get(cluster)) is None:
            piece = known[cluster] = fold(cluster)
        pieces.append(piece)
        places += [found.start()] * len(piece)
    return "".join(pieces), [*places, len(text)]
