"""What the house knows of a platform before its SDK is imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class PlatformManifest:
    """One platform's entry in the register (entry-point group `innkeeper.platforms`).

    `adapter` is an import string `package.module:callable`; the callable takes an `AdapterContext` and returns an
    `Adapter`. `settings` is an import string of a pydantic model (`extra="forbid"`) for `platforms.<name>` in
    config.yaml, or None when the platform has no settings of its own. `token_variable` is the environment variable
    that stands in for a null `token`. `always_on` platforms need no token. `prompt_hint` is one line for the
    system prompt.
    """

    name: str
    adapter: str
    settings: str | None = None
    token_variable: str | None = None
    always_on: bool = False
    prompt_hint: str = ""


@dataclass(frozen=True, slots=True)
class AdapterContext:
    """What an adapter gets from the house: its settings (validated), the profile folder, and spare options."""

    settings: Mapping[str, Any]
    profile: str
    folder: str
    options: Mapping[str, Any] = field(default_factory=dict)
