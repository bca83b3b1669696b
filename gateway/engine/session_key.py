"""Who may talk, and which session a message belongs to. Deny by default."""

from __future__ import annotations

from typing import Literal

from commands.authority import CONSOLE, AccessRules
from commands.parse import NAME
from gateway.config.schema import Settings
from platforms.messages import ChatKind, ChatRef, Inbound
from platforms.settings import ANYONE


def session_key(event: Inbound, group_scope: Literal["chat", "person"]) -> str:
    """The chat's key; in a group with scope `person`, one for each speaker. Topics and threads are chats."""
    if event.kind is ChatKind.GROUP and group_scope == "person":
        return f"{event.chat.key}#{event.sender.id}"
    return event.chat.key


def may_talk(event: Inbound, settings: Settings) -> bool:
    """Whether this event may reach the assistant. Bots and speakers without an id never may.

    A direct chat needs an allowed person, or an owner or operator. A group needs an allowed chat, or an allowed
    person in it, and, where the platform requires it, to be addressed.
    """
    platform = event.chat.platform
    if platform == CONSOLE:
        return True
    if event.sender.is_bot or not event.sender.id:
        return False
    people = allowed(settings, platform, "allowed_users")
    who = f"{platform}:{event.sender.id}"
    trusted = who in settings.access.owners or who in settings.access.operators
    person = trusted or event.sender.id in people or ANYONE in people
    if event.kind is ChatKind.DIRECT:
        return person
    rooms = allowed(settings, platform, "allowed_chats") | allowed(settings, platform, "allowed_channels")
    room = event.chat.chat_id in rooms or ANYONE in rooms
    needs_call = bool(getattr(settings.platforms.get(platform), "require_mention", True))
    called = event.addressed or event.pressed or _ordered(event.text)
    return (person or room) and (called or not needs_call)


def _ordered(text: str) -> bool:
    """Whether a text in a room is a command for us. An adapter takes our own name off `/command@name`; a name that
    is left is another bot's."""
    named = NAME.match(text.strip())
    return named is not None and "@" not in named[0]


def allowed(settings: Settings, platform: str, key: str) -> frozenset[str]:
    """One allowlist of a platform; empty when the platform has no such key."""
    section = settings.platforms.get(platform)
    return frozenset(str(each) for each in getattr(section, key, ()) or ())


def access_rules(settings: Settings) -> AccessRules:
    """The roles as they stand in the settings."""
    return AccessRules(
        frozenset(settings.access.owners),
        frozenset(settings.access.operators),
        {name: allowed(settings, name, "allowed_users") - {ANYONE} for name in settings.platforms},
    )


def effective_rule(platform: str, settings: Settings) -> str:
    """Who may talk on a platform, in the words of the start line."""
    if platform == CONSOLE:
        return "whoever can open this profile's folder"
    people = allowed(settings, platform, "allowed_users")
    trusted = (each.partition(":") for each in (*settings.access.owners, *settings.access.operators))
    people |= {person for name, _, person in trusted if name == platform}
    rooms = allowed(settings, platform, "allowed_chats") | allowed(settings, platform, "allowed_channels")
    if ANYONE in people:
        return "everybody (because of *)"
    words = [f"{len(people)} allowed {'person' if len(people) == 1 else 'people'}"]
    if rooms:
        words.append("any room" if ANYONE in rooms else f"{len(rooms)} allowed room{'s' if len(rooms) != 1 else ''}")
    return ", ".join(words) if people or rooms else "nobody (no allowed_users)"


def home_chats(settings: Settings) -> tuple[ChatRef, ...]:
    """Where notices to the owner go."""
    return tuple(ChatRef.parse(each) for each in settings.access.home_chats)
