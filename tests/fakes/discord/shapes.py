"""What the server says, as JSON: accounts, guilds, channels, messages. Pure reading of the world.

Ids are strings, times are ISO 8601. Content is hidden from sessions without the intent, as Discord hides it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from tests.fakes.discord.world import (
    DM,
    EPHEMERAL,
    EPOCH_MS,
    PRIVATE_THREAD,
    THREAD_STARTER,
    Account,
    Channel,
    File,
    Guild,
    Message,
    Raw,
    World,
)

GUILDS, GUILD_MEMBERS, PRESENCES = 1 << 0, 1 << 1, 1 << 8
GUILD_MESSAGES, GUILD_REACTIONS = 1 << 9, 1 << 10
DIRECT_MESSAGES, DIRECT_REACTIONS = 1 << 12, 1 << 13
MESSAGE_CONTENT = 1 << 15
ALL_INTENTS = (1 << 17) - 1 | (0b11 << 20) | (0b11 << 24)
"""Intents: what a session asks to hear of."""

PERMISSIONS = str((1 << 50) - 1 & ~(1 << 3))
"""Everything but administrator."""

BUTTON = 2
LARGEST_FILE = 10 * 1024 * 1024
"""Bytes that an attachment of a bot may have."""


def iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="microseconds")


def born(number: int) -> str:
    """The moment that stands in an id."""
    return iso(((number >> 22) + EPOCH_MS) / 1000)


def account(one: Account) -> Raw:
    return {
        "id": str(one.id),
        "username": one.name.lower(),
        "discriminator": "0",
        "global_name": None if one.is_bot else one.name,
        "avatar": None,
        "bot": one.is_bot,
        "public_flags": 0,
    }


def myself(world: World) -> Raw:
    own = {"verified": True, "mfa_enabled": False, "locale": "en-US", "email": None, "flags": 0}
    return account(world.bot) | own


def application(world: World, privileged: int) -> Raw:
    """`privileged` are the intents that the portal grants; the flags say so."""
    granted = ((MESSAGE_CONTENT, 1 << 19), (GUILD_MEMBERS, 1 << 15), (PRESENCES, 1 << 13))
    return {
        "id": str(world.bot.id),
        "name": world.bot.name,
        "icon": None,
        "description": "",
        "rpc_origins": [],
        "bot_public": True,
        "bot_require_code_grant": False,
        "owner": account(Account(1, "Owner")),
        "team": None,
        "summary": "",
        "verify_key": "0" * 64,
        "interactions_endpoint_url": None,
        "flags": sum(flag for intent, flag in granted if privileged & intent),
    }


def member(guild: Guild, one: Account, *, with_user: bool = True, permissions: bool = False) -> Raw:
    about: Raw = {
        "nick": None,
        "avatar": None,
        "roles": [],
        "joined_at": born(guild.id),
        "premium_since": None,
        "deaf": False,
        "mute": False,
        "pending": False,
        "flags": 0,
        "communication_disabled_until": None,
    }
    about |= {"user": account(one)} if with_user else {}
    return about | ({"permissions": PERMISSIONS} if permissions else {})


def role(number: int, name: str) -> Raw:
    return {
        "id": str(number),
        "name": name,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "icon": None,
        "unicode_emoji": None,
        "position": 0 if name == "@everyone" else 1,
        "permissions": PERMISSIONS,
        "managed": False,
        "mentionable": True,
        "flags": 0,
    }


def channel(world: World, one: Channel) -> Raw:
    last = max(one.messages, default=None)
    about: Raw = {"id": str(one.id), "type": one.kind, "flags": 0, "last_message_id": str(last) if last else None}
    if one.kind == DM:
        recipients = [account(one.recipient)] if one.recipient else []
        return about | {"recipients": recipients}
    assert one.guild is not None
    about |= {"guild_id": str(one.guild.id), "name": one.name, "rate_limit_per_user": 0}
    about["parent_id"] = str(one.parent.id) if one.parent else None
    if not one.is_thread:
        kept = {"position": 0, "permission_overwrites": [], "topic": None, "nsfw": False}
        return about | kept
    return about | _of_thread(world, one)


def _of_thread(world: World, one: Channel) -> Raw:
    about: Raw = {
        "owner_id": str(one.owner),
        "message_count": len(one.messages),
        "member_count": 1,
        "total_message_sent": len(one.messages),
        "thread_metadata": {
            "archived": one.archived,
            "auto_archive_duration": 1440,
            "archive_timestamp": born(one.id),
            "locked": one.locked,
            "create_timestamp": born(one.id),
        },
    }
    if one.kind == PRIVATE_THREAD:
        about["thread_metadata"]["invitable"] = True
    joined = {"id": str(one.id), "user_id": str(world.bot.id), "join_timestamp": born(one.id), "flags": 1}
    return about | ({"member": joined} if one.joined else {})


def guild(world: World, one: Guild, intents: int) -> Raw:
    """The whole guild, as GUILD_CREATE has it. Without the intent, only the bot itself is among the members."""
    threads = [each for each in world.threads(one) if not each.hidden]
    members = list(one.members.values()) if intents & GUILD_MEMBERS else [one.members[world.bot.id]]
    return {
        "id": str(one.id),
        "name": one.name,
        "owner_id": str(one.owner),
        "unavailable": False,
        "large": False,
        "icon": None,
        "splash": None,
        "discovery_splash": None,
        "description": None,
        "banner": None,
        "joined_at": born(one.id),
        "member_count": len(one.members),
        "region": "deprecated",
        "afk_channel_id": None,
        "afk_timeout": 300,
        "system_channel_id": None,
        "system_channel_flags": 0,
        "verification_level": 0,
        "default_message_notifications": 0,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "nsfw_level": 0,
        "premium_tier": 0,
        "preferred_locale": "en-US",
        "features": [],
        "rules_channel_id": None,
        "public_updates_channel_id": None,
        "vanity_url_code": None,
        "application_id": None,
        "emojis": [],
        "stickers": [],
        "stage_instances": [],
        "voice_states": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
        "presences": [],
        "roles": [role(one.id, "@everyone"), *(role(number, name) for number, name in one.roles.items())],
        "members": [member(one, each) for each in members],
        "channels": [channel(world, each) for each in one.channels.values() if not each.hidden],
        "threads": [channel(world, each) for each in threads],
    }


def attachment(file: File, ephemeral: bool = False) -> Raw:
    about: Raw = {
        "id": str(file.id),
        "filename": file.name,
        "size": len(file.data),
        "url": file.url,
        "proxy_url": file.url,
        "content_type": file.media_type,
    }
    if file.media_type.startswith("image/"):
        about |= {"width": 90, "height": 90}
    if file.description:
        about["description"] = file.description
    if file.voice_seconds is not None:
        about |= {"duration_secs": file.voice_seconds, "waveform": "AA=="}
    return about | ({"ephemeral": True} if ephemeral else {})


def emoji(name: str) -> Raw:
    """A reaction's emoji: a sign of Unicode, or `name:id`."""
    word, _, number = name.partition(":")
    return {"id": number or None, "name": word}


