"""Finds the platforms that are installed, built-in and from plugins alike, without importing any SDK.

Owns the reading of the entry-point group and of import strings. Leaves to the application which of them are on.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from platforms.adapter import Adapter
from platforms.errors import PLUGIN_FAULTS, PlatformDown
from platforms.manifest import AdapterContext, PlatformManifest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "innkeeper.platforms"
_BUILT_IN = "platforms."


@dataclass(frozen=True, slots=True)
class BrokenPlugin:
    """A platform that was announced and cannot be used. `why` is one line for a person."""

    name: str
    why: str


Entry = PlatformManifest | BrokenPlugin


def manifests(points: Iterable[EntryPoint] | None = None) -> dict[str, Entry]:
    """Every announced platform by name, built-in ones first, then plugins by name.

    `points` are the entry points to read; None reads those of the installed distributions. Never raises for a bad
    plugin: it becomes a `BrokenPlugin`. When two claim one name, the built-in one keeps it, else the first by
    import string; the other is listed as `name (import string)` with the reason.
    """
    if points is None:
        from importlib.metadata import entry_points

        points = entry_points(group=GROUP)
    # One distribution that is found twice on the path announces the same thing twice: that is no collision.
    claims = {(point.name, point.value): point for point in points}
    found: dict[str, Entry] = {}
    for name, value in sorted(claims, key=lambda claim: (not claim[1].startswith(_BUILT_IN), *claim)):
        if name not in found:
            found[name] = _read(claims[name, value])
        else:
            key = f"{name} ({value})"
            found[key] = BrokenPlugin(key, _collision(name, found[name]))
    return found


def usable(entries: Iterable[Entry]) -> dict[str, PlatformManifest]:
    """Those that can be used, by name."""
    return {entry.name: entry for entry in entries if isinstance(entry, PlatformManifest)}


def load_adapter(manifest: PlatformManifest, context: AdapterContext) -> Adapter:
    """Import the platform's code and build its adapter. Raises `PlatformDown` with one clear line."""
    try:
        build = import_string(manifest.adapter)
    except PLUGIN_FAULTS as error:
        raise PlatformDown(f"{manifest.name}: cannot load {manifest.adapter}: {_line(error)}") from error
    if not callable(build):
        raise PlatformDown(f"{manifest.name}: {manifest.adapter} is not callable")
    try:
        adapter = build(context)
    except PlatformDown:
        raise
    except Exception as error:  # the adapter supervisor's first step: the others go on
        raise PlatformDown(f"{manifest.name}: {manifest.adapter} failed: {_line(error)}") from error
    if getattr(adapter, "name", None) != manifest.name:
        what = type(adapter).__name__
        raise PlatformDown(f"{manifest.name}: {manifest.adapter} made a {what}, no adapter named {manifest.name}")
    return cast(Adapter, adapter)


def import_string(where: str) -> Any:
    """The object at `package.module:name`. Raises ValueError for another shape, else what the import raises."""
    module, colon, name = where.partition(":")
    if not (module and colon and name):
        raise ValueError(f"not an import string: {where!r} (expected package.module:name)")
    try:
        return getattr(importlib.import_module(module), name)
    except PLUGIN_FAULTS:
        raise
    except (Exception, SystemExit) as error:  # the plugin's own kinds of errors: told, and the house goes on
        raise ImportError(f"{type(error).__name__}: {error}") from error


def _read(point: EntryPoint) -> Entry:
    try:
        loaded = point.load()
    except PLUGIN_FAULTS as error:
        return BrokenPlugin(point.name, f"{point.value} cannot be imported: {_line(error)}")
    if not isinstance(loaded, PlatformManifest):
        return BrokenPlugin(point.name, f"{point.value} is a {type(loaded).__name__}, not a PlatformManifest")
    if loaded.name != point.name:
        return BrokenPlugin(
            point.name, f"{point.value} describes {loaded.name!r}, but is registered as {point.name!r}"
        )
    if loaded.settings and not loaded.adapter.startswith(_BUILT_IN):
        try:
            import_string(loaded.settings)
        except PLUGIN_FAULTS as error:
            return BrokenPlugin(point.name, f"its settings {loaded.settings} cannot be imported: {_line(error)}")
    return loaded


def _collision(name: str, holder: Entry) -> str:
    if isinstance(holder, PlatformManifest) and holder.adapter.startswith(_BUILT_IN):
        return f"the name {name} belongs to a built-in platform"
    return f"another plugin has the name {name} already"


def _line(error: BaseException) -> str:
    """The error in one line, with its type."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(": ")
