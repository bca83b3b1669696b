"""Which signs of a text are words, and which of them stand in scripts that put no spaces between words (pure).

Owns the classes of signs and the cutting of unspaced runs into pairs; folding and indexing are their neighbours'.
"""

from __future__ import annotations

import re

UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0eba\u0ec0-\u0ecd\u0edc-\u0edf"  # Thai, Lao
    "\u1000-\u103f\u1050-\u108f\u1780-\u17d3"  # Myanmar, Khmer
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb"  # Hangul: particles are written onto the word
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u3041-\u3096\u3099\u309a\u309d-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
"""A class of signs for a regular expression: letters of scripts without spaces, or with words grown together."""

MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u0900-\u0903\u093a-\u094f\u0951-\u0957"
    "\u0962\u0963\u0981-\u0983\u09bc\u09be-\u09d7\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a81-\u0a83\u0abc-\u0acd"
    "\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bd7\u0c00-\u0c04\u0c3c-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03"
    "\u0d3b-\u0d57\u0d82\u0d83\u0dca-\u0ddf\u0f71-\u0f84\u1ab0-\u1aff\u1dc0-\u1dff"
)
"""A class of signs: vowel signs and accents that belong to the letter before them, and so to its word."""

LETTER = f"[^\\W_{UNSPACED}]"
"""One letter or digit of a script with spaces."""

RUN = re.compile(f"([{UNSPACED}]+)|[^\\w\\x00-\\x7f{MARKS}]+")
"""In folded text: a run without spaces, as group 1, or other signs beyond ASCII that are no part of a word."""


def pairs(run: str) -> list[str]:
    """Each two neighbours of a run, and its last sign by itself: every sign begins one of these."""
    return [*(run[at : at + 2] for at in range(len(run) - 1)), run[-1]]


def spaced(folded: str) -> str:
    """Folded text with everything that is to be found set apart by ASCII signs that are no word; see `pairs`."""
    return folded if folded.isascii() else RUN.sub(_apart, folded)


def _apart(found: re.Match[str]) -> str:
    run = found[1]
    return " " if run is None else f" {' '.join(pairs(run))} "
