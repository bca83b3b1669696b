"""The nouns of skills: a skill, one that is broken, wishes to change some, what that does, what became of it.

Everything here is a value; nothing here reads or writes. Paths inside the skills folder are relative to it, with
slashes: `ops/deploy/SKILL.md`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal

from memory.model import Reason

SKILL_FILE = "SKILL.md"
NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
"""What a skill, and a category, may be called (the whole of it)."""

NAME_CHARS = 64
DESCRIPTION_CHARS = 1024
"""From the agentskills.io format, as is the name's length."""

SKILL_CHARS = 100_000
FILE_BYTES = 1 << 20
MOST_FILES = 200
"""Files that one skill may have for changes to reach it; a person's larger one is still found and viewed."""

MOST_OPERATIONS = 50
FOLDERS = ("references", "templates", "assets", "scripts")
"""Where a skill's further files lie."""

ARCHIVE = ".archive"
JOURNAL = ".journal"

Source = Literal["bundled", "hub", "agent", "person"]
"""Where a skill comes from: with the program, from the hub, from the assistant, or from a person's own hand."""

Value = str | Sequence["Value"] | Mapping[str, "Value"]
"""A value in frontmatter. Scalars are what is written there: `no` is a text, and so is `2026-01-01`."""


@dataclass(frozen=True, slots=True)
class Skill:
    """One that can be used. `folder` is absolute; `category` may be empty; `fields` is the whole frontmatter; `body`
    is the text after it, as of when it was found. An `external` one is read and never changed."""

    name: str
    description: str
    folder: Path
    category: str = ""
    fields: Mapping[str, Value] = field(default_factory=dict)
    body: str = ""
    source: Source = "person"
    external: bool = False

    @property
    def place(self) -> str:
        """Its folder relative to the skills folder that holds it: `ops/deploy`."""
        return f"{self.category}/{self.name}" if self.category else self.name


@dataclass(frozen=True, slots=True)
class Broken:
    """One that cannot be used. `line` counts from 1 and is 0 when no line is to blame; `why` is one sentence."""

    folder: Path
    file: Path
    line: int
    why: str

    @property
    def name(self) -> str:
        return self.folder.name

    def __str__(self) -> str:
        """`/…/deploy/SKILL.md:3: the description is missing.`"""
        return f"{self.file}:{self.line}: {self.why}" if self.line else f"{self.file}: {self.why}"


@dataclass(frozen=True, slots=True)
class Found:
    """What lies there, both sorted. Of several skills of one name the first is used, the others are broken."""

    skills: tuple[Skill, ...]
    broken: tuple[Broken, ...]


class SkillTrouble(Exception):
    """The root of what can go wrong with reading a skill. `str(error)` says it in words for the model."""


class NoSkill(SkillTrouble):
    """There is none of that name, or it is broken."""


class NoFile(SkillTrouble):
    """The skill has no such file, or it is no text."""


class Forbidden(SkillTrouble):
    """The path leads out of the skill, or to what is hidden."""


class SkillAction(StrEnum):
    """What can be done to skills."""

    CREATE = "create"
    PATCH = "patch"
    EDIT = "edit"
    DELETE = "delete"
    WRITE_FILE = "write_file"
    REMOVE_FILE = "remove_file"


@dataclass(frozen=True, slots=True)
class SkillOperation:
    """One wish about the skill `name`. `content` is the whole SKILL.md (create, edit), the whole file (write_file),
    or what takes the place of `old_text` (patch). `file` is relative to the skill; a patch without one is about
    SKILL.md. `category` is for create."""

    action: SkillAction
    name: str
    content: str = ""
    old_text: str = ""
    file: str = ""
    category: str = ""


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a draft does to one file: its bytes before and after; None for no file. `skill` is the place of the skill
    that it is part of: `ops/deploy` for `ops/deploy/SKILL.md`."""

    path: str
    before: bytes | None
    after: bytes | None
    skill: str

    @property
    def name(self) -> str:
        """The skill's name."""
        return self.skill.rpartition("/")[2]

    @property
    def file(self) -> str:
        """The path inside the skill."""
        return self.path.removeprefix(f"{self.skill}/")


@dataclass(frozen=True, slots=True)
class SkillDraft:
    """A valid change of skills, thought through and not yet made.

    `archives` are folders that are put away whole, before anything is written; `changes` has what people want to read
    of them (SKILL.md). `pins` has each file that is touched, with `digest` of its bytes before, None for no file.
    `names` are the skills concerned, `actions` what is done to them, both in order and once each.
    """

    changes: tuple[FileChange, ...]
    gist: str
    names: tuple[str, ...]
    actions: tuple[SkillAction, ...] = ()
    archives: tuple[str, ...] = ()
    pins: Mapping[str, str | None] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillApplied:
    """It is on the disk under `id`. `archived` are the folders' new places, such as `.archive/deploy@…`."""

    id: str
    draft: SkillDraft
    archived: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillUnchanged:
    """Everything was as wished before; nothing was written."""

    names: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillStaged:
    """It is valid and waits for a yes under `pending_id`; `message` says so."""

    pending_id: str
    message: str


@dataclass(frozen=True, slots=True)
class SkillRefused:
    """Nothing was written. `message` says why and what to do; `operation` is the number (from 1) of the one that
    failed in a batch; `closest` are names or passages that may have been meant."""

    reason: Reason
    message: str
    operation: int | None = None
    closest: tuple[str, ...] = ()


SkillOutcome = SkillApplied | SkillUnchanged | SkillStaged | SkillRefused


def digest(data: bytes | None) -> str | None:
    """A name for a file's bytes, as pins have it; None for no file."""
    return None if data is None else hashlib.sha256(data).hexdigest()
