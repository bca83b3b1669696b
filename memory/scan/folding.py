"""Texts as a reader of mischief sees them: one spelling for letters that only look different, nothing invisible.

Every folded text remembers where its characters stood, so that a finding quotes what was really written. Whether
something invisible may stand where it stands is judged by `memory.scan.characters`.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text. Its character number `n` comes from the character number `origin[n]` of the raw text."""

    text: str
    origin: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The raw characters from which these folded ones (at least one) came."""
        places = self.origin[start:end]
        return min(places), max(places) + 1


def views(text: str) -> Iterator[Folded]:
    """The readings of a text, the plainest first, each only where it differs from those before.

    All are in small letters without accents: as it stands; with look-alike letters as Latin ones; with s p a c e d
    words closed up and word chains opened; with digits that stand for letters as letters; upside down.
    """
    seen: set[str] = set()
    for view in _readings(text):
        even = _evenly_spaced(view)
        if even.text not in seen:
            seen.add(even.text)
            yield even


def _readings(text: str) -> Iterator[Folded]:
    plain = _plain(text)
    yield plain
    latin = plain if plain.text.isascii() else _looking_latin(text, plain)
    yield latin
    words = _rewritten(_rewritten(latin, _spaced_letters(), _closed_up), _word_chain(), _opened)
    yield words
    if _leet_word().search(words.text):
        yield _rewritten(words, _leet_word(), lambda word: word.translate(_LEET_I))
        yield _rewritten(words, _leet_word(), lambda word: word.translate(_LEET_L))
    if len(re.findall("[ǝɹɐɔɟɥɯʇʌʍʎʞ]", plain.text)) > 2:
        turned = _translated(plain, _turned())
        yield Folded(turned.text[::-1], turned.origin[::-1])


# One character after the other

_INVISIBLE = (
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff\x00-\x08\x0e-\x1f\x7f]"
)
_SIGNS = {
    **dict.fromkeys(map(ord, "‘’‚‛′‵`´ʼʹ＇"), "'"),
    **dict.fromkeys(map(ord, "“”„‟″‶«»"), '"'),
    **dict.fromkeys(map(ord, "‐‑‒–—―−⁃﹘"), "-"),
}
_ACCENTED = ("LATIN", "GREEK", "CYRILLIC")
_VOICED = ("\u3099", "\u309a")


def _plain(text: str) -> Folded:
    """NFKC and casefold, without invisible characters and without accents of European letters."""
    out: list[str] = []
    origin: list[int] = []
    for at, sign in enumerate(text):
        letters = _letter(sign)
        if letters in _VOICED:
            if out:
                out[-1] = unicodedata.normalize("NFC", out[-1] + letters)[:1]
            continue
        out += letters
        origin += [at] * len(letters)
    return Folded("".join(out), tuple(origin))


@functools.lru_cache(maxsize=4096)
def _letter(sign: str) -> str:
    if re.match(_INVISIBLE, sign) or _is_stroke(sign):
        return ""
    if sign.isascii():
        return "'" if sign == "`" else sign.lower()
    folded = unicodedata.normalize("NFKC", sign.translate(_SIGNS)).translate(_SIGNS).casefold()
    if not folded.isascii() and not unicodedata.name(folded[0], "").startswith(_ACCENTED):
        return folded
    return "".join(each for each in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(each))


def _is_stroke(sign: str) -> bool:
    """An accent or a line across a letter, not a mark that is a part of its script."""
    return (
        "\u0300" <= sign <= "\u036f"
        or "\u1ab0" <= sign <= "\u1aff"
        or "\u1dc0" <= sign <= "\u1dff"
        or ("\u20d0" <= sign <= "\u20ff")
    )


def _evenly_spaced(view: Folded) -> Folded:
    """One space, one line break, or two of them, for any run of white space."""
    if not re.search(r"\s\s|[^\S \n]", view.text):
        return view
    return _rewritten(view, re.compile(r"\s{2,}|[^\S \n]"), lambda run: "\n\n"[: run.count("\n")] or " ")


def _translated(view: Folded, table: Mapping[int, str]) -> Folded:
    return Folded(view.text.translate(table), view.origin)


def _rewritten(view: Folded, pattern: re.Pattern[str], change: Callable[[str], str]) -> Folded:
    """Each match replaced; what is left of it keeps its place, where it can be told, and else that of the start."""
    out: list[str] = []
    origin: list[int] = []
    done = 0
    for match in pattern.finditer(view.text):
        new = change(match[0])
        start, end = match.span()
        out += (view.text[done:start], new)
        origin += view.origin[done:start]
        origin += _places(match[0], new, view.origin[start:end])
        done = end
    if not done:
        return view
    return Folded("".join([*out, view.text[done:]]), (*origin, *view.origin[done:]))


def _places(old: str, new: str, origin: tuple[int, ...]) -> list[int]:
    if len(old) == len(new):
        return list(origin)
    places, at = [], 0
    for sign in new:
        found = old.find(sign, at)
        places.append(origin[found if found >= 0 else 0])
        at = found + 1 if found >= 0 else at
    return places


# Words taken apart and put together

_GAPS = r" .\-_*·|/~"


@functools.cache
def _spaced_letters() -> re.Pattern[str]:
    """`i g n o r e`, `i-g-n-o-r-e`: single letters with the same sign between them."""
    return re.compile(rf"(?<![^\W_])[^\W\d_]([{_GAPS}])(?![{_GAPS}])[^\W\d_](?:\1[^\W\d_])*(?![^\W_])")


def _closed_up(letters: str) -> str:
    return letters[::2]


@functools.cache
def _word_chain() -> re.Pattern[str]:
    """`ignore_previous_instructions`, `ignore%20previous%20instructions`, `ignore+previous+instructions`."""
    word = "[a-z]{2,30}"
    return re.compile(rf"(?<![^\W_]){word}(?:(?:_{word}){{2,20}}(?![^\W_])|(?:(?:%20|\+){word}){{2,20}})")


def _opened(chain: str) -> str:
    return re.sub(r"_|\+|%20", " ", chain)


_LEET_I = str.maketrans("01345789@$!|", "oieastbgasii")
_LEET_L = str.maketrans("01345789@$!|", "oleastbgasll")


@functools.cache
def _leet_word() -> re.Pattern[str]:
    """`pr3v10us`: a word of letters that holds few signs which stand for letters. No hash is that short."""
    return re.compile(r"(?<![\w@$])(?=[\d@$!|]{0,3}[a-z])(?=[a-z]{0,14}[\d@$])[a-z0134578@$!|]{2,15}(?![\w@$])")


# Letters that look like others: each pair is the letter and what it looks like

_PAIRS = """
аa бb вb гr дd еe зз3 иu іi їi јj кk ӏl лn мm нh оo пn рp сc тt уy үy хx һh ѕs ԁd ԛq ѡw ѵv ьb эe ғf ҽe
αa βb γy δd εe ζz ηn ικ κk ιi μu νv οo πn ρp σo ςc τt υu χx ωw ϲc ϳj ϱp
ɑa ɐa ɒa ʙb ɓb ᴃb ᴄc ƈc ɕc ᴅd ɖd ɗd ᴇe ǝe ɛe ɘe ƒf ꜰf ɡg ɢg ɠg ʜh ɦh ɥh ıi ɪi ɨi ᴉi ᴊj ʝj ɉj ᴋk ƙk ʟl ɫl łl ɭl ǀl ᴌl
ᴀa ᴍm ɱm ɴn ɲn ŋn ƞn ᴏo øo ɵo ᴘp ƥp þp ʠq ǫq ʀr ɾr ɽr ɼr ꜱs ƨs ʂs ᴛt ŧt ƭt ᴜu ʉu ʊu ᴠv ʋv ᴡw ɯw ᴢz ƶz ʏy ƴy ɣy
աw եe հh օo սu ցg զq ոn ռn յj ւl ԍg
"""


_GREEK_CAPITALS = {"Η": "h", "Ν": "n", "Υ": "y"}
"""Those whose small letters look like others."""


def _looking_latin(text: str, plain: Folded) -> Folded:
    letters = plain.text.translate(_latin())
    if any(capital in text for capital in _GREEK_CAPITALS):
        places = zip(letters, plain.origin, strict=True)
        letters = "".join(_GREEK_CAPITALS.get(text[at], letter) for letter, at in places)
    return Folded(letters, plain.origin)


@functools.cache
def _latin() -> dict[int, str]:
    """Cyrillic, Greek, Armenian, phonetic and small capital letters, and letters in boxes."""
    table = {ord(pair[0]): pair[1] for pair in _PAIRS.split() if pair[-1].isascii() and len(pair) == 2}
    for first in (0x1F150, 0x1F170, 0x1F1E6):
        table.update({first + number: chr(ord("a") + number) for number in range(26)})
    return table


@functools.cache
def _turned() -> dict[int, str]:
    letters = zip("ɐqɔpǝɟƃɓɥıᴉɾʞןɯuodbɹsʇnʌʍxʎz", "abcdefgghiijklmnopqrstuvwxyz", strict=True)
    return {ord(turned): letter for turned, letter in letters}
