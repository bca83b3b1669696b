"""The operations on channels and their messages, with the checks and the words of the real API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from tests.fakes.discord import checks, shapes, telling
from tests.fakes.discord.calls import NOTHING, Call, Reply
from tests.fakes.discord.faults import Refusal, bad_length, invalid, missing_access, missing_permissions, unknown
from tests.fakes.discord.form import Given
from tests.fakes.discord.mentions import pings
from tests.fakes.discord.world import (
    DEFAULT,
    DM,
    EPHEMERAL,
    FORUM,
    PRIVATE_THREAD,
    PUBLIC_THREAD,
    REPLY,
    TEXT,
    THREAD_CREATED,
    THREAD_STARTER,
    Channel,
    Message,
    World,
)

SETTABLE = (1 << 2) | (1 << 12) | (1 << 13) | (1 << 15)
"""Flags that the sender of a message may set."""


class Messages:
    """create_message and its kin. `privileged` are the intents that the portal grants."""

    def __init__(self, world: World, privileged: Callable[[], int]) -> None:
        self._world = world
        self._privileged = privileged

    # Writing.

    def create_message(self, call: Call) -> Reply:
        channel = self.writable(call.number("channel"))
        given = call.given
        nonce = checks.nonce(given.json)
        if nonce is not None and given.json.get("enforce_nonce"):
            known = self._world.same_nonce(self._world.bot, nonce)
            if known is not None and known.id not in known.channel.messages:
                raise unknown("Message")  # Discord does not write again what somebody deleted
            if known is not None:
                return Reply(self.shape(known, nonce=True))
        message = self.compose(channel, given, reply_to=self._replied_to(channel, given.json), nonce=nonce)
        telling.created(self._world, message)
        return Reply(self.shape(message, nonce=True))

    def compose(self, channel: Channel, given: Given, *, reply_to: int | None = None, **fields: Any) -> Message:
        """A new message of the bot out of what a request gives, checked. It is not told yet. Raises Refusal."""
        text = checks.content(given.json)
        checks.not_empty(text, given.json, given.files)
        rows, embeds, files = checks.components(given.json), checks.embeds(given.json), checks.files(given)
        replied = channel.messages.get(reply_to) if reply_to else None
        heard = pings(text, given.json.get("allowed_mentions"), replied.author.id if replied else None)
        fields.setdefault("kind", REPLY if reply_to else DEFAULT)
        fields["flags"] = fields.get("flags", 0) | int(given.json.get("flags") or 0) & SETTABLE
        message = self._world.write(
            channel,
            self._world.bot,
            text,
            components=rows,
            embeds=embeds,
            files=[
                self._world.keep_file(channel, each.name, kind, each.data, description=words)
                for each, kind, words in files
            ],
            reply_to=reply_to,
            mentions=heard.mentions,
            people=heard.people,
            roles=heard.roles,
            everyone=heard.everyone and channel.guild is not None,
            **fields,
        )
        self._world.keep_nonce(message)
        if channel.is_thread:
            channel.archived = False
        return message

    def edit_message(self, call: Call) -> Reply:
        message = self._message(call)
        if message.author is not self._world.bot:
            raise Refusal(403, 50005, "Cannot edit a message authored by another user")
        self.revise(message, call.given)
        telling.changed(self._world, message)
        return Reply(self.shape(message))

    def revise(self, message: Message, given: Given, **fields: Any) -> None:
        """Change a message of the bot's by what a request gives; nobody is pinged by it. Raises Refusal."""
        if "content" in given.json:
            fields["content"] = checks.content(given.json)
            heard = pings(fields["content"], given.json.get("allowed_mentions"))
            fields["mentions"] = heard.mentions
        if "components" in given.json:
            fields["components"] = checks.components(given.json)
        if "embeds" in given.json:
            fields["embeds"] = checks.embeds(given.json)
        added = [
            self._world.keep_file(message.channel, each.name, kind, each.data, description=words)
            for each, kind, words in checks.files(given)
        ]
        if "attachments" in given.json or added:
            kept = {str(each.get("id")) for each in given.json.get("attachments") or []}
            fields["files"] = [each for each in message.files if str(each.id) in kept] + added
        left = {
            name: fields.get(name, getattr(message, name)) for name in ("content", "files", "embeds", "components")
        }
        if not any(left.values()):
            raise Refusal(400, 50006, "Cannot send an empty message")
        self._world.rewrite(message, **fields)

    def delete_message(self, call: Call) -> Reply:
        message = self._message(call)
        if message.author is not self._world.bot and message.channel.kind == DM:
            raise Refusal(403, 50003, "Cannot execute action on a DM channel")
        del message.channel.messages[message.id]
        telling.deleted(self._world, message)
        return NOTHING

    def add_reaction(self, call: Call) -> Reply:
        return self._react(call, added=True)

    def remove_reaction(self, call: Call) -> Reply:
        return self._react(call, added=False)

    def _react(self, call: Call, *, added: bool) -> Reply:
        message, sign = self._message(call), unquote(call.path["emoji"])
        if sign.isascii() and ":" not in sign:
            raise unknown("Emoji")
        who = message.reactions.setdefault(sign, set())
        (who.add if added else who.discard)(self._world.bot.id)
        telling.reacted(self._world, message, self._world.bot, sign, added=added)
        return NOTHING

    def typing(self, call: Call) -> Reply:
        channel = self.writable(call.number("channel"))
        channel.typing.append(self._world.now())
        self._world.tell()
        return NOTHING

    # Reading.

    def get_channel(self, call: Call) -> Reply:
        return Reply(shapes.channel(self._world, self.readable(call.number("channel"))))

    def get_message(self, call: Call) -> Reply:
        return Reply(self.shape(self._message(call)))

    def get_messages(self, call: Call) -> Reply:
        """Newest first. `after` gives those that come next after it, not the newest of all."""
        channel = self.readable(call.number("channel"))
        limit, borders = checks.page(call.given.query)
        found = sorted((each for each in channel.messages.values() if not each.ephemeral), key=lambda each: -each.id)
        if "around" in borders:
            near = sorted(found, key=lambda each: abs(each.id - borders["around"]))[:limit]
            found = sorted(near, key=lambda each: -each.id)
        elif "before" in borders:
            found = [each for each in found if each.id < borders["before"]][:limit]
        elif "after" in borders:
            found = [each for each in found if each.id > borders["after"]][-limit:]
        return Reply([self.shape(each) for each in found[:limit]])

    def shape(self, message: Message, *, nonce: bool = False) -> dict[str, Any]:
        """Nonces stand in the answer to a send and in the gateway's events; history does not keep them."""
        return shapes.message(self._world, message, self._privileged(), nonce=nonce)

    # Threads.

    def start_thread(self, call: Call) -> Reply:
        parent = self.writable(call.number("channel"))
        if parent.kind not in (TEXT, FORUM):
            raise Refusal(400, 50024, "Cannot execute action on this channel type")
        kind = int(call.json.get("type", PRIVATE_THREAD))
        thread = Channel(self._world.new_id(), kind, _name(call.json), parent.guild, parent, owner=self._world.bot.id)
        self.open_thread(thread, None)
        return Reply(shapes.channel(self._world, thread), 201)

    def start_thread_from_message(self, call: Call) -> Reply:
        message = self._message(call)
        parent = message.channel
        if parent.kind != TEXT:
            raise Refusal(400, 50024, "Cannot execute action on this channel type")
        if message.id in self._world.channels:
            raise Refusal(400, 160004, "A thread has already been created for this message")
        thread = Channel(message.id, PUBLIC_THREAD, _name(call.json), parent.guild, parent, owner=self._world.bot.id)
        self.open_thread(thread, message)
        return Reply(shapes.channel(self._world, thread), 201)

    def open_thread(self, thread: Channel, message: Message | None) -> Channel:
        """A thread begins, at a message or in the channel; the bot is told of it."""
        parent, starter = thread.parent, self._world.accounts[thread.owner]
        assert parent is not None
        self._world.add_channel(thread)
        telling.channel_event(self._world, thread, "CREATE", new=True)
        if message is not None:
            message.flags |= 1 << 5
            first = self._world.write(thread, message.author, kind=THREAD_STARTER, reply_to=message.id)
            telling.created(self._world, first)
        elif thread.kind == PUBLIC_THREAD:
            telling.created(self._world, self._world.write(parent, starter, thread.name, kind=THREAD_CREATED))
        return thread

    def edit_channel(self, call: Call) -> Reply:
        channel = self.writable(call.number("channel"))
        if "name" in call.json:
            channel.name = _name(call.json)
        if channel.is_thread:
            channel.archived = bool(call.json.get("archived", channel.archived))
            channel.locked = bool(call.json.get("locked", channel.locked))
        telling.channel_event(self._world, channel, "UPDATE")
        return Reply(shapes.channel(self._world, channel))

    def join_thread(self, call: Call) -> Reply:
        return self._be_in(call, joined=True)

    def leave_thread(self, call: Call) -> Reply:
        return self._be_in(call, joined=False)

    def _be_in(self, call: Call, *, joined: bool) -> Reply:
        thread = self.readable(call.number("channel"))
        if not thread.is_thread:
            raise Refusal(400, 50024, "Cannot execute action on this channel type")
        thread.joined = joined
        return NOTHING

    # Where, and whether.

    def readable(self, number: int) -> Channel:
        """The channel that is meant. Raises Refusal when it is not there, or not for the bot."""
        channel = self._world.channels.get(number)
        if channel is None:
            raise unknown("Channel")
        if channel.hidden:
            raise channel.unreadable or missing_access()
        return channel

    def writable(self, number: int) -> Channel:
        channel = self.readable(number)
        if channel.barred is not None:
            raise channel.barred
        if channel.locked:
            raise Refusal(400, 160005, "Thread is locked")
        return channel

    def _message(self, call: Call) -> Message:
        channel = self.readable(call.number("channel"))
        message = channel.messages.get(call.number("message"))
        if message is None or message.flags & EPHEMERAL:
            raise unknown("Message")
        if call.operation != "get_message" and channel.barred is not None and channel.kind != DM:
            raise missing_permissions()
        return message

    def _replied_to(self, channel: Channel, given: dict[str, Any]) -> int | None:
        about = given.get("message_reference")
        if not about:
            return None
        number = int(about.get("message_id", 0))
        if number in channel.messages:
            return number
        if about.get("fail_if_not_exists", True):
            raise invalid("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
        return None


def _name(given: dict[str, Any]) -> str:
    name = str(given.get("name") or "")
    if not 1 <= len(name) <= 100:
        raise bad_length("name", 100)
    return name
