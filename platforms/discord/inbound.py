"""Discord's messages and interactions as events of the house: who, where, what, and whether the bot was meant. Pure.

The bot's own messages and those that Discord writes (somebody joined, a message was pinned) give no event.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import discord
from discord import MessageType

from platforms.chunking import length
from platforms.discord.places import Place
from platforms.messages import Attachment, ChatKind, Inbound, Sender

_WRITTEN = (MessageType.default, MessageType.reply)
_NAMED = re.compile(r"<(@!?|@&|#)(\d{15,20})>")
_EMOJI = re.compile(r"<a?(:\w{1,64}:)\d{15,20}>")
_AFTER_NAME = " ,:\n"


def message_event(message: discord.Message, me: int, place: Place, *, edited: bool = False) -> Inbound | None:
    """What a message says to the house; None when nothing. `edited` makes it the news that it was changed."""
    if message.author.id == me or message.type not in _WRITTEN:
        return None
    moment, event_id = message.created_at, str(message.id)
    if edited:
        if message.edited_at is None:
            return None  # a preview of a link was added: nobody changed anything
        moment = message.edited_at
        event_id = f"edit:{message.id}:{round(moment.timestamp() * 1_000_000)}"
    attachments = tuple(_attachment(message, each) for each in message.attachments)
    text = _text(message, me) or ("" if attachments else _described(message))
    if not text and not attachments:
        return None
    direct = place.kind is ChatKind.DIRECT
    return Inbound(
        account=str(me),
        event_id=event_id,
        chat=place.chat,
        kind=place.kind,
        sender=_speaker(message),
        text=text,
        sent_at=moment.timestamp(),
        message_id=str(message.id),
        addressed=direct or _names(message, me) or _answers(message, me),
        units=length(message.content, "codepoint"),
        attachments=attachments,
        edited=edited,
        quoted=_quoted(message, me),
        quoted_from=_speaker(original) if (original := _original(message)) is not None else None,
        passed_on=bool(message.message_snapshots),
    )


def wordless(message: discord.Message, place: Place) -> bool:
    """Whether a person's message in a guild came without anything in it, as all do where the bot may not read."""
    return (
        place.kind is ChatKind.GROUP
        and message.type in _WRITTEN
        and not (message.author.bot or message.webhook_id)
        and not (message.content or message.attachments or message.embeds or message.components)
        and not (message.stickers or message.poll or message.message_snapshots)
    )


def interaction_event(
    interaction: discord.Interaction[Any], me: int, place: Place, text: str, *, card: int | None = None
) -> Inbound:
    """An order out of the menu, or the press of a button on `card`."""
    return Inbound(
        account=str(me),
        event_id=str(interaction.id),
        chat=place.chat,
        kind=place.kind,
        sender=_person(interaction.user),
        text=text,
        sent_at=interaction.created_at.timestamp(),
        message_id=str(card) if card is not None else None,
        pressed=card is not None,
    )


def _text(message: discord.Message, me: int) -> str:
    """What was written, with names in the place of ids, and without the bot's name before it."""
    text, head = message.content, _NAMED.match(message.content)
    if head is not None and _is_me(message, head, me):
        text = text[head.end() :].lstrip(_AFTER_NAME) or text
    return _readable(text, message.mentions, message.role_mentions, message.channel_mentions) or _forwarded(message)


def _readable(text: str, *named: Iterable[Any]) -> str:
    names = {each.id: getattr(each, "display_name", None) or each.name for group in named for each in group}

    def name(found: re.Match[str]) -> str:
        sign, known = found[1][0], names.get(int(found[2]))
        return f"{sign}{known.removeprefix('@')}" if known else found[0]

    return _EMOJI.sub(r"\1", _NAMED.sub(name, text))


def _is_me(message: discord.Message, named: re.Match[str], me: int) -> bool:
    if named[1] == "@&":
        return any(role.id == int(named[2]) and _my_role(role, me) for role in message.role_mentions)
    return named[1] != "#" and int(named[2]) == me


def _names(message: discord.Message, me: int) -> bool:
    return any(each.id == me for each in message.mentions) or any(
        _my_role(each, me) for each in message.role_mentions
    )


def _my_role(role: discord.Role, me: int) -> bool:
    """Whether a role is the one that Discord made for the bot: people pick it in the bot's place."""
    return role.tags is not None and role.tags.bot_id == me


def _original(message: discord.Message) -> discord.Message | None:
    """The message that this one answers, when it is known."""
    reference = message.reference
    if reference is None or reference.type is not discord.MessageReferenceType.reply:
        return None
    return reference.resolved if isinstance(reference.resolved, discord.Message) else None


def _answers(message: discord.Message, me: int) -> bool:
    original = _original(message)
    return original is not None and original.author.id == me


def _quoted(message: discord.Message, me: int) -> str:
    original = _original(message)
    return (_text(original, me) or _described(original)) if original is not None else ""


def _forwarded(message: discord.Message) -> str:
    """What was passed on is not the sender's own, and never a command."""
    passed_on = [each.content for each in message.message_snapshots if each.content]
    return "[forwarded]\n" + _readable("\n".join(passed_on)) if passed_on else ""


def _described(message: discord.Message) -> str:
    """Words for what has neither text nor file, so that whoever sent it gets an answer."""
    if message.stickers:
        return f"[sticker {message.stickers[0].name}]"
    if message.poll is not None:
        return f"[poll: {message.poll.question}]"
    return "[something that cannot be read here]" if message.embeds or message.message_snapshots else ""


def _speaker(message: discord.Message) -> Sender:
    sender = _person(message.author)
    return Sender(sender.id, sender.name, is_bot=True) if message.webhook_id is not None else sender


def _person(user: discord.abc.User) -> Sender:
    return Sender(str(user.id), user.display_name, bool(user.bot or getattr(user, "system", False)))


def _attachment(message: discord.Message, file: discord.Attachment) -> Attachment:
    media_type = (file.content_type or "application/octet-stream").partition(";")[0].strip()
    locator = f"{message.channel.id}/{message.id}/{file.id} {file.url}"
    if file.is_voice_message():
        return Attachment("voice", file.filename, media_type, file.size, locator)
    match media_type.partition("/")[0]:
        case "image" if media_type != "image/svg+xml":
            return Attachment("picture", file.filename, media_type, file.size, locator)
        case "video":
            return Attachment("video", file.filename, media_type, file.size, locator)
        case _:
            return Attachment("document", file.filename, media_type, file.size, locator)
