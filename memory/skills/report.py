"""What the curator did, or would do, as Markdown for people and JSON for programs (pure)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memory.skills.curator import Judged, Plan

_KEPT = {
    "pinned": "pinned",
    "referred to": "a job or something else needs it",
    "new": "never used, and too new to judge",
}


@dataclass(frozen=True, slots=True)
class Archived:
    """A skill that was put away, and where it lies in the skills folder; `where` is empty in a dry run."""

    name: str
    place: str
    days: int
    never: bool
    where: str = ""


@dataclass(frozen=True, slots=True)
class Left:
    """A skill that was to be put away and was not, with the reason."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """A merge that a model proposed: it waits under `pending_id`, or `why` says why it does not."""

    names: tuple[str, ...]
    pending_id: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """One run. `at` in seconds since the epoch. `dry`: nothing was written, `archived` is what would have been.
    `trouble` is why merging came to nothing, if it did."""

    at: float
    dry: bool
    plan: Plan
    archived: tuple[Archived, ...] = ()
    left: tuple[Left, ...] = ()
    proposed: tuple[Proposed, ...] = ()
    trouble: str = ""

    @property
    def gist(self) -> str:
        """On one line: `Curator: 12 skills, 2 stale, 1 archived.`"""
        verb = "would be archived" if self.dry else "archived"
        words = [f"{_count(len(self.plan.verdicts), 'skill')}", f"{len(self.plan.stale)} stale"]
        words += [f"{len(self.archived)} {verb}"]
        words += [f"{_count(len(self.left), 'skill')} could not be"] if self.left else []
        waiting = sum(1 for each in self.proposed if each.pending_id)
        words += [f"{_count(waiting, 'merge')} proposed"] if waiting else []
        return f"Curator: {', '.join(words)}."


def markdown(report: Report) -> str:
    """A page. Names of skills are plain, so nothing has to be escaped."""
    title = "# Curator, dry run" if report.dry else "# Curator"
    lines = [title, "", f"{stamp(report.at)}. {report.gist}"]
    if report.dry:
        lines += ["", "Nothing was changed."]
    heading = "Would be archived" if report.dry else "Archived"
    lines += _section(heading, [_archived(each) for each in report.archived])
    if report.archived and not report.dry:
        lines += ["", "`innkeeper curator restore NAME` brings a skill back as it was."]
    lines += _section("Could not be archived", [f"`{each.name}`: {each.why}" for each in report.left])
    lines += _section("Stale", [_stale(each) for each in report.plan.stale])
    lines += _section("Merges", [_proposed(each) for each in report.proposed])
    if report.trouble:
        lines += ["", f"Merging came to nothing: {report.trouble}"]
    active = [f"`{each.name}`" for each in report.plan.verdicts if each.state == "active"]
    lines += ["", "## Active", "", ", ".join(active) if active else "None."]
    return "\n".join(lines) + "\n"


def as_json(report: Report) -> str:
    """The same for programs; times in ISO 8601, UTC. Ends with a newline."""
    document = {
        "version": 1,
        "time": stamp(report.at),
        "dry_run": report.dry,
        "summary": report.gist,
        "archived": [
            {"name": each.name, "from": each.place, "to": each.where, "days": each.days, "never_used": each.never}
            for each in report.archived
        ],
        "not_archived": [{"name": each.name, "why": each.why} for each in report.left],
        "skills": [
            {
                "name": each.name,
                "state": "stale" if each.state == "overdue" else each.state,
                "days": each.days,
                "never_used": each.never,
                "kept": each.kept or None,
            }
            for each in report.plan.verdicts
        ],
        "merges": [
            {"skills": list(each.names), "pending": each.pending_id or None, "why": each.why or None}
            for each in report.proposed
        ],
        "trouble": report.trouble or None,
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def stamp(moment: float) -> str:
    """ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")


def _section(heading: str, lines: Sequence[str]) -> list[str]:
    return ["", f"## {heading}", "", *(f"- {line}" for line in lines)] if lines else []


def _archived(each: Archived) -> str:
    where = f", now in `{each.where}`" if each.where else ""
    return f"`{each.place}`: {_idle(each.days, each.never)}{where}"


def _stale(each: Judged) -> str:
    kept = f"; kept: {_KEPT.get(each.kept, each.kept)}" if each.kept else ""
    return f"`{each.place}`: {_idle(each.days, each.never)}{kept}"


def _proposed(each: Proposed) -> str:
    names = " + ".join(f"`{name}`" for name in each.names)
    return f"{names}: waits as {each.pending_id}" if each.pending_id else f"{names}: not proposed. {each.why}"


def _idle(days: int, never: bool) -> str:
    return f"never used in {_count(days, 'day')}" if never else f"not used for {_count(days, 'day')}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
