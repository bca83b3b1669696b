"""The kill rounds over Telegram: the gateway's process talks to a Bot API server and a model host over HTTP.

Owns the network's side: when it was heard from, and its chats as the ledger reads them. Rounds and seeds are the
siege's, what must hold is the ledger's.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from platforms.telegram.render import render
from tests.fakes.gateway_process import GatewayProcess
from tests.fakes.openai_server import Step
from tests.fakes.postal import counting
from tests.fakes.postal.office import Box, Letter
from tests.fakes.telegram import BotApi
from tests.scenarios.ledger import InFlight, Ledger, reading
from tests.scenarios.siege import BLIND, CHATS, ENTRY_POINTS, PATIENCE, Siege
from tests.scenarios.storyteller import NAME, Storyteller

PEOPLE = {chat: 1000 + number for number, chat in enumerate(CHATS, 1)}
"""Who writes in which chat of the siege."""

LIMIT = 4096
SIGNS = {"sendMessage": "sent", "editMessageText": "edited", "deleteMessage": "deleted"}


class Telegram(BotApi):
    """The server, which tells what happens as the post office of the siege does, and is as slow as networks are."""

    def __init__(
        self, noticed: Callable[[str], None], answer_after: Callable[[], float], again: Callable[[], bool]
    ) -> None:
        super().__init__()
        self._noticed = noticed
        self._answer_after = answer_after
        self._again = again

    def post(self, chat: str, text: str) -> int:
        """A person writes; the update's number."""
        update = self.user(PEOPLE[chat], chat).says(text)
        assert update is not None, "the bot asks for messages"
        return int(update["update_id"])

    @property
    def waiting(self) -> dict[int, dict[str, Any]]:
        """Updates that the bot has not confirmed yet, by number."""
        return {each["update_id"]: each for each in self.world.updates}

    async def _carry_out(self, method: str, given: dict[str, Any]) -> Any:
        if method == "getUpdates":
            self._noticed("listening")
            self._repeat(int(given.get("offset", 0)))
        answer = await super()._carry_out(method, given)
        if method == "getUpdates":
            for _ in answer:
                self._noticed("delivered")
        elif method in SIGNS:
            self._noticed(SIGNS[method])
            await asyncio.sleep(self._answer_after())
        return answer

    def _repeat(self, offset: int) -> None:
        """Sometimes an update comes once more, though it was confirmed."""
        confirmed = [each for each in self.world.updates if each["update_id"] < offset]
        if confirmed and self._again():
            self.world.again.append(confirmed[-1])


class LongStories(Storyteller):
    """Every third answer fills several messages of Telegram; most are told so slowly that they are seen to grow."""

    def _tell(self, given: dict[str, Any]) -> Step:
        step = super()._tell(given)
        step.delay *= 4 if step.delay < 0.1 else 1
        return step

    def _story(self, name: str) -> str:
        take, number = self.takes[name], sum(map(ord, name))
        lines = (2 + number % 7) * (40 if number % 3 == 0 else 1)
        told = [f"Line {line} of take {take} goes on about #{name} for a while." for line in range(1, lines + 1)]
        return " ".join([f"Answer to #{name}.", *told])


