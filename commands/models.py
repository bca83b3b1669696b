"""The command about models in a chat: /model."""

from __future__ import annotations

from commands.context import Context
from commands.ports import ModelView
from commands.reply import CommandReply
from commands.spec import Argument, Arguments, CommandSpec, Role


async def model(context: Context, arguments: Arguments) -> CommandReply:
    """Say which model answers here, or pick another for this chat."""
    name = arguments.get("name")
    if not name:
        return CommandReply(_words(await context.ports.models.current(context.chat)))
    _, _, chat = context.place
    try:
        picked = await context.ports.models.choose(chat, None if name in ("auto", "reset", "default") else name)
    except LookupError as error:
        return CommandReply(str(error.args[0]), ok=False)
    return CommandReply(_words(picked))


def _words(view: ModelView) -> str:
    why = "picked for this chat; /model auto goes back" if view.chosen_here else "the main model"
    known = f"\nOthers: {', '.join(view.known)}" if view.known else ""
    return f"`{view.name}` answers here ({why}).{known}"


SPECS = (
    CommandSpec("model", "which model answers here, or pick one: /model host/model", model,
                (Argument("name", "host/model, or auto", rest=True),), role=Role.OPERATOR, when="anytime",
                shell=False),
)  # fmt: skip
