"""Tables where none can be drawn: as aligned text in a block of code, or as one list a row. Markdown in and out.

Owns finding tables, also a piece of one at the top of a part, and how wide they come out. Pure. Leaves showing
code and lists to each platform's `render`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from platforms.fences import FenceMap
from platforms.graphemes import width

PHONE = 60
"""How many columns of code a phone held upright or a narrow window shows without breaking lines."""

_BAR = re.compile(r"(?<!\\)\|")
_DASHES = re.compile(r":?-+:?")
_LINK = re.compile(r"\]\(|<?https?://|```")
_BREAK = re.compile(r"[ \t]?<br[ ]?/?>[ \t]?", re.IGNORECASE)
_MARKS = re.compile(r"(\*\*|__|~~|`)(?=\S)(.{1,200}?)(?<=\S)\1|(?<![\w*])\*(?=\S)([^*]{1,200})(?<=\S)\*(?![\w*])")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


@dataclass(frozen=True, slots=True)
class _Table:
    indent: str
    lines: tuple[str, ...]
    header: tuple[str, ...]  # none for a piece that another part began
    alignment: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def redrawn(markdown: str, columns: int | None = PHONE) -> str:
    """The text with each of its tables as a block of code of at most `columns` columns, else as a list for each row.

    With None for `columns` the rows are put into the block as they were written, which takes the least room.
    """
    if "|" not in markdown:
        return markdown
    lines = markdown.split("\n")
    fences = FenceMap(markdown)
    out: list[str] = []
    at = offset = 0
    while at < len(lines):
        table = None if fences.open_at(offset) else _table(lines, at)
        taken = lines[at : at + len(table.lines)] if table else lines[at : at + 1]
        out += _drawn(table, columns) if table else taken
        at += len(taken)
        offset += sum(len(line) + 1 for line in taken)
        if table and at < len(lines) and lines[at].strip():
            out.append("")
    return "\n".join(out)


def is_row(line: str) -> bool:
    """Whether a line looks like a row of a table with bars at both ends."""
    bare = line.strip()
    return len(bare) > 2 and bare[0] == bare[-1] == "|" and "||" not in bare and len(_BAR.findall(bare)) > 2


def _table(lines: Sequence[str], at: int) -> _Table | None:
    """The table that begins with line `at`, if one does."""
    if "|" not in lines[at]:
        return None
    header = cells(lines[at])
    dashes = cells(lines[at + 1]) if at + 1 < len(lines) and "-" in lines[at + 1] and "|" in lines[at + 1] else ()
    ruled = bool(dashes) and all(_DASHES.fullmatch(each) for each in dashes)
    whole = ruled and len(dashes) == len(header)
    if not whole and (at or ruled or not is_row(lines[0]) or all(_DASHES.fullmatch(each) for each in header)):
        return None
    first = at + 2 if whole else at
    end = first
    while end < len(lines) and "|" in lines[end] and lines[end].strip() and (whole or is_row(lines[end])):
        end += 1
    rows = tuple(cells(line) for line in lines[first:end])
    if not whole and any(len(row) != len(header) for row in rows):
        return None
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip(" \t"))]
    if whole and not indent and lines[at][:1] in ">-*+#":
        return None  # a quoted table, or one that begins in the line of a list's item, is left as it is
    return _Table(indent, tuple(lines[at:end]), header if whole else (), dashes if whole else (), rows)


def cells(line: str) -> tuple[str, ...]:
    """What stands between the bars of a row."""
    bare = line.strip().removeprefix("|")
    if bare.endswith("|") and not bare.endswith("\\|"):
        bare = bare[:-1]
    return tuple(cell.replace("\\|", "|").strip() for cell in _BAR.split(bare))


def _drawn(table: _Table, columns: int | None) -> list[str]:
    if columns is None:
        lines = [line.strip() for line in table.lines]
        block = None if any("```" in line for line in lines) else lines
    else:
        block = _aligned(table, columns)
    if block is None:
        return [table.indent + line if line else "" for line in _listed(table)]
    return [table.indent + line for line in ("```", *block, "```")]


def _aligned(table: _Table, columns: int) -> list[str] | None:
    """The table's lines, or None for what does not fit or would lose its links."""
    everything = (table.header, *table.rows) if table.header else table.rows
    count = len(everything[0])
    if any(_LINK.search(cell) for row in everything for cell in row):
        return None
    grid = [[_bare(cell) for cell in (*row[:count], *[""] * (count - len(row)))] for row in everything]
    sizes = [[width(cell) for cell in row] for row in grid]
    widths = [max(column) for column in zip(*sizes, strict=True)]
    if sum(widths) + 3 * (count - 1) > columns:
        return None
    lines = []
    for row, row_sizes in zip(grid, sizes, strict=True):
        padded = []
        for at, cell in enumerate(row):
            room = widths[at] - row_sizes[at]
            mark = table.alignment[at] if table.alignment else ""
            left = room // 2 if mark[:1] == mark[-1:] == ":" else room if mark.endswith(":") else 0
            padded.append(" " * left + cell + " " * (room - left))
        lines.append(" | ".join(padded).rstrip())
    if table.header:
        lines.insert(1, "-+-".join("-" * size for size in widths))
    return lines


def _listed(table: _Table) -> list[str]:
    """Each row as a list: the first cell heads it, the others follow below, empty ones left out."""
    lines: list[str] = []
    for row in table.rows or ((),):
        named = [
            (_bare(name), _BREAK.sub(" / ", cell))
            for name, cell in zip(table.header or ("",) * len(row), row, strict=False)
            if cell
        ]
        texts = [f"**{name}**: {cell}" if name else cell for name, cell in named]
        if not texts:
            texts = [" · ".join(_bare(cell) for cell in table.header)] if not table.rows else []
        if lines and texts:
            lines.append("")
        lines += [text if number == 0 else f"- {text}" for number, text in enumerate(texts)]
    return lines


def _bare(cell: str) -> str:
    """A cell as plain text, for where markup would be seen."""
    cell = _BREAK.sub(" / ", cell)
    if "\\" in cell:
        cell = _ESCAPE.sub(r"\1", cell)
    elif "*" in cell or "`" in cell or "__" in cell or "~~" in cell:
        cell = _MARKS.sub(lambda found: found[2] or found[3], cell)
    return cell
