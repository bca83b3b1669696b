"""Which keys a running gateway takes over at once, and which wait for a restart."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel

from gateway.config.schema import Settings, flattened

_RELOADED_IN_PLATFORMS = re.compile(r"platforms\.[^.]+\.(?:allowed_\w+|require_mention)")
_APPROVALS = re.compile(r"mcp_servers\.[^.]+\.approvals?(?:\.|$)")
_AFTER_RESTART = re.compile(
    r"(?:model|hosts|platforms|hooks|mcp|mcp_servers|dashboard|agent|plugins)(?:\.|$)"
    r"|memory\.(?:provider|prefetch_spill_enabled|memory_enabled|user_profile_enabled)$"
    r"|memory\.providers(?:\.|$)"
    r"|skills\.external_dirs$"
    r"|gateway\.health_port$"
    r"|auxiliary\.\w+\.(?:provider|model|reasoning_effort|extra_tools)$"
)


def needs_restart(key: str) -> bool:
    """Platforms, hosts, providers, tools and spill are set up once; access, gates, notices and budgets are not."""
    at_once = _RELOADED_IN_PLATFORMS.match(key) or _APPROVALS.match(key)
    return not at_once and bool(_AFTER_RESTART.match(key))


def changes(old: Settings, new: Settings) -> tuple[str, ...]:
    """Dotted keys whose values differ."""
    before, after = dict(flattened(old)), dict(flattened(new))
    differing = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    return tuple(key for key in differing if not any(other.startswith(f"{key}.") for other in differing))


def in_force(running: Settings, new: Settings) -> Settings:
    """The new settings, except where a restart is needed: there, what the gateway runs with."""
    merged = _merged(running, new, "")
    assert isinstance(merged, Settings)
    return merged


def _merged(running: Any, new: Any, path: str) -> Any:
    if isinstance(new, BaseModel) and type(running) is type(new):
        names = type(new).model_fields
        update = {
            name: _merged(getattr(running, name), getattr(new, name), f"{path}.{name}" if path else name)
            for name in names
        }
        return new.model_copy(update=update)
    if path in ("platforms", "mcp_servers"):
        return {name: _merged(old, new.get(name, old), f"{path}.{name}") for name, old in running.items()}
    return running if needs_restart(path) else new
