"""Notices when a stream has begun to say the same thing for ever, and where to cut it.

Pure and incremental: each delta costs one search in a short tail. What to do about it belongs to answer.py.
"""

from __future__ import annotations

LONGEST_PERIOD = 200
"""Characters of the longest unit whose repetition is looked for."""
ENOUGH_CHARACTERS = 400
ENOUGH_REPEATS = 8
RULE_CHARACTERS = 2000
"""Lines, table frames and blank cells may be this long: they are made of `RULE` alone."""
RULE = frozenset(" \t\r\n-=_*#~.|+:<>/\\`·•─━│┃┼╂═║╬╌┄┈▏▕█░▒▓")
BLANK_LINES = 120
"""Line ends in a row, blanks aside, that nobody writes on purpose."""

_NEEDLE = 16
_TAIL = RULE_CHARACTERS + LONGEST_PERIOD
_STRIDE = 48
"""Characters between two looks."""


class RepetitionWatch:
    """Feed it the text as it comes; `period` is set as soon as the end of the text repeats itself.

    A unit of 1 to 200 characters counts once it fills 400 characters and eight repeats (2,000 characters when it
    holds nothing but rules, frames and blanks). `period` 0 stands for endless line ends.
    """

    __slots__ = ("_blank_lines", "_tail", "_unseen", "period")

    def __init__(self) -> None:
        self.period: int | None = None
        self._tail = ""
        self._unseen = 0
        self._blank_lines = 0

    def feed(self, text: str) -> bool:
        """Whether the stream should be stopped now."""
        if self.period is not None or not text:
            return self.period is not None
        self._count_line_ends(text)
        self._tail = (self._tail + text)[-max(_TAIL, len(text)) :]
        self._unseen += len(text)
        if self.period is None and self._unseen >= _STRIDE:
            self._unseen = 0
            self.period = period_at_end(self._tail)
            self._tail = self._tail[-_TAIL:]
        return self.period is not None

    def _count_line_ends(self, text: str) -> None:
        said = text.rstrip()
        if said:
            self._blank_lines = 0
        self._blank_lines += text[len(said) :].count("\n")
        if self._blank_lines >= BLANK_LINES:
            self.period = 0


def period_at_end(text: str) -> int | None:
    """The shortest unit that the end of `text` repeats often enough, in characters; None when there is none."""
    if len(text) < ENOUGH_CHARACTERS:
        return None
    needle = text[-_NEEDLE:]
    end = len(text) - 1
    for _ in range(LONGEST_PERIOD):
        found = text.rfind(needle, max(0, len(text) - _NEEDLE - LONGEST_PERIOD), end)
        if found < 0:
            return None
        period = len(text) - _NEEDLE - found
        if _repeats(text, period):
            return period
        end = found + _NEEDLE - 1
    return None


def _repeats(text: str, period: int) -> bool:
    unit = text[-period:]
    least = RULE_CHARACTERS if RULE.issuperset(unit) else ENOUGH_CHARACTERS
    length = max(least, ENOUGH_REPEATS * period)
    if len(text) < length:
        return False
    return text[-length:-period] == text[-length + period :]


def cut_to_one(text: str, period: int) -> str:
    """`text` without the repetition at its end: one unit is left (none of the line ends when `period` is 0)."""
    if period <= 0:
        return text.rstrip()
    start = len(text) - period
    while start > 0 and text[start - 1] == text[start - 1 + period]:
        start -= 1
    return text[: start + period].rstrip()
