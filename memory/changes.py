"""What became different in a store since a session's prompt was frozen, and the note that says so. Pure.

When a note is due, and with which row it is stored, is the engine's matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from memory.model import Target
from memory.snapshot import Verdict

HEAD = "[Innkeeper] Memory changed since this conversation began. In effect now:"
AS_BEFORE = "[Innkeeper] Memory is again as it was when this conversation began."

_ALIKE = 0.5
"""How alike two texts are, from 0 to 1, that count as one entry before and after a change."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Entries that are new, that read differently (before, after), and that are gone; in the order of the store."""

    added: tuple[str, ...] = ()
    changed: tuple[tuple[str, str], ...] = ()
    withdrawn: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.withdrawn)


def changes_since(start: Sequence[str], now: Sequence[str]) -> Changes:
    """The difference between the entries of a session's start and those of now."""
    gone = [entry for entry in dict.fromkeys(start) if entry not in now]
    come = [entry for entry in dict.fromkeys(now) if entry not in start]
    alike = [(_likeness(before, after), before, after) for before in gone for after in come]
    pairs: dict[str, str] = {}
    for _, before, after in sorted((each for each in alike if each[0] >= _ALIKE), key=lambda each: -each[0]):
        if before not in pairs and after not in pairs.values():
            pairs[before] = after
    return Changes(
        tuple(entry for entry in come if entry not in pairs.values()),
        tuple((before, pairs[before]) for before in gone if before in pairs),
        tuple(entry for entry in gone if entry not in pairs),
    )


def note(changes: Mapping[Target, Changes], verdict: Verdict | None = None) -> str:
    """The note for the next message of a running session. An entry with a verdict is withheld, as in the block.

    Without any change it says so: for a session that was told of changes which were taken back since.
    """

    def shown(entry: str) -> str:
        rule = verdict(entry) if verdict else None
        return entry if rule is None else f"(withheld by the threat scan: {rule})"

    lines = []
    for target, each in changes.items():
        lines += [f"- {target.value}, new: {shown(entry)}" for entry in each.added]
        lines += [f"- {target.value}, changed: {shown(after)} (was: {shown(was)})" for was, after in each.changed]
        lines += [f"- {target.value}, withdrawn: {shown(entry)}" for entry in each.withdrawn]
    return "\n".join((HEAD, *lines)) if lines else AS_BEFORE


def _likeness(before: str, after: str) -> float:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    # The cheap bound first: most pairs have nothing in common.
    return matcher.ratio() if matcher.quick_ratio() >= _ALIKE else 0.0
