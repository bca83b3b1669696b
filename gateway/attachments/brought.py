"""What became of the files that came with a message, and the rows that hold them. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gateway.attachments.wording import fenced
from gateway.models.tokens import weight
from gateway.state.records import KeptFile, Row


@dataclass(frozen=True, slots=True)
class Paper:
    """A document's text as far as it was read; `left` characters follow, and `more` says where else it goes on."""

    name: str
    text: str
    left: int = 0
    more: str = ""


@dataclass(frozen=True, slots=True)
class Brought:
    """What there is of one file.

    `line` tells of it within the person's row. `file` is where it lies. `paper` is what a document says: a row of its
    own that nobody vouches for. `spoken` is what a voice message says: the person's own words. `told` is for the
    person; `deaf` marks a voice message that was not understood.
    """

    line: str = ""
    file: KeptFile | None = None
    paper: Paper | None = None
    spoken: str = ""
    told: str = ""
    deaf: bool = False


def files(brought: Iterable[Brought]) -> tuple[KeptFile, ...]:
    """The files of a person's row."""
    return tuple(each.file for each in brought if each.file is not None)


def papers(brought: Iterable[Brought], characters: int, tokens: float) -> list[Row]:
    """The rows that hold documents, which together take so many characters and tokens at most; what one does not need
    of its share is for the others behind it.

    They have no words of anybody's: the text is the gateway's own to hand over.
    """
    held, rows = [each.paper for each in brought if each.paper is not None], []
    for number, paper in enumerate(held):
        left = len(held) - number
        text = _fitting(paper.text, characters // left, tokens / left)
        characters, tokens = characters - len(text), tokens - weight(text)
        cut = len(paper.text) - len(text) + paper.left
        note = fenced(paper.name, text, f"{cut:,} more characters" if cut else "", paper.more)
        rows.append(Row("user", "", note=note, untrusted="document"))
    return rows


def _fitting(text: str, characters: int, tokens: float) -> str:
    """The beginning of a text that takes no more than this."""
    text = text[:characters]
    while text and (taken := weight(text)) > tokens:
        text = text[: min(len(text) - 1, int(len(text) * tokens / taken))]
    return text
