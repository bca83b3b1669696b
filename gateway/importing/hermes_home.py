"""A Hermes Agent home as it lies there: memory, skills, jobs, persona, settings that matter, profiles. Reading only.

Nothing outside the home is read, whatever links say, and nothing there is changed. Sessions are in `hermes_sessions`;
what becomes of it all is for `plan` and `carry`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gateway.errors import InnkeeperError
from gateway.importing.hermes_jobs import Job, job_of, line
from memory.entries import parse
from memory.files import FileTrouble, read_bytes
from memory.model import Target
from memory.skills.model import SKILL_FILE
from memory.skills.tree import Tree

MARKS = ("state.db", "memories", "skills", "sessions", "cron", "SOUL.md", "config.yaml")
"""What is in a Hermes Agent home, some of it in every one."""

MOST = 4 << 20
"""Bytes of a memory file, or of one with settings."""

MOST_FOLDERS = 20_000
_DEEPEST = 6


class NoHermesHome(InnkeeperError):
    """There is none at that place."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One memory file. `trouble` is why its entries could not be read, `text` what of it could be."""

    target: Target
    path: Path
    entries: tuple[str, ...] = ()
    trouble: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class HermesHome:
    """`skills` are the folders that hold one, below `folder/skills`; `bundled` the digests of those that came with
    Hermes Agent, by name; `hub` where others came from, by name. `routes` says in which chat a session was held, by
    its id. `zone` is the time zone in which jobs are planned, empty for the machine's. `limits` are the characters of
    memory that were allowed there. `remarks` are sentences about what could not be read."""

    folder: Path
    memories: tuple[Kept, ...] = ()
    skills: tuple[str, ...] = ()
    bundled: Mapping[str, str] = field(default_factory=dict)
    hub: Mapping[str, str] = field(default_factory=dict)
    jobs: tuple[Job, ...] = ()
    zone: str = ""
    persona: Path | None = None
    limits: Mapping[Target, int] = field(default_factory=dict)
    external: tuple[str, ...] = ()
    profiles: tuple[Path, ...] = ()
    database: Path | None = None
    routes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    transcripts: int = 0
    remarks: tuple[str, ...] = ()


def home_of(named: Path | None, environment: Mapping[str, str]) -> Path:
    """The folder that is meant: the named one, else HERMES_HOME, else `~/.hermes`."""
    if named is not None:
        return named.expanduser().absolute()
    said = environment.get("HERMES_HOME", "").strip()
    return Path(said).expanduser().absolute() if said else Path.home() / ".hermes"


def look(folder: Path) -> HermesHome:
    """Everything but the sessions. Raises `NoHermesHome`."""
    if not folder.is_dir():
        raise NoHermesHome(f"There is no folder {folder}. Name the Hermes Agent home with --home.")
    if not any((folder / each).exists() for each in MARKS):
        raise NoHermesHome(f"{folder} is no Hermes Agent home: there is no {', '.join(MARKS[:3])} in it.")
    at = _Inside(folder)
    settings = at.settings()
    memory, skills, zone = (settings.get(each) for each in ("memory", "skills", "timezone"))
    return HermesHome(
        folder=folder,
        memories=tuple(at.memory(target) for target in Target if at.there(f"memories/{target.file_name}")),
        skills=tuple(at.skills()),
        bundled=at.bundled(),
        hub=at.hub(),
        jobs=tuple(at.jobs()),
        zone=line(zone) if isinstance(zone, str) else "",
        persona=folder / "SOUL.md" if at.text("SOUL.md").strip() else None,
        limits=_limits(memory if isinstance(memory, dict) else {}),
        external=_texts(skills.get("external_dirs") if isinstance(skills, dict) else None),
        profiles=tuple(at.profiles()),
        database=at.database(),
        routes=at.routes(),
        transcripts=sum(1 for each in at.names("sessions") if each.endswith(".jsonl")),
        remarks=tuple(at.remarks),
    )


