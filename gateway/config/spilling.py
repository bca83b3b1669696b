"""Large texts by the settings: the rules in force, and the folder of the files."""

from __future__ import annotations

from pathlib import Path

from gateway.config.schema import Settings
from memory.providers.spill import FOLDER, Rules

SHARE = 0.25
"""Share of a model's window that a recall may take."""

SIGNS_A_TOKEN = 3
"""Characters that a token has at least, about."""


def rules(settings: Settings, window: int | None = None) -> Rules:
    """`window` is the model's, in tokens; None where it is not known."""
    outputs = settings.hooks.output_spill
    return Rules(
        enabled=outputs.enabled,
        max_chars=outputs.max_chars,
        preview_chars=outputs.preview_chars,
        recall=settings.memory.prefetch_spill_enabled,
        room=int(window * SHARE * SIGNS_A_TOKEN) if window else None,
    )


def folder(settings: Settings, cache: Path) -> Path:
    """Where the files lie: as configured, or in the profile's cache."""
    chosen = settings.hooks.output_spill.directory
    return Path(chosen).expanduser() if chosen else cache / FOLDER
