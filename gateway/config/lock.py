"""Who owns a profile: one process at a time, known by its pid and start time, for as long as it lives.

The kernel holds the lock, so it ends with its process however that ends; what the file says is for people.
"""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from gateway.clock import Clock, SystemClock, iso
from gateway.config.paths import Profile
from gateway.errors import ProfileLocked


@dataclass(frozen=True, slots=True)
class Holder:
    """The owner. `pid` is None when the file does not say; `since` is in seconds since the epoch.

    `visible` is false when no such process is seen from here, as from inside another container.
    """

    pid: int | None
    since: float | None
    visible: bool = True


class ProfileLock:
    """Ownership of a profile. A context manager; taking it twice in one process is refused like any other."""

    def __init__(self, profile: Profile, clock: Clock | None = None) -> None:
        self.profile = profile
        self.clock = clock or SystemClock()
        self._handle: int | None = None

    @property
    def held(self) -> bool:
        return self._handle is not None

    def acquire(self) -> Self:
        """Take the profile. Raises ProfileLocked, naming the owner, when another process has it."""
        path = self.profile.lock
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise _refusal(self.profile, _recorded(path)) from None
        record = {"pid": os.getpid(), "started": start_time(os.getpid()), "since": self.clock.now()}
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(record).encode(), 0)
        os.fsync(handle)
        self._handle = handle
        return self

    def release(self) -> None:
        """Give the profile back. The file stays: removing it would let two processes lock two files."""
        if self._handle is not None:
            os.ftruncate(self._handle, 0)
            os.close(self._handle)
            self._handle = None

    def __enter__(self) -> Self:
        return self if self.held else self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def holder(profile: Profile) -> Holder | None:
    """Who owns the profile, without taking it; None when nobody does."""
    try:
        handle = os.open(profile.lock, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        recorded = _recorded(profile.lock)
        if recorded.pid is not None and recorded.visible:
            return recorded
        # Nobody that can be seen: ask the kernel. A shared lock is enough, and is given back at once.
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return recorded
        return None
    finally:
        os.close(handle)


def start_time(pid: int) -> int | None:
    """When a process started, in the kernel's ticks since boot; None where /proc does not tell."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return int(stat.rpartition(")")[2].split()[19])  # field 22 of proc(5); the name before may hold anything


def _recorded(path: Path) -> Holder:
    try:
        record = json.loads(path.read_bytes())
        pid, started, since = int(record["pid"]), record["started"], float(record["since"])
    except (OSError, ValueError, KeyError, TypeError):
        return Holder(None, None, visible=False)
    return Holder(pid, since, visible=_alive(pid, started))


def _alive(pid: int, started: object) -> bool:
    """Whether that process still runs, and is the same one: pids are used again."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        pass  # it exists and belongs to somebody else
    except (OSError, OverflowError):
        return False
    now = start_time(pid)
    return started is None or now is None or now == started


def _refusal(profile: Profile, owner: Holder) -> ProfileLocked:
    who = "another process" if owner.pid is None else f"process {owner.pid}"
    if owner.pid is not None and not owner.visible:
        who += " (not visible from here, perhaps in a container)"
    since = f" since {iso(owner.since)}" if owner.since is not None else ""
    return ProfileLocked(
        f"The profile '{profile.name}' is in use by {who}{since}. Two processes cannot share a profile: stop that "
        f"one, or give this one a profile of its own with `innkeeper profile create NAME` and "
        f"`innkeeper -p NAME run`.",
        owner.pid,
    )
