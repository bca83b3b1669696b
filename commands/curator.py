"""The command /curator: what becomes of skills that nobody uses. Putting away, bringing back and pins are the same as
with /skills."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from commands import skill_writes
from commands.context import Context
from commands.pending_words import age, moment
from commands.reply import CommandReply
from commands.skill_ports import Skills
from commands.skill_reach import with_skills
from commands.spec import Action, Argument, Arguments, CommandSpec, Role

if TYPE_CHECKING:
    from memory.skills.curator import Remembered, Rules
    from memory.skills.report import Report

HOUR = 3_600.0
RESUME = "/curator resume"


async def status(context: Context, skills: Skills, arguments: Arguments) -> CommandReply:
    """Whether it is on, when it ran, when it may run next, and what it would do now. Nothing is written."""

    def look() -> tuple[Remembered, Report]:
        return skills.caretaker.remembered(), skills.caretaker.dry_run()

    remembered, report = await asyncio.to_thread(look)
    rules, now, found = skills.rules(), skills.now(), report.plan
    active = len(found.verdicts) - len(found.stale) - len(found.archive)
    pinned = sum(each.kept == "pinned" for each in found.verdicts)
    lines = [
        _state(remembered, rules),
        f"Last run: {age(now - remembered.last)} ago." if remembered.last is not None else "It did not run yet.",
        _next(remembered, rules, now),
        f"{active} skills are active, {len(found.stale)} stale; a run now would archive {len(found.archive)}.",
    ]
    lines += [f"- {each.name}: stale for {each.days} days" for each in found.stale[:20]]
    data = {
        "enabled": rules.enabled,
        "paused": remembered.paused,
        "since": moment(remembered.since) if remembered.since is not None else None,
        "last_run": moment(remembered.last) if remembered.last is not None else None,
        "next_run": _due(remembered, rules, now),
        "active": active,
        "stale": [each.name for each in found.stale],
        "would_archive": [each.name for each in found.archive],
        "kept_by_pin": pinned,
    }
    return CommandReply("\n".join(each for each in lines if each), data=data, orders=(RESUME,))


async def run(context: Context, skills: Skills, arguments: Arguments) -> CommandReply:
    """Run now, whatever the clock says; a dry run only says what a run would do."""
    import json

    from memory.skills.report import as_json, markdown

    keeper = skills.caretaker
    report = await asyncio.to_thread(keeper.dry_run if arguments.get("dry_run") else keeper.run)
    return CommandReply(markdown(report).strip(), data=json.loads(as_json(report)))


async def pause(context: Context, skills: Skills, arguments: Arguments) -> CommandReply:
    """No run by itself."""
    await asyncio.to_thread(skills.caretaker.pause, True)
    return CommandReply(f"⏸ The curator does not run by itself. {RESUME}", data={"paused": True}, orders=(RESUME,))


async def resume(context: Context, skills: Skills, arguments: Arguments) -> CommandReply:
    """Runs by itself again."""
    await asyncio.to_thread(skills.caretaker.pause, False)
    return CommandReply("▶️ The curator runs by itself again.", data={"paused": False})


def _state(remembered: Remembered, rules: Rules) -> str:
    if not rules.enabled:
        return "The curator is off (curator.enabled)."
    if remembered.paused:
        return f"The curator is paused: {RESUME}"
    return (
        f"The curator is on: stale after {rules.stale_after_days:g} days without use, archived after "
        f"{rules.archive_after_days:g}; nothing is deleted."
    )


def _earliest(remembered: Remembered, rules: Rules) -> float | None:
    """When it may run by itself, in seconds since the epoch, if the house is idle then; None for never."""
    if not rules.enabled or remembered.paused or remembered.since is None:
        return None
    before = remembered.since if remembered.last is None else remembered.last
    return before + rules.interval_hours * HOUR


def _due(remembered: Remembered, rules: Rules, now: float) -> str | None:
    earliest = _earliest(remembered, rules)
    return moment(max(earliest, now)) if earliest is not None else None


def _next(remembered: Remembered, rules: Rules, now: float) -> str:
    earliest = _earliest(remembered, rules)
    if earliest is None:
        return ""
    idle = f"once nobody talked for {rules.min_idle_hours:g} hours"
    return f"Next run: in {age(earliest - now)}, {idle}." if earliest > now else f"Next run: {idle}."


NAME = skill_writes.NAME

SPECS = (
    CommandSpec(
        "curator", "the care of skills that nobody uses", with_skills(status), role=Role.OPERATOR, when="anytime",
        actions=(
            Action("status", "when it ran, and what it would do", with_skills(status)),
            Action("run", "put away now what is not used", with_skills(run),
                   (Argument("dry_run", "only say what would be done", flag=True),)),
            Action("pause", "no run by itself", with_skills(pause)),
            Action("resume", "run by itself again", with_skills(resume)),
            Action("pin", "never put this skill away by itself", with_skills(skill_writes.pin), (NAME,)),
            Action("unpin", "no longer pin this skill", with_skills(skill_writes.unpin), (NAME,)),
            Action("archive", "put a skill away", with_skills(skill_writes.archive), (NAME,)),
            Action("restore", "bring back a skill that was put away", with_skills(skill_writes.restore),
                   (Argument("name", "which one"),)),
        ),
    ),
)  # fmt: skip
