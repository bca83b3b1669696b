"""The list of skills in a prompt: bounded, and the skills that are used most when not even all names fit.

Read when a session begins and at no other time.
"""

from __future__ import annotations

from collections.abc import Collection

from gateway.tools.skill_guidance import INDEX_CHARS, block
from memory.files import FileTrouble
from memory.skills.library import Library
from memory.skills.usage import Usage

_FAVOURITES = 60


def skill_block(library: Library, usage: Usage) -> str:
    """The block for the prompt; empty without any skill. Touches the disk."""
    return block(library.index(INDEX_CHARS, favourites(usage)))


def favourites(usage: Usage) -> Collection[str]:
    """The names of the skills that are used most; none while the figures cannot be read."""
    try:
        tallies = usage.all()
    except FileTrouble:
        return ()
    ranked = sorted((-each.uses, -each.views, name) for name, each in tallies.items() if each.uses or each.views)
    return frozenset(name for _, _, name in ranked[:_FAVOURITES])
