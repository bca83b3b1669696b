"""Which entry a quoted text means: exactly, after evening out how signs are written, or only nearly. Pure.

What is then done to the entry belongs to `memory.operations`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

_PREVIEW = 80
_CLOSE = 3
_CLOSE_LENGTH = 300
_READ = 4000
"""Characters of a text that no entry holds that are compared with them."""

_SHRINKS = 8
"""How many times longer than every entry a text may be that could still be one after folding."""

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−⁃﹘"), "-")
_QUOTES = {**dict.fromkeys(map(ord, "‘’‚‛′‵`´‹›"), "'"), **dict.fromkeys(map(ord, "“”„‟″‶«»"), '"')}
_SIGNS = {**_DASHES, **_QUOTES}


@dataclass(frozen=True, slots=True)
class Match:
    """The span `start:end` of entry number `index`. `folded` when the letters agree only after folding."""

    index: int
    start: int
    end: int
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Missing:
    """No entry holds the text. `closest` are the nearest ones, best first, long ones cut."""

    closest: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Several:
    """Different entries hold the text. `previews` show it in its surroundings."""

    previews: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """One entry holds the text more than once."""

    times: int


def find(entries: Sequence[str], quoted: str, *, span: bool) -> Match | Missing | Several | Repeated:
    """What `quoted`, which is not blank, stands for.

    Equality with a whole entry beats containment; entries that are the same to the letter count as one. `span` (for
    a patch) needs the one place in the entry, and may be found by folding; otherwise the entry is enough.
    """
    quoted = quoted.replace("\r\n", "\n").replace("\r", "\n")
    for wanted in (quoted, quoted.strip()):
        if wanted in entries:
            return Match(entries.index(wanted), 0, len(wanted))
    exact = {index: places for index, entry in enumerate(entries) if (places := _places(entry, quoted))}
    if exact:
        return _one(entries, {index: [(at, at + len(quoted)) for at in exact[index]] for index in exact}, span, False)
    foldable = span and len(quoted) <= _SHRINKS * max(map(len, entries), default=0)
    return (_folded(entries, quoted) if foldable else None) or Missing(closest(entries, quoted))


def closest(entries: Sequence[str], quoted: str) -> tuple[str, ...]:
    """Up to three entries that are most like the text, best first."""
    from rapidfuzz import fuzz, process  # a quarter of the shell's patience, and rarely needed

    near = process.extract(quoted[:_READ], list(dict.fromkeys(entries)), scorer=fuzz.WRatio, limit=_CLOSE)
    return tuple(_cut(entry) for entry, _, _ in near)


def preview(entry: str, start: int, end: int) -> str:
    """The entry on one line; of a long one, what stands around the span."""
    if len(entry) > _PREVIEW:
        start = max(0, min(start - (_PREVIEW - (end - start)) // 2, len(entry) - _PREVIEW))
        end = start + _PREVIEW
        entry = ("…" if start else "") + entry[start:end] + ("…" if end < len(entry) else "")
    return " ".join(entry.split())


def _one(
    entries: Sequence[str], found: dict[int, list[tuple[int, int]]], span: bool, folded: bool
) -> Match | Several | Repeated:
    firsts = {entries[index]: index for index in reversed(found)}
    if len(firsts) > 1:
        ordered = sorted(firsts.values())
        return Several(tuple(preview(entries[index], *found[index][0]) for index in ordered))
    index = min(found)
    if span and len(found[index]) > 1:
        return Repeated(len(found[index]))
    return Match(index, *found[index][0], folded)


def _places(text: str, part: str) -> list[int]:
    """Where the part begins, overlaps included."""
    if not 0 < len(part) <= len(text):
        return []
    return [match.start() for match in re.finditer(f"(?={re.escape(part)})", text)]


def _cut(entry: str) -> str:
    return entry if len(entry) <= _CLOSE_LENGTH else entry[: _CLOSE_LENGTH - 1] + "…"


@dataclass(frozen=True, slots=True)
class _Fold:
    """A folded text. Character `n` of it comes from `origin[n]`, a span of the text that was folded."""

    text: str
    origin: tuple[tuple[int, int], ...]

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """The span in the original; None when an end falls inside one of its signs."""
        cut_before = start > 0 and self.origin[start - 1] == self.origin[start]
        cut_behind = end < len(self.origin) and self.origin[end - 1] == self.origin[end]
        return None if cut_before or cut_behind else (self.origin[start][0], self.origin[end - 1][1])


def _folded(entries: Sequence[str], quoted: str) -> Match | Several | Repeated | None:
    wanted = _fold(quoted).text.strip()
    if not wanted:
        return None
    folds = [_fold(entry) for entry in entries]
    whole = {index: [(0, len(entries[index]))] for index, fold in enumerate(folds) if fold.text == wanted}
    if whole:
        return _one(entries, whole, True, True)
    found: dict[int, list[tuple[int, int]]] = {}
    for index, fold in enumerate(folds):
        spans = [fold.span(at, at + len(wanted)) for at in _places(fold.text, wanted)]
        if places := [span for span in spans if span is not None]:
            found[index] = places
    return _one(entries, found, True, True) if found else None


def _fold(text: str) -> _Fold:
    """NFKC, one kind of dash and of quote, one space for any run of white space."""
    out: list[str] = []
    origin: list[tuple[int, int]] = []
    for start, end in _clusters(text):
        folded = unicodedata.normalize("NFKC", text[start:end].translate(_SIGNS)).translate(_SIGNS)
        folded = re.sub(r"\s+", " ", folded)
        if folded.startswith(" ") and out and out[-1] == " ":
            origin[-1] = (origin[-1][0], end if folded == " " else origin[-1][1])
            folded = folded[1:]
        out += folded
        origin += [(start, end)] * len(folded)
    return _Fold("".join(out), tuple(origin))


def _clusters(text: str) -> list[tuple[int, int]]:
    """The text in spans that normalise independently of their neighbours."""
    spans: list[tuple[int, int]] = []
    for at, sign in enumerate(text):
        if spans and not text[at - 1].isspace() and _joins(text[spans[-1][0] : at], sign):
            spans[-1] = (spans[-1][0], at + 1)
        else:
            spans.append((at, at + 1))
    return spans


def _joins(before: str, sign: str) -> bool:
    if sign.isascii():
        return False
    nfkc = unicodedata.normalize
    return unicodedata.combining(sign) != 0 or nfkc("NFKC", before + sign) != nfkc("NFKC", before) + nfkc(
        "NFKC", sign
    )
