"""An environment of an outside memory's own, for packages that want other libraries than the gateway or are large.

It is made when a person asks for it, never by itself, and lies in the profile's cache: no backup takes it along.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

FOLDER = "environments"
WHOLE = "installed.txt"
"""The file that says that everything is there, one requirement a line."""
LAST_WORDS = 300


class NotInstalled(Exception):
    """It could not be made; the text says why, in one line."""


def place_of(cache: Path, name: str) -> Path:
    """Where the environment of this provider lies, or would lie."""
    return cache / FOLDER / name


def installed(cache: Path, name: str) -> Path | None:
    """The environment of this provider; None when there is none, or one that was never finished."""
    place = place_of(cache, name)
    return place if (place / WHOLE).is_file() else None


def install(cache: Path, name: str, packages: Sequence[str], environment: Mapping[str, str]) -> Path:
    """Make it anew with these packages; takes minutes. Raises NotInstalled, and leaves nothing half made."""
    place = place_of(cache, name)
    shutil.rmtree(place, ignore_errors=True)
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _run([sys.executable, "-m", "venv", str(place)], environment)
        pip = [str(place / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
        _run([*pip, "install", "--quiet", "--no-input", *packages], environment)
        (place / WHOLE).write_text("".join(f"{package}\n" for package in packages), "utf-8")
    except BaseException as error:
        shutil.rmtree(place, ignore_errors=True)
        if isinstance(error, OSError):
            raise NotInstalled(f"{place} cannot be made: {error.strerror or error}") from error
        raise
    return place


def _run(command: list[str], environment: Mapping[str, str]) -> None:
    done = subprocess.run(
        command,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        errors = [line for line in lines if line.startswith("ERROR")]
        raise NotInstalled(" ".join((errors or lines)[-1].split())[:LAST_WORDS])
