"""`innkeeper doctor`: goes through everything that is configured and says in words what to do.

The checks are elsewhere: this file names where they come from, runs them and prints what they found.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import click

from gateway.cli.invocation import Invocation

if TYPE_CHECKING:
    from gateway.config.load import Loaded
    from gateway.config.paths import Profile

Level = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found. `next_step` says what to do, and is empty when there is nothing to do."""

    level: Level
    text: str
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an address answered: an HTTP status, or None and the reason why nothing came."""

    status: int | None
    reason: str = ""


Probe = Callable[[str, dict[str, str]], Answer]
"""GET an address with these headers; never raises."""


@dataclass(frozen=True, slots=True)
class Patient:
    """What checks may look at. `loaded` is None when the settings are broken; `problems` then says why."""

    profile: Profile
    loaded: Loaded | None
    problems: tuple[str, ...]
    probe: Probe


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to look at. `run` returns what it found, nothing when it does not apply; it changes nothing."""

    name: str
    run: Callable[[Patient], Iterable[Finding]]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="An array of check, level, text, next_step.")
@click.option("--db", is_flag=True, help="Examine the database alone, to the last page, and its search index.")
@click.option("--backup", metavar="FILE", help="With --db: copy the database to a new file, while the gateway runs.")
@click.option(
    "--compact", is_flag=True, help="With --db: give unused room back to the disk; not while the gateway runs."
)
@click.option("--rebuild", is_flag=True, help="With --db: build the search index anew, while the gateway runs.")
@click.pass_obj
def doctor(invocation: Invocation, as_json: bool, db: bool, backup: str | None, compact: bool, rebuild: bool) -> None:
    """Check everything that is configured and say what to do. Exits 1 when there is a problem."""
    if db:
        from gateway.cli import doctor_storage

        doctor_storage.attend(invocation, doctor_storage.Wishes(backup, compact, rebuild), as_json)
        return
    if backup is not None or compact or rebuild:
        raise click.UsageError("--backup, --compact and --rebuild belong to --db.")
    found = examine(patient(invocation, http_probe), all_checks())
    if as_json:
        rows = [
            {"check": name, "level": finding.level, "text": finding.text, "next_step": finding.next_step}
            for name, finding in found
        ]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        for line in report(found):
            click.echo(line)
    if any(finding.level == "problem" for _, finding in found):
        raise click.exceptions.Exit(1)


def all_checks() -> list[Check]:
    """The checks of every room, one line each."""
    from gateway.cli import doctor_checks, doctor_database

    return [*doctor_checks.checks(), *doctor_database.checks()]


def patient(invocation: Invocation, probe: Probe) -> Patient:
    """The profile with its settings, broken or not."""
    from gateway.errors import ConfigurationError

    profile = invocation.profile()
    try:
        return Patient(profile, invocation.settings(), (), probe)
    except ConfigurationError as error:
        return Patient(profile, None, tuple(error.problems), probe)


def examine(who: Patient, checks: Iterable[Check]) -> list[tuple[str, Finding]]:
    """Every finding with its check's name, in order."""
    return [(check.name, finding) for check in checks for finding in check.run(who)]


def report(found: list[tuple[str, Finding]]) -> list[str]:
    """For people: one line a finding, the next step below it, a summary at the end."""
    marks = {"ok": "ok     ", "warning": "warning", "problem": "PROBLEM"}
    lines: list[str] = []
    for name, finding in found:
        lines.append(f"{marks[finding.level]}  {name}: {finding.text}")
        if finding.next_step:
            lines.append(f"         → {finding.next_step}")
    problems = sum(finding.level == "problem" for _, finding in found)
    warnings = sum(finding.level == "warning" for _, finding in found)
    if problems or warnings:
        lines.append(f"\n{_count(problems, 'problem')}, {_count(warnings, 'warning')}.")
    else:
        lines.append("\nAll is well.")
    return lines


def http_probe(address: str, headers: dict[str, str]) -> Answer:
    """Ask over the network, with three seconds of patience."""
    import httpx

    try:
        return Answer(httpx.get(address, headers=headers, timeout=3.0, follow_redirects=True).status_code)
    except httpx.TimeoutException:
        return Answer(None, "no answer within 3 seconds")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return Answer(None, str(error) or type(error).__name__)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
