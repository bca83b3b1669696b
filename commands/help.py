"""The command that lists the commands."""

from __future__ import annotations

from commands.context import Context
from commands.parse import usage
from commands.reply import CommandReply
from commands.spec import Argument, Arguments, CommandSpec


async def show_help(context: Context, arguments: Arguments) -> CommandReply:
    """All commands that the asker may give here, or one in full."""
    if name := arguments.get("command").lstrip("/"):
        return _one(context, name)
    rows = [each for each in context.registry if each.chat and context.role >= each.role and not each.hidden]
    lines = [f"/{each.name}: {each.help}" for each in rows]
    return CommandReply("\n".join(lines), data=[{"name": each.name, "help": each.help} for each in rows])


def _one(context: Context, name: str) -> CommandReply:
    spec = context.registry.get(name)
    if spec is None:
        near = context.registry.nearest(name)
        return CommandReply(f"There is no command /{name}." + (f" Did you mean /{near}?" if near else ""), ok=False)
    lines = [f"{usage(spec, None)}: {spec.help}"]
    lines += [f"{usage(spec, each)}: {each.help}" for each in spec.actions]
    if spec.aliases:
        lines.append("Also: " + ", ".join(f"/{each}" for each in spec.aliases))
    return CommandReply("\n".join(lines))


SPECS = (
    CommandSpec("help", "this list", show_help, (Argument("command", "one command"),), aliases=("start", "commands"),
                when="anytime", shell=False),
)  # fmt: skip
