"""`innkeeper doctor --db`: the database examined to the last page, copied, made smaller, its search index built anew.

Beside a running gateway, but for making it smaller. How each is done is the state room's matter.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gateway.cli.doctor import Finding, report
from gateway.cli.invocation import FAILED, Invocation

if TYPE_CHECKING:
    from gateway.config.paths import Profile
    from gateway.state.health import Inspection
    from gateway.state.index_care import IndexCare

BROKEN = "stop the gateway, keep a copy of the file, and put a backup in its place: innkeeper backup list"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is to be done besides looking; at most one of them. `backup` names the new file."""

    backup: str | None = None
    compact: bool = False
    rebuild: bool = False

    @property
    def many(self) -> bool:
        return sum((self.backup is not None, self.compact, self.rebuild)) > 1


def attend(invocation: Invocation, wishes: Wishes, as_json: bool) -> None:
    """Do what is wished, else look; print what came of it, and end with its exit code. Raises InnkeeperError."""
    if wishes.many:
        raise click.UsageError("--backup, --compact and --rebuild go one at a time.")
    profile = invocation.profile()
    if not profile.database.exists():
        _end([Finding("ok", "there is none yet; the first start makes it")], {}, as_json)
    elif wishes.backup is not None:
        _backed_up(profile, Path(wishes.backup), as_json)
    elif wishes.compact:
        _compacted(profile, as_json)
    elif wishes.rebuild:
        _end(asyncio.run(_with_index(profile, _rebuilt)), {}, as_json)
    else:
        _looked(profile, as_json)


def _backed_up(profile: Profile, target: Path, as_json: bool) -> None:
    from gateway.state.backup import backup_database

    try:
        size = backup_database(profile.database, target, _told("copied"))
    except FileExistsError as error:
        raise click.UsageError(f"{error}: name a new file.") from None
    words = f"copied to {target}, {size / 1e6:.1f} MB, and the copy is whole"
    _end([Finding("ok", words)], {"file": str(target), "bytes": size}, as_json)


def _compacted(profile: Profile, as_json: bool) -> None:
    from gateway.clock import SystemClock
    from gateway.config.lock import ProfileLock
    from gateway.state.backup import compact_database

    with ProfileLock(profile, SystemClock()):
        done = compact_database(profile.database)
    words = f"{done.before / 1e6:.1f} MB before, {done.after / 1e6:.1f} MB now"
    _end([Finding("ok", words)], {"bytes_before": done.before, "bytes": done.after}, as_json)


def _looked(profile: Profile, as_json: bool) -> None:
    from gateway.state.connection import DatabaseFault
    from gateway.state.health import inspect

    try:
        found = inspect(profile.database)
    except DatabaseFault as fault:
        _end([Finding("problem", str(fault), BROKEN)], {}, as_json)
        return
    findings = _of_the_file(profile, found)
    if not found.health.faults and found.health.version == found.health.newest:
        findings += asyncio.run(_with_index(profile, _checked))
    tables = [{"name": each.name, "rows": each.rows, "bytes": each.bytes} for each in found.tables]
    data = {"bytes": found.health.size, "free_bytes": found.free, "version": found.health.version, "tables": tables}
    if not as_json:
        for line in _listed(found):
            click.echo(line)
    _end(findings, data, as_json)


def _of_the_file(profile: Profile, found: Inspection) -> list[Finding]:
    health = found.health
    if health.faults:
        return [Finding("problem", f"{profile.database} is damaged: {each}", BROKEN) for each in health.faults]
    if health.version > health.newest:
        words = f"{profile.database} is at version {health.version}, this Innkeeper knows {health.newest}"
        return [Finding("problem", words, "upgrade innkeeper")]
    behind = "" if health.version == health.newest else f" of {health.newest}; the next start brings it up to date"
    findings = [Finding("ok", f"every page is whole: {health.size / 1e6:.1f} MB, version {health.version}{behind}")]
    if found.free * 4 >= health.size > 0:
        words = f"{found.free / 1e6:.1f} MB of it hold nothing; new messages fill them first"
        findings.append(
            Finding("ok", words, "to have them back: stop the gateway, then innkeeper doctor --db --compact")
        )
    return findings


def _listed(found: Inspection) -> list[str]:
    """Sizes by table."""
    if not found.tables:
        return []
    width = max(len(each.name) for each in found.tables)
    rows = [(each.name, "" if each.rows is None else f"{each.rows:,}", each.bytes) for each in found.tables]
    sizes = [f"{size / 1e6:>10.2f} MB" if size is not None else "" for _, _, size in rows]
    lines = [
        f"{name:<{width}} {count:>12} {size}".rstrip() for (name, count, _), size in zip(rows, sizes, strict=True)
    ]
    return [f"{'table':<{width}} {'rows':>12} {'size':>13}", *lines, ""]


async def _with_index(profile: Profile, step: Callable[[IndexCare], Awaitable[list[Finding]]]) -> list[Finding]:
    """Take a step with the search's index, on the store as any short command opens it."""
    from gateway.state.index_care import SearchCare
    from gateway.state.store import SqliteStore

    store = await SqliteStore.open(profile.database)
    try:
        return await step(SearchCare(store.search))
    finally:
        await store.close()


async def _checked(care: IndexCare) -> list[Finding]:
    step = "innkeeper doctor --db --rebuild"
    found = [Finding("problem", f"the search index: {each}", step) for each in await care.check()]
    return found or [Finding("ok", "the search index fits what is stored")]


async def _rebuilt(care: IndexCare) -> list[Finding]:
    await care.rebuild(_counted)
    return await _checked(care)


def _counted(done: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[Kindexed: {done:,}", err=True, nl=False)


def _told(what: str) -> Callable[[int, int], None]:
    """Progress on one line, where somebody looks."""

    def told(done: int, total: int) -> None:
        if sys.stderr.isatty() and total:
            click.echo(f"\r\x1b[K{what}: {100 * done // total} %", err=True, nl=done >= total)

    return told


def _end(findings: list[Finding], data: dict[str, Any], as_json: bool) -> None:
    if as_json:
        rows = [{"level": each.level, "text": each.text, "next_step": each.next_step} for each in findings]
        click.echo(json.dumps({**data, "findings": rows}, ensure_ascii=False, indent=2))
    else:
        for line in report([("database", each) for each in findings]):
            click.echo(line)
    if any(each.level == "problem" for each in findings):
        raise click.exceptions.Exit(FAILED)
