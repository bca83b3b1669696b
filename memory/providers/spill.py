"""What becomes of a large text: passed whole, or put into a file of which head, tail and path are shown. Pure, but
for writing that file.

Recall has a ceiling of its own; outputs of tools and hooks go by `hooks.output_spill` alone. Sweeping the folder is
maintenance's.
"""

from __future__ import annotations

import hashlib
import os
import threading
from dataclasses import dataclass
from pathlib import Path

FOLDER = "spill"
"""The folder in the profile's cache, where none is configured."""

SUFFIX = ".txt"
LEAST_CEILING = 100_000
"""Characters of recall that are always passed whole where no preview is asked for."""

TIMES = 10
"""The ceiling as a multiple of `hooks.output_spill.max_chars`."""


@dataclass(frozen=True, slots=True)
class Rules:
    """`hooks.output_spill` in characters, and `memory.prefetch_spill_enabled` as `recall`. `room` is what a recall
    may take where the model's window is known; None: nothing is known."""

    enabled: bool = True
    max_chars: int = 10_000
    preview_chars: int = 2_000
    recall: bool = False
    room: int | None = None

    @property
    def ceiling(self) -> int:
        """Characters up to which a recall is passed whole when there are no previews."""
        return max(LEAST_CEILING, TIMES * self.max_chars)

    @property
    def recall_limit(self) -> int:
        """Characters up to which a recall is passed whole, all told."""
        limit = min(self.max_chars, self.ceiling) if self.enabled and self.recall else self.ceiling
        return limit if self.room is None else min(limit, self.room)

    @property
    def recall_preview(self) -> int:
        """Characters of a recall's head and tail together."""
        return self.preview_chars if self.room is None else min(self.preview_chars, self.room)

    def recall_spills(self, text: str) -> bool:
        """Whether a recall goes to a file."""
        return len(text) > self.recall_limit

    def output_spills(self, text: str) -> bool:
        """Whether the output of a tool or a hook goes to a file."""
        return self.enabled and len(text) > self.max_chars


@dataclass(frozen=True, slots=True)
class Shown:
    """Beginning and end of a text, and how many characters lie between."""

    head: str
    tail: str
    left_out: int


def ends(text: str, characters: int) -> Shown:
    """Two thirds of the `characters` from the beginning, one third from the end."""
    first = max(0, characters - characters // 3)
    last = max(0, characters // 3)
    if len(text) <= first + last:
        return Shown(text, "", 0)
    return Shown(text[:first], text[len(text) - last :] if last else "", len(text) - first - last)


def preview(shown: Shown, path: Path | None, total: int) -> str:
    """Head, tail and path, as one text; where nothing was left out, the text alone. `path` None: there is no file, it
    could not be written."""
    if not shown.left_out:
        return shown.head
    where = f"the whole text is in {path}" if path is not None else "the whole text could not be kept"
    gap = f"[… {shown.left_out:,} of {total:,} characters left out here; {where} …]"
    return "\n".join(piece for piece in (shown.head, gap, shown.tail) if piece)


def write(folder: Path, text: str) -> Path:
    """The file with this text, named by its content and readable by its owner only; the same text has one file.
    Touches the disk: for a thread. Raises OSError."""
    data = text.encode("utf-8", "replace")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{hashlib.sha256(data).hexdigest()[:24]}{SUFFIX}"
    if path.is_file() and path.stat().st_size == len(data):
        os.utime(path)
        return path
    draft = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}.part")  # several may write the same text
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return path


def spill_output(text: str, rules: Rules, folder: Path) -> str:
    """The output of a tool or a hook as it is to be read: whole, or as a preview of what lies in a file. For a
    thread."""
    if not rules.output_spills(text):
        return text
    return preview(ends(text, rules.preview_chars), kept(folder, text), len(text))


def kept(folder: Path, text: str) -> Path | None:
    """The file; None where the disk takes none, or the folder's name is none."""
    try:
        return write(folder, text)
    except (OSError, ValueError):
        return None


def spilled(folder: Path) -> list[Path]:
    """The files that lie there, and leftovers of those that were being written. Reads the folder; nothing but what
    was spilled is named."""
    if not folder.is_dir():
        return []
    return sorted(each for each in folder.iterdir() if _ours(each.name) and not each.is_symlink())


def _ours(name: str) -> bool:
    stem, _, suffix = name.partition(".")
    hexadecimal = len(stem) == 24 and all(sign in "0123456789abcdef" for sign in stem)
    return hexadecimal and (f".{suffix}" == SUFFIX or suffix.endswith(".part"))
