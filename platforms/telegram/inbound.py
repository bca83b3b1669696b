"""Telegram's updates as events of the house: who, where, what, and whether the bot was meant. Pure.

Service messages and commands for other bots are nobody's business here and give no event; nor do edits that change
no words, of which a location that is shared live makes many.
"""

from __future__ import annotations

from dataclasses import dataclass

from telegram import CallbackQuery, Chat, Message, MessageEntity, MessageOrigin, Update, User
from telegram.constants import ChatType, MessageEntityType

from platforms.chunking import length
from platforms.messages import Attachment, ChatKind, ChatRef, Inbound, Sender
from platforms.telegram.render import clean

PLATFORM = "telegram"


@dataclass(frozen=True, slots=True)
class Moved:
    """A group became a supergroup: what is known under `old` belongs to `new`."""

    old: ChatRef
    new: ChatRef


def read(update: Update, me: User, now: float) -> Inbound | Moved | None:
    """What an update means to the house; None when nothing. `now` dates what Telegram does not date: presses."""
    if update.callback_query is not None:
        return _press(update.update_id, update.callback_query, me, now)
    if (changed := update.edited_message) is not None:
        written = bool(changed.text or changed.caption) and changed.edit_date is not None
        return _message(update.update_id, changed, me, edited=True) if written else None
    message = update.message or update.channel_post
    if message is None:
        return None
    if message.migrate_to_chat_id is not None:
        return Moved(_ref(message.chat.id), _ref(message.migrate_to_chat_id))
    if message.migrate_from_chat_id is not None:
        return Moved(_ref(message.migrate_from_chat_id), _ref(message.chat.id))
    return _message(update.update_id, message, me)


def _message(update_id: int, message: Message, me: User, *, edited: bool = False) -> Inbound | None:
    attachments = _attachments(message)
    raw = message.text or message.caption or ("" if attachments else _described(message))
    if not raw and not attachments:
        return None
    entities = message.entities or message.caption_entities
    spoken = _Spoken(clean(raw), tuple(entities), me)
    direct = message.chat.type == ChatType.PRIVATE
    if spoken.for_another_bot and not direct:
        return None
    quoted, quoted_from = _quoted(message)
    return Inbound(
        account=str(me.id),
        event_id=str(update_id),
        chat=_ref(message.chat.id, _thread(message)),
        kind=_kind(message.chat),
        sender=_speaker(message),
        text=_forwarded(message) + spoken.text,
        sent_at=(message.edit_date if edited and message.edit_date else message.date).timestamp(),
        message_id=str(message.message_id),
        addressed=direct or spoken.to_me or _replies_to(message, me),
        units=length(clean(raw), "utf16"),
        media_group=message.media_group_id,
        attachments=attachments,
        edited=edited,
        quoted=quoted,
        quoted_from=quoted_from,
        passed_on=_passed_on(message, me),
    )


def _press(update_id: int, query: CallbackQuery, me: User, now: float) -> Inbound | None:
    card = query.message
    if card is None or query.data is None:
        return None  # a button under somebody else's message, or a game
    thread = _thread(card) if isinstance(card, Message) else None
    return Inbound(
        account=str(me.id),
        event_id=str(update_id),
        chat=_ref(card.chat.id, thread),
        kind=_kind(card.chat),
        sender=_person(query.from_user),
        text=query.data,
        sent_at=now,
        message_id=str(card.message_id),
        pressed=True,
    )


class _Spoken:
    """The text without what only names the bot, and whether it names it. Entities count in UTF-16 units."""

    def __init__(self, text: str, entities: tuple[MessageEntity, ...], me: User) -> None:
        self.text = text
        self.to_me = False
        self.for_another_bot = False
        raw, name = text.encode("utf-16-le"), f"@{me.username}".lower()
        for entity in sorted(entities, key=lambda each: each.offset, reverse=True):
            before, after = entity.offset * 2, (entity.offset + entity.length) * 2
            words = raw[before:after].decode("utf-16-le", "replace")
            match entity.type:
                case MessageEntityType.BOT_COMMAND if "@" in words:
                    command, _, bot = words.partition("@")
                    mine = f"@{bot}".lower() == name
                    self.to_me |= mine
                    self.for_another_bot |= not mine and entity.offset == 0
                    if mine:
                        raw = raw[:before] + command.encode("utf-16-le") + raw[after:]
                case MessageEntityType.MENTION if words.lower() == name:
                    self.to_me = True
                    rest = raw[after:].decode("utf-16-le", "replace").lstrip(" ,:\n")
                    if entity.offset == 0 and rest:
                        raw = rest.encode("utf-16-le")
                case MessageEntityType.TEXT_MENTION if entity.user is not None and entity.user.id == me.id:
                    self.to_me = True
        if self.to_me:
            self.text = raw.decode("utf-16-le", "replace")


