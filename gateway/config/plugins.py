"""Plugins as they are announced: which doors there are, who announced what, and what the owner turned off.

Reads the metadata of installed distributions and imports nothing. Whether an entry is any good is found out by the
register of its door, which takes its entries from here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint
from types import MappingProxyType
from typing import Any, TypeVar

from gateway.config.paths import Profile
from gateway.errors import ConfigurationError
from platforms.errors import PLUGIN_FAULTS

T = TypeVar("T")

PLATFORM, COMMAND, TOOL, HOST, PROVIDER = "platform", "command", "tool", "host", "provider"
GROUPS = MappingProxyType(
    {
        PLATFORM: "innkeeper.platforms",
        COMMAND: "innkeeper.commands",
        TOOL: "innkeeper.tools",
        HOST: "innkeeper.hosts",
        PROVIDER: "innkeeper.providers",
    }
)
"""The doors, and the groups of entry points that lead through them."""

OURS = ("platforms.", "commands.", "gateway.", "memory.")
"""How import strings of what comes with the house begin."""


@dataclass(frozen=True, slots=True)
class Announced:
    """One entry. `off`: the owner turned it off."""

    kind: str
    point: EntryPoint
    off: bool = False

    @property
    def distribution(self) -> str:
        """The distribution that brought it; empty where nobody knows. Reads its metadata."""
        dist = getattr(self.point, "dist", None)
        return str(dist.name or "") if dist is not None else ""

    @property
    def version(self) -> str:
        """The distribution's version. Reads its metadata."""
        dist = getattr(self.point, "dist", None)
        return str(dist.version) if dist is not None else ""

    @property
    def name(self) -> str:
        return self.point.name

    @property
    def built_in(self) -> bool:
        return self.point.value.startswith(OURS)


@dataclass(frozen=True, slots=True)
class Plugins:
    """All entries, built-in ones first, then by kind, name and import string."""

    entries: tuple[Announced, ...] = ()

    @classmethod
    def announced(cls, off: Collection[str] = (), points: Iterable[EntryPoint] | None = None) -> Plugins:
        """What is announced by `points`; None reads the installed distributions. `off` has names of entries and of
        distributions; what comes with the house is never off."""
        kinds = {group: kind for kind, group in GROUPS.items()}
        # One distribution that is found twice on the path announces the same thing twice.
        known = {(each.group, each.name, each.value): each for each in (_installed() if points is None else points)}
        found = [_entry(kinds[each.group], each, off) for each in known.values() if each.group in kinds]
        order = list(GROUPS)
        return cls(
            tuple(sorted(found, key=lambda it: (not it.built_in, order.index(it.kind), it.name, it.point.value)))
        )

    def points(self, kind: str) -> list[EntryPoint]:
        """The entries of one door that are not turned off, for its register."""
        return [_Guarded.of(each.point) for each in self.entries if each.kind == kind and not each.off]

    def names(self, kind: str, *, off: bool = False) -> frozenset[str]:
        """Names at one door: of what is on, or of what is turned off."""
        return frozenset(each.name for each in self.entries if each.kind == kind and each.off == off)

    def named(self, name: str) -> list[Announced]:
        """The entries that bear this name, or that the distribution of this name brought."""
        wanted = normal(name)
        return [each for each in self.entries if each.name == name or normal(each.distribution) == wanted]


def announced(kind: str, off: Collection[str]) -> list[EntryPoint]:
    """The installed entries of one door that are not turned off."""
    return Plugins.announced(off).points(kind)


def turned_off(profile: Profile) -> frozenset[str]:
    """`plugins.disabled` of config.yaml as it is written, before anything of the file is checked; empty where it
    cannot be read, which whoever reads the settings says."""
    try:
        if "disabled" not in profile.config.read_text(encoding="utf-8", errors="replace"):
            return frozenset()
        from gateway.config.lines import read  # loads YAML, which short commands can do without

        section = read(profile.config).values.get("plugins")
    except (OSError, ConfigurationError):
        return frozenset()
    names = section.get("disabled") if isinstance(section, dict) else None
    return frozenset(each for each in names if isinstance(each, str)) if isinstance(names, list) else frozenset()


def installed(profile: Profile) -> Plugins:
    """What is announced on this machine, for this profile."""
    return Plugins.announced(turned_off(profile))


def normal(name: str) -> str:
    """A distribution's name in the one spelling that all spellings of it have."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _entry(kind: str, point: EntryPoint, off: Collection[str]) -> Announced:
    entry = Announced(kind, point)
    if not off or entry.built_in:
        return entry
    return replace(entry, off=entry.name in off or normal(entry.distribution) in {normal(each) for each in off})


def guarded(step: Callable[[], T]) -> T:
    """What a step in a plugin's code gives. Raises one of PLUGIN_FAULTS, whatever the plugin raises."""
    try:
        return step()
    except PLUGIN_FAULTS:
        raise
    except (Exception, SystemExit) as error:  # the plugin's own kinds of errors: told, and the house goes on
        raise ImportError(f"{type(error).__name__}: {error}") from error


class _Guarded(EntryPoint):
    """An entry whose import ends in an error that registers expect, whatever the plugin raises."""

    @classmethod
    def of(cls, point: EntryPoint) -> _Guarded:
        guarded = cls(point.name, point.value, point.group)
        vars(guarded).update(dist=getattr(point, "dist", None))
        return guarded

    def load(self) -> Any:
        return guarded(super().load)


def _installed() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points  # reads the metadata of every distribution

    groups = entry_points()
    return [point for group in GROUPS.values() for point in groups.select(group=group)]
