"""The commands of the house, by name and alias. A plugin's command never takes a built-in's name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points

from commands.spec import CommandSpec
from platforms.errors import PLUGIN_FAULTS

GROUP = "innkeeper.commands"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")

TOPICS = (
    *("sessions", "archive", "search", "memory_writes", "journey"),
    *("skill_shortcuts", "skill_writes", "curator", "home"),
    *("cron", "tools", "maintenance", "models", "reviews", "status", "dashboard", "pairing", "help"),
)
"""The house's own modules with commands, in the order in which help lists them."""


class Registry:
    """Commands in the order of their registration; `problems` says what could not be registered."""

    def __init__(self, specs: Iterable[CommandSpec] = ()) -> None:
        self._specs: dict[str, CommandSpec] = {}
        self._names: dict[str, CommandSpec] = {}
        self.problems: list[str] = []
        for spec in specs:
            self.add(spec)

    def add(self, spec: CommandSpec) -> None:
        """Register one command; a taken name is kept by its first holder and the collision is noted."""
        if (holder := self._names.get(spec.name)) is not None:
            self.problems.append(f"/{spec.name} is taken by {holder.help!r}; the second one is not offered")
            return
        self._specs[spec.name] = spec
        for name in (spec.name, *spec.aliases):
            self._names.setdefault(name, spec)

    def __iter__(self) -> Iterator[CommandSpec]:
        return iter(self._specs.values())

    def get(self, name: str) -> CommandSpec | None:
        """By name or alias, in any case."""
        return self._names.get(name.lower())

    def nearest(self, name: str, more: Iterable[str] = ()) -> str | None:
        """The name that a mistyped one probably meant: a command's, or one of `more`."""
        from rapidfuzz import process  # 75 ms, and only a mistyped name needs it

        known = [*(each for each, spec in self._names.items() if not spec.hidden), *more]
        found = process.extractOne(name.lower(), known, score_cutoff=70)
        return str(found[0]) if found else None


def built_in(points: Iterable[EntryPoint] | None = None) -> Registry:
    """The house's own commands, then those of plugins: entries of the group `innkeeper.commands`, each a CommandSpec
    or several. The house's own are entries as well, and come in by the same door.

    `points` are the entry points of plugins; None reads those of the installed distributions.
    """
    registry = Registry()
    own = [EntryPoint(topic, f"commands.{topic}:SPECS", GROUP) for topic in TOPICS]
    for entry in own:
        for spec in entry.load():
            registry.add(spec)
    for entry in entry_points(group=GROUP) if points is None else points:
        try:
            specs = _specs(loaded := entry.load())
        except PLUGIN_FAULTS as error:
            registry.problems.append(f"command plugin {entry.name}: {type(error).__name__}: {error}")
            continue
        if not specs:
            registry.problems.append(f"command plugin {entry.name}: a {type(loaded).__name__}, not a CommandSpec")
        for spec in specs:
            if isinstance(spec.name, str) and _NAME.fullmatch(spec.name):
                registry.add(spec)
            else:
                registry.problems.append(f"command plugin {entry.name}: {spec.name!r} is no name for a command")
    return registry


def _specs(loaded: object) -> list[CommandSpec]:
    """What an entry announces: one command or several; none where it is something else."""
    several = list(loaded) if isinstance(loaded, list | tuple) else [loaded]
    specs = [each for each in several if isinstance(each, CommandSpec)]
    return specs if len(specs) == len(several) else []