def hidden_from(world: World, one: Message, intents: int) -> bool:
    """Whether Discord keeps the content to itself: guilds, without the intent, unless the bot is meant or spoke."""
    if intents & MESSAGE_CONTENT or one.channel.guild is None:
        return False
    return one.author is not world.bot and world.bot.id not in one.mentions


def message(world: World, one: Message, intents: int, *, deep: bool = True, nonce: bool = False) -> Raw:
    """One message as REST gives it. `deep` takes the message along to which it replies."""
    hidden = hidden_from(world, one, intents)
    named = [world.accounts[number] for number in one.mentions if number in world.accounts]
    about: Raw = {
        "id": str(one.id),
        "channel_id": str(one.channel.id),
        "type": one.kind,
        "author": account(one.author),
        "content": "" if hidden else one.content,
        "timestamp": iso(one.sent_at),
        "edited_timestamp": iso(one.edited_at) if one.edited_at is not None else None,
        "tts": False,
        "pinned": False,
        "flags": one.flags,
        "mention_everyone": one.everyone,
        "mentions": [account(each) for each in named],
        "mention_roles": [str(number) for number in one.roles],
        "attachments": [] if hidden else [attachment(each, bool(one.flags & EPHEMERAL)) for each in one.files],
        "embeds": [] if hidden else one.embeds,
        "components": [] if hidden else one.components,
    }
    if nonce and one.nonce is not None:
        about["nonce"] = one.nonce
    if one.interaction is not None:
        about |= {"application_id": str(world.bot.id), "webhook_id": str(world.bot.id)} | one.interaction
    if one.reactions:
        about["reactions"] = [_reaction(world, sign, who) for sign, who in one.reactions.items() if who]
    thread = world.channels.get(one.id)
    if thread is not None:
        about["thread"] = channel(world, thread)
    return about | _reference(world, one, intents, deep)


def _reaction(world: World, sign: str, who: set[int]) -> Raw:
    details = {"burst": 0, "normal": len(who)}
    mine = {"me": world.bot.id in who, "me_burst": False, "burst_colors": []}
    return {"emoji": emoji(sign), "count": len(who), "count_details": details} | mine


def _reference(world: World, one: Message, intents: int, deep: bool) -> Raw:
    if one.reply_to is None:
        return {}
    where = one.channel.parent if one.kind == THREAD_STARTER and one.channel.parent else one.channel
    about: Raw = {"type": 0, "channel_id": str(where.id), "message_id": str(one.reply_to)}
    if where.guild is not None:
        about["guild_id"] = str(where.guild.id)
    if not deep:
        return {"message_reference": about}
    original = where.messages.get(one.reply_to)
    shown = message(world, original, intents, deep=False) if original else None
    return {"message_reference": about, "referenced_message": shown}


def told(world: World, one: Message, intents: int) -> Raw | None:
    """One message as the gateway tells it; None when the session did not ask for such."""
    guild_of = one.channel.guild
    if one.channel.hidden or not intents & (DIRECT_MESSAGES if guild_of is None else GUILD_MESSAGES):
        return None
    about = message(world, one, intents, nonce=one.author is world.bot) | {"channel_type": one.channel.kind}
    if guild_of is None:
        return about
    about |= {"guild_id": str(guild_of.id), "member": member(guild_of, one.author, with_user=False)}
    for each in about["mentions"]:
        each["member"] = member(guild_of, world.accounts[int(each["id"])], with_user=False)
    return about


def buttons(components: list[Raw]) -> Iterator[Raw]:
    """Every button of a message, wherever it stands."""
    for each in components:
        if each.get("type") == BUTTON:
            yield each
        if each.get("accessory"):
            yield from buttons([each["accessory"]])
        yield from buttons(each.get("components") or [])
