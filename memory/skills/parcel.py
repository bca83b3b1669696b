"""A skill on its way in: its files, checked by the same rules as those that the assistant writes, and a digest of
them all. Also finds the skills in a crate. Pure but for reading the crate.

Whether a skill is dangerous is the guard's matter, putting it in place is `install`'s.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memory.skills.crate import Crate, Rejected
from memory.skills.frontmatter import Malformed, parse
from memory.skills.model import MOST_FILES, NAME_CHARS, SKILL_FILE
from memory.skills.validate import (
    Sound,
    objection_to_new,
    objection_to_size,
    objection_to_stored_path,
    one_line,
    shown,
    sound,
)

MOST_SKILLS = 300
"""Skills in one crate."""

PARCEL_BYTES = 8 << 20
"""All files of one skill together."""

_LEFT = frozenset({"__MACOSX", "node_modules", "__pycache__"})
_LEFT_FILES = frozenset({"desktop.ini", "Thumbs.db"})


@dataclass(frozen=True, slots=True)
class Parcel:
    """A skill that may be put in place as far as its form goes. `files` are relative to it, SKILL.md among them;
    `digest` names them all; `left` are files of it that are not taken, each with the reason."""

    name: str
    description: str
    files: Mapping[str, bytes]
    digest: str
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unfit:
    """Something in a crate that was meant to be a skill, and why it is none. `place` is its folder there."""

    place: str
    why: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A skill in a crate that can be opened: name and description of its SKILL.md, and its folder there."""

    name: str
    description: str
    place: str


@dataclass(frozen=True, slots=True)
class Inside:
    """What a crate holds, both in the order of their folders."""

    skills: tuple[Listed, ...] = ()
    unfit: tuple[Unfit, ...] = ()

    def pick(self, name: str = "") -> Listed:
        """The one of that name, or the only one. Raises `Rejected`, which names what there is."""
        told = "; ".join(f"{shown(each.place) if each.place else SKILL_FILE}: {each.why}" for each in self.unfit[:3])
        fitting = [each for each in self.skills if not name or each.name == name]
        if len(fitting) == 1:
            return fitting[0]
        if fitting and name:
            raise Rejected(f"It holds several skills of the name {name}: {_listing(each.place for each in fitting)}.")
        if fitting:
            raise Rejected(f"It holds several skills; say which: {_listing(each.name for each in fitting)}.")
        if not self.skills:
            raise Rejected(f"There is no skill in it that can be used: {told or f'no {SKILL_FILE} was found.'}")
        there = _listing(each.name for each in self.skills)
        more = f" What cannot be used: {told}" if told else ""
        raise Rejected(f"There is no skill {shown(name)} in it. There is: {there}.{more}")


def look(crate: Crate) -> Inside:
    """The skills in a crate. A SKILL.md below another one's folder is a file of that skill. Raises `Rejected`."""
    skills: list[Listed] = []
    unfit: list[Unfit] = []
    for place in _places(crate):
        if len(skills) + len(unfit) >= MOST_SKILLS:
            raise Rejected(f"It holds more than {MOST_SKILLS} skills.")
        try:
            it = _sound(crate.read(_joined(place, SKILL_FILE)))
        except Rejected as error:
            unfit.append(Unfit(place, str(error)))
        else:
            skills.append(Listed(it.name, one_line(it.description), place))
    return Inside(tuple(skills), tuple(unfit))


def parcel(crate: Crate, listed: Listed) -> Parcel:
    """All of one skill. Raises `Rejected` when anything in it is not allowed."""
    paths, left = _wanted(crate, listed.place)
    if len(paths) > MOST_FILES:
        raise Rejected(f"The skill {listed.name} has {len(paths):,} files, at most {MOST_FILES} are allowed.")
    _check_names(paths)
    files: dict[str, bytes] = {}
    total = 0
    for path in paths:
        data = crate.read(_joined(listed.place, path))
        total += len(data)
        if total > PARCEL_BYTES:
            raise Rejected(f"The skill {listed.name} has more than {PARCEL_BYTES:,} bytes.")
        if (why := objection_to_size(path, data)) is not None:
            raise Rejected(_sentence(why))
        files[path] = data
    return _checked(files, tuple(left))


def parcel_of(files: Mapping[str, bytes]) -> Parcel:
    """A skill whose files are known, such as a bundled one. Raises `Rejected`."""
    _check_names(sorted(files))
    return _checked(dict(files), ())


