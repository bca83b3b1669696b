"""Finds the outside memories that are installed, built in and from plugins alike, without importing any SDK.

Owns the reading of the entry-point group and of import strings. Leaves to the application which one is used.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any, cast

from memory.providers.protocol import Provider, ProviderContext, ProviderFault, ProviderManifest, Unreachable

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "innkeeper.providers"
_BUILT_IN = "gateway."
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")

FAULTS = (
    ImportError,
    SyntaxError,
    AttributeError,
    NameError,
    TypeError,
    ValueError,
    LookupError,
    ArithmeticError,
    AssertionError,
    OSError,
    RuntimeError,
)
"""What a module that somebody else wrote may raise while it is imported."""


@dataclass(frozen=True, slots=True)
class BrokenProvider:
    """An outside memory that was announced and cannot be used. `why` is one line for a person."""

    name: str
    why: str


Entry = ProviderManifest | BrokenProvider


class Register:
    """The announced providers; each is imported when it is asked for. `points` are the entry points to read; None
    reads those of the installed distributions, when something is first asked for."""

    def __init__(self, points: Iterable[EntryPoint] | None = None) -> None:
        self._given = None if points is None else list(points)
        self._found: dict[str, EntryPoint] | None = None

    @property
    def names(self) -> frozenset[str]:
        """All names that are announced."""
        return frozenset(self._points())

    def get(self, name: str) -> Entry | None:
        """One of them; None when nobody announced it. Never raises for a bad plugin."""
        point = self._points().get(name)
        return None if point is None else _read(point)

    def all(self) -> dict[str, Entry]:
        """All of them, built-in ones first, then by name. Imports each."""
        ours = sorted(self._points().items(), key=lambda each: (not each[1].value.startswith(_BUILT_IN), each[0]))
        return {name: _read(point) for name, point in ours}

    def distribution(self, name: str) -> str:
        """The distribution that announced it; empty when that is not known."""
        point = self._points().get(name)
        dist = getattr(point, "dist", None)
        return str(dist.name) if dist is not None else ""

    def _points(self) -> dict[str, EntryPoint]:
        """By name. When two claim one name, the built-in one keeps it, else the first by import string."""
        if self._found is None:
            points = _installed() if self._given is None else self._given
            found: dict[str, EntryPoint] = {}
            for point in sorted(points, key=lambda each: (not each.value.startswith(_BUILT_IN), each.value)):
                found.setdefault(point.name, point)
            self._found = found
        return self._found


def built(manifest: ProviderManifest, context: ProviderContext) -> Provider:
    """Import the provider's code and make it; nothing is opened. Raises `Unreachable` with one clear line."""
    try:
        make = import_string(manifest.provider)
        provider = make(context)
    except ProviderFault:
        raise
    except (Exception, SystemExit) as error:  # whatever kind the plugin raises: it is told, and the house goes on
        raise Unreachable(f"{manifest.provider} cannot be loaded: {line(error)}") from error
    if getattr(provider, "name", None) != manifest.name:
        what = type(provider).__name__
        raise Unreachable(f"{manifest.provider} made a {what}, no provider named {manifest.name}")
    return cast(Provider, provider)


def import_string(where: str) -> Any:
    """The object at `package.module:name`. Raises ValueError for another shape, else what the import raises."""
    module, colon, name = where.partition(":")
    if not (module and colon and name):
        raise ValueError(f"not an import string: {where!r} (expected package.module:name)")
    return getattr(importlib.import_module(module), name)


def line(error: BaseException) -> str:
    """The error in one line, with its type."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(": ")


def _installed() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points  # only where an outside memory is named

    return entry_points(group=GROUP)


def _read(point: EntryPoint) -> Entry:
    try:
        loaded = point.load()
    except FAULTS as error:
        return BrokenProvider(point.name, f"{point.value} cannot be imported: {line(error)}")
    if not isinstance(loaded, ProviderManifest):
        return BrokenProvider(point.name, f"{point.value} is a {type(loaded).__name__}, not a ProviderManifest")
    if loaded.name != point.name:
        return BrokenProvider(point.name, f"{point.value} describes {loaded.name!r}, not {point.name!r}")
    if not _NAME.fullmatch(loaded.name):  # it names a folder, and stands in prompts
        return BrokenProvider(point.name, f"{loaded.name!r} is no name: letters a-z, digits, - and _")
    if not all(isinstance(each, int | float) and each > 0 for each in astuple(loaded.patience)):
        return BrokenProvider(point.name, f"{point.value} has a patience that is no number of seconds")
    if loaded.settings:
        try:
            import_string(loaded.settings)
        except FAULTS as error:
            return BrokenProvider(point.name, f"its settings {loaded.settings} cannot be imported: {line(error)}")
    return loaded