class _Inside:
    """Looks at paths of the home; what cannot be read becomes a remark."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._real = os.path.realpath(folder)
        self.remarks: list[str] = []

    def there(self, path: str) -> bool:
        return os.path.lexists(self._folder / path)

    def objection(self, path: str) -> str:
        """Why that path is not looked at; empty when it may be."""
        if Path(os.path.realpath(self._folder / path)).is_relative_to(self._real):
            return ""
        return f"{self._folder / path} is a link that leads out of the home, and was not followed."

    def read(self, path: str, most: int = MOST) -> bytes:
        """The bytes of a file; none when it is not there. Raises FileTrouble."""
        if why := self.objection(path):
            raise FileTrouble(why)
        whole = self._folder / path
        try:
            if whole.is_file() and (size := whole.stat().st_size) > most:
                raise FileTrouble(f"{whole} has {size:,} bytes, at most {most:,} are read.")
        except OSError as error:
            raise FileTrouble(f"{whole} cannot be read: {(error.strerror or str(error)).lower()}.") from error
        return read_bytes(whole) or b""

    def text(self, path: str) -> str:
        try:
            return self.read(path).decode("utf-8", "replace")
        except FileTrouble as error:
            self.remarks.append(str(error))
            return ""

    def names(self, path: str) -> list[str]:
        """What lies directly in a folder, sorted; nothing for one that is none, or leads out."""
        whole = self._folder / path
        try:
            return [] if self.objection(path) or not whole.is_dir() else sorted(each.name for each in whole.iterdir())
        except OSError as error:
            self.remarks.append(f"{whole} cannot be read: {(error.strerror or str(error)).lower()}.")
            return []

    def memory(self, target: Target) -> Kept:
        name = f"memories/{target.file_name}"
        path = self._folder / name
        try:
            data = self.read(name)
        except FileTrouble as error:
            return Kept(target, path, trouble=str(error))
        try:
            return Kept(target, path, parse(data.decode("utf-8")))
        except UnicodeDecodeError as error:
            why = f"{path} is not UTF-8 text (byte {error.start + 1}). Save it as UTF-8, and import again."
            return Kept(target, path, trouble=why, text=data.decode("utf-8", "replace"))

    def settings(self) -> dict[str, Any]:
        import yaml

        try:
            loaded = yaml.safe_load(self.text("config.yaml"))
        except (yaml.YAMLError, ValueError, RecursionError):
            self.remarks.append(f"{self._folder / 'config.yaml'} is no YAML that can be read.")
            return {}
        return loaded if isinstance(loaded, dict) else {}

    def json(self, path: str) -> Any:
        text = self.text(path) if self.there(path) else ""
        try:
            return json.loads(text) if text.strip() else None
        except (ValueError, RecursionError):
            self.remarks.append(f"{self._folder / path} is no JSON that can be read.")
            return None

    def skills(self) -> Iterator[str]:
        """Folders with a SKILL.md, the outermost alone; hidden ones and links are left out."""
        if why := self.objection("skills") if self.there("skills") else "":
            self.remarks.append(why)
            return
        tree, left, waiting = Tree(self._folder / "skills"), MOST_FOLDERS, [""]
        while waiting and left:
            left -= 1
            place = waiting.pop()
            try:
                listed = tree.names(place)
            except FileTrouble as error:
                self.remarks.append(str(error))
                continue
            if place and any(name == SKILL_FILE for name, _ in listed):
                yield place
            elif place.count("/") < _DEEPEST:
                folders = [name for name, kind in listed if kind == "folder" and _looked_into(name)]
                waiting += [f"{place}/{name}".lstrip("/") for name in reversed(folders)]
                self.remarks += [
                    f"{self._folder / 'skills' / place / name} is a link, and was not followed."
                    for name, kind in listed
                    if kind == "link" and not name.startswith(".")
                ]

    def bundled(self) -> dict[str, str]:
        """Lines `NAME:DIGEST`, or only a name where an old version wrote them."""
        path = "skills/.bundled_manifest"
        lines = self.text(path).splitlines() if self.there(path) else []
        split = (line.strip().partition(":") for line in lines)
        return {name.strip(): digest.strip() for name, _, digest in split if name.strip()}

    def hub(self) -> dict[str, str]:
        held = self.json("skills/.hub/lock.json")
        installed = held.get("installed") if isinstance(held, dict) else None
        if not isinstance(installed, dict):
            return {}
        lines = {name: each for name, each in installed.items() if isinstance(each, dict)}
        return {name: line(each.get("identifier") or each.get("source") or name) for name, each in lines.items()}

    def jobs(self) -> Iterator[Job]:
        path = "cron/jobs.json"
        held = self.json(path)
        listed = held.get("jobs") if isinstance(held, dict) else held
        if held is not None and not isinstance(listed, list):
            self.remarks.append(f"{self._folder / path} has no list of jobs.")
            return
        for number, each in enumerate(listed or (), 1):
            if isinstance(each, dict):
                yield job_of(each)
            else:
                self.remarks.append(f"{self._folder / path}: entry {number} is no job: {line(each)}")

    def routes(self) -> dict[str, Mapping[str, Any]]:
        held = self.json("sessions/sessions.json")
        entries = held.values() if isinstance(held, dict) else []
        found = {}
        for each in entries:
            if isinstance(each, dict) and isinstance(each.get("origin"), dict) and each.get("session_id"):
                found[str(each["session_id"])] = each["origin"]
        return found

    def profiles(self) -> Iterator[Path]:
        for name in self.names("profiles"):
            folder = self._folder / "profiles" / name
            if not name.startswith(".") and any((folder / each).exists() for each in MARKS):
                yield folder

    def database(self) -> Path | None:
        if not self.there("state.db"):
            return None
        if why := self.objection("state.db"):
            self.remarks.append(why)
            return None
        return self._folder / "state.db"


def _looked_into(name: str) -> bool:
    return not name.startswith(".") and name not in ("node_modules", "__pycache__")


def _limits(memory: Mapping[str, Any]) -> dict[Target, int]:
    named = {Target.MEMORY: memory.get("memory_char_limit"), Target.USER: memory.get("user_char_limit")}
    return {target: each for target, each in named.items() if isinstance(each, int) and not isinstance(each, bool)}


def _texts(value: Any) -> tuple[str, ...]:
    listed: Sequence[Any] = value if isinstance(value, list) else [value] if isinstance(value, str) else []
    return tuple(each for each in listed if each and isinstance(each, str))
