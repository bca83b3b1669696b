"""The people and places of the fake Telegram, as a test speaks of them: who says what, and what a chat reads."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tests.fakes.telegram.form import Upload
from tests.fakes.telegram.texts import found
from tests.fakes.telegram.world import Chat, Raw, Seen

if TYPE_CHECKING:
    from tests.fakes.telegram.server import BotApi

ANONYMOUS: Raw = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
"""Who writes, as the Bot API says it, when an admin writes as the group."""


class Room:
    """One chat."""

    def __init__(self, server: BotApi, number: int) -> None:
        self._server = server
        self.number = number

    @classmethod
    def founded(cls, server: BotApi, number: int, title: str, kind: str, forum: bool) -> Room:
        raw: Raw = {"id": number, "type": kind, "title": title} | ({"is_forum": True} if forum else {})
        server.world.chats.setdefault(number, Chat(raw))
        return cls(server, number)

    @property
    def state(self) -> Chat:
        return self._server.world.chats[self.number]

    def topic(self, thread: int, name: str = "Topic") -> Room:
        """Open a topic; in a private chat too."""
        self.state.topics[thread] = name
        return self

    def seen(self, thread: int | None = None) -> list[Seen]:
        """The bot's messages as the chat reads now, oldest first."""
        return self._server.world.seen(self.state, thread)

    def texts(self) -> list[str]:
        return [each.text for each in self.seen()]

    def labels(self) -> list[str]:
        return [label for each in self.seen() for row in each.buttons for label in row]

    @property
    def actions(self) -> list[tuple[str, int | None]]:
        """Each chat action (`typing`) with its thread."""
        return list(self.state.actions)

    @property
    def marks(self) -> dict[int, str]:
        """The bot's reactions as they stand, by message."""
        return {number: mark for number, mark in dict(self.state.marked).items() if mark}

    @property
    def drafts(self) -> list[str]:
        return list(self.state.drafts)

    def remove(self, message_id: int) -> None:
        """Somebody deletes a message."""
        del self.state.messages[message_id]

    def bar(self, why: str = "bot was kicked from the supergroup chat") -> None:
        """From now on the bot is refused here (403); an empty reason lets it in again."""
        self.state.barred = why

    def posts(self, text: str) -> Raw | None:
        """A channel's post: nobody signs it."""
        written = self._server.world.write(self.state, {"sender_chat": self.state.raw, "text": text})
        return self._server.world.queue("channel_post", written.raw)

    def anonymous_admin_says(self, text: str) -> Raw | None:
        fields = {"from": ANONYMOUS, "sender_chat": self.state.raw, "text": text, "entities": found(text)}
        return self._server.world.queue("message", self._server.world.write(self.state, fields).raw)

    def becomes_supergroup(self, number: int) -> Room:
        """The group moves: a service message in either chat, and the old id is answered with the new one."""
        new = Room.founded(self._server, number, self.state.raw["title"], "supergroup", False)
        world, someone = self._server.world, {"id": 111, "is_bot": False, "first_name": "Ada"}
        world.queue("message", world.write(self.state, {"from": someone, "migrate_to_chat_id": number}).raw)
        fields = {"from": someone, "migrate_from_chat_id": self.number}
        world.queue("message", world.write(new.state, fields).raw)
        self.state.moved_to = number
        return new


