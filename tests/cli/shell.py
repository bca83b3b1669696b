"""Runs `innkeeper` in this process with a home and an environment of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from gateway.cli.invocation import Invocation
from gateway.cli.main import cli
from gateway.config.paths import Profile


@dataclass
class Shell:
    home: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def profile(self) -> Profile:
        return Profile("default", self.home, self.home)

    def invocation(self, profile: str | None = None) -> Invocation:
        return Invocation(profile, {"INNKEEPER_HOME": str(self.home), **self.environment})

    def __call__(self, *words: str, profile: str | None = None, typed: str | None = None) -> Result:
        return CliRunner().invoke(cli, list(words), obj=self.invocation(profile), input=typed)

    def json(self, *words: str) -> Any:
        result = self(*words, "--json")
        return json.loads(result.stdout)
