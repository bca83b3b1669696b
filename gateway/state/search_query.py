"""What somebody typed into a search, as terms that a message must hold (pure): any text is a query.

Operators are phrases in quotes, `-word`, `OR`, `word*`, and `before:`, `after:`, `in:`, `from:` with a value that
means something; everything else is text. How an index is asked for a term, and how rows are found, is for others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from types import MappingProxyType
from typing import Literal

from gateway.state.search_fold import fold, fold_name
from gateway.state.search_prepare import QUIET, SIGNS
from gateway.state.search_scripts import LETTER, MARKS, UNSPACED

TERMS = 64
"""Terms of one query that are looked at."""

FANCY = re.compile("[\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\uff02]")
ITEM = re.compile(r'(?P<no>-?)"(?P<quoted>[^"]*)"|(?P<key>before|after|in|from):"(?P<named>[^"]+)"|(?P<bare>[^\s"]+)')
OPERATOR = re.compile(r"(before|after|in|from):(.+)", re.IGNORECASE | re.DOTALL)
DAY = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T_](\d{1,2}):(\d{2})(?::(\d{2}))?)?)?)?$")
FRONT, BACK = "\"'([{<,;:!?\u3001\u3002\u00a1\u00bf", "\"')]}>,;:!?.\u3001\u3002\u2026"
"""Signs of sentences at the edges of a word: they are no part of what is searched for."""

FLAGS = range(0x1F1E6, 0x1F200)
"""Letters of flags; two of them are one flag."""

JOINER = "\u200d"
WORDLIKE = re.compile(f"{LETTER}|[{MARKS}]")
RUNNING = re.compile(f"[{UNSPACED}]")
GAP = r"[\W_]+"
"""What may stand between words of a phrase."""

PLAINLY = MappingProxyType({"": True, **{chr(sign): not chr(sign).isalnum() for sign in range(128)}})
"""Whether what stands beside an ASCII letter or digit is no part of its word, for what is ASCII or nothing."""

ALWAYS = MappingProxyType(dict.fromkeys(PLAINLY, True))
"""The same beside another ASCII sign."""

UNKNOWN: Mapping[str, bool] = MappingProxyType({})

ROLES = {
    "user": "user",
    "me": "user",
    "person": "user",
    "human": "user",
    "assistant": "assistant",
    "bot": "assistant",
    "agent": "assistant",
}


@dataclass(frozen=True, slots=True)
class Term:
    """Words that stand one after the other, as they were folded; `prefix`: the last one may go on."""

    chunks: tuple[str, ...]
    prefix: bool = False

    def spots(self, folded: str) -> Iterator[tuple[int, int]]:
        """Where a folded text holds the term, from beginning to end, one after the other; not within longer words.

        Written out, since compiling a regular expression with the classes of letters takes milliseconds."""
        first, last = self.chunks[0], self.chunks[-1]
        phrase = None if len(self.chunks) == 1 else re.compile(GAP.join(map(re.escape, self.chunks)))
        before, behind = _known(first[0]), _known(last[-1])
        at = 0
        while True:
            if phrase is None:
                start = folded.find(first, at)
                end = start + len(first)
            else:
                found = phrase.search(folded, at)
                start, end = (-1, -1) if found is None else found.span()
            if start < 0:
                return
            begins = before.get(folded[start - 1 : start])
            ends = self.prefix or behind.get(folded[end : end + 1])
            if (_begins(folded, start) if begins is None else begins) and (
                _ends(folded, end, last[-1]) if ends is None else ends
            ):
                yield start, end
                at = end
            else:
                at = start + 1

    @property
    def text(self) -> str:
        return " ".join(self.chunks)


@dataclass(frozen=True, slots=True)
class Query:
    """A message must hold all terms of one of `either` (of none, when that is empty) and none of `without`.

    `before` and `after` are moments in seconds since the epoch, the second one included. `places` are beginnings of
    chats' keys or of sessions' ids; `sender` is a role, or the name that a line of a room begins with.
    """

    either: tuple[tuple[Term, ...], ...] = ()
    without: tuple[Term, ...] = ()
    before: float | None = None
    after: float | None = None
    places: tuple[str, ...] = ()
    sender: str = ""

    @property
    def role(self) -> Literal["user", "assistant"] | None:
        match ROLES.get(self.sender):
            case "user":
                return "user"
            case "assistant":
                return "assistant"
            case _:
                return None

    @property
    def empty(self) -> bool:
        """Whether nothing was asked for at all."""
        return not self.either and not self.places and not self.sender and self.before is None and self.after is None


def parse(text: str, now: float, zone: tzinfo | None = None) -> Query:
    """The query that a text is. Dates are days of `zone`, by default the machine's."""
    reader = _Reader(now, zone)
    for found in ITEM.finditer(FANCY.sub('"', text)):
        reader.take(found)
    return reader.query()


