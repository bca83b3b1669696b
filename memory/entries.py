"""Between a memory file's text and its entries: parsing, joining, and what an entry may look like. Pure.

Reading and writing files belongs to `memory.files`, counting to `memory.usage`.
"""

from __future__ import annotations

from collections.abc import Iterable

SEPARATOR = "§"
"""A line that is exactly this parts two entries; inside a line it is an ordinary character."""

JOINT = f"\n{SEPARATOR}\n"

_BOM = "\ufeff"


def parse(text: str) -> tuple[str, ...]:
    """The entries of a file's text. Editors' traces (byte order marks, CRLF, blank lines around entries) are no part
    of an entry, and what is blank between two separators is none."""
    blocks: list[list[str]] = [[]]
    for line in _lines(text):
        if _separates(line):
            blocks.append([])
        else:
            blocks[-1].append(line)
    entries = (_trimmed(block) for block in blocks)
    return tuple(entry for entry in entries if entry)


def serialise(entries: Iterable[str]) -> str:
    """The file's text for these entries; the empty string for none. The inverse of `parse` for accepted entries."""
    return JOINT.join(entries)


def round_trips(text: str) -> bool:
    """Whether writing back what was parsed gives the same text, the editor's traces at its ends aside."""
    return serialise(parse(text)) == _trimmed(_lines(text))


def appended(text: str, entries: Iterable[str]) -> str:
    """The text with further entries behind it, and all that stands there kept to the letter."""
    for entry in entries:
        lines = _lines(text)
        while lines and not lines[-1].strip():
            lines.pop()
        kept = text.rstrip() if lines else ""
        joint = "" if not kept.strip(_BOM) else "\n" if _separates(lines[-1]) else JOINT
        text = kept + joint + entry
    return text


def tidy(content: str) -> str:
    """A new content as it would be kept: unix line ends, nothing blank and no byte order mark around it."""
    text = content
    while (shorter := _trimmed(_lines(text.strip()))) != text:
        text = shorter
    return text


def objection(content: str) -> str | None:
    """Why a tidied content cannot be an entry, as a sentence for people and models; None when it can."""
    if not content:
        return "There is nothing to keep: the content is empty."
    if any(map(_separates, content.split("\n"))):
        return f"A line that is exactly {SEPARATOR} would split the entry in two: write the sign within a line."
    if any("\ud800" <= character <= "\udfff" for character in content):
        return "The content holds half a character (a lone surrogate), which no file can store."
    return None


def _lines(text: str) -> list[str]:
    # Not splitlines(): it also splits at signs that may stand inside an entry.
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _separates(line: str) -> bool:
    # Files that were put together from several ones have byte order marks in the middle.
    return line.lstrip(_BOM) == SEPARATOR


def _trimmed(lines: list[str]) -> str:
    """The lines as one text, without blank lines at either end; white space within a line is kept."""
    filled = [number for number, line in enumerate(lines) if line.replace(_BOM, "").strip()]
    return "\n".join(lines[filled[0] : filled[-1] + 1]).lstrip(_BOM) if filled else ""
