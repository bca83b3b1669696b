"""Keys that are read and checked and do nothing yet: said wherever somebody set one, so that nobody relies on it.

A key leaves this list in the commit that makes it act.
"""

from __future__ import annotations

from collections.abc import Sequence

from gateway.config.schema import Settings, flattened

WITHOUT_EFFECT: tuple[str, ...] = ()
"""Keys, and groups of keys that are named as a whole."""


def without_effect(settings: Settings, keys: Sequence[str] = WITHOUT_EFFECT) -> tuple[str, ...]:
    """Those of these dotted keys that differ from their default."""
    usual = dict(flattened(Settings()))
    changed = [key for key, value in flattened(settings) if key not in usual or value != usual[key]]
    return tuple(each for each in keys if any(key == each or key.startswith(f"{each}.") for key in changed))


def warnings(settings: Settings, about: str = "", keys: Sequence[str] = WITHOUT_EFFECT) -> tuple[str, ...]:
    """The same as lines for people; only those that concern the key `about`, when given."""
    lines = []
    for key in without_effect(settings, keys):
        if about and about != key and not about.startswith(f"{key}.") and not key.startswith(f"{about}."):
            continue
        lines.append(f"{key} is set, and does nothing yet in this version")
    return tuple(lines)
