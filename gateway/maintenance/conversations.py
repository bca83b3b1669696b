"""What is done for people's sake: what waits for a yes is repeated, skills that nobody uses are looked at, and old
sessions leave. Each belongs to another room; here it is put into a report.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from gateway.engine.care.retention import StoredRetention
from gateway.engine.gates.digest import Digest
from gateway.schedule.maintenance import JobReport
from memory.skills.caretaker import Caretaker
from memory.skills.report import Report

LookAtSkills = Callable[[], Awaitable[Report | None]]
"""The curator's moment, if it is one; None when it is not time."""


async def pending_digest(digest: Digest, *, dry: bool) -> JobReport:
    """Raises FileTrouble where what waits cannot be read."""
    sent = await digest.send(dry=dry)
    figures = {"waiting": sent.waiting, "chats": sent.chats}
    if not sent.waiting:
        return JobReport("nothing waits for a yes", figures)
    waits = f"{sent.waiting} {'write waits' if sent.waiting == 1 else 'writes wait'} for a yes"
    if sent.withheld:
        return JobReport(f"{waits}; {sent.withheld}", figures)
    chats = f"{sent.chats} home {'chat' if sent.chats == 1 else 'chats'}"
    return JobReport(f"{waits}; {'would be ' if dry else ''}repeated in {chats}", figures)


async def curator_check(look: LookAtSkills, caretaker: Caretaker, *, dry: bool) -> JobReport:
    """Raises FileTrouble where the curator's records cannot be had."""
    if dry:
        return _of_skills(await asyncio.to_thread(caretaker.dry_run))
    report = await look()
    if report is not None:
        return _of_skills(report)
    found = (await asyncio.to_thread(caretaker.dry_run)).plan
    figures = {"skills": len(found.verdicts), "stale": len(found.stale), "overdue": len(found.archive)}
    words = f"it is not time to run: {figures['stale']} stale, {figures['overdue']} to be archived by the next run"
    return JobReport(words, figures)


def _of_skills(report: Report) -> JobReport:
    figures = {
        "skills": len(report.plan.verdicts),
        "stale": len(report.plan.stale),
        "archived": len(report.archived),
        "left": len(report.left),
        "proposed": sum(1 for each in report.proposed if each.pending_id),
    }
    return JobReport(report.gist, figures)


async def retention(stored: StoredRetention, *, dry: bool) -> JobReport:
    """Raises DatabaseFault and OSError."""
    if (days := stored.days) is None:
        if not dry:
            await stored.daily()
        return JobReport("every session is kept (sessions.retention_days is not set)", {"sessions": 0})
    done = await stored.prune(days, dry=True) if dry else await stored.daily()
    if done is None:  # the setting was taken away meanwhile
        return JobReport("every session is kept", {"sessions": 0})
    figures = {
        "sessions": len(done.sessions),
        "messages": done.messages,
        "bytes": done.bytes,
        "files": done.files,
        "kept": len(done.kept),
    }
    went = f"{len(done.sessions)} {'session' if len(done.sessions) == 1 else 'sessions'} older than {days} days"
    kept = f"; {len(done.kept)} would be old enough and {'stay' if dry else 'stayed'}" if done.kept else ""
    words = f"{went} {'would leave' if dry else 'left'}, with {done.messages:,} messages ({done.bytes / 1e6:.1f} MB)"
    return JobReport(f"{words}{kept}", figures)
