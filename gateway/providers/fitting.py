"""What was recalled, made fit for a prompt: large texts spilled, bad passages withheld.

Owns how passages are told apart and looked at. Which phrases are bad is memory/scan's matter, the marks around the
result gateway/agent/recalled.py's. Everything here is for a thread.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memory.providers.spill import Rules, Shown, ends, kept, preview
from memory.scan.scanner import verdict

PASSAGE = 1500
"""Characters of a passage, about: what is withheld is withheld with its neighbourhood, not with all the rest."""

SEAM = 300
"""Characters on either side of a border between passages that are looked at together."""

SCAN_SECONDS = 10.0
"""How long the scan of one recall may take; what it did not come to is withheld."""

LARGEST = 20_000_000
"""Characters of an answer; more is taken for garbage."""


@dataclass(frozen=True, slots=True)
class Fit:
    """What may be shown, the rules that withheld passages, and whether only a part is shown; `path` is the file that
    holds the whole then, None where it could not be written."""

    text: str
    withheld: tuple[str, ...] = ()
    spilled: bool = False
    path: Path | None = None


def fit(text: str, rules: Rules, folder: Path, clock: Callable[[], float] = time.monotonic) -> Fit:
    """A recall as it is to be read. The scan sees exactly what is shown; a file is text from outside to whoever reads
    it."""
    if not rules.recall_spills(text):
        clean, withheld = scanned(text, clock)
        return Fit(clean, withheld)
    path, shown = kept(folder, text), ends(text, rules.recall_preview)
    together, withheld = scanned("\n".join(filter(None, (shown.head, shown.tail))), clock)
    if withheld:
        return Fit(f"{together}\n{preview(Shown('', '', shown.left_out), path, len(text))}", withheld, True, path)
    return Fit(preview(shown, path, len(text)), (), True, path)


def scanned(text: str, clock: Callable[[], float] = time.monotonic) -> tuple[str, tuple[str, ...]]:
    """The text with a line in place of each passage that the threat scan objects to, and the rules by name."""
    until, rules = clock() + SCAN_SECONDS, dict[str, None]()
    passages = list(_passages(text))
    bad: dict[int, str] = {}
    for number, passage in enumerate(passages):
        rule = verdict(passage) if clock() < until else "not looked at in time"
        if rule is not None:
            bad[number] = rule
    for number in range(1, len(passages)):
        if number in bad or number - 1 in bad:
            continue
        rule = verdict(passages[number - 1][-SEAM:] + passages[number][:SEAM]) if clock() < until else None
        if rule is not None:
            bad |= {number - 1: rule, number: rule}
    rules |= dict.fromkeys(bad.values())
    lines = [f"[withheld by the threat scan: {bad[at]}]\n" if at in bad else each for at, each in enumerate(passages)]
    shown = [each for at, each in enumerate(lines) if not (at in bad and at and lines[at - 1] == each)]
    return "".join(shown).rstrip("\n"), tuple(rules)


def _passages(text: str) -> Iterator[str]:
    """The text in pieces of whole lines, or of whole words where a line is long; together they are the text."""
    piece = ""
    for line in text.splitlines(keepends=True):
        for part in _parts(line):
            if piece and len(piece) + len(part) > PASSAGE:
                yield piece
                piece = ""
            piece += part
    if piece:
        yield piece


def _parts(line: str) -> Iterator[str]:
    if len(line) <= PASSAGE:
        yield line
        return
    at = 0
    while at < len(line):
        end = min(len(line), at + PASSAGE)
        if end < len(line) and (space := re.search(r"\s\S*\Z", line[at:end])) is not None and space.start() > 0:
            end = at + space.start() + 1
        yield line[at:end]
        at = end
