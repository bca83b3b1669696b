"""What a service manager said when it started the process: where it listens, how often it wants a sign of life."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Supervised:
    """`socket` is a path, or a name that begins with @. `watchdog` are the seconds between two signs of life at most;
    None when nobody waits for any."""

    socket: str
    watchdog: float | None = None


def supervised(environment: Mapping[str, str], pid: int | None = None) -> Supervised | None:
    """What the variables of sd_notify(3) and sd_watchdog_enabled(3) say to this process; None without a manager."""
    socket = environment.get("NOTIFY_SOCKET", "")
    if socket[:1] not in ("/", "@") or len(socket) < 2:
        return None
    meant = environment.get("WATCHDOG_PID", "")
    mine = not meant or meant == str(os.getpid() if pid is None else pid)
    wanted = environment.get("WATCHDOG_USEC", "")
    microseconds = int(wanted) if wanted.isascii() and wanted.isdigit() else 0
    return Supervised(socket, microseconds / 1_000_000 if mine and microseconds > 0 else None)
