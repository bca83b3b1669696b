"""The kill rounds over Discord: the gateway's process talks to Discord's API and gateway, and to a model host.

Owns the network's side: direct chats, a channel and a thread, connections that break, nonces that are forgotten while
the house is down, and its chats as the ledger reads them. Rounds and seeds are the siege's, what must hold is the
ledger's.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

from platforms.discord.adapter import NONCE_SECONDS
from platforms.discord.render import render
from tests.fakes.discord import ABNORMAL, DiscordServer, Room
from tests.fakes.discord.calls import Call, Reply
from tests.fakes.discord.checks import LONGEST
from tests.fakes.gateway_process import GatewayProcess
from tests.fakes.postal import counting
from tests.fakes.postal.office import Box, Letter
from tests.scenarios.ledger import Ledger, Posted, reading
from tests.scenarios.siege import CHATS, ENTRY_POINTS, PATIENCE, SIGNS, Moment, Network, Siege
from tests.scenarios.storyteller import Storyteller

LIKE_DISCORD = Network("nonces and history", NONCE_SECONDS, True)
ADA = 222333444555666000
GUILD, LOBBY = 333444555666777888, 444555666777888999
LONG_AWAY = 200.0
"""Seconds for which the house seems to have been down after every other end: nonces are forgotten then."""

NOTICED = {"create_message": "sent", "edit_message": "edited", "delete_message": "deleted"}
PAGES = tuple(
    " ".join(f"Sentence {page}-{number:02} stands in many answers, word for word." for number in range(30))
    for page in range(1, 4)
)
"""Paragraphs that each fill a message."""


class Discord(DiscordServer):
    """The server, which tells what happens as the post office of the siege does, and is as slow as networks are.

    Three people write in their direct chats; the first one also in a channel of a guild, and in a thread of it.
    """

    def __init__(self, noticed: Callable[[str], None], answer_after: Callable[[], float]) -> None:
        super().__init__()
        self._noticed = noticed
        self._answer_after = answer_after
        self.by_nonce = self.by_history = 0
        """How often a message was not written again because of its nonce; how often history was searched for one."""
        self._people = {chat: self.user(ADA + number, chat) for number, chat in enumerate(CHATS[:3])}
        lobby = self.guild(GUILD).channel(LOBBY)
        thread = self._people[CHATS[0]].starts_thread("The cellar", lobby)
        self.rooms = {chat: person.chat for chat, person in self._people.items()} | dict(
            zip(CHATS[3:], (lobby, thread), strict=True)
        )
        self.watchers.append(self._watch)

    @property
    def people(self) -> list[int]:
        return [each.number for each in self._people.values()]

    @property
    def waiting(self) -> dict[int, Any]:
        """Nobody acknowledges anything on Discord."""
        return {}

    def post(self, chat: str, text: str) -> int:
        """Somebody writes; the message's id."""
        if chat in self._people:
            return self._people[chat].says(text).id
        return self._people[CHATS[0]].says(text, chat=self.rooms[chat], mention=True).id

    def age(self, seconds: float) -> None:
        """Time passes; what nonces stand for is forgotten by that."""
        for channel in self.world.channels.values():
            for message in channel.messages.values():
                message.sent_at -= seconds

    def trouble(self, which: str) -> None:
        """What happens to connections that live long."""
        match which:
            case "reconnect":
                self.gateway.ask_to_reconnect()
            case "torn":
                self.gateway.close(ABNORMAL)
            case "closed":
                self.gateway.close(4000)
            case "forgotten":
                self.gateway.forget_sessions()

    async def _carry_out(self, call: Call) -> Reply:
        written = self._written()
        reply = await super()._carry_out(call)
        if call.operation == "create_message":
            self.by_nonce += self._written() == written
        elif call.operation == "get_messages" and "after" not in call.given.query:
            self.by_history += 1
        if call.operation in NOTICED:
            self._noticed(NOTICED[call.operation])
            await asyncio.sleep(self._answer_after())
        return reply

    def _written(self) -> int:
        return sum(len(channel.messages) for channel in self.world.channels.values())

    def _watch(self, name: str, about: Any) -> None:
        if name == "READY":
            self._noticed("listening")
        spoken = name == "MESSAGE_CREATE" and int(about["author"]["id"]) != self.world.bot.id
        if spoken or (name == "get_messages" and "after" in about.given.query):
            self._noticed("delivered")


class AlikeStories(Storyteller):
    """Every third answer fills several messages, of which all but the first read the same in all such answers."""

    def _story(self, name: str) -> str:
        story, number = super()._story(name), sum(map(ord, name))
        return "\n\n".join([story, *PAGES]) if number % 3 == 0 else story


class Record:
    """The server's chats as the ledger reads a post office's. The server knows the nonce of every message."""

    def __init__(self, server: Discord, database: Path) -> None:
        self.waiting = server.waiting
        self._server = server
        with reading(database) as db:
            self._parts = db.execute("SELECT * FROM outbox ORDER BY id").fetchall()
        self._tries = Counter(str(call.json.get("nonce")) for call in server.called("create_message"))

    def box(self, chat: str) -> Box:
        room = self._server.rooms[chat]
        parts = {part["nonce"]: part for part in self._parts if part["chat"] == key(room)}
        box = Box(tries={nonce: self._tries[nonce] for nonce in parts})
        for number, seen in enumerate(room.seen(), 1):
            part = parts.get(seen.nonce)
            same = part is not None and _shown(part["text"]) == seen.text
            text = part["text"] if part is not None and same else seen.text
            box.letters[str(seen.message_id)] = Letter(number, text, part and part["nonce"], 0.0, seen.edits)
        return box

    def faults(self) -> list[str]:
        """No message is taken for two parts."""
        claims = Counter((part["chat"], part["remote_id"]) for part in self._parts if part["state"] == "sent")
        return [f"message {number} in {chat} is {many} parts" for (chat, number), many in claims.items() if many > 1]


