"""A chat that gets a new id keeps its place in the settings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from gateway.config.reload import Watcher
from gateway.engine.arrival.session_key import home_chats
from gateway.engine.gates.gatekeeper import SetKey
from platforms.messages import ChatRef


def followed_in_settings(watcher: Watcher, set_to: SetKey) -> Callable[[ChatRef, ChatRef], Awaitable[None]]:
    """Keeps a chat's place in the allowlist and among the home chats when it gets a new id."""

    async def put(key: str, listed: list[str]) -> None:
        entries = ", ".join(f"'{each}'" for each in listed)
        await set_to(key, f"[{entries}]")

    async def follow(old: ChatRef, new: ChatRef) -> None:
        section = watcher.current.settings.platforms.get(old.platform)
        listed = [str(each) for each in getattr(section, "allowed_chats", ())]
        if old.chat_id in listed and new.chat_id not in listed:
            moved = [new.chat_id if each == old.chat_id else each for each in listed]
            await put(f"platforms.{old.platform}.allowed_chats", moved)
        homes = home_chats(watcher.current.settings)
        if followed := [each for each in homes if (each.platform, each.chat_id) == (old.platform, old.chat_id)]:
            there = [replace(each, chat_id=new.chat_id) if each in followed else each for each in homes]
            await put("access.home_chats", list(dict.fromkeys(each.key for each in there)))

    return follow
