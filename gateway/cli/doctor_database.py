"""What `innkeeper doctor` says about the profile's database; how it is examined is the state room's matter."""

from __future__ import annotations

import stat
from collections.abc import Iterator

from gateway.cli.doctor import Check, Finding, Patient


def checks() -> list[Check]:
    """The one check of the database."""
    return [Check("database", _database)]


def _database(who: Patient) -> Iterator[Finding]:
    from gateway.state.connection import DatabaseFault
    from gateway.state.health import examine

    path = who.profile.database
    if not path.exists():
        yield Finding("ok", "there is none yet; the first start makes it")
        return
    try:
        found = examine(path)
    except DatabaseFault as fault:
        yield Finding("problem", str(fault), f"look at {path} and its folder; a backup can take its place")
        return
    if found.faults:
        yield Finding(
            "problem",
            f"{path} is damaged: {'; '.join(found.faults)}",
            "stop the gateway, keep a copy of the file, and put a backup in its place",
        )
    elif found.version > found.newest:
        yield Finding(
            "problem",
            f"{path} is at version {found.version}, this Innkeeper knows {found.newest}",
            "upgrade innkeeper",
        )
    else:
        behind = "" if found.version == found.newest else f" of {found.newest}; the next start brings it up to date"
        yield Finding("ok", f"{found.size / 1e6:.1f} MB, version {found.version}{behind}")
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        yield Finding("warning", f"others on this machine may read {path}", f"chmod 600 {path}")
