"""A draft as a unified diff, and how many lines a change adds and takes (pure)."""

from __future__ import annotations

import difflib
import re
from collections import Counter

from memory.scan.characters import unseen
from memory.skills.model import FileChange, SkillDraft

_COMPARED = 6000
"""Lines of both sides together that are compared in order; beyond, only which lines there are."""


_ENDS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|\r(?!\n)")
"""What some screens end a line with, or begin it anew with, where the file has none."""


def unified(draft: SkillDraft) -> str:
    """What the draft does, for people: every file, and what is put away. Signs that nobody would see are spelt out,
    since whoever says yes says it to them as well."""
    parts = []
    for folder in draft.archives:
        files = sum(1 for path in draft.pins if path.startswith(f"{folder}/"))
        parts.append(f"{folder}/ is put away with {files} file{'' if files == 1 else 's'}\n")
    parts += [_file(change) for change in draft.changes]
    return spelt_out("".join(parts))


def counts(before: bytes | None, after: bytes | None) -> tuple[int, int]:
    """Lines added and taken."""
    old, new = _split(before), _split(after)
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    if len(old) + len(new) > _COMPARED:
        return (Counter(new) - Counter(old)).total(), (Counter(old) - Counter(new)).total()
    added = taken = 0
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if tag != "equal":
            added, taken = added + j2 - j1, taken + i2 - i1
    return added, taken


def _file(change: FileChange) -> str:
    left = f"a/{change.path}" if change.before is not None else "/dev/null"
    right = f"b/{change.path}" if change.after is not None else "/dev/null"
    old, new = _text(change.before), _text(change.after)
    if old is None or new is None:
        sizes = [f"{len(data):,} bytes" if data is not None else "nothing" for data in (change.before, change.after)]
        return f"--- {left}\n+++ {right}\n{change.path} is no text: {sizes[0]} before, {sizes[1]} after\n"
    former, latter = _ended(old), _ended(new)
    if len(former) + len(latter) > _COMPARED and former and latter:
        lines = [f"--- {left}\n", f"+++ {right}\n", "@@ too long to compare: all of both @@\n"]
        lines += [f"-{line}" for line in former] + [f"+{line}" for line in latter]
    else:
        lines = list(difflib.unified_diff(former, latter, left, right))
    marked = [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines]
    return "".join(marked) or f"--- {left}\n+++ {right}\n(an empty file)\n"


def spelt_out(text: str) -> str:
    """The text with all of its signs to be seen: `\\u202e` for the one that turns the order of letters."""
    out, done = [], 0
    for run in unseen(text):
        out += [text[done : run.start], *map(_spelt, text[run.start : run.end])]
        done = run.end
    return _ENDS.sub(lambda sign: _spelt(sign[0]), "".join([*out, text[done:]]))


def _spelt(sign: str) -> str:
    return f"\\u{ord(sign):04x}" if sign <= "\uffff" else f"\\U{ord(sign):08x}"


def _text(data: bytes | None) -> str | None:
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError:
        return None


def _ended(text: str) -> list[str]:
    """Lines with their ends; only \\n ends one, since that is what files go by."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()
    return lines if last == "\n" else [*lines, last[:-1]]


def _split(data: bytes | None) -> list[bytes]:
    lines = (data or b"").split(b"\n")
    return lines[:-1] if lines[-1] == b"" else lines
