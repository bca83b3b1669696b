"""What the archive and the journal give back: where an archived skill was, and the steps that take a change back."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.files import Unreadable
from memory.skills.journal import Content, Deed, Deeds, Move, Write
from memory.skills.model import ARCHIVE, SKILL_FILE, FileChange, digest
from memory.skills.tree import Tree

_PLACE = re.compile(r"\.archive/(?P<place>(?:[^/@]+/)?(?P<name>[^/@]+))@(?P<when>\d{8}T\d{6}Z(?:-\d+)?)")


def archived_as(path: str) -> tuple[str, str]:
    """The place that a skill in the archive had, and its name. Raises ValueError for what is none."""
    match = _PLACE.fullmatch(path)
    if match is None:
        raise ValueError(f"{path} is no place of the archive")
    return match["place"], match["name"]


def archived_places(tree: Tree) -> list[str]:
    """Every skill in the archive, the one that was put away first at the head. Raises `Unreadable`."""
    return sorted(_listed(tree), key=lambda each: _order(each.rpartition("@")[2]))


def _listed(tree: Tree) -> Iterator[str]:
    for name, kind in tree.names(ARCHIVE):
        if kind != "folder":
            continue
        if _PLACE.fullmatch(f"{ARCHIVE}/{name}"):
            yield f"{ARCHIVE}/{name}"
            continue
        for below, inner in tree.names(f"{ARCHIVE}/{name}"):
            if inner == "folder" and _PLACE.fullmatch(f"{ARCHIVE}/{name}/{below}"):
                yield f"{ARCHIVE}/{name}/{below}"


def _order(when: str) -> tuple[str, int]:
    moment, _, number = when.partition("-")
    return moment, int(number or 1)


def inverse(
    tree: Tree, deeds: Deeds, deed: Deed
) -> tuple[list[Move | Write], dict[str, Content], tuple[FileChange, ...]]:
    """The steps that take a change back, what they write, and the same for people. Raises `Unreadable` when anything
    that it touched is another now."""
    steps: list[Move | Write] = []
    contents: dict[str, Content] = {}
    changes: list[FileChange] = []
    for step in reversed(deed.steps):
        match step:
            case Move(path, to):
                if tree.kind(to) != "folder":
                    raise Unreadable(f"{to} is not there any more, so that it cannot be taken back.")
                steps.append(Move(to, path))
            case Write(path, before, after, skill):
                now = tree.read(path)
                if digest(now) != after:
                    raise Unreadable(f"{path} was changed since, so that it cannot be taken back.")
                if before is not None:
                    contents[path] = deeds.old(deed, step)
                steps.append(Write(path, after, before, skill))
                changes.append(FileChange(path, now, contents[path].data if before is not None else None, skill))
    _leave_none_without_its_file(tree, steps)
    return steps, contents, tuple(changes)


def _leave_none_without_its_file(tree: Tree, steps: list[Move | Write]) -> None:
    going = {each.path for each in steps if isinstance(each, Write) and each.after is None}
    for path in going:
        folder, _, file = path.rpartition("/")
        others = {f"{folder}/{each}" for each, _ in tree.walk(folder)} if file == SKILL_FILE else set()
        if others - going:
            raise Unreadable(f"{folder} has got more files since; to put the skill away, delete it.")
