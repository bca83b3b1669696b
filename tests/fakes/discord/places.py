"""The places of the fake Discord: guilds with their channels, and what each channel reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.fakes.discord import shapes, telling
from tests.fakes.discord.faults import Refusal, missing_access, missing_permissions
from tests.fakes.discord.world import (
    LOADING,
    QUIET,
    TEXT,
    THREAD_CREATED,
    THREAD_STARTER,
    Channel,
    File,
    Guild,
    Message,
)

if TYPE_CHECKING:
    from tests.fakes.discord.people import Person
    from tests.fakes.discord.server import DiscordServer


@dataclass(frozen=True, slots=True)
class Seen:
    """One message of the bot as it reads now. `versions` are all its texts, the first to the present one."""

    message_id: int
    text: str
    buttons: tuple[tuple[str, ...], ...] = ()
    edits: int = 0
    reply_to: int | None = None
    files: tuple[File, ...] = ()
    versions: tuple[str, ...] = ()
    nonce: str | None = None
    reactions: tuple[str, ...] = ()
    pinged: bool = False
    """Everyone, everybody here, or a whole role heard a sound."""
    people: tuple[int, ...] = ()
    """Who heard one by name."""
    ephemeral: bool = False
    thinking: bool = False
    quiet: bool = False

    @property
    def file(self) -> File | None:
        return self.files[0] if self.files else None


class Room:
    """One channel, thread or DM."""

    def __init__(self, server: DiscordServer, number: int) -> None:
        self._server = server
        self.number = number

    @property
    def state(self) -> Channel:
        return self._server.world.channels[self.number]

    def seen(self, person: Person | None = None) -> list[Seen]:
        """The bot's messages as the channel reads now, oldest first; of those for one person's eyes, the person's
        (everybody's, unless a person is named)."""
        return [
            _seen(each)
            for each in self.state.messages.values()
            if each.author is self._server.world.bot
            and each.kind not in (THREAD_CREATED, THREAD_STARTER)
            and not (each.ephemeral and person is not None and each.seen_by != person.number)
        ]

    def texts(self) -> list[str]:
        return [each.text for each in self.seen()]

    def labels(self) -> list[str]:
        return [label for each in self.seen() for row in each.buttons for label in row]

    @property
    def typing(self) -> list[float]:
        """When the bot was seen typing, by the world's clock."""
        return list(self.state.typing)

    def reactions(self, message_id: int) -> list[str]:
        """The bot's signs under a message."""
        signs = self.state.messages[message_id].reactions
        return [sign for sign, who in signs.items() if self._server.world.bot.id in who]

    def remove(self, message_id: int) -> None:
        """Somebody with the right to do so deletes a message."""
        telling.deleted(self._server.world, self.state.messages.pop(message_id))

    def bar(self, refusal: Refusal | None = None) -> None:
        """From now on the bot may read here, and not write (403 50013, unless told otherwise)."""
        self.state.barred = refusal or missing_permissions()

    def hide(self) -> None:
        """From now on the bot may not even look (403 50001)."""
        self.state.unreadable = missing_access()

    def admit(self) -> None:
        """Take back what kept the bot out."""
        self.state.barred = self.state.unreadable = None

    def archive(self, *, locked: bool = False) -> None:
        """A thread is put away. The bot may take it up again by writing, unless it is locked."""
        self.state.archived, self.state.locked = True, locked
        telling.channel_event(self._server.world, self.state, "UPDATE")

    def vanish(self) -> None:
        """The channel is deleted."""
        channel = self._server.world.channels.pop(self.number)
        if channel.guild is not None:
            channel.guild.channels.pop(self.number, None)
        telling.channel_event(self._server.world, channel, "DELETE")


class House:
    """One guild."""

    def __init__(self, server: DiscordServer, state: Guild) -> None:
        self._server = server
        self.state = state
        self.number = state.id

    @classmethod
    def founded(cls, server: DiscordServer, number: int, name: str) -> House:
        """A guild with the bot in it. A session that is open is told as when somebody adds the bot."""
        world = server.world
        known = world.guilds.get(number)
        if known is not None:
            return cls(server, known)
        owner = world.account(1, "Owner")
        guild = world.guilds[number] = Guild(number, name, owner.id, {owner.id: owner, world.bot.id: world.bot})
        telling.guild_created(world, guild)
        return cls(server, guild)

    def channel(self, number: int, name: str = "lobby", kind: int = TEXT) -> Room:
        """A channel of the guild, which is made if it is not there."""
        world = self._server.world
        if number not in world.channels:
            made = world.add_channel(Channel(number, kind, name, self.state))
            telling.channel_event(world, made, "CREATE")
        return Room(self._server, number)

    def role(self, number: int, name: str) -> int:
        self.state.roles[number] = name
        return number

    def invites(self, *people: Person) -> None:
        for each in people:
            self.state.members[each.number] = each.account
            telling.joined(self._server.world, self.state, each.account)

    def throws_out_the_bot(self) -> None:
        """The bot is removed; its channels are gone for it."""
        world = self._server.world
        del world.guilds[self.number]
        for number in [number for number, each in world.channels.items() if each.guild is self.state]:
            del world.channels[number]
        telling.guild_left(world, self.state)


def _seen(message: Message) -> Seen:
    rows = [tuple(str(each.get("label")) for each in shapes.buttons([row])) for row in message.components]
    return Seen(
        message.id,
        message.content,
        tuple(row for row in rows if row),
        len(message.versions) - 1,
        message.reply_to,
        tuple(message.files),
        tuple(message.versions),
        message.nonce,
        tuple(message.reactions),
        message.everyone or bool(message.roles),
        message.people,
        message.ephemeral,
        bool(message.flags & LOADING),
        bool(message.flags & QUIET),
    )
