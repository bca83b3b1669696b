"""Where things lie: the home folder, its profiles, and the names inside a profile."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Profile:
    """One profile's folder. The default profile is the home folder itself."""

    name: str
    home: Path
    folder: Path

    @property
    def config(self) -> Path:
        return self.folder / "config.yaml"

    @property
    def env(self) -> Path:
        return self.folder / ".env"

    @property
    def soul(self) -> Path:
        return self.folder / "SOUL.md"

    @property
    def agents(self) -> Path:
        return self.folder / "AGENTS.md"

    @property
    def memories(self) -> Path:
        return self.folder / "memories"

    @property
    def skills(self) -> Path:
        return self.folder / "skills"

    @property
    def pending(self) -> Path:
        return self.folder / "pending"

    @property
    def providers(self) -> Path:
        """Outside memories have a folder each in it."""
        return self.folder / "providers"

    @property
    def database(self) -> Path:
        return self.folder / "state.db"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    @property
    def drafts(self) -> Path:
        """What people wrote in their own editor and could not be kept."""
        return self.folder / "drafts"

    @property
    def dashboard_key(self) -> Path:
        """Signs the dashboard's cookies. In the cache, which no backup takes along."""
        return self.cache / "dashboard.key"

    @property
    def models(self) -> Path:
        """Weights are shared by all profiles: always the home folder's `models/`."""
        return self.home / "models"

    @property
    def backups(self) -> Path:
        return self.folder / "backups"

    @property
    def lock(self) -> Path:
        return self.folder / "gateway.lock"

    @property
    def socket(self) -> Path:
        return self.folder / "gateway.sock"


def home_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """`INNKEEPER_HOME`, else `~/.innkeeper`; not created here."""
    named = environment.get("INNKEEPER_HOME")
    return Path(named).expanduser().absolute() if named else Path.home() / ".innkeeper"
