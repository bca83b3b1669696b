"""Where a text may be cut without breaking a character that a person sees as one.

Owns the rule for grapheme clusters, read from left to right with `unicodedata` alone: pairs, joiners, variation
selectors, skin tones, flags, combining marks, Hangul and conjuncts; and how many
columns characters take. Leaves to `chunking` where a cut reads well.
"""

from __future__ import annotations

import unicodedata

_JOINER = 0x200D
_EMOJI_STYLE = 0xFE0F
_ATTACHING = frozenset({0x200C, _JOINER, 0xFF9E, 0xFF9F})  # joiners; half-width voicing marks are letters by name
_MARKS = frozenset({"Mn", "Mc", "Me"})
_VIRAMA = 9  # the canonical combining class of the signs that fuse two consonants


def is_boundary(text: str, at: int, start: int = 0) -> bool:
    """Whether a cut before `text[at]` leaves whole characters on both sides.

    `start` is an earlier cut; nothing before it is looked at. Both ends of the text are boundaries. The answer
    depends on the text up to and including `text[at]`, never on what follows.
    """
    if at <= start or at >= len(text):
        return True
    before, after = ord(text[at - 1]), ord(text[at])
    if after < 0x300:
        return not (before == 0x0D and after == 0x0A)
    if before < 0x20 or before == 0x7F or 0x80 <= before < 0xA0:
        return True  # nothing attaches to a control character
    if before == _JOINER or _attaches(after):
        return False
    if 0xD800 <= before <= 0xDBFF and 0xDC00 <= after <= 0xDFFF:
        return False  # two lone halves that a platform would read as one pair
    if _is_flag_half(before) and _is_flag_half(after):
        return _flag_halves_before(text, at, start) % 2 == 0
    if _hangul_goes_on(before, after):
        return False
    return not (unicodedata.combining(text[at - 1]) == _VIRAMA and unicodedata.category(text[at]) == "Lo")


def boundary_before(text: str, at: int, start: int) -> int:
    """The last boundary that is at most `at` and after `start`; `at` itself when one character fills it all."""
    cut = at
    while cut > start and not is_boundary(text, cut, start):
        cut -= 1
    if cut > start:
        return cut
    high, low = ord(text[at - 1]), ord(text[at])
    splits_pair = 0xD800 <= high <= 0xDBFF and 0xDC00 <= low <= 0xDFFF
    return at - 1 if splits_pair and at - 1 > start else at


def _attaches(code: int) -> bool:
    """Marks, joiners, variation selectors, skin tones and the letters of tag sequences hang on what precedes."""
    if code in _ATTACHING or 0x1F3FB <= code <= 0x1F3FF or 0xE0020 <= code <= 0xE007F:
        return True
    return unicodedata.category(chr(code)) in _MARKS


def _is_unseen(code: int) -> bool:
    return _attaches(code) or unicodedata.category(chr(code)) == "Cf"


def _is_flag_half(code: int) -> bool:
    return 0x1F1E6 <= code <= 0x1F1FF


def _flag_halves_before(text: str, at: int, start: int) -> int:
    first = at
    while first > start and _is_flag_half(ord(text[first - 1])):
        first -= 1
    return at - first


def _hangul_goes_on(before: int, after: int) -> bool:
    leading = 0x1100 <= before <= 0x115F or 0xA960 <= before <= 0xA97C
    syllable_after = 0xAC00 <= after <= 0xD7A3 or 0x1100 <= after <= 0x115F or 0xA960 <= after <= 0xA97C
    if leading and syllable_after:
        return True
    vowel_or_final = 0x1160 <= after <= 0x11FF or 0xD7B0 <= after <= 0xD7FB
    hangul_before = 0x1100 <= before <= 0x11FF or 0xAC00 <= before <= 0xD7A3 or 0xD7B0 <= before <= 0xD7FB
    return vowel_or_final and (hangul_before or leading)


def width(text: str) -> int:
    """How many columns a text takes where all letters are equally wide: wide characters and emoji take two."""
    if text.isascii():
        return len(text)
    columns = size = before = 0
    for character in text:
        code = ord(character)
        if code == _EMOJI_STYLE:
            columns += size == 1
            size = 2
        elif not (_is_unseen(code) or (before == _JOINER and size == 2)):
            size = 2 if unicodedata.east_asian_width(character) in "WF" else 1
            columns += size
        before = code
    return columns
