"""All stores of one profile's memories folder: the owner's two files, and those of other people and of rooms.

They share one lock and one journal. Which chat sees which files is the gateway's matter.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from memory.files import LOCK_SECONDS, FileTrouble, alias, clear_strays, locked
from memory.journal import Record, journal
from memory.model import Limits, Target, misnamed
from memory.store import Check, Decide, Stores

OWN: Mapping[Target, str] = {target: target.file_name for target in Target}
"""The owner's files."""


class Shelf:
    """`check` and `decide` act on every store; the other arguments are those of `Stores`."""

    def __init__(
        self,
        folder: Path,
        limits: Callable[[], Limits],
        now: Callable[[], float],
        *,
        check: Check | None = None,
        decide: Decide | None = None,
        patience: float = LOCK_SECONDS,
    ) -> None:
        self._folder = folder
        self._limits = limits
        self._now = now
        self._check = check
        self._decide = decide
        self._patience = patience
        self._journal = journal(folder)
        self.own = self.of(OWN)

    def of(self, files: Mapping[Target, str]) -> Stores:
        """The stores for these files (`{Target.USER: "people/telegram-7.md"}`); a target without a file is off."""
        return Stores(
            self._folder,
            self._limits,
            self._now,
            check=self._check,
            decide=self._decide,
            files=files,
            patience=self._patience,
            record=self._journal,
        )

    def others(self) -> list[str]:
        """The files that are there beside the owner's, relative to the folder."""
        return sorted(path.relative_to(self._folder).as_posix() for path in self._folder.glob("*/*.md"))

    def repair(self) -> list[str]:
        """`Stores.repair` for all files."""
        lines = self.own.repair()
        folders = [each for each in self._folder.glob("*") if each.is_dir()]
        if not folders:
            return lines
        try:
            with locked(self._folder / ".lock", self._patience):
                if strays := sum(clear_strays(folder / "*.md") for folder in folders):
                    lines.append(f"{strays} half-written files of people and rooms were removed")
        except FileTrouble as error:
            lines.append(str(error))
        return lines

    def renamed(self, old: str, new: str) -> None:
        """A file gets a second name in its folder; what was noted under the first one still holds. Raises
        `FileTrouble`."""
        with locked(self._folder / ".lock", self._patience):
            alias(self._folder / new, self._folder / old)

    def made(self, message: str) -> list[Record]:
        """The changes that came of one message (`turn:12`), in all files, the oldest first. Raises `FileTrouble`."""
        return [each for each in self.changes() if each.author.message == message]

    def changes(self) -> list[Record]:
        """All changes, in all files, the oldest first. Raises `FileTrouble`."""
        return self._journal.records()

    def holding(self, target: Target, file: str) -> Stores:
        """The store of one file, as a pending write or the journal names it. Raises ValueError for a name that leads
        out of the folder, be it by a link. (The owner's own two may be links: people keep them elsewhere.)"""
        if (why := misnamed(target, file)) is not None:
            raise ValueError(why)
        within = Path(os.path.realpath(self._folder / file)).is_relative_to(os.path.realpath(self._folder))
        if file != OWN[target] and not within:
            raise ValueError(f"{file!r} is a link that leads out of the folder")
        return self.of({target: file})
