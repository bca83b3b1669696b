"""Which downloaded weights nobody needs any more. Only those of the catalogue, which can be fetched again; a file
that a person put into the folder is theirs.

A file's time is when its model was last loaded, or fetched. Deleting is `pull.remove`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gateway.models.catalogue import CATALOGUE, DEFAULT_MODEL, Entry


@dataclass(frozen=True, slots=True)
class Unused:
    """Weights that no text names. `since` is when they were last loaded or fetched, in seconds since the epoch."""

    entry: Entry
    size: int
    since: float


def loaded_now(path: Path) -> None:
    """Note that these weights were loaded. A folder that takes no note is no reason to fail."""
    with suppress(OSError):
        os.utime(path)


def unused(models_folder: Path, texts: Iterable[str]) -> list[Unused]:
    """The catalogue's weights in this folder that none of the texts names, whatever the texts mean by it: settings,
    chosen models. The model that runs when nothing is configured always counts as named. Reads the folder."""
    named = "\n".join(texts).lower()
    found = []
    for entry in CATALOGUE:
        if entry.name == DEFAULT_MODEL or entry.name in named or entry.file.lower() in named:
            continue
        with suppress(FileNotFoundError):
            seen = (models_folder / entry.file).stat()
            found.append(Unused(entry, seen.st_size, seen.st_mtime))
    return found
