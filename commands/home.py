"""The command that picks the chat where operators are told: /sethome."""

from __future__ import annotations

from commands.context import Context
from commands.reply import CommandReply
from commands.spec import Argument, Arguments, CommandSpec, Role


async def set_home(context: Context, arguments: Arguments) -> CommandReply:
    """Make this chat the home chat, or have none."""
    if context.ports.homes is None or context.chat is None:
        return CommandReply("This needs a chat of a running gateway.", ok=False)
    off = arguments.get("off") == "off"
    problem = await context.ports.homes.set([] if off else [context.chat])
    if problem:
        return CommandReply(f"⚠️ {problem}", ok=False)
    if off:
        return CommandReply("There is no home chat any more. What waits is said in the chat that caused it.")
    heard = "" if context.direct else " Everybody in this room will read what waits."
    return CommandReply(f"🏠 Home. What waits for a yes, digests and reports come here.{heard}")


SPECS = (
    CommandSpec("sethome", "bring what waits for a yes, digests and reports to this chat", set_home,
                (Argument("off", "off: nowhere", choices=("off",)),), role=Role.OWNER, when="anytime", shell=False),
)  # fmt: skip
