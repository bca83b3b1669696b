"""A profile in a temporary home, to be filled with settings and looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gateway.config.edit import Edited, set_key
from gateway.config.load import Loaded, load_settings
from gateway.config.paths import Profile
from gateway.errors import ConfigurationError


@dataclass
class House:
    """One home with its default profile."""

    home: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def profile(self) -> Profile:
        return Profile("default", self.home, self.home)

    def write(self, config: str, env: str | None = None) -> House:
        self.profile.config.write_text(config, encoding="utf-8")
        if env is not None:
            self.profile.env.write_text(env, encoding="utf-8")
        return self

    def load(self, **environment: str) -> Loaded:
        return load_settings(self.profile, {**self.environment, **environment})

    def problems(self, config: str, **environment: str) -> list[str]:
        """What is wrong with this file; an empty list when nothing is."""
        self.write(config)
        try:
            self.load(**environment)
        except ConfigurationError as error:
            return error.problems
        return []

    def set(self, key: str, value: str) -> Edited:
        return set_key(self.profile, key, value, self.environment)

    @property
    def text(self) -> str:
        return self.profile.config.read_text(encoding="utf-8")


def telegram(loaded: Loaded) -> Mapping[str, Any]:
    return loaded.settings.platform("telegram")