@dataclass(slots=True)
class _Reader:
    """What has been read of a query so far."""

    now: float
    zone: tzinfo | None
    either: list[list[Term]] = field(default_factory=lambda: [[]])
    without: list[Term] = field(default_factory=list)
    hyphened: list[Term] = field(default_factory=list)
    filters: dict[str, float] = field(default_factory=dict)
    places: list[str] = field(default_factory=list)
    sender: str = ""
    ors: int = 0

    def take(self, found: re.Match[str]) -> None:
        match found.lastgroup:
            case "quoted":
                term = _phrase(found["quoted"])
                (self.without if found["no"] else self.either[-1]).extend(term)
            case "named":
                if not self._filter(found["key"], found["named"]):
                    self._text(found["named"])
            case _:
                self._bare(found["bare"])

    def _bare(self, word: str) -> None:
        if word == "OR":
            self.ors += 1
            if self.either[-1]:
                self.either.append([])
            return
        operator = OPERATOR.match(word)
        if operator is not None and self._filter(operator[1].lower(), operator[2]):
            return
        if len(word) > 1 and word[0] == "-" and word[1] != "-" and (terms := _word(word[1:])):
            self.without += terms
            self.hyphened += [Term((fold(word),))]
            return
        self._text(word)

    def _text(self, word: str) -> None:
        self.either[-1] += _word(word)

    def _filter(self, key: str, value: str) -> bool:
        """Whether this is an operator: a date that is none makes it text."""
        match key:
            case "before" | "after":
                moment = _moment(value, self.now, self.zone)
                if moment is None:
                    return False
                nearer = max if key == "after" else min
                self.filters[key] = nearer(moment, self.filters.get(key, moment))
            case "in":
                self.places.append(fold_name(value))
            case _:
                self.sender = fold(value)
        return True

    def query(self) -> Query:
        groups = [tuple(group[:TERMS]) for group in self.either if group]
        without = self.without
        if not groups and self.hyphened and not self.filters and not self.places and not self.sender:
            groups, without = [tuple(self.hyphened[:TERMS])], []  # nothing but "-5" is the text "-5"
        if not groups and self.ors:
            groups = [(Term(("or",)),)]
        before, after = self.filters.get("before"), self.filters.get("after")
        return Query(tuple(groups[:TERMS]), tuple(without[:TERMS]), before, after, tuple(self.places), self.sender)


def _phrase(text: str) -> list[Term]:
    chunks = tuple(each for word in fold(text).split() if (each := _bared(word)))
    return [Term(chunks)] if chunks else []


def _word(text: str) -> list[Term]:
    """One word of a query; folding may have found spaces in it, which make several."""
    terms = []
    for word in fold(text).split():
        bared = _bared(word)
        prefix = len(bared) > 1 and bared[-1] == "*" and SIGNS.fullmatch(bared[-2]) is None
        if bared := bared[:-1] if prefix else bared:
            terms.append(Term((bared,), prefix))
    return terms


def _bared(word: str) -> str:
    """A word without the signs of the sentence around it; empty when there is nothing else."""
    bare = word.lstrip(FRONT).rstrip(BACK)
    if all(each in QUIET for each in bare):
        bare = word  # nothing but signs, as in "->"
    return bare if any(each not in QUIET for each in bare) else ""


def _known(sign: str) -> Mapping[str, bool]:
    """What stands beside this sign and is known to belong to it, or not; most messages need to be asked no more."""
    if not sign.isascii():
        return UNKNOWN
    return PLAINLY if sign.isalnum() else ALWAYS


def _begins(folded: str, start: int) -> bool:
    """Whether nothing before this place belongs to the sign that stands there."""
    if start == 0:
        return True
    sign, before = folded[start], folded[start - 1]
    if ord(sign) in FLAGS:
        run = start
        while run and ord(folded[run - 1]) in FLAGS:
            run -= 1
        return (start - run) % 2 == 0
    return _apart(sign, before)


def _ends(folded: str, end: int, sign: str) -> bool:
    """Whether nothing behind this place belongs to the sign before it."""
    return end == len(folded) or _apart(sign, folded[end])


def _apart(sign: str, beside: str) -> bool:
    if sign.isascii() and beside.isascii():
        return not (sign.isalnum() and beside.isalnum())
    if WORDLIKE.match(sign):
        return WORDLIKE.match(beside) is None
    return beside != JOINER or RUNNING.match(sign) is not None


def _moment(text: str, now: float, zone: tzinfo | None) -> float | None:
    """The beginning of a year, a month, a day, or a minute; None for what is no date."""
    here = datetime.fromtimestamp(now, zone)
    today = here.replace(hour=0, minute=0, second=0, microsecond=0)
    if text.lower() in ("today", "yesterday"):
        return (today - timedelta(days=text.lower() == "yesterday")).timestamp()
    found = DAY.match(text)
    if found is None:
        return None
    numbers = [int(each) if each else None for each in found.groups()]
    year, month, day, hour, minute, second = numbers
    try:
        return datetime(year or 0, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=zone).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
