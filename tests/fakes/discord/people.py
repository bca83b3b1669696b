"""The people and places of the fake Discord, as a test speaks of them: who says what, and what a channel reads."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tests.fakes.discord import shapes, telling
from tests.fakes.discord.faults import cannot_write_to_user
from tests.fakes.discord.interactions import COMMAND, COMPONENT, FORM, TYPING, Interaction
from tests.fakes.discord.mentions import pings
from tests.fakes.discord.places import Room, Seen
from tests.fakes.discord.world import (
    DEFAULT,
    PRIVATE_THREAD,
    PUBLIC_THREAD,
    REPLY,
    Channel,
    Message,
    Raw,
)

if TYPE_CHECKING:
    from tests.fakes.discord.server import DiscordServer

VOICE_MESSAGE = 1 << 13
INTEGER, BOOLEAN, NUMBER = 4, 5, 10
SUBCOMMANDS = (1, 2)


class Person:
    """Somebody with a DM channel with the bot, who may also speak in guilds, and then is a member there."""

    def __init__(self, server: DiscordServer, number: int, name: str = "", *, is_bot: bool = False) -> None:
        self._server = server
        self.number = number
        self.account = server.world.account(number, name, is_bot=is_bot)

    @property
    def chat(self) -> Room:
        """The DM channel."""
        return Room(self._server, self._server.world.direct_channel(self.account).id)

    def seen(self) -> list[Seen]:
        return self.chat.seen()

    def texts(self) -> list[str]:
        return self.chat.texts()

    def says(
        self,
        text: str,
        *,
        chat: Room | None = None,
        mention: bool = False,
        reply_to: int | None = None,
        **fields: Any,
    ) -> Message:
        """Write a message; `mention` puts the bot's name before it. Further fields are a `Message`'s."""
        channel = self._in(chat)
        text = f"<@{self._server.world.bot.id}> {text}" if mention else text
        answered = channel.messages[reply_to] if reply_to is not None else None
        heard = pings(text, None, answered.author.id if answered else None)
        about = {"kind": REPLY if reply_to else DEFAULT, "reply_to": reply_to} | fields
        message = self._server.world.write(
            channel,
            self.account,
            text,
            mentions=heard.mentions,
            people=heard.people,
            roles=heard.roles,
            everyone=heard.everyone and channel.guild is not None,
            **about,
        )
        telling.created(self._server.world, message)
        return message

    def uploads(
        self,
        name: str,
        data: bytes,
        text: str = "",
        *,
        chat: Room | None = None,
        media_type: str = "",
        voice_seconds: float | None = None,
        **fields: Any,
    ) -> Message:
        """Send a file, with a text or without. `voice_seconds` makes it a voice message."""
        kind = media_type or mimetypes.guess_type(name)[0] or "application/octet-stream"
        channel = self._in(chat)
        file = self._server.world.keep_file(channel, name, kind, data, voice_seconds=voice_seconds)
        if voice_seconds is not None:
            fields["flags"] = VOICE_MESSAGE
        return self.says(text, chat=chat, files=[file], **fields)

    def edits(self, message: Message | int, text: str, chat: Room | None = None) -> Message:
        """Change one of one's own messages."""
        mine = self._mine(message, chat)
        self._server.world.rewrite(mine, content=text, mentions=pings(text, None).mentions)
        telling.changed(self._server.world, mine)
        return mine

    def deletes(self, message: Message | int, chat: Room | None = None) -> None:
        mine = self._mine(message, chat)
        del mine.channel.messages[mine.id]
        telling.deleted(self._server.world, mine)

    def reacts(self, message: int, sign: str, chat: Room | None = None) -> None:
        """Put an emoji under a message of anybody."""
        found = self._in(chat).messages[message]
        found.reactions.setdefault(sign, set()).add(self.number)
        telling.reacted(self._server.world, found, self.account, sign, added=True)

    def orders(self, name: str, /, chat: Room | None = None, **options: Any) -> Interaction:
        """Use a slash command; a subcommand is named after a space. Raises LookupError for what is not registered,
        and for options that the command does not have, or needs and does not get."""
        channel = self._in(chat)
        first, *deeper = name.removeprefix("/").split(" ")
        guild = channel.guild.id if channel.guild else None
        command = self._server.commands.find(first, guild)
        data: Raw = {"id": command["id"], "name": first, "type": 1}
        data["options"] = list(_options(command, deeper, options))
        return self._server.interactions.begin(COMMAND, data, channel, self.account)

    def types(self, name: str, option: str, text: str, chat: Room | None = None) -> Interaction:
        """Begin to type the value of a command's option that is completed. Raises LookupError for one that is not."""
        channel = self._in(chat)
        first, *deeper = name.removeprefix("/").split(" ")
        command = self._server.commands.find(first, channel.guild.id if channel.guild else None)
        inside = command
        for word in deeper:
            inside = next(each for each in inside["options"] if each["name"] == word)
        known: Raw = next((each for each in inside["options"] if each["name"] == option), {})
        if not known.get("autocomplete"):
            raise LookupError(f"option {option!r} of /{name} is not completed")
        given: Raw = {"name": option, "type": known["type"], "value": text, "focused": True}
        for word in reversed(deeper):
            given = {"name": word, "type": SUBCOMMANDS[0], "options": [given]}
        data: Raw = {"id": command["id"], "name": first, "type": 1, "options": [given]}
        return self._server.interactions.begin(TYPING, data, channel, self.account)

    def presses(self, label: str, chat: Room | None = None) -> Interaction:
        """Press the newest button with this label. Raises LookupError when there is none that can be pressed."""
        channel = self._in(chat)
        for message in reversed(channel.messages.values()):
            if message.ephemeral and message.seen_by != self.number:
                continue
            for button in shapes.buttons(message.components):
                if button.get("label") == label and not button.get("disabled") and button.get("custom_id"):
                    data = {"custom_id": button["custom_id"], "component_type": shapes.BUTTON, "id": button["id"]}
                    return self._server.interactions.begin(COMPONENT, data, channel, self.account, message)
        raise LookupError(f"no button {label!r} to press; the chat reads {Room(self._server, channel.id).texts()}")

    def submits(self, shown: Interaction, *, chat: Room | None = None, **values: str) -> Interaction:
        """Fill in the form that answered an interaction, by the names of its fields, and send it."""
        if shown.form is None:
            raise LookupError("that interaction was not answered with a form")
        rows = [_filled(row, values) for row in shown.form["components"]]
        data = {"custom_id": shown.form["custom_id"], "components": rows}
        return self._server.interactions.begin(FORM, data, self._in(chat), self.account, shown.message)

    def starts_thread(
        self,
        name: str,
        chat: Room,
        *,
        message: Message | None = None,
        private: bool = False,
        with_bot: bool = False,
    ) -> Room:
        """Open a thread in a channel, at a message or on its own. Of a public one the bot hears without being in it;
        of a private one only if it was taken along."""
        parent = self._in(chat)
        number = message.id if message is not None else self._server.world.new_id()
        kind = PRIVATE_THREAD if private else PUBLIC_THREAD
        thread = Channel(number, kind, name, parent.guild, parent, owner=self.number, joined=with_bot)
        return Room(self._server, self._server.messages.open_thread(thread, message).id)

    def blocks(self) -> None:
        self.chat.state.barred = cannot_write_to_user()

    def unblocks(self) -> None:
        self.chat.state.barred = None

    def _in(self, chat: Room | None) -> Channel:
        channel = (chat or self.chat).state
        if channel.guild is not None and self.number not in channel.guild.members:
            channel.guild.members[self.number] = self.account
            telling.joined(self._server.world, channel.guild, self.account)
        return channel

    def _mine(self, message: Message | int, chat: Room | None) -> Message:
        found = message if isinstance(message, Message) else self._in(chat).messages[message]
        if found.author is not self.account:
            raise LookupError(f"message {found.id} is somebody else's")
        return found


