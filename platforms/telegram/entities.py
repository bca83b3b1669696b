"""Ranges of a text that Telegram formats, and what it demands of them. Pure.

Owns their nesting: code holds no other format, a quote no quote, and no two ranges cross.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

CODE = ("pre", "code")
QUOTES = ("blockquote", "expandable_blockquote")
STYLES = ("bold", "italic", "underline", "strikethrough", "spoiler")
MOST = 100
"""How many a message may have; Telegram drops those beyond."""


@dataclass(frozen=True, slots=True)
class Range:
    """One entity: `kind` as Telegram names it, `offset` and `length` in UTF-16 units."""

    kind: str
    offset: int
    length: int
    url: str | None = None
    language: str | None = None

    @property
    def end(self) -> int:
        return self.offset + self.length


def nested(ranges: Iterable[Range]) -> list[Range]:
    """The ranges without a quote inside a quote, styles without the code inside them, and cut where they cross."""
    found = sorted(ranges, key=lambda each: (each.offset, -each.length))
    if not _clash(found):
        return found
    found = found[:MOST]
    firm = _firm(found)
    code = [each for each in firm if each.kind in CODE]
    kept = [*firm]
    for each in found:
        if each.kind in STYLES:
            kept += (
                piece for piece in _cut(each, [*firm, *found]) if not any(_covers(block, piece) for block in code)
            )
    return sorted(kept, key=lambda each: (each.offset, -each.length))


def _clash(ordered: list[Range]) -> bool:
    """Whether any range crosses another, or stands where none may."""
    open_ranges: list[Range] = []
    for each in ordered:
        while open_ranges and open_ranges[-1].end <= each.offset:
            open_ranges.pop()
        for outer in open_ranges:
            if outer.end < each.end or outer.kind in CODE or (each.kind in CODE and outer.kind in STYLES):
                return True
            if outer.kind in QUOTES and each.kind in QUOTES:
                return True
        open_ranges.append(each)
    return False


def _firm(ordered: list[Range]) -> list[Range]:
    """Quotes, links and code that can stand together; where two clash, the first one or the outer one."""
    kept: list[Range] = []
    for each in ordered:
        around = [outer for outer in kept if outer.offset < each.end and each.offset < outer.end]
        allowed = all(
            outer.end >= each.end
            and outer.kind not in CODE
            and not (outer.kind in QUOTES and each.kind in QUOTES)
            and outer.kind != each.kind
            for outer in around
        )
        if each.kind not in STYLES and allowed:
            kept.append(each)
    return kept


def _cut(each: Range, others: list[Range]) -> Iterator[Range]:
    """The style in pieces, cut at the ends of all but styles in it, and of the styles that cross it."""
    borders = {each.end}
    for other in others:
        if other.kind not in STYLES or not (_covers(each, other) or _covers(other, each)):
            borders |= {at for at in (other.offset, other.end) if each.offset < at < each.end}
    start = each.offset
    for end in sorted(borders):
        yield replace(each, offset=start, length=end - start)
        start = end


def _covers(outer: Range, inner: Range) -> bool:
    return outer.offset <= inner.offset and inner.end <= outer.end
