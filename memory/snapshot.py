"""The block that a store contributes to the frozen prompt. Pure; when it is rendered and kept is the engine's matter.

The bytes are what hosts cache: a change here makes every running session read its prompt again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memory.entries import serialise
from memory.model import Target
from memory.usage import usage

RULE = "═" * 46

Verdict = Callable[[str], str | None]
"""The threat scan as this file needs it: the name of the rule that an entry breaks, None when it is clean."""


def block(target: Target, entries: Sequence[str], limit: int, verdict: Verdict | None = None) -> str:
    """Rule, header, rule, entries; the empty string for an empty store.

    The header counts the raw entries. An entry with a verdict is withheld here alone: its place is taken by a line
    that names the rule, and the file keeps the text for the person to see.
    """
    if not entries:
        return ""
    shown = [_shown(entry, verdict) for entry in entries]
    header = f"{target.heading} [{usage(entries, limit)}]"
    return "\n".join((RULE, header, RULE, serialise(shown)))


def _shown(entry: str, verdict: Verdict | None) -> str:
    rule = verdict(entry) if verdict else None
    return entry if rule is None else f"[entry withheld by the threat scan: {rule}]"
