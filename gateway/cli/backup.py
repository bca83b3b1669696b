"""`innkeeper backup`: copies of a whole profile, made, listed, proven and put back.

What is in one, and how, is for `gateway.backup`; here it is ordered, watched and told.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gateway.cli.invocation import Invocation

if TYPE_CHECKING:
    from gateway.backup.making import Backup
    from gateway.backup.manifest import Manifest
    from gateway.config.paths import Profile

_SHOWN = 10
"""Lines about what was left out, at most; `--json` has all of them."""

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def backup() -> None:
    """Copy a profile (memory, skills, conversations, settings without secrets), and put a copy back."""


@backup.command()
@click.option("--keep", type=click.IntRange(min=1), help="Backups that stay, this one included; 7 if not said.")
@_json
@click.pass_obj
def create(invocation: Invocation, keep: int | None, as_json: bool) -> None:
    """Make a backup, prove it by unpacking and counting it, and let the oldest go. The gateway may run."""
    from gateway.backup.making import KEPT
    from gateway.backup.making import create as make
    from gateway.backup.settings_copy import usual_variables
    from gateway.clock import SystemClock

    profile = invocation.profile()
    variables = usual_variables(invocation.extensions())
    made = make(profile, SystemClock().now(), variables, _told, KEPT if keep is None else keep)
    if as_json:
        _print({**_row(made.backup), "removed": [str(each) for each in made.removed]})
        return
    click.echo(f"Made {made.backup.path} ({_size(made.backup.size)}).")
    click.echo(f"Proven by unpacking it: {_counts(made.manifest.counts)}.")
    for line in _remarks(made.manifest):
        click.echo(line)
    if made.removed:
        click.echo(f"Removed: {', '.join(each.name for each in made.removed)}.")


@backup.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="An array of name, made_at, file, bytes, counts and more.")
@click.pass_obj
def list_backups(invocation: Invocation, as_json: bool) -> None:
    """List the profile's backups, the newest first."""
    from gateway.backup.making import backups

    profile = invocation.profile()
    found = backups(profile)
    if as_json:
        _print([_row(each) for each in found])
    elif not found:
        click.echo("There is no backup yet: innkeeper backup create")
    else:
        for each in found:
            told = each.fault if each.manifest is None else _counts(each.manifest.counts)
            click.echo(f"{each.path.name}  {_size(each.size):>9}  {told}")


@backup.command()
@click.argument("file", required=False)
@_json
@click.pass_obj
def verify(invocation: Invocation, file: str | None, as_json: bool) -> None:
    """Unpack FILE (a path, or a name of the list; the newest if not said), compare every file, and count."""
    from gateway.backup.making import verify as prove

    profile = invocation.profile()
    path = _chosen(profile, file)
    manifest, found = prove(path, profile, _told)
    if as_json:
        _print({"name": path.name, "ok": True, **_described(manifest), "newer_database": found.too_new})
        return
    click.echo(f"{path.name} is whole: {len(manifest.files)} files, {_counts(manifest.counts)}.")
    if found.too_new:
        click.echo(f"Its database is of a newer Innkeeper ({manifest.innkeeper}): upgrade before you restore it.")


@backup.command()
@click.argument("file")
@click.option("--force", is_flag=True, help="Into a profile that is not empty: set aside what it has first.")
@_json
@click.pass_obj
def restore(invocation: Invocation, file: str, force: bool, as_json: bool) -> None:
    """Put FILE (a path, or a name of the list) into the profile. Its .env stays as it is. The gateway may not run."""
    from gateway.backup.restoring import restore as put_back
    from gateway.clock import SystemClock

    profile = invocation.profile()
    done = put_back(_chosen(profile, file), profile, SystemClock(), force=force, progress=_told)
    if as_json:
        aside = None if done.aside is None else str(done.aside)
        _print({**_described(done.manifest), "set_aside": aside, "missing": list(done.missing)})
        return
    click.echo(f"Restored into {profile.folder}: {_counts(done.manifest.counts)}.")
    if done.aside is not None:
        click.echo(f"What was there is in {done.aside}.")
    if done.missing:
        click.echo(f"A backup has no secrets. Put these into {profile.env}: {', '.join(done.missing)}.")


def _chosen(profile: Profile, file: str | None) -> Path:
    """The file that is meant: a path, or a name in the profile's folder of backups."""
    from gateway.backup.errors import BackupFault
    from gateway.backup.making import backups

    if file is None:
        found = backups(profile)
        if not found:
            raise BackupFault("There is no backup yet: innkeeper backup create")
        return found[0].path
    named = profile.backups / file
    if "/" not in file and named.is_file():
        return named
    path = Path(file)
    if not path.is_file():
        raise BackupFault(f"There is no backup {file}: innkeeper backup list shows what there is.")
    return path


def _row(each: Backup) -> dict[str, Any]:
    row: dict[str, Any] = {"name": each.path.name}
    row |= {"fault": each.fault} if each.manifest is None else _described(each.manifest)
    return row | {"file": str(each.path), "bytes": each.size}


def _described(manifest: Manifest) -> dict[str, Any]:
    from gateway.clock import iso

    return {
        "made_at": iso(manifest.made_at),
        "profile": manifest.profile,
        "innkeeper": manifest.innkeeper,
        "database": manifest.database,
        "counts": dict(manifest.counts),
        "files": len(manifest.files),
        "left_out": list(manifest.left_out),
        "secrets": [{"key": each.key, "variable": each.variable} for each in manifest.secrets],
        "variables": list(manifest.variables),
    }


def _remarks(manifest: Manifest) -> list[str]:
    lines = []
    if manifest.missing:
        names = ", ".join(manifest.missing)
        lines.append(f"Secrets are not in it; keep these elsewhere, such as in a password store: {names}.")
    if manifest.left_out:
        lines.append("Not in it:")
        lines += [f"- {each}" for each in manifest.left_out[:_SHOWN]]
        if len(manifest.left_out) > _SHOWN:
            lines.append(f"- and {len(manifest.left_out) - _SHOWN} more")
    return lines


def _counts(counts: Mapping[str, int]) -> str:
    words = {
        "messages": "message",
        "sessions": "session",
        "entries": "entry of memory",
        "skills": "skill",
        "archived_skills": "archived skill",
        "pending": "pending write",
        "jobs": "job",
    }
    usual = ("messages", "sessions", "entries", "skills")
    shown = [name for name in words if counts.get(name) or name in usual]
    return ", ".join(f"{counts.get(name, 0):,} {_plural(words[name], counts.get(name, 0))}" for name in shown)


def _plural(word: str, count: int) -> str:
    if count == 1:
        return word
    return word.replace("entry", "entries", 1) if word.startswith("entry") else f"{word}s"


def _size(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


def _told(stage: str, done: int, total: int) -> None:
    """Progress on one line, where somebody looks."""
    if sys.stderr.isatty() and total:
        click.echo(f"\r\x1b[K{stage}: {100 * done // total} %", err=True, nl=done >= total)


def _print(data: object) -> None:
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))
