"""What is wrong with a store's file, and how the journal's last open change ended. For writers and for the start.

Callers hold the lock, except for `drift`, `ailments` and other readers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from memory.entries import parse, round_trips
from memory.files import digest, read_bytes
from memory.journal import Journal, Record
from memory.usage import usage


def drift(text: str, entries: Sequence[str], limit: int) -> str | None:
    """Why entries of a hand-edited file cannot be changed safely, as words that follow "the file"; None when they
    can."""
    if not round_trips(text):
        return (
            "was edited by hand and would not come back the same: an entry in it is empty, or blank lines stand "
            "around a line that is exactly §. Put each entry between such lines, with no blank line around them"
        )
    longest = max(map(len, entries), default=0)
    if longest > limit:
        return (
            f"holds an entry of {longest:,} characters, more than the whole limit of {limit:,}. Perhaps lines that "
            "are exactly § are missing between entries: split or shorten it by hand, or raise the limit"
        )
    return None


def ailments(name: str, text: str, limit: int) -> list[str]:
    """What a person should know about a file that can be read, one line each."""
    entries = parse(text)
    lines = []
    if (why := drift(text, entries, limit)) is not None:
        lines.append(f"{name} {why}. Until then nothing in it can be patched or removed.")
    if (used := usage(entries, limit)).over:
        lines.append(
            f"{name} is over its limit by {used.over:,} characters ({used}). It is used whole, and accepts only "
            "changes that make it shorter."
        )
    return lines


def settle(journal: Journal, path_of: Callable[[str], Path]) -> bool | None:
    """Close the change that a writer left open: whether it happened; None when none was open.

    A change that did not reach the file is given back, not made up for: nobody was told that it was made. Raises
    `FileTrouble`.
    """
    begun = journal.open()
    if begun is None:
        return None
    data = read_bytes(path_of(begun.record.file))
    match digest(data):
        case begun.record.result:
            happened = True
        case begun.before:
            happened = False
        case _:
            # Somebody edited the file after the crash: the entries themselves tell.
            happened = _shows(parse((data or b"").decode("utf-8", "replace")), begun.record)
    journal.close(begun.record.id, happened=happened)
    return happened


def _shows(entries: Sequence[str], record: Record) -> bool:
    gone = {change.before for change in record.changes} - {change.after for change in record.changes}
    come = {change.after for change in record.changes} - {change.before for change in record.changes}
    return (come - {None}) <= set(entries) and not (gone & set(entries))