class Record:
    """The server's chats as the ledger reads a post office's. Telegram knows no nonces: a message that the house does
    not know is the one whose sending was in flight, if there is one with its words."""

    def __init__(self, server: Telegram, database: Path, unknown: InFlight) -> None:
        self.waiting = server.waiting
        self._server = server
        self._unknown = unknown
        with reading(database) as db:
            self._parts = db.execute("SELECT * FROM outbox ORDER BY id").fetchall()
        self._sent = Counter(
            (call.given["chat_id"], call.given["text"]) for call in server.calls if call.method == "sendMessage"
        )

    def box(self, chat: str) -> Box:
        parts = [part for part in self._parts if part["chat"] == key(chat)]
        known = {part["remote_id"]: part for part in parts if part["remote_id"]}
        box, left = Box(), [part for part in parts if not part["remote_id"]]
        for number, seen in enumerate(self._server.world.seen(self._server.world.chats[PEOPLE[chat]]), 1):
            part = known.get(str(seen.message_id)) or self._in_flight(parts, left, seen.text)
            same = part is not None and _shown(part["text"]) == seen.text
            text = part["text"] if part is not None and same else seen.text
            nonce = part["nonce"] if part is not None else None
            box.letters[str(seen.message_id)] = Letter(number, text, nonce, 0.0, seen.edits)
        alike = Counter(part["text"] for part in parts)
        for part in parts:
            # Every notice of a doubt reads the same.
            box.tries[part["nonce"]] = (
                self._sent[PEOPLE[chat], render(part["text"], LIMIT).text] - alike[part["text"]] + 1
            )
        return box

    def _in_flight(self, parts: list[sqlite3.Row], left: list[sqlite3.Row], text: str) -> sqlite3.Row | None:
        """The part that this message must be: the very words, or the beginnings of an answer to the same message. No
        part of `left` is two messages with the same words."""
        unknown = self._unknown.parts | self._unknown.previews
        for each in left:
            if each["nonce"] in unknown and _shown(each["text"]) == text:
                left.remove(each)
                return each
        about = NAME.findall(text)[:1]  # the last one may be cut
        early = [each for each in parts if each["nonce"] in unknown and NAME.findall(each["text"])[:1] == about]
        return early[0] if early and about else None


class TelegramSiege(Siege):
    """The siege, with Telegram in the post office's place."""

    def __init__(self, folder: Path, seed: int, drain_seconds: int) -> None:
        super().__init__(folder, BLIND, seed, drain_seconds)
        self.server = Telegram(
            self.moments.note,
            answer_after=lambda: self.random.choice([0.0, self.random.uniform(0, 0.05)]),
            again=lambda: self.random.random() < 0.2,
        )
        self.office = self.server  # type: ignore[assignment]  # the siege posts and asks what waits, no more
        self.host = LongStories(self.moments.note)

    def furnish(self) -> None:
        telegram = {
            "token": self.server.token,
            "base_url": self.server.root,
            "allowed_users": list(PEOPLE.values()),
        }
        config = {
            "model": {"provider": "openai", "model": "fake-model", "base_url": self.host.base_url, "api_key": "k"},
            "platforms": {"telegram": telegram},
            "auxiliary": {"background_review": {"enabled": False}},
            "sessions": {"boundary_hint": "off"},
            "gateway": {"drain_seconds": self._drain_seconds},
        }
        tools = {"innkeeper.tools": ENTRY_POINTS["innkeeper.tools"]}
        environment = {counting.FILE: str(self.counts), "HOME": str(self._folder)}
        self.gateway = GatewayProcess(self._folder, config, entry_points=tools, environment=environment)

    async def end(self) -> Ledger:
        listening = self.moments.next("listening")
        await self.gateway.start()
        await asyncio.wait_for(listening, PATIENCE)
        await self._settle()
        code = await self.gateway.terminate()
        assert code == 0, f"exit code {code}:\n{self.gateway.said()}"
        record = Record(self.server, self.gateway.database, self.unknown)
        counted = counting.counted(self.counts)
        return Ledger(
            self.gateway.database,
            self.posted,
            record,  # type: ignore[arg-type]  # the ledger asks what waits, and for boxes
            counted,
            self.unknown,
            certain=False,
            key=key,
        )


def key(chat: str) -> str:
    """A chat of the siege as the gateway names it."""
    return f"telegram:{PEOPLE[chat]}"


def _shown(text: str) -> str:
    """A part as Telegram shows it: formatted, without white space at its ends."""
    return render(text, LIMIT).text.strip()


@asynccontextmanager
async def telegram_siege(folder: Path, seed: int, *, drain_seconds: int = 0) -> AsyncIterator[TelegramSiege]:
    """The server, the host and the gateway's folder; no process is left behind."""
    made = TelegramSiege(folder, seed, drain_seconds)
    for person in PEOPLE.values():
        made.server.user(person)
    async with made.server, made.host:
        made.furnish()
        try:
            yield made
        finally:
            await made.gateway.discard()
