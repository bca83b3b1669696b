"""What the bot's sessions are told when the world changes: each event's name, its data, and the intent it needs."""

from __future__ import annotations

from tests.fakes.discord import shapes
from tests.fakes.discord.world import Account, Channel, Guild, Message, Raw, World


def created(world: World, message: Message) -> None:
    world.emit("MESSAGE_CREATE", lambda intents: shapes.told(world, message, intents))


def changed(world: World, message: Message) -> None:
    world.emit("MESSAGE_UPDATE", lambda intents: shapes.told(world, message, intents))


def deleted(world: World, message: Message) -> None:
    about = {"id": str(message.id), "channel_id": str(message.channel.id)} | _guild_id(message.channel)
    needed = _needed(message.channel, shapes.GUILD_MESSAGES, shapes.DIRECT_MESSAGES)
    world.emit("MESSAGE_DELETE", lambda intents: about if intents & needed else None)


def reacted(world: World, message: Message, who: Account, sign: str, *, added: bool) -> None:
    about: Raw = {
        "user_id": str(who.id),
        "channel_id": str(message.channel.id),
        "message_id": str(message.id),
        "emoji": shapes.emoji(sign),
        "burst": False,
        "type": 0,
    } | _guild_id(message.channel)
    if added:
        about["message_author_id"] = str(message.author.id)
        if message.channel.guild is not None:
            about["member"] = shapes.member(message.channel.guild, who)
    needed = _needed(message.channel, shapes.GUILD_REACTIONS, shapes.DIRECT_REACTIONS)
    name = "MESSAGE_REACTION_ADD" if added else "MESSAGE_REACTION_REMOVE"
    world.emit(name, lambda intents: about if intents & needed else None)


def guild_created(world: World, guild: Guild) -> None:
    world.emit(
        "GUILD_CREATE", lambda intents: shapes.guild(world, guild, intents) if intents & shapes.GUILDS else None
    )


def guild_left(world: World, guild: Guild) -> None:
    world.emit("GUILD_DELETE", lambda intents: {"id": str(guild.id)} if intents & shapes.GUILDS else None)


def joined(world: World, guild: Guild, who: Account) -> None:
    about = shapes.member(guild, who) | {"guild_id": str(guild.id)}
    world.emit("GUILD_MEMBER_ADD", lambda intents: about if intents & shapes.GUILD_MEMBERS else None)


def channel_event(world: World, channel: Channel, what: str, *, new: bool = False) -> None:
    """`what` is CREATE, UPDATE or DELETE, of a channel or a thread."""
    if channel.guild is None:
        return  # bots are not told of DM channels since version 8 of the API
    kind = "THREAD" if channel.is_thread else "CHANNEL"
    about = shapes.channel(world, channel) | ({"newly_created": True} if new and channel.is_thread else {})
    hears = 0 if channel.hidden else shapes.GUILDS
    world.emit(f"{kind}_{what}", lambda intents: about if intents & hears else None)


def _needed(channel: Channel, in_guilds: int, in_private: int) -> int:
    """The intent without which a session does not hear of this; none suffices where the bot is kept out."""
    if channel.hidden:
        return 0
    return in_guilds if channel.guild else in_private


def _guild_id(channel: Channel) -> Raw:
    return {"guild_id": str(channel.guild.id)} if channel.guild is not None else {}
