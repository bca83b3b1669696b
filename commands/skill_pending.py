"""Deciding what waits for skills: the common flow in their words, and the diff, which only they have."""

from __future__ import annotations

from pathlib import Path

from commands import skill_pending_words as words
from commands.context import Context
from commands.pending_flow import NAMED, Carried, Flow, Kind
from commands.pending_words import fenced, literal
from commands.ports import SkillPending
from commands.reply import CommandReply, NamedText
from commands.spec import Action, Arguments, Role
from memory.pending.skill_model import SkillWrite
from memory.pending.skill_store import SkillPendings
from memory.skills.diff import unified
from memory.skills.model import SkillApplied, SkillUnchanged


def approved(name: str, write: SkillWrite, outcome: SkillApplied | SkillUnchanged) -> Carried:
    """With the diff of what was done; everything put away lies in the archive."""
    if isinstance(outcome, SkillUnchanged):
        return Carried(f"✅ `{name}` approved. {' '.join(outcome.notes) or 'Nothing had to change.'}")
    lines = [f"✅ `{name}` approved: {literal(write.gist)}"]
    lines += [f"It lies in {literal(f'skills/{each}')} now." for each in outcome.archived]
    diff = unified(outcome.draft)
    if len(diff) > words.ROOM:
        return Carried("\n".join(lines), outcome.id, file=NamedText(f"{name}.diff", diff))
    return Carried("\n".join([*lines, fenced(diff)]), outcome.id)


def ruled(rule: bool | str) -> str:
    """What `skills.write_approval` means."""
    match rule:
        case True:
            return "Every change of a skill waits for a yes (on)."
        case "auto":
            return (
                "Changes of skills from Telegram, Discord, jobs and reviews wait for a yes; "
                "from the console they do not (auto)."
            )
        case _:
            return "Changes of skills are made at once (off); risky ones, and those of skills made elsewhere, wait."


def _folder(profile: Path, now: float) -> SkillPendings:
    return SkillPendings(profile / "pending" / "skills", lambda: now)


FLOW: Flow[SkillWrite, SkillApplied | SkillUnchanged] = Flow(
    Kind(
        "skills",
        CommandReply("Skills are off here.", ok=False),
        gate=lambda ports: ports.skill_pending,
        at=_folder,
        listed=words.listed,
        in_full=words.in_full,
        as_data=words.as_data,
        buttons=words.buttons,
        approved=approved,
        ruled=ruled,
    )
)


async def diff(context: Context, gate: SkillPending, arguments: Arguments) -> CommandReply:
    """What would change, line by line: in the message when it fits, else as a file."""
    write = await FLOW.wanted(gate, arguments.get("id"))
    if isinstance(write, CommandReply):
        return write
    text, data, buttons = unified(write.draft), words.as_data(write), words.buttons([write])
    if context.surface == "shell" or len(text) <= words.ROOM:
        shown = text if context.surface == "shell" else fenced(text)
        return CommandReply(shown, data=data, buttons=buttons)
    said = f"{words.listed(write, gate.now())}\nThe whole diff is in the file."
    dashboard = context.ports.dashboard
    if dashboard is not None and (address := dashboard.address()):
        said += f"\nSide by side: {address}/pending/skills/{write.id} (/dashboard lets you in)"
    return CommandReply(said, data=data, buttons=buttons, file=NamedText(f"{write.id}.diff", text))


ACTIONS = (
    *FLOW.actions,
    Action("show", "one that waits", FLOW.at_the_gate(FLOW.show), (NAMED,), Role.OPERATOR),
    Action("diff", "what one that waits would change", FLOW.at_the_gate(diff), (NAMED,), Role.OPERATOR),
)
"""For the command `/skills`."""
