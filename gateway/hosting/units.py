"""Units of systemd for one user: their text, where they lie, and asking systemd about them.

What is asked of systemd goes through its own `systemctl`, found on the path of the environment that is handed in.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from gateway.config.paths import Profile
from gateway.config.profiles import DEFAULT
from gateway.config.writing import write_atomically
from gateway.errors import InnkeeperError

SECONDS = 30.0
"""For one question to systemd."""
_UNSPEAKABLE = re.compile(r"[\x00-\x1f\x7f]")


class ServiceFault(InnkeeperError):
    """The service could not be set up or asked; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class State:
    """What systemd says of a unit: active (running, failed, inactive …), whether it starts by itself, its process."""

    active: str
    starts: str
    pid: int | None
    words: str


def unit_name(profile: Profile) -> str:
    """`innkeeper.service`, or `innkeeper-NAME.service` for a profile with a name."""
    return f"innkeeper{'' if profile.name == DEFAULT else f'-{profile.name}'}.service"


def unit_path(profile: Profile, environment: Mapping[str, str]) -> Path:
    """Where the user's own unit lies. Raises ServiceFault when nobody says where the user's home is."""
    named = environment.get("XDG_CONFIG_HOME", "")
    home = environment.get("HOME", "")
    if not named.startswith("/") and not home:
        raise ServiceFault("HOME is not set, so there is no telling where units of this user belong.")
    folder = Path(named) if named.startswith("/") else Path(home) / ".config"
    return folder / "systemd" / "user" / unit_name(profile)


def unit_text(profile: Profile, interpreter: str, environment: Mapping[str, str]) -> str:
    """The unit that starts this profile with this interpreter. Raises ServiceFault for a path that none can hold."""
    words = ["-m", "gateway.cli.main", "--profile", profile.name, "run"]
    command = [quoted(interpreter), *(quoted(each, command=True) for each in words)]
    variables = {"INNKEEPER_HOME": str(profile.home), "PYTHONUNBUFFERED": "1"}
    if path := environment.get("PATH"):
        variables["PATH"] = path
    filled = {
        "DESCRIPTION": f"Innkeeper{'' if profile.name == DEFAULT else f', profile {profile.name}'}",
        "COMMAND": " ".join(command),
        "ENVIRONMENT": "\n".join(f"Environment={quoted(f'{name}={value}')}" for name, value in variables.items()),
    }
    text = resources.files("gateway").joinpath("deploy/innkeeper.service").read_text(encoding="utf-8")
    return re.sub(r"@([A-Z]+)@", lambda found: filled[found[1]], text)


def quoted(word: str, *, command: bool = False) -> str:
    """A word as systemd reads it back: in quotes, with `%` doubled; in a command's arguments `$` is doubled too."""
    if _UNSPEAKABLE.search(word):
        raise ServiceFault(f"{word!r} holds a sign that no unit can hold; use another folder.")
    word = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{word.replace("$", "$$") if command else word}"'


def put(profile: Profile, interpreter: str, environment: Mapping[str, str]) -> tuple[Path, bool]:
    """Write the unit; where it lies, and whether that changed anything."""
    path, text = unit_path(profile, environment), unit_text(profile, interpreter, environment).encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.read_bytes() == text:
            return path, False
        write_atomically(path, text, mode=0o644)
    except OSError as error:
        raise ServiceFault(f"{path} cannot be written: {error.strerror or error}") from None
    return path, True


class Systemd:
    """The user's service manager."""

    def __init__(self, program: str, environment: Mapping[str, str]) -> None:
        self._program = program
        self._environment = environment

    @classmethod
    def found(cls, environment: Mapping[str, str]) -> Systemd | None:
        """None where there is no systemd."""
        program = shutil.which("systemctl", path=environment.get("PATH", ""))
        return cls(program, environment) if program else None

    def enable(self, unit: str, *, start: bool) -> None:
        """Let it start with the user's session, and now. A running one is started again with the new text."""
        self._ask("daemon-reload")
        self._ask("enable", unit)
        if start:
            self._ask("restart", unit)

    def disable(self, unit: str) -> None:
        """Stop it, and let it not start again."""
        self._ask("disable", "--now", unit)

    def forget(self) -> None:
        """Notice that a unit is gone."""
        self._ask("daemon-reload")

    def state(self, unit: str) -> State:
        wanted = ("ActiveState", "SubState", "UnitFileState", "MainPID", "StatusText")
        told = self._ask("show", f"--property={','.join(wanted)}", unit)
        fields = dict(line.split("=", 1) for line in told.splitlines() if "=" in line)
        pid = fields.get("MainPID", "")
        active = fields.get("ActiveState", "unknown")
        sub = fields.get("SubState", "")
        return State(
            f"{active} ({sub})" if sub and sub != active else active,
            fields.get("UnitFileState", "") or "not installed",
            int(pid) if pid.isascii() and pid.isdigit() and pid != "0" else None,
            fields.get("StatusText", ""),
        )

    def _ask(self, *words: str) -> str:
        command: Sequence[str] = (self._program, "--user", "--no-pager", *words)
        try:
            done = subprocess.run(
                command, env=dict(self._environment), capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ServiceFault(f"systemctl --user {words[0]} could not be run: {error}") from None
        if done.returncode != 0:
            said = " ".join(done.stderr.split()) or f"it ended with {done.returncode}"
            raise ServiceFault(f"systemctl --user {' '.join(words)}: {said}")
        return done.stdout
