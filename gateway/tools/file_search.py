"""Looking for files by their names and by what stands in them, bounded in results, time and bytes. For a thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gateway.tools.file_rules import NotShown, Rules, data_of, text_of

MOST = 50
"""Hits of one answer."""
IN_ONE_FILE = 10
SECONDS = 5.0
FILES = 50_000
"""Files whose names are looked at."""
LARGEST = 2_000_000
"""Bytes of a file that is looked into."""
AROUND = 120
"""Characters of a line to each side of what was looked for."""
LONGEST = 500
"""Characters of a glob, and of a text."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is looked for. Raises NotShown for a pattern that cannot be."""

    glob: str
    text: str

    def __post_init__(self) -> None:
        if max(len(self.glob), len(self.text)) > LONGEST:
            raise NotShown(f"glob and text have {LONGEST} characters at most")


def hits(rules: Rules, tops: Sequence[Path], wish: Wish, now: Callable[[], float]) -> dict[str, Any]:
    """`files`, or `hits` with line and text, and `incomplete` with the reason where not everything was looked at."""
    end, looked, stopped = now() + SECONDS, 0, ""
    found: list[dict[str, Any]] = []
    for path in rules.walk(tops):
        looked += 1
        if path is not None and len(found) >= MOST:
            stopped = f"the first {MOST}; narrow it with path or glob"
        elif looked > FILES:
            stopped = f"{FILES:,} files were looked at; narrow it with path"
        elif now() > end:
            stopped = f"it took more than {SECONDS:g} s; narrow it with path"
        if stopped:
            break
        if path is None:
            continue
        if wish.glob and not any(_fits(wish.glob, each) for each in _names(path, tops, wish.glob)):
            continue
        found += _within(path, wish.text) if wish.text else [{"path": str(path)}]
    body: dict[str, Any] = {"hits" if wish.text else "files": found[:MOST]}
    return {**body, **({"incomplete": stopped} if stopped else {})}


def _names(path: Path, tops: Sequence[Path], glob: str) -> list[str]:
    """What a glob is held against: the name alone where it has no folder, else the path below each top."""
    if "/" not in glob:
        return [path.name]
    return [path.relative_to(top).as_posix() for top in tops if path.is_relative_to(top)]


def _within(path: Path, text: str) -> list[dict[str, Any]]:
    """The lines of a file with the text in them; none of what cannot be read as text."""
    try:
        whole = text_of(data_of(path, LARGEST))
    except NotShown:
        return []
    wanted, found = text.casefold(), []
    if whole is None or wanted not in whole.casefold():
        return []
    for number, line in enumerate(whole.split("\n"), 1):
        at = line.casefold().find(wanted)
        if at < 0:
            continue
        shown = line[max(0, at - AROUND) : at + len(text) + AROUND].strip()
        found.append({"path": str(path), "line": number, "text": shown})
        if len(found) >= IN_ONE_FILE:
            break
    return found


def _fits(glob: str, path: str) -> bool:
    """`*` and `?` within a name, `**` over folders; any case."""
    return _alike(glob.casefold().split("/"), path.casefold().split("/"), "**", lambda one, name: _alike(one, name))


def _alike(
    pattern: Sequence[str],
    items: Sequence[str],
    any_number: str = "*",
    same: Callable[[str, str], bool] = lambda sign, other: sign in ("?", other),
) -> bool:
    """Whether a pattern of signs fits a name, or one of names a path. Goes back to the last star only, so that no
    pattern takes long."""
    at = place = 0
    star, done = -1, 0
    while place < len(items):
        if at < len(pattern) and pattern[at] == any_number:
            star, done, at = at, place, at + 1
        elif at < len(pattern) and same(pattern[at], items[place]):
            at, place = at + 1, place + 1
        elif star >= 0:
            done += 1
            at, place = star + 1, done
        else:
            return False
    return all(each == any_number for each in pattern[at:])
