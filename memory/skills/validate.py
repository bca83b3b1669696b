"""What a skill, its name and its files may be; each objection says what is wrong in words for the model (pure)."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import PurePosixPath

from memory.skills.frontmatter import Head, Malformed, parse, plain
from memory.skills.model import DESCRIPTION_CHARS, FILE_BYTES, FOLDERS, NAME, NAME_CHARS, SKILL_CHARS, SKILL_FILE

_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(10))})
"""Names that another system, where this folder may be synchronised to, takes for machines."""

_SIGNS = re.compile(r'[\\:*?"<>|]')
_PATH_CHARS = 200
_PART_BYTES = 120
_PATH_PARTS = 5
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Sound:
    """A SKILL.md that can be used. `description` is one line."""

    name: str
    description: str
    head: Head


def objection_to_name(name: str, what: str = "name of a skill") -> str | None:
    """Why this can be no name; None when it can."""
    if not name:
        return f"the {what} is empty."
    if len(name) > NAME_CHARS:
        return f"{shown(name)} is no {what}: it has {len(name)} characters, at most {NAME_CHARS} are allowed."
    if NAME.fullmatch(name) is None:
        return (
            f"{shown(name)} is no {what}: it has to begin with a-z or 0-9, and may go on with a-z, 0-9, dot, "
            "underscore and hyphen."
        )
    if name.endswith("."):
        return f"{shown(name)} is no {what}: it ends in a dot."
    if name.split(".")[0] in _DEVICES:
        return f"{shown(name)} is no {what}: some systems take it for a device."
    return None


def objection_to_path(file: str) -> str | None:
    """Why this is no path inside a skill, for reading and writing alike; None when it is."""
    if not file or "\0" in file or not file.isprintable():
        return f"{shown(file)} is no path of a file."
    if "\\" in file or PurePosixPath(file).is_absolute() or file.startswith("~"):
        return f"{shown(file)} is no path inside the skill: it has to be relative, with slashes."
    parts = file.split("/")
    if ".." in parts:
        return f"{shown(file)} leads out of the skill."
    if "" in parts or "." in parts:
        return f"{shown(file)} is no plain path: write it without empty parts and dots."
    if any(part.startswith(".") for part in parts):
        return f"{shown(file)} is hidden: names that begin with a dot are not for skills."
    return None


def objection_to_stored_path(file: str) -> str | None:
    """Why no file of a skill may be kept under that path; None when one may."""
    if (why := objection_to_path(file)) is not None:
        return why
    parts = file.split("/")
    if file != SKILL_FILE and file.casefold() == SKILL_FILE.casefold():
        return f"{shown(file)} is nearly {SKILL_FILE}, and some systems take both for one."
    if len(file) > _PATH_CHARS or any(len(part.encode()) > _PART_BYTES for part in parts):
        return f"{shown(file)} is too long for the name of a file."
    if len(parts) > _PATH_PARTS:
        return f"{shown(file)} lies too deep: at most {_PATH_PARTS - 1} folders."
    for part in parts:
        if part != part.strip() or part.endswith("."):
            return f"{shown(file)} is no name for a file: a part of it begins or ends in a space, or ends in a dot."
        if part.split(".")[0].strip().casefold() in _DEVICES:
            return f"{shown(file)} is no name for a file: some systems take {part} for a device."
    if _SIGNS.search(file) or unicodedata.normalize("NFC", file) != file:
        return f"{shown(file)} is no name for a file: it holds signs that some systems do not allow."
    return None


def objection_to_new_path(file: str) -> str | None:
    """Why an operation may write no file there; None when it may."""
    if (why := objection_to_stored_path(file)) is not None:
        return why
    if file == SKILL_FILE:
        return f"{SKILL_FILE} is changed with patch or edit."
    if "/" not in file or file.split("/")[0] not in FOLDERS:
        return f"{shown(file)} is in none of the folders of a skill: {', '.join(f'{each}/' for each in FOLDERS)}."
    return None


def objection_to_size(file: str, data: bytes) -> str | None:
    """Why a file of these bytes is too large; None when it is not."""
    if file == SKILL_FILE:
        chars = len(data.decode("utf-8", "replace"))
        if chars > SKILL_CHARS:
            return (
                f"{SKILL_FILE} would have {chars:,} characters, at most {SKILL_CHARS:,} are allowed. Move parts of "
                "it into references/."
            )
        return None
    if len(data) > FILE_BYTES:
        return f"{shown(file)} would have {len(data):,} bytes, at most {FILE_BYTES:,} are allowed."
    return None


def sound(text: str, folder: str) -> Sound:
    """What a SKILL.md in a folder of that name says. Raises `Malformed`."""
    if len(text) > SKILL_CHARS:
        raise Malformed(0, f"it has {len(text):,} characters, at most {SKILL_CHARS:,} are read.")
    if "\0" in text:
        raise Malformed(plain(text).count("\n", 0, text.index("\0")) + 1, "there is a zero byte in it.")
    head = parse(text)
    name, description = head.fields.get("name"), head.fields.get("description")
    if not isinstance(name, str) or not name.strip():
        raise Malformed(head.lines.get("name", 1), "the name is missing, or no plain text.")
    if (why := objection_to_name(name.strip())) is not None:
        raise Malformed(head.lines["name"], why)
    if name.strip() != folder:
        raise Malformed(head.lines["name"], f"the name {name.strip()} is not the folder's, which is {shown(folder)}.")
    if not isinstance(description, str) or not (flat := one_line(description)):
        line = head.lines.get("description", 1)
        raise Malformed(line, "the description is missing, or no plain text. Put it on one line, in quotes.")
    return Sound(name.strip(), flat, head)


def objection_to_new(sound: Sound) -> tuple[int, str] | None:
    """What must not be written although it could be read, with its line; None when it may."""
    if len(sound.description) > DESCRIPTION_CHARS:
        line = sound.head.lines["description"]
        return line, (
            f"the description has {len(sound.description):,} characters, at most {DESCRIPTION_CHARS:,} are allowed."
        )
    if not sound.head.body.strip():
        return 1, "there are no instructions below the frontmatter."
    return None


def one_line(text: str) -> str:
    """The text on one line, without signs that cannot be seen at all."""
    return " ".join("".join(sign for sign in text if sign.isprintable() or sign.isspace()).split())


def shown(text: str) -> str:
    """A name or path in a message: quoted, escaped, not too long."""
    return repr(text) if len(text) <= _SHOWN else repr(text[: _SHOWN - 1] + "…")