class DiscordSiege(Siege):
    """The siege, with Discord in the post office's place."""

    def __init__(self, folder: Path, seed: int, drain_seconds: int, unrest: float) -> None:
        super().__init__(folder, LIKE_DISCORD, seed, drain_seconds)
        self._unrest = unrest
        self.server = Discord(
            self.moments.note,
            answer_after=lambda: self.random.choice([0.0, 0.0, self.random.uniform(0, 0.05), 0.3]),
        )
        self.office = self.server  # type: ignore[assignment]  # the siege posts and asks what waits, no more
        self.host = AlikeStories(self.moments.note)
        self.troubles: Counter[str] = Counter()
        self.aged = 0

    def furnish(self) -> None:
        discord = {
            "token": self.server.token,
            "api_url": self.server.api_url,
            "gateway_url": self.server.gateway_url,
            "allowed_users": [str(each) for each in self.server.people],
        }
        config = {
            "model": {"provider": "openai", "model": "fake-model", "base_url": self.host.base_url, "api_key": "k"},
            "platforms": {"discord": discord},
            "auxiliary": {"background_review": {"enabled": False}},
            # With a scope for each person the model reads the words alone, without who said them.
            "sessions": {"boundary_hint": "off", "group_scope": "person"},
            "gateway": {"drain_seconds": self._drain_seconds},
        }
        tools = {"innkeeper.tools": ENTRY_POINTS["innkeeper.tools"]}
        environment = {counting.FILE: str(self.counts), "HOME": str(self._folder)}
        self.gateway = GatewayProcess(self._folder, config, entry_points=tools, environment=environment)

    async def _meet(self, moment: Moment) -> bool:
        """The first round: everybody writes once while the house listens, and is heard. Discord tells a bot
        nothing of direct chats in which it was never written to."""
        listening = self.moments.next("listening")
        await self.gateway.start()
        await asyncio.wait_for(listening, PATIENCE)
        sign, _, within = SIGNS.get(moment, ("asked", 1, 0.3))
        coming = self.moments.next(sign)
        for chat in CHATS:
            name = f"{chat}n0"
            text = f"#{name} is here [tool]"
            self.posted.append(Posted(self.server.post(chat, text), chat, name, text))
        async with asyncio.timeout(PATIENCE):
            while not stored(self.gateway.database, len(CHATS)):
                await asyncio.sleep(0.01)
        await asyncio.wait_for(coming, PATIENCE)
        await asyncio.sleep(self.random.uniform(0, within))
        return True

    async def end(self) -> Ledger:
        listening = self.moments.next("listening")
        await self.gateway.start()
        await asyncio.wait_for(listening, PATIENCE)
        await self._settle()
        code = await self.gateway.terminate()
        assert code == 0, f"exit code {code}:\n{self.gateway.said()}"
        self.record = Record(self.server, self.gateway.database)
        counted = counting.counted(self.counts)
        return Ledger(
            self.gateway.database,
            self.posted,
            self.record,  # type: ignore[arg-type]  # the ledger asks what waits, and for boxes
            counted,
            self.unknown,
            certain=True,
            key=lambda chat: key(self.server.rooms[chat]),
        )

    def summary(self, ledger: Ledger) -> str:
        troubles = ", ".join(f"{name} {count}" for name, count in sorted(self.troubles.items()))
        return (
            f"{super().summary(ledger)}; {self.server.by_nonce} sends were known by their nonce,"
            f" {self.server.by_history} looked for in the history; {self.aged} times long away;"
            f" connections: {troubles or 'no trouble'}"
        )

    async def _until(self, moment: Moment) -> bool:
        if not self.posted:
            return await self._meet(moment)
        if self.random.random() < 0.5:
            self._be_away()
        return await super()._until(moment)

    async def _talk(self, messages: int, *, tool: bool = False) -> None:
        if self.gateway.runs and self.random.random() < self._unrest:
            which = self.random.choice(["reconnect", "torn", "closed", "forgotten"])
            self.troubles[which] += 1
            self.server.trouble(which)
        await super()._talk(messages, tool=tool)

    def _be_away(self) -> None:
        """As if the process that was ended had been down for long."""
        self.aged += 1
        self.server.age(LONG_AWAY)
        with closing(sqlite3.connect(self.gateway.database)) as db, db:
            db.execute("UPDATE outbox SET tried_at = tried_at - ?", (LONG_AWAY,))


def key(room: Room) -> str:
    """A chat as the gateway names it."""
    parent = room.state.parent
    return f"discord:{parent.id}:{room.number}" if parent is not None else f"discord:{room.number}"


def stored(database: Path, events: int) -> bool:
    """Whether a running house has heard so many events."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
        return bool(db.execute("SELECT count(*) >= ? FROM inbox", (events,)).fetchone()[0])


def _shown(text: str) -> str:
    """A part as Discord shows it: formatted, without white space at its ends."""
    return render(text, LONGEST).strip()


@asynccontextmanager
async def discord_siege(
    folder: Path, seed: int, *, drain_seconds: int = 0, unrest: float = 0.0
) -> AsyncIterator[DiscordSiege]:
    """The server, the host and the gateway's folder; no process is left behind. `unrest` is how likely a connection
    breaks when people write."""
    made = DiscordSiege(folder, seed, drain_seconds, unrest)
    async with made.server, made.host:
        made.furnish()
        try:
            yield made
        finally:
            await made.gateway.discard()
