"""The skills folder as it would be after the operations so far: what a batch sees. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Protocol

from memory.files import Unreadable
from memory.skills.model import SKILL_FILE, FileChange, digest
from memory.skills.tree import Kind

_LARGEST = 16 << 20
_MOST = 1000
"""Files of a skill that is put away, and bytes of each file that is touched."""


class Reader(Protocol):
    """How files below the skills folder are read: `Tree`, or a test's."""

    def kind(self, path: str) -> Kind | None: ...
    def read(self, path: str, most: int | None = None) -> bytes | None: ...
    def walk(self, path: str, *, hidden: bool = False) -> Iterator[tuple[str, Kind]]: ...


class Overlay:
    """Everything that reads raises `Unreadable`."""

    def __init__(self, tree: Reader) -> None:
        self._tree = tree
        self._after: dict[str, tuple[str, bytes | None]] = {}
        self.archives: list[str] = []

    def read(self, path: str) -> bytes | None:
        if path in self._after:
            return self._after[path][1]
        return None if self._gone(path) else self._tree.read(path, _LARGEST)

    def kind(self, path: str) -> Kind | None:
        if path in self._after:
            return "file" if self._after[path][1] is not None else None
        if any(each.startswith(f"{path}/") and after is not None for each, (_, after) in self._after.items()):
            return "folder"
        return None if self._gone(path) else self._tree.kind(path)

    def files(self, folder: str) -> list[str]:
        """The files of a skill, relative to it, without hidden ones and links; the first thousand."""
        there = set()
        if not self._gone(folder):
            there = {path for path, kind in islice(self._tree.walk(folder), _MOST) if kind == "file"}
        for path, (_, after) in self._after.items():
            if path.startswith(f"{folder}/"):
                relative = path.removeprefix(f"{folder}/")
                there = there | {relative} if after is not None else there - {relative}
        return sorted(there)

    def occupied(self, folder: str) -> bool:
        """Whether anything but empty folders is there."""
        if any(each.startswith(f"{folder}/") and after is not None for each, (_, after) in self._after.items()):
            return True
        return not self._gone(folder) and next(self._tree.walk(folder, hidden=True), None) is not None

    def write(self, skill: str, path: str, data: bytes | None) -> None:
        """Let a file of that skill have this content, or none."""
        self._after[path] = (skill, data)

    def archive(self, folder: str) -> None:
        """Put a skill away: what the operations did to it so far falls away as well."""
        for path in [each for each, (skill, _) in self._after.items() if skill == folder]:
            del self._after[path]
        if self._tree.kind(folder) == "folder":
            self.archives.append(folder)

    def changes(self) -> list[FileChange]:
        """What is different, in the order in which it was first touched. Of a skill that is put away, what people
        want to read: SKILL.md."""
        touched: list[tuple[str, str, bytes | None]] = [
            (f"{each}/{SKILL_FILE}", each, None) for each in self.archives
        ]
        touched += [(path, skill, after) for path, (skill, after) in self._after.items()]
        read = [FileChange(path, self._tree.read(path, _LARGEST), after, skill) for path, skill, after in touched]
        return [each for each in read if each.before != each.after]

    def pins(self) -> dict[str, str | None]:
        """What the files are now that would be changed or put away."""
        pins = {each.path: digest(each.before) for each in self.changes()}
        for folder in self.archives:
            pins |= pins_of(self._tree, folder)
        return pins

    def _gone(self, path: str) -> bool:
        return any(path == each or path.startswith(f"{each}/") for each in self.archives)


def pins_of(tree: Reader, folder: str) -> dict[str, str | None]:
    """The pins of what can be seen in a folder: the hash of a file, a word for what is none. Raises `Unreadable` for
    a folder that is too large to tell."""
    listed = list(islice(tree.walk(folder), _MOST + 1))
    if len(listed) > _MOST:
        raise Unreadable(f"{folder} holds more than {_MOST:,} files: a person has to put it away by hand.")
    paths = [(f"{folder}/{path}", kind) for path, kind in listed]
    return {path: digest(tree.read(path, _LARGEST)) if kind == "file" else kind for path, kind in paths}