class Person:
    """Somebody with a private chat with the bot, who may also speak in groups."""

    def __init__(self, server: BotApi, number: int, name: str = "", *, is_bot: bool = False) -> None:
        self._server = server
        self.number = number
        self.raw: Raw = {"id": number, "is_bot": is_bot, "first_name": name or f"User{number}"}
        self.raw["username"] = f"user{number}" + ("_bot" if is_bot else "")
        private = {"id": number, "type": "private", "first_name": self.raw["first_name"]}
        server.world.chats.setdefault(number, Chat(private))

    @property
    def chat(self) -> Room:
        """The private chat."""
        return Room(self._server, self.number)

    def seen(self) -> list[Seen]:
        return self.chat.seen()

    def texts(self) -> list[str]:
        return self.chat.texts()

    def says(
        self,
        text: str,
        *,
        chat: Room | None = None,
        thread: int | None = None,
        topic: bool = True,
        reply_to: int | None = None,
        **fields: object,
    ) -> Raw | None:
        """Write a message. `topic=False` gives the thread id without calling it a topic, as plain groups do when
        somebody replies. Further fields go into the message as they are. The update, if the bot asked for such."""
        return self._post({"text": text} | ({"entities": found(text)} if found(text) else {}) | fields, chat, thread,
                          topic, reply_to)  # fmt: skip

    def forwards(self, text: str, origin: str = "Bob") -> Raw | None:
        """Pass on what somebody else wrote, who hides the account."""
        at = int(self._server.world.now()) - 3600
        return self.says(text, forward_origin={"type": "hidden_user", "sender_user_name": origin, "date": at})

    def replies(self, to: int, text: str, *, picked: str = "", chat: Room | None = None, **place: Any) -> Raw | None:
        """Answer a message; `picked` are the words of it that the person selected."""
        if picked:
            place["quote"] = {"text": picked, "position": 0, "is_manual": True}
        return self.says(text, chat=chat, reply_to=to, **place)

    def sends(
        self,
        kind: str,
        name: str,
        data: bytes,
        caption: str = "",
        *,
        chat: Room | None = None,
        thread: int | None = None,
        **fields: object,
    ) -> Raw | None:
        """Send a file as `photo`, `document`, `voice`, `audio` or `video`."""
        media_type = {"photo": "image/jpeg", "voice": "audio/ogg", "audio": "audio/mpeg", "video": "video/mp4"}
        upload = Upload(name, media_type.get(kind, "application/octet-stream"), data)
        file_id = self._server.world.keep_file(upload)
        about: Raw = {"file_id": file_id, "file_unique_id": f"u{file_id}", "file_size": len(data)}
        match kind:
            case "photo":
                small = about | {"file_id": f"{file_id}-small", "file_size": 1, "width": 9, "height": 9}
                value: object = [small, about | {"width": 90, "height": 90}]
            case "document":
                value = about | {"file_name": name, "mime_type": upload.media_type}
            case "video":
                value = about | {"duration": 3, "width": 90, "height": 90, "mime_type": upload.media_type}
            case _:
                value = about | {"duration": 3, "mime_type": upload.media_type}
        said: Raw = {"caption": caption} if caption else {}
        if found(caption):
            said["caption_entities"] = found(caption)
        return self._post({kind: value} | said | fields, chat, thread)

    def sends_album(
        self, names: Sequence[str], caption: str = "", *, chat: Room | None = None, thread: int | None = None
    ) -> list[Raw | None]:
        """Several pictures as one album; the caption stands under the first."""
        group = f"album-{self._server.world.keep_file(Upload('', '', b''))}"
        return [
            self.sends(
                "photo",
                name,
                b"\xff\xd8" + name.encode(),
                caption if not at else "",
                chat=chat,
                thread=thread,
                media_group_id=group,
            )
            for at, name in enumerate(names)
        ]

    def edits(self, message_id: int, text: str, chat: Room | None = None) -> Raw | None:
        """Change one of one's own messages: its text, or the words under its file."""
        written = (chat or self.chat).state.messages[message_id]
        kind = ("text", "entities") if "text" in written.raw else ("caption", "caption_entities")
        written.raw.pop(kind[1], None)
        written.raw |= {kind[0]: text, "edit_date": int(self._server.world.now())}
        written.raw |= {kind[1]: found(text)} if found(text) else {}
        return self._server.world.queue("edited_message", copy.deepcopy(written.raw))

    def presses(self, label: str, chat: Room | None = None) -> str:
        """Tap the newest button with this label; the id of the query. Raises LookupError when there is none."""
        room = chat or self.chat
        for each in reversed(room.seen()):
            if any(label in row for row in each.buttons):
                return pressed(self._server, room.number, each.message_id, label, self.number)
        raise LookupError(f"no button {label!r}; the chat reads {room.texts()}")

    def blocks(self) -> None:
        self.chat.bar("bot was blocked by the user")

    def unblocks(self) -> None:
        self.chat.bar("")

    def _post(
        self,
        fields: Raw,
        chat: Room | None = None,
        thread: int | None = None,
        topic: bool = True,
        reply_to: int | None = None,
    ) -> Raw | None:
        room = chat or self.chat
        if thread is not None:
            fields = fields | {"message_thread_id": thread} | ({"is_topic_message": True} if topic else {})
        if reply_to is not None:
            fields = fields | {"reply_to_message": copy.deepcopy(room.state.messages[reply_to].raw)}
        world = self._server.world
        return world.queue("message", copy.deepcopy(world.write(room.state, {"from": self.raw, **fields}).raw))


def pressed(server: BotApi, chat: int, message_id: int, label: str, user: int) -> str:
    """A button press becomes an update; its query id."""
    raw = copy.deepcopy(server.world.chats[chat].messages[message_id].raw)
    rows = raw.get("reply_markup", {}).get("inline_keyboard", [])
    data = next((button["callback_data"] for row in rows for button in row if button["text"] == label), None)
    if data is None:
        raise LookupError(f"message {message_id} has no button {label!r}")
    query = server.world.ask()
    person = Person(server, user).raw if user > 0 else {"id": user, "is_bot": False, "first_name": "Somebody"}
    server.world.queue(
        "callback_query", {"id": query, "from": person, "message": raw, "chat_instance": "1", "data": data}
    )
    return query
