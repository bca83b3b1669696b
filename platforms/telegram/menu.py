"""The list of commands that Telegram shows when somebody types a slash: set only when it differs."""

from __future__ import annotations

import re
from collections.abc import Mapping

from telegram import Bot, BotCommand
from telegram.error import TelegramError

_NAME = re.compile(r"[a-z0-9_]{1,32}")
_LONGEST_HELP = 256
_MOST = 100


def entries(commands: Mapping[str, str]) -> list[BotCommand]:
    """The commands that Telegram can list, at most 100: its names have no hyphens and no capitals."""
    listed = [
        BotCommand(name, " ".join(text.split())[:_LONGEST_HELP])
        for name, text in commands.items()
        if _NAME.fullmatch(name) and text.strip()
    ]
    return listed[:_MOST]


async def publish(bot: Bot, commands: Mapping[str, str]) -> None:
    """Make the menu read like this. Raises TelegramError."""
    wanted = entries(commands)
    try:
        shown = list(await bot.get_my_commands())
    except TelegramError:
        shown = []
    if wanted and shown != wanted:
        await bot.set_my_commands(wanted)
