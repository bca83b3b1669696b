"""Profiles in the home folder: which one is meant, and making, listing and deleting them.

The default profile is the home folder itself; others live in `profiles/NAME/` with everything of their own.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from gateway.config.lock import holder
from gateway.config.paths import Profile, home_folder
from gateway.config.writing import write_atomically
from gateway.errors import ConfigurationError, ProfileLocked

DEFAULT = "default"
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")

_SOUL = """\
You are a helpful AI assistant named Innkeeper. Give correct, short answers.
"""
"""Tried on the embedded model: longer personas, and playful ones, make it miss easy questions."""

_CONFIG = """\
# The settings of this profile. What is not written here has its default.
# Every key is described in config.example.yaml; `innkeeper config check` shows what is in force.
# `innkeeper config set KEY VALUE` changes one key and keeps comments. Secrets belong in .env.
"""


def resolve(name: str | None, environment: Mapping[str, str]) -> Profile:
    """The profile meant: the given name, else the one in use (`profile use`), else the default one.

    Nothing is created. Raises ConfigurationError for a name that is none or that does not exist.
    """
    home = home_folder(environment)
    chosen = name or active(home)
    profile = named(home, chosen)
    if chosen != DEFAULT and not profile.folder.is_dir():
        source = "" if name else f" (chosen by {active_file(home).name}; `innkeeper profile use default` goes back)"
        raise ConfigurationError(
            [
                f"There is no profile '{chosen}'{source}. `innkeeper profile list` shows all; "
                f"`innkeeper profile create {chosen}` makes it."
            ]
        )
    return profile


def named(home: Path, name: str) -> Profile:
    """The profile of this name, existing or not. Raises ConfigurationError for a name that is none."""
    if not _NAME.fullmatch(name):
        raise ConfigurationError(
            [f"'{name}' is no profile name: 1 to 64 of a-z, 0-9, dot, _ and -, beginning with a letter or digit."]
        )
    return Profile(name, home, home if name == DEFAULT else home / "profiles" / name)


def profiles(home: Path) -> list[Profile]:
    """All profiles, the default one first."""
    folder = home / "profiles"
    names = sorted(entry.name for entry in folder.iterdir() if entry.is_dir()) if folder.is_dir() else []
    return [named(home, DEFAULT), *(named(home, name) for name in names if _NAME.fullmatch(name) and name != DEFAULT)]


def active_file(home: Path) -> Path:
    return home / "active_profile"


def active(home: Path) -> str:
    """The name that `profile use` left, or the default."""
    try:
        return active_file(home).read_text(encoding="utf-8").strip() or DEFAULT
    except (FileNotFoundError, NotADirectoryError):
        return DEFAULT
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError([f"{active_file(home).name} cannot be read: {error}"]) from None


def use(home: Path, name: str) -> Profile:
    """Make a profile the one that is meant when none is named. Raises ConfigurationError when it does not exist."""
    profile = named(home, name)
    if name != DEFAULT and not profile.folder.is_dir():
        raise ConfigurationError([f"There is no profile '{name}'; `innkeeper profile create {name}` makes it."])
    prepare(named(home, DEFAULT))
    write_atomically(active_file(home), f"{name}\n".encode())
    return profile


def prepare(profile: Profile) -> Profile:
    """Make sure that the profile's folders exist, for its owner only. Existing files are left alone."""
    folders = [profile.home, profile.folder.parent, profile.folder, profile.memories, profile.skills, profile.pending]
    folders += [profile.pending / "memory", profile.pending / "skills", profile.logs, profile.cache, profile.models]
    try:
        for folder in folders:  # each by itself: parents=True would give the ones above the usual mode
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            [f"The folder {error.filename} cannot be made: {error.strerror}. INNKEEPER_HOME can name another place."]
        ) from None
    return profile


def create(home: Path, name: str) -> Profile:
    """A new profile with folders, a starter SOUL.md and a commented config.yaml.

    Raises ConfigurationError when the name is none, or taken.
    """
    profile = named(home, name)
    if profile.config.exists() or (name != DEFAULT and profile.folder.exists()):
        raise ConfigurationError([f"The profile '{name}' exists already, in {profile.folder}."])
    furnish(profile)
    return profile


def furnish(profile: Profile) -> Profile:
    """`prepare`, and starter files where there are none."""
    prepare(profile)
    for path, text in ((profile.soul, _SOUL), (profile.config, _CONFIG)):
        if not path.exists():
            write_atomically(path, text.encode())
    return profile


def delete(home: Path, name: str) -> None:
    """Remove a profile with everything in it; the caller has asked. Raises ConfigurationError for the default
    profile or one that does not exist, ProfileLocked for one that runs."""
    profile = named(home, name)
    if name == DEFAULT:
        raise ConfigurationError(["The default profile is the home folder itself and is not deleted."])
    if not profile.folder.is_dir():
        raise ConfigurationError([f"There is no profile '{name}'."])
    if owner := holder(profile):
        raise ProfileLocked(f"The profile '{name}' is in use by process {owner.pid}; stop it first.", owner.pid)
    if profile.folder.is_symlink():
        profile.folder.unlink()
    else:
        shutil.rmtree(profile.folder)
    if active(home) == name:
        active_file(home).unlink(missing_ok=True)
