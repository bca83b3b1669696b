"""What a backup says of itself: its files with their digests, counts, versions, and what is not in it. Pure.

Reading one trusts nothing: a name that leads out of a profile's own parts, or a field that is none, is damage.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from gateway.backup.errors import Damaged
from gateway.config.without_secrets import Taken

FORMAT = 1
NAME = "manifest.json"
MOST_BYTES = 64 * 1024 * 1024
"""Of a manifest; of a hundred thousand files it has twenty."""
MOST_FILES = 200_000
DATABASE = "state" + ".db"
SINGLE = ("SOUL.md", "AGENTS.md", "config.yaml", DATABASE)
"""Parts of a profile that are one file each."""
FOLDERS = ("memories", "skills", "pending")
PARTS = (*SINGLE, *FOLDERS)

_DIGEST = re.compile(r"[0-9a-f]{64}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class KeptFile:
    """One file: its path from the profile's folder, with slashes; its size in bytes."""

    path: str
    size: int
    sha256: str
    executable: bool = False


@dataclass(frozen=True, slots=True)
class KeptLink:
    """A second name of a file in the same folder."""

    path: str
    goal: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """`made_at` in seconds since the epoch. `database` is the version of the database's schema, None without one.
    `counts` has messages, sessions, entries, skills, archived_skills and pending. `left_out` are lines for people;
    `secrets` were taken out of config.yaml, `variables` are the names in .env, which is not in a backup."""

    made_at: float
    profile: str
    innkeeper: str
    database: int | None
    counts: Mapping[str, int]
    files: tuple[KeptFile, ...]
    links: tuple[KeptLink, ...] = ()
    left_out: tuple[str, ...] = ()
    secrets: tuple[Taken, ...] = ()
    variables: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(each.size for each in self.files)

    @property
    def missing(self) -> tuple[str, ...]:
        """Names of the variables that hold secrets and must come from elsewhere."""
        return tuple(sorted({*self.variables, *(each.variable for each in self.secrets)}))


def dumped(manifest: Manifest) -> bytes:
    """The manifest's file."""
    fields: dict[str, Any] = {
        "format": FORMAT,
        "innkeeper": manifest.innkeeper,
        "made_at": datetime.fromtimestamp(manifest.made_at, UTC).isoformat(timespec="seconds"),
        "profile": manifest.profile,
        "database": manifest.database,
        "counts": dict(manifest.counts),
        "left_out": list(manifest.left_out),
        "secrets": [{"key": each.key, "variable": each.variable} for each in manifest.secrets],
        "variables": list(manifest.variables),
        "links": [{"path": each.path, "goal": each.goal} for each in manifest.links],
        "files": [_file_fields(each) for each in manifest.files],
    }
    return (json.dumps(fields, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def loaded(data: bytes) -> Manifest:
    """The inverse. Raises Damaged."""
    try:
        fields = json.loads(data)
        if not isinstance(fields, dict):
            raise ValueError("it is not an object")
        if (number := _number(fields["format"])) != FORMAT:
            raise Damaged(f"it has the format {number}, and this Innkeeper knows {FORMAT}: upgrade innkeeper")
        return _sound(_read(fields))
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        what = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise Damaged(f"{NAME} cannot be used: {what[:200]}") from None


def safe(path: str) -> bool:
    """Whether a path names something inside one of a profile's own parts, and leads nowhere else."""
    parts = path.split("/")
    if _CONTROL.search(path) or any(each in ("", ".", "..") for each in parts):
        return False
    return path in SINGLE if len(parts) == 1 else parts[0] in FOLDERS


def _file_fields(file: KeptFile) -> dict[str, Any]:
    fields: dict[str, Any] = {"path": file.path, "size": file.size, "sha256": file.sha256}
    return fields | {"executable": True} if file.executable else fields


def _read(fields: Mapping[str, Any]) -> Manifest:
    version = fields["database"]
    return Manifest(
        made_at=datetime.fromisoformat(_text(fields["made_at"])).timestamp(),
        profile=_text(fields["profile"]),
        innkeeper=_text(fields["innkeeper"]),
        database=None if version is None else _number(version),
        counts={_text(name): _number(count) for name, count in fields["counts"].items()},
        files=tuple(_file(each) for each in fields["files"]),
        links=tuple(KeptLink(_text(each["path"]), _text(each["goal"])) for each in fields["links"]),
        left_out=tuple(map(_text, fields["left_out"])),
        secrets=tuple(Taken(_text(each["key"]), _text(each["variable"])) for each in fields["secrets"]),
        variables=tuple(map(_text, fields["variables"])),
    )


def _file(fields: Mapping[str, Any]) -> KeptFile:
    return KeptFile(
        _text(fields["path"]), _number(fields["size"]), _text(fields["sha256"]), fields.get("executable") is True
    )


def _sound(manifest: Manifest) -> Manifest:
    if len(manifest.files) > MOST_FILES or len(manifest.links) > MOST_FILES:
        raise ValueError("it names more files than any profile has")
    paths = [each.path for each in manifest.files] + [each.path for each in manifest.links]
    for path in paths:
        if not safe(path):
            raise ValueError(f"{path!r} is no path inside a profile")
    if len(set(paths)) != len(paths):
        raise ValueError("it names a file twice")
    for each in manifest.files:
        if not _DIGEST.fullmatch(each.sha256):
            raise ValueError(f"{each.path} has no digest")
    known = {each.path for each in manifest.files}
    for link in manifest.links:
        folder = link.path.rpartition("/")[0]
        if "/" in link.goal or f"{folder}/{link.goal}" not in known:
            raise ValueError(f"{link.path} is a second name of nothing")
    return manifest


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.50} is no text")
    value.encode("utf-8")  # half a character is no text either
    return value


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r:.50} is no count")
    return value
