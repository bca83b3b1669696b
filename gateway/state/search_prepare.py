"""A message as the index takes it: words, pairs of unspaced scripts, and signs that matter in names (pure).

The tokenizer splits at ASCII signs that are no letters or digits, and at nothing else; so everything that is one word
of the index stands here between such signs. What leaves the index must be prepared exactly as it came in: whoever
changes anything here, or in `search_fold` and `search_scripts`, raises VERSION, and every index is built anew.
"""

from __future__ import annotations

import re
import unicodedata

from gateway.state.search_fold import fold
from gateway.state.search_scripts import RUN, pairs, spaced

VERSION = 2

PREPARATION = f"{VERSION}/{unicodedata.unidata_version}"
"""What an index was prepared by. Another Python may know other letters."""

SIGN, TWO_SIGNS, AFTER_DOT, SESSION, CHAT, STRETCH = "\ue000", "\ue001", "\ue002", "\ue003", "\ue004", "\ue005"
"""How a word of the index begins that is no word of the text; the text's own words hold no sign of this kind."""

QUIET = ".,;:!?'\"()-"
"""Signs of sentences. They are in nearly every message, so no word of the index stands for one of them alone."""

SIGNS = re.compile("[^\\w\\s]+|_+")
TELLING = re.compile(f"[^\\w\\s{re.escape(QUIET)}]|_")
DOTTED = re.compile(r"\.([^\W_]+)")
WORD = re.compile(r"[^\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+")


LEVELS = (12, 16, 20)
"""Stretches of 4,096, 65,536 and 1,048,576 ids have a word each, which all their messages hold. Between two matches
SQLite looks at no bound on ids; who asks for one of these words, too, has an end where it ends."""


def prepared(text: str, number: int, session: int, chat: int) -> str:
    """What the index is given for the message with this number, of this session and chat, both by their number in the
    index."""
    folded = fold(text)
    named = (session_word(session), chat_word(chat), *(stretch_word(number, level) for level in LEVELS))
    return " ".join((*named, spaced(folded), *sign_words(folded)))


def stretch_word(number: int, level: int) -> str:
    """The word of the stretch of 2**level ids that this one lies in."""
    return f"{STRETCH}{level}x{number >> level}"


def session_word(number: int) -> str:
    return f"{SESSION}{number}"


def chat_word(number: int) -> str:
    return f"{CHAT}{number}"


def sign_words(folded: str) -> list[str]:
    """Words for the telling signs in a folded text, for signs that follow each other, and for words after a dot."""
    found = {f"{AFTER_DOT}{word}" for word in DOTTED.findall(spaced(folded))} if "." in folded else set()
    if TELLING.search(folded) is None:
        return sorted(found)
    for run in SIGNS.findall(folded):
        found.update(SIGN + _sign(each) for each in run if each not in QUIET)
        if TELLING.search(run):
            found.update(f"{TWO_SIGNS}{_sign(run[at])}{_sign(run[at + 1])}" for at in range(len(run) - 1))
    return sorted(found)


def words(folded: str) -> list[str]:
    """The words that stand one after the other in the index wherever this folded text stands in a message.

    Of a run without spaces at the end, the last sign is left out, since a message may go on there.
    """
    tail = None
    for found in RUN.finditer(folded):
        if found[1] is not None and found.end() == len(folded):
            tail = found[1]
    if tail is None:
        return WORD.findall(spaced(folded))
    return [*WORD.findall(spaced(folded[: -len(tail)])), *pairs(tail)[:-1]]


def _sign(sign: str) -> str:
    return chr(0xE100 + ord(sign)) if sign.isascii() else sign
