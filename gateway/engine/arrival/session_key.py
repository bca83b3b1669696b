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
    rooms = rooms_of(settings, platform)
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
    """One allowlist of a platform; empty when the platform has no such key. Blank entries let nobody in."""
    written = getattr(settings.platforms.get(platform), key, None)
    listed = written if isinstance(written, tuple | list | set | frozenset) else (written,)
    return frozenset(text for each in listed if each is not None and (text := str(each).strip()))


def rooms_of(settings: Settings, platform: str) -> frozenset[str]:
    """The rooms of a platform in which everybody may talk."""
    return allowed(settings, platform, "allowed_chats") | allowed(settings, platform, "allowed_channels")


def named_in(references: tuple[str, ...], platform: str) -> frozenset[str]:
    """The people of one platform among `platform:id`."""
    split = (each.partition(":") for each in references)
    return frozenset(person for name, _, person in split if name == platform)


def invites(platform: str, settings: Settings) -> bool:
    """Whether strangers may ask to be let in: nothing at all says who may talk on this platform."""
    access = settings.access
    trusted = named_in(access.owners, platform) | named_in(access.operators, platform)
    people = allowed(settings, platform, "allowed_users")
    return platform != CONSOLE and not (trusted or people or rooms_of(settings, platform))


def access_rules(settings: Settings) -> AccessRules:
    """The roles as they stand in the settings."""
    return AccessRules(
        frozenset(settings.access.owners),
        frozenset(settings.access.operators),
        {name: allowed(settings, name, "allowed_users") - {ANYONE} for name in settings.platforms},
    )


def effective_rule(platform: str, settings: Settings, paired: int = 0) -> str:
    """Who may talk on a platform, and how many of them decide, in the words of the start line. `paired` is how many
    people were let in with a code."""
    if platform == CONSOLE:
        return "whoever can open this profile's folder"
    with_code = [_count(paired, "paired person", "paired people")] if paired else []
    if invites(platform, settings):
        return f"{''.join(with_code) or 'nobody yet'}; strangers in a direct chat get a pairing code"
    access = settings.access
    people, rooms = allowed(settings, platform, "allowed_users"), rooms_of(settings, platform)
    owners = named_in(access.owners, platform) if access.owners else people - {ANYONE}
    operators = named_in(access.operators, platform) - owners
    people |= owners | operators
    words = ["everybody (because of *)"]
    if ANYONE not in people:
        words = [_count(len(people), "allowed person", "allowed people"), *with_code]
        if rooms:
            words.append("any room" if ANYONE in rooms else _count(len(rooms), "allowed room", "allowed rooms"))
    roles = [_count(len(owners), "owner", "owners")] if owners else ["no owner"]
    if operators:
        roles.append(_count(len(operators), "operator", "operators"))
    return f"{', '.join(words)}; {', '.join(roles)}"


def _count(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


def home_chats(settings: Settings) -> tuple[ChatRef, ...]:
    """Where notices to the owner go."""
    return tuple(ChatRef.parse(each) for each in settings.access.home_chats)