def _replies_to(message: Message, me: User) -> bool:
    """Whether this answers the bot. The first message of a topic is what everything in the topic "answers"."""
    original = message.reply_to_message
    if original is None or original.forum_topic_created is not None:
        return False
    return original.from_user is not None and original.from_user.id == me.id


def _quoted(message: Message) -> tuple[str, Sender | None]:
    """The words that a message answers, those alone that the person picked if any, and who wrote them. A message of
    another chat can be answered too."""
    original, elsewhere = message.reply_to_message, message.external_reply
    if original is not None and original.forum_topic_created is not None:
        return "", None
    picked = message.quote.text if message.quote is not None else ""
    if original is not None:
        words = picked or original.text or original.caption or _named(original) or _described(original)
        return clean(words), _speaker(original)
    if elsewhere is not None:
        return clean(picked), Sender("", _origin(elsewhere.origin))
    return "", None


def _named(message: Message) -> str:
    return " ".join(f"[{each.kind}: {each.name}]" for each in _attachments(message))


def _thread(message: Message) -> str | None:
    """The topic. In plain groups the thread id only says which message a row of replies hangs on."""
    if message.message_thread_id is None:
        return None
    topical = message.is_topic_message or message.chat.type == ChatType.PRIVATE
    return str(message.message_thread_id) if topical else None


def _ref(chat_id: int, thread: str | None = None) -> ChatRef:
    return ChatRef(PLATFORM, str(chat_id), thread)


def _kind(chat: Chat) -> ChatKind:
    return ChatKind.DIRECT if chat.type == ChatType.PRIVATE else ChatKind.GROUP


def _speaker(message: Message) -> Sender:
    """Who wrote. Whoever writes as a chat (a channel, an anonymous admin) has no id."""
    if message.sender_chat is not None:
        return Sender("", message.sender_chat.title or "")
    return _person(message.from_user) if message.from_user is not None else Sender("")


def _person(user: User) -> Sender:
    return Sender(str(user.id), clean(user.full_name), user.is_bot)


def _forwarded(message: Message) -> str:
    """Says whose words follow: what was passed on is not the sender's own, and never a command."""
    return f"[forwarded from {_origin(message.forward_origin)}]\n" if message.forward_origin is not None else ""


def _passed_on(message: Message, me: User) -> bool:
    """Whether somebody else than the sender and the bot wrote it first, as far as Telegram says."""
    if message.forward_origin is None:
        return False
    first = getattr(message.forward_origin, "sender_user", None)
    own = {me.id, message.from_user.id if message.from_user is not None else me.id}
    return first is None or first.id not in own


def _origin(origin: MessageOrigin) -> str:
    """The name of who wrote a message first, as far as Telegram says."""
    for holder in ("sender_user", "sender_chat", "chat"):
        if (source := getattr(origin, holder, None)) is not None:
            return clean(source.effective_name or "somebody")
    return clean(getattr(origin, "sender_user_name", "somebody"))


def _described(message: Message) -> str:
    """Words for what has neither text nor file, so that whoever sent it gets an answer; none for service messages."""
    if message.sticker is not None:
        return f"[sticker {message.sticker.emoji or ''}]".replace(" ]", "]")
    if message.venue is not None:
        return f"[place: {message.venue.title}, {message.venue.address}]"
    if message.location is not None:
        return f"[location: {message.location.latitude}, {message.location.longitude}]"
    if message.contact is not None:
        return f"[contact: {message.contact.first_name}, {message.contact.phone_number}]"
    if message.poll is not None:
        return f"[poll: {message.poll.question}]"
    if message.dice is not None:
        return f"[dice {message.dice.emoji}: {message.dice.value}]"
    return "[something that cannot be read here]" if message.effective_attachment is not None else ""


def _attachments(message: Message) -> tuple[Attachment, ...]:
    """The message's file; of a picture's sizes the largest. Sizes that Telegram does not tell are 0."""
    if message.photo:
        photo = max(message.photo, key=lambda size: size.width * size.height)
        name = f"{photo.file_unique_id}.jpg"
        return (Attachment("picture", name, "image/jpeg", photo.file_size or 0, photo.file_id),)
    if (voice := message.voice) is not None:
        name = f"{voice.file_unique_id}.ogg"
        return (Attachment("voice", name, voice.mime_type or "audio/ogg", voice.file_size or 0, voice.file_id),)
    if (note := message.video_note) is not None:
        return (Attachment("video", f"{note.file_unique_id}.mp4", "video/mp4", note.file_size or 0, note.file_id),)
    if (video := message.video) is not None:
        name = video.file_name or f"{video.file_unique_id}.mp4"
        return (Attachment("video", name, video.mime_type or "video/mp4", video.file_size or 0, video.file_id),)
    file = message.document or message.audio
    if file is None:
        return ()
    name, media_type = file.file_name or file.file_unique_id, file.mime_type or "application/octet-stream"
    return (Attachment("document", clean(name), media_type, file.file_size or 0, file.file_id),)
