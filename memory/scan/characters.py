"""Characters that nobody sees: which of them stand in a raw text without a reason that writing gives them.

Joiners inside emoji and inside words of scripts that use them, marks of direction beside letters that run from right
to left, flags, and a byte order mark at the start have such a reason. What words say is for `memory.scan.rules`.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_SUSPECTS = {
    "text-direction": (
        "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069",
        "It holds signs that turn the order of letters.",
    ),
    "tag-characters": ("\U000e0000-\U000e007f", "It holds letters that no screen shows."),
    "variation-selectors": (
        "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef",
        "It holds signs for variants of letters where there is nothing to vary: text can be hidden in them.",
    ),
    "soft-hyphen": ("\u00ad", "It breaks a word up by a hyphen that is not shown."),
    "blank-filler": (
        "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0",
        "It holds letters that look like nothing.",
    ),
    "invisible-characters": (
        "\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
        "\U000e0080-\U000e00ff\U000e01f0-\U000e0fff",
        "It holds characters that nobody sees.",
    ),
    "control-characters": (
        "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f",
        "It holds control characters, which steer a terminal and are no text.",
    ),
}


@dataclass(frozen=True, slots=True)
class Unseen:
    """A run of characters without a reason, as a place in the raw text."""

    rule: str
    start: int
    end: int
    why: str


def unseen(text: str) -> Iterator[Unseen]:
    """Each run of invisible characters that holds one without a reason."""
    for run in _suspicious().finditer(text):
        for at in range(run.start(), run.end()):
            if not _has_reason(text, at):
                rule = next(name for name in _SUSPECTS if re.match(f"[{_SUSPECTS[name][0]}]", text[at]))
                yield Unseen(rule, run.start(), run.end(), _SUSPECTS[rule][1])
                break


@functools.cache
def _suspicious() -> re.Pattern[str]:
    return re.compile("[" + "".join(signs for signs, _ in _SUSPECTS.values()) + "]+")


_JOINER_SCRIPTS = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1700-\u171f\u1780-\u18af\u1900-\u1aaf\u1b00-\u1bff\ua840-\ua87f"
    "\ua8e0-\ua8ff\ua980-\ua9ff\uaa00-\uaadf\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff]"
)
_UNSPACED_SCRIPTS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf]")
_EMOJI = re.compile(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_FLAG = re.compile("\U0001f3f4(?:\U000e0067\U000e0062)(?:\U000e0065\U000e006e\U000e0067|"
                   "\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f")  # fmt: skip
_FLAG_LENGTH = 7
_LONG_WORD = 10
_STYLE = "\ufe0e\ufe0f"


def _has_reason(text: str, at: int) -> bool:
    sign, before, behind = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    match sign:
        case "\u200c" | "\u200d":
            return _joins(text, at)
        case "\u200b":
            return bool(_UNSPACED_SCRIPTS.match(before) and _UNSPACED_SCRIPTS.match(behind))
        case "\ufeff":
            return at == 0
        case "\u061c" | "\u200e" | "\u200f":
            return _runs_from_the_right(text, at)
        case "\u00ad":
            return _may_be_hyphenated(text, at)
        case "\u034f":
            return bool(behind) and unicodedata.combining(behind) != 0
        case "\u115f" | "\u1160":
            return "\u1100" <= before <= "\u11ff" or (sign == "\u115f" and "\u1161" <= behind <= "\u11ff")
        case "\u2800":
            return "\u2801" <= before <= "\u28ff" or "\u2801" <= behind <= "\u28ff"
        case _ if "\U000e0000" <= sign <= "\U000e007f":
            return any(_FLAG.match(text, start) for start in range(max(0, at - _FLAG_LENGTH + 1), at))
        case _:
            return _varies(sign, before)


def _joins(text: str, at: int) -> bool:
    """A joiner between emoji, or at a letter of a script that uses joiners, with no foreign letter at it."""
    before, behind = text[at - 1 : at], text[at + 1 : at + 2]
    if text[at] == "\u200d" and _EMOJI.match(behind):
        left = at - 1
        while left >= 0 and text[left] in _STYLE:
            left -= 1
        return left >= 0 and _EMOJI.match(text[left]) is not None
    if behind in ("\u200c", "\u200d") and behind:
        return False
    own = [bool(_JOINER_SCRIPTS.match(near)) for near in (before, behind)]
    blank = [not near or not near.isalnum() for near in (before, behind)]
    return any(own) and all(is_own or is_blank for is_own, is_blank in zip(own, blank, strict=True))


def _runs_from_the_right(text: str, at: int) -> bool:
    """A single mark of direction in a line that has letters of both directions, or some from right to left."""
    if text[at + 1 : at + 2] in ("\u061c", "\u200e", "\u200f") and at + 1 < len(text):
        return False
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    line = text[start : end if end >= 0 else len(text)]
    return any(letter.isalpha() and unicodedata.bidirectional(letter) in ("R", "AL") for letter in line)


def _may_be_hyphenated(text: str, at: int) -> bool:
    """A long word, broken where a typesetter would."""
    left = re.search(r"[^\W\d_]*$", text[max(0, at - 40) : at].replace("\u00ad", ""))
    right = re.match(r"[^\W\d_]*", text[at + 1 : at + 41].replace("\u00ad", ""))
    parts = [len(part[0]) if part else 0 for part in (left, right)]
    near = text[max(0, at - 2) : at] + text[at + 1 : at + 3]
    return min(parts) > 1 and sum(parts) >= _LONG_WORD and "\u00ad" not in near


def _varies(sign: str, before: str) -> bool:
    """A single selector behind something that has variants."""
    if not before:
        return False
    if sign in _STYLE:
        return _EMOJI.match(before) is not None or before in "0123456789#*" or unicodedata.category(before)[0] == "S"
    if "\ufe00" <= sign <= "\ufe0d":
        return unicodedata.category(before) in ("Sm", "Lo")
    if "\u180b" <= sign <= "\u180f":
        return "\u1820" <= before <= "\u18af"
    return "\U000e0100" <= sign <= "\U000e01ef" and unicodedata.name(before, "").startswith("CJK")