def digest_of(files: Mapping[str, bytes]) -> str:
    """A name for the files of a skill: the SHA-256 of the lines `PATH NUL SHA-256 of the file`, sorted."""
    whole = hashlib.sha256()
    for path in sorted(files):
        whole.update(path.encode() + b"\0" + hashlib.sha256(files[path]).hexdigest().encode() + b"\n")
    return whole.hexdigest()


def _places(crate: Crate) -> Iterator[str]:
    """The folders that hold a SKILL.md, the outermost alone."""
    named = sorted(
        (path for path in crate.contents if path.rpartition("/")[2] == SKILL_FILE and not _left(path)),
        key=lambda path: (path.count("/"), path),
    )
    taken: list[str] = []
    for path in named:
        place = path.rpartition("/")[0]
        if not any(not other or place == other or place.startswith(f"{other}/") for other in taken):
            taken.append(place)
    yield from sorted(taken)


def _left(path: str) -> bool:
    """Whether it is a system's or a tool's, not a skill's. Agents keep skills below hidden folders; not in .git."""
    parts = path.split("/")
    return ".git" in parts or not _LEFT.isdisjoint(parts[:-1])


def _wanted(crate: Crate, place: str) -> tuple[list[str], list[str]]:
    prefix = f"{place}/" if place else ""
    paths: list[str] = []
    left: list[str] = []
    for whole, content in sorted(crate.contents.items()):
        if not whole.startswith(prefix):
            continue
        path = whole.removeprefix(prefix)
        parts = path.split("/")
        if not _LEFT.isdisjoint(parts[:-1]) or parts[-1] in _LEFT_FILES:
            left.append(f"{shown(path)}: it is a system's, not the skill's")
        elif any(part.startswith(".") for part in parts):
            left.append(f"{shown(path)}: it is hidden")
        elif content.kind == "link":
            raise Rejected(f"{shown(path)} is a link. Links are not followed and not taken.")
        elif content.kind != "file":
            raise Rejected(f"{shown(path)} is no ordinary file, or lies too deep.")
        else:
            paths.append(path)
    return paths, left


def _check_names(paths: list[str]) -> None:
    folded: dict[str, str] = {}
    for path in paths:
        if path != SKILL_FILE and (why := objection_to_stored_path(path)) is not None:
            raise Rejected(_sentence(why))
        if folded.setdefault(path.casefold(), path) != path:
            raise Rejected(f"{shown(path)} and {shown(folded[path.casefold()])} are one name on some systems.")
    for path in folded:
        parts = path.split("/")
        above = next((one for n in range(1, len(parts)) if (one := "/".join(parts[:n])) in folded), None)
        if above is not None:
            raise Rejected(f"{shown(folded[above])} is a file and a folder at once.")


def _checked(files: dict[str, bytes], left: tuple[str, ...]) -> Parcel:
    if SKILL_FILE not in files:
        raise Rejected(f"There is no {SKILL_FILE} in it.")
    it = _sound(files[SKILL_FILE])
    if it.head.mended is not None:
        files[SKILL_FILE] = it.head.mended.encode()
        left = (*left, f"{SKILL_FILE} as it was: its description holds a colon, so it was put in quotes")
    return Parcel(it.name, one_line(it.description), files, digest_of(files), left)


def _sound(data: bytes) -> Sound:
    """What a SKILL.md says. Its folder may be called anything outside; here it will have the skill's name."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Rejected(f"{SKILL_FILE} is not UTF-8 text (byte {error.start + 1}).") from None
    if (why := objection_to_size(SKILL_FILE, data)) is not None:
        raise Rejected(_sentence(why))
    try:
        name = parse(text).fields.get("name")
        it = sound(text, name.strip() if isinstance(name, str) else "")
        if (found := objection_to_new(it)) is not None:
            raise Malformed(*found)
    except Malformed as error:
        at = f"{SKILL_FILE}:{error.line}" if error.line else SKILL_FILE
        raise Rejected(f"{at}: {error}") from None
    return it


def _listing(names: Iterator[str]) -> str:
    listed = [shown(each) if len(each) > NAME_CHARS else each for each in names]
    return ", ".join(listed[:20]) + (f" and {len(listed) - 20} more" if len(listed) > 20 else "")


def _sentence(why: str) -> str:
    return why[:1].upper() + why[1:] if why[:1] not in ("'", '"') else why


def _joined(place: str, path: str) -> str:
    return f"{place}/{path}" if place else path