def _options(command: Raw, deeper: list[str], values: dict[str, Any]) -> Iterator[Raw]:
    known = {each["name"]: each for each in command.get("options") or []}
    if deeper:
        if known.get(deeper[0], {}).get("type") not in SUBCOMMANDS:
            raise LookupError(f"/{command['name']} has no subcommand {deeper[0]!r}; it has {list(known)}")
        inside = known[deeper[0]]
        yield {"name": deeper[0], "type": inside["type"], "options": list(_options(inside, deeper[1:], values))}
        return
    missing = [name for name, each in known.items() if each.get("required") and name not in values]
    strange = [name for name in values if name not in known]
    if missing or strange:
        raise LookupError(f"/{command['name']} takes {list(known)}; missing {missing}, strange {strange}")
    for name, value in values.items():
        _fits(known[name], value)
        yield {"name": name, "type": known[name]["type"], "value": value}


def _fits(option: Raw, value: Any) -> None:
    """Whether the person's client would let this through."""
    kinds = {INTEGER: int, BOOLEAN: bool, NUMBER: float}
    wanted = kinds.get(option["type"], str)
    choices = [each["value"] for each in option.get("choices") or []]
    if not isinstance(value, wanted) or (choices and value not in choices):
        raise LookupError(f"option {option['name']!r} takes {choices or wanted.__name__}, not {value!r}")


def _filled(row: Raw, values: dict[str, str]) -> Raw:
    if "component" in row:  # a label with one field
        return row | {"component": _with_value(row["component"], values)}
    return row | {"components": [_with_value(each, values) for each in row.get("components", [])]}


def _with_value(one: Raw, values: dict[str, str]) -> Raw:
    return {"type": one["type"], "custom_id": one["custom_id"], "value": values.get(one["custom_id"], "")}
