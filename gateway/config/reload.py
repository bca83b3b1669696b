"""Following the settings files while the gateway runs: what takes effect, what waits for a restart, what is broken.

A broken file changes nothing: the last good settings stay in force, and it is reported once for each change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gateway.config.extensions import Extensions
from gateway.config.load import Loaded, load_settings
from gateway.config.paths import Profile
from gateway.config.restart import changes, in_force, needs_restart
from gateway.errors import ConfigurationError

Stamp = tuple[int, int, int] | None


@dataclass(frozen=True, slots=True)
class Reloaded:
    """New settings in force. `changed` are the keys that took effect; `waiting` those that need a restart, for
    which `loaded.settings` still holds the old values."""

    loaded: Loaded
    changed: tuple[str, ...]
    waiting: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Broken:
    """The files cannot be used; the last good settings stay in force. `problems` holds one line each."""

    problems: tuple[str, ...]


class Watcher:
    """Looks at config.yaml and .env. `current` is what is in force."""

    def __init__(
        self,
        profile: Profile,
        current: Loaded,
        environment: Mapping[str, str],
        extensions: Extensions | None = None,
    ) -> None:
        self.profile = profile
        self.current = current
        self.environment = environment
        self.extensions = extensions or Extensions()
        self._seen = self._stamps()
        self._written = bool(self._seen[0] and self._seen[0][1])
        self._waiting: tuple[str, ...] = ()
        self._broken = False

    def check(self, force: bool = False) -> Reloaded | Broken | None:
        """Two `stat` calls when nothing changed. `force` reads the files whatever their times say (SIGHUP).

        None: nothing to say. A file that was broken and is as before again is reported as Reloaded with no changes.
        """
        stamps = self._stamps()
        if stamps == self._seen and not force:
            return None
        self._seen = stamps
        if self._written and (stamps[0] is None or stamps[0][1] == 0):
            # Some editors empty or remove a file before they write it; that must not let strangers in.
            self._broken = True
            return Broken((f"{self.profile.config.name}:1 the file is gone or empty; restart to run with defaults",))
        try:
            fresh = load_settings(self.profile, self.environment, self.extensions)
        except ConfigurationError as error:
            self._broken = True
            return Broken(tuple(error.problems))
        if self._says_something(self.current) and not self._says_something(fresh):
            self._broken = True
            return Broken((f"{self.profile.config.name}:1 no key is left in the file; restart to run with defaults",))
        settings = in_force(self.current.settings, fresh.settings)
        changed = changes(self.current.settings, settings)
        waiting = tuple(key for key in changes(settings, fresh.settings) if needs_restart(key))
        quiet = not changed and waiting == self._waiting and not self._broken and not force
        # A secret that was replaced is still in use until the restart, and must still be masked.
        self.current = replace(fresh, settings=settings, secrets=fresh.secrets | self.current.secrets)
        self._waiting, self._broken, self._written = waiting, False, bool(stamps[0] and stamps[0][1])
        return None if quiet else Reloaded(self.current, changed, waiting)

    def _says_something(self, loaded: Loaded) -> bool:
        """Whether any value comes from the file."""
        return any(origin.startswith(f"{self.profile.config.name}:") for origin in loaded.origins.values())

    def _stamps(self) -> tuple[Stamp, Stamp]:
        return _stamp(self.profile.config), _stamp(self.profile.env)


def _stamp(path: Path) -> Stamp:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
