"""Keys that are read and checked and do nothing yet: said wherever somebody set one, so that nobody relies on it.

A key leaves this list in the commit that makes it act.
"""

from __future__ import annotations

import re

from gateway.config.schema import Settings, flattened

_WITHOUT_EFFECT = re.compile(r"(?:mcp_servers)(?:\.|$)")
_NAMED_AS_A_WHOLE = ("mcp_servers",)


def without_effect(settings: Settings) -> tuple[str, ...]:
    """Dotted keys that differ from their default and do nothing yet."""
    usual = dict(flattened(Settings()))
    changed = [key for key, value in flattened(settings) if key not in usual or value != usual[key]]
    found = [_whole(key) for key in changed if _WITHOUT_EFFECT.match(key)]
    return tuple(dict.fromkeys(found))


def warnings(settings: Settings, about: str = "") -> tuple[str, ...]:
    """The same as lines for people; only those that concern the key `about`, when given."""
    lines = []
    for key in without_effect(settings):
        if about and about != key and not about.startswith(f"{key}.") and not key.startswith(f"{about}."):
            continue
        lines.append(f"{key} is set, and does nothing yet in this version")
    return tuple(lines)


def _whole(key: str) -> str:
    return next((group for group in _NAMED_AS_A_WHOLE if key.startswith(f"{group}.")), key)
