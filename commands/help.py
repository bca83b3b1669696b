"""The command that lists the commands."""

from __future__ import annotations

import asyncio

from commands.context import Context
from commands.parse import usage
from commands.reply import CommandReply
from commands.skill_shortcuts import named
from commands.spec import Argument, Arguments, CommandSpec
from memory.skills.model import Found, Skill


async def show_help(context: Context, arguments: Arguments) -> CommandReply:
    """All commands that the asker may give here, or one in full."""
    if name := arguments.get("command").lstrip("/"):
        return await _one(context, name)
    rows = [each for each in context.registry if each.chat and context.role >= each.role and not each.hidden]
    lines = [f"/{each.name}: {each.help}" for each in rows]
    return CommandReply("\n".join(lines), data=[{"name": each.name, "help": each.help} for each in rows])


async def _one(context: Context, name: str) -> CommandReply:
    spec = context.registry.get(name)
    if spec is None:
        return await _skill(context, name)
    lines = [f"{usage(spec, None)}: {spec.help}"]
    lines += [f"{usage(spec, each)}: {each.help}" for each in spec.actions]
    if spec.aliases:
        lines.append("Also: " + ", ".join(f"/{each}" for each in spec.aliases))
    return CommandReply("\n".join(lines))


async def _skill(context: Context, name: str) -> CommandReply:
    """A skill, which is called up like a command; or what may have been meant."""
    skills = context.ports.skills
    found = await asyncio.to_thread(skills.library.found) if skills is not None else Found((), ())
    skill = named(name, found)
    if isinstance(skill, Skill):
        return CommandReply(f"/{skill.name} [TEXT]: {skill.description}\nA skill. /skills view {skill.name}")
    if skill is not None:
        return CommandReply(skill.text, ok=False)
    near = context.registry.nearest(name, [each.name for each in found.skills])
    return CommandReply(f"There is no command /{name}." + (f" Did you mean /{near}?" if near else ""), ok=False)


SPECS = (
    CommandSpec("help", "this list", show_help, (Argument("command", "one command"),), aliases=("start", "commands"),
                when="anytime", shell=False),
)  # fmt: skip
