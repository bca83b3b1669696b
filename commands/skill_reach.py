"""How commands reach the profile's skills, and who it is that orders a change of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from commands.context import Context
from commands.reply import CommandReply
from commands.skill_ports import Skills
from commands.spec import Arguments, Handler
from memory.files import FileTrouble
from memory.model import Author, Origin
from memory.skills.model import SkillTrouble

OFF = CommandReply("Skills are off here.", ok=False)

SkillHandler = Callable[[Context, Skills, Arguments], Awaitable[CommandReply]]


def with_skills(handler: SkillHandler) -> Handler:
    """The handler, where there are skills; trouble with their files is told."""

    async def handle(context: Context, arguments: Arguments) -> CommandReply:
        skills = context.ports.skills
        if skills is None:
            return OFF
        try:
            return await handler(context, skills, arguments)
        except (FileTrouble, SkillTrouble) as trouble:
            why = str(trouble) if context.surface == "shell" else skills.library.without_folders(str(trouble))
            return CommandReply(f"⚠️ {why}", ok=False)

    return handle


def author(context: Context) -> Author:
    """Who gave this order."""
    message = f"inbox:{context.item_id}" if context.item_id else None
    chat = context.chat.key if context.chat is not None else None
    return Author(Origin.COMMAND, message=message, who=context.who, chat=chat)
