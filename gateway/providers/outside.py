"""An outside memory in a house: in which chats it is asked, and what of them it is handed.

The table is memory's own: what only owners hear is the owner's, another person's direct chat that person's, and
where others are heard there is nothing of either. How it is asked, and what happens when it fails, is attendant.py's
matter.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from gateway.agent.conversation import reply_text
from gateway.agent.recalled import fenced
from gateway.agent.scopes import ScopeOf, subject, subject_of_file
from gateway.attachments.wording import own_words
from gateway.clock import Clock
from gateway.config.schema import Settings
from gateway.config.spilling import folder, rules
from gateway.engine.arrival.earshot import who
from gateway.engine.house import Report
from gateway.engine.sessions.session_notes import sealed
from gateway.events import Bus, Event, ReviewFinished, SessionClosed, TurnFinished
from gateway.models.client import ToolSchema
from gateway.models.pieces import joined_halves
from gateway.providers.attendant import Attendant, Errand
from gateway.providers.fitting import fit, scanned
from gateway.providers.own_tools import tools_of
from gateway.providers.trivial import trivial
from gateway.state.protocols import Store
from gateway.state.records import Row, Session
from gateway.tools.tool import Tool, ToolContext, ToolResult
from memory.files import FileTrouble
from memory.journal import Record
from memory.model import ERASED
from memory.providers.protocol import Conversation, Exchange, Provider, ProviderTool, Question, Write
from memory.shelf import Shelf
from platforms.messages import ChatKind, ChatRef, Inbound

TOOLSET = "memory"
BLOCK_CHARS = 4000
"""Characters of a provider's part of the prompt; more is cut, for the prompt is sent with each request."""

CLOSING_SECONDS = 2.0
"""How long reading what is still to be handed over may take when the house closes."""

NONE = "none"
"""The last change that was handed over, when memory had none."""

NOT_HERE = "The outside memory is not for this chat."
READ = "This turn read text from outside, and what it wants kept is not kept by a tool. Tell the person."


@dataclass(frozen=True, slots=True)
class Compacted:
    """The older part of a session gave way to a summary."""

    session_id: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an outside memory has of the house. `mask` takes secrets out; `journal` is the file of memory's changes,
    `cache` the profile's."""

    store: Store
    clock: Clock
    settings: Callable[[], Settings]
    scope: ScopeOf
    shelf: Shelf
    journal: Path
    cache: Path
    mask: Callable[[str], str]
    bus: Bus
    report: Report


class OutsideMemory:
    """`gateway.engine.house.Outside`."""

    def __init__(self, provider: Provider, attendant: Attendant, around: Surroundings) -> None:
        self._provider = provider
        self._attendant = attendant
        self._around = around
        self._news: deque[Event | Compacted] = deque()
        self._arrived = asyncio.Event()
        self._read = asyncio.Event()
        self._reader: asyncio.Future[None] | None = None
        self._journal: tuple[int, int] | None = None
        self._tools, self.problem = tools_of(provider)
        around.bus.subscribe(self._heard)

    @property
    def words(self) -> str:
        return self._around.mask(self._attendant.words)

    @property
    def data(self) -> Mapping[str, object]:
        data = self._attendant.data
        return {**data, "why": self._around.mask(str(data["why"]))}

    @property
    def tools(self) -> Sequence[Tool]:
        """Its own tools as the house's."""
        return [self._tool(each) for each in self._tools]

    def begin(self) -> None:
        """Start it beside everything else. Returns at once."""
        self._attendant.begin()
        self._reader = asyncio.ensure_future(self._follow())

    async def close(self) -> None:
        """Hand over what there is still time for, and let it go."""
        if self._reader is not None:
            late, done = asyncio.ensure_future(self._around.clock.sleep(CLOSING_SECONDS)), self._caught_up()
            await asyncio.wait({late, done}, return_when=asyncio.FIRST_COMPLETED)
            for task in (late, done, self._reader):
                task.cancel()
            await asyncio.wait([self._reader])
        await self._attendant.close()

    # On a person's way

    async def block(self, event: Inbound, session_id: str) -> str:
        """Its part of the prompt of a session that begins with this event."""
        found = subject(self._scope(event.chat, who(event), event.kind is ChatKind.DIRECT))
        if found is None:
            return ""
        said = await self._attendant.block(Conversation(found, session_id, event.chat.key))
        text, withheld = await asyncio.to_thread(scanned, said[:BLOCK_CHARS])
        self._attendant.looked_at("prompt_block", withheld)
        return fenced(self._attendant.name, text) if text else ""

    async def recall(self, session: Session, event: Inbound, text: str, window: int | None) -> str:
        """What it knows that may help with this message, fit to stand in the note of its row."""
        if trivial(text) or not self._attendant.promising:
            return ""
        where = await self._where(session.id, event.chat, who(event), event.kind is ChatKind.DIRECT)
        if where is None:
            return ""
        said = await self._attendant.recall(Question(where, self._around.mask(joined_halves(text))))
        if not said or where != await self._where(session.id, event.chat, who(event), event.kind is ChatKind.DIRECT):
            return ""  # who hears this chat may have changed meanwhile
        settings = self._around.settings()
        place = folder(settings, self._around.cache)
        made = await asyncio.to_thread(fit, said, rules(settings, window), place)
        self._attendant.looked_at("prefetch", made.withheld, spilled=len(said) if made.spilled else 0)
        return fenced(self._attendant.name, made.text)

    def compacting(self, session_id: str) -> None:
        """The older part of a session gave way to a summary."""
        self._put(Compacted(session_id))

    def _scope(self, chat: ChatRef, speaker: str, direct: bool) -> Mapping[str, list[str]]:
        return self._around.scope(chat, speaker, direct).seal

    async def _where(self, session_id: str, chat: ChatRef, speaker: str, direct: bool) -> Conversation | None:
        """Whose memory this is: for those who hear the chat now, when the session was made for them as well."""
        found = subject(self._scope(chat, speaker, direct))
        if found is None or found != subject(await sealed(self._around.store.facts, session_id)):
            return None
        return Conversation(found, session_id, chat.key)

    # Its tools

    def _tool(self, own: ProviderTool) -> Tool:
        async def run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
            where = await self._where(context.session_id, context.chat, context.speaker, context.direct)
            if where is None:
                return ToolResult.error(NOT_HERE)
            if own.writes and (context.untrusted or context.origin is not None):
                return ToolResult.error(READ)
            well, said = await self._attendant.use(own, masked(arguments, self._around.mask), where)
            text, withheld = await asyncio.to_thread(scanned, said if well else self._around.mask(said))
            self._attendant.looked_at(own.name, withheld)
            if not well:
                return ToolResult.error(text)
            return ToolResult(fenced(self._attendant.name, text) if text else "(nothing)")

        return Tool(ToolSchema(own.name, own.description, dict(own.parameters)), run, toolset=TOOLSET)

    # Beside everything

    def _heard(self, event: Event) -> None:
        if isinstance(event, SessionClosed | ReviewFinished) or (
            isinstance(event, TurnFinished) and event.state == "answered"
        ):
            self._put(event)

    def _put(self, news: Event | Compacted) -> None:
        self._news.append(news)
        self._arrived.set()

    async def _follow(self) -> None:
        """Read what happened, in order, and put it into the attendant's queue."""
        await self._carefully(self._look_at_journal)
        while True:
            self._arrived.clear()
            while self._news:
                await self._carefully(partial(self._take, self._news[0]))
                await self._carefully(self._look_at_journal)
                self._news.popleft()
            self._read.set()
            await self._arrived.wait()
            self._read.clear()

    async def _carefully(self, step: Callable[[], Awaitable[None]]) -> None:
        try:
            await step()
        except Exception as fault:  # noqa: BLE001 - the provider worker: one thing less is handed over
            self._around.report.warning("provider.unread", why=f"{type(fault).__name__}: {fault}")

    def _caught_up(self) -> asyncio.Future[Any]:
        self._read.clear()
        self._arrived.set()
        return asyncio.ensure_future(self._read.wait())

    async def _take(self, news: Event | Compacted) -> None:
        provider = self._provider
        match news:
            case TurnFinished():
                if (exchange := await self._exchange(news)) is not None:
                    self._attendant.hand_over(Errand("sync", lambda: provider.sync(exchange)))
            case SessionClosed(session_id, _, reason):
                if (over := await self._sealed(session_id)) is not None:
                    self._attendant.hand_over(Errand("ended", lambda: provider.ended(over, reason)))
            case Compacted(session_id):
                if (goes_on := await self._sealed(session_id)) is not None:
                    self._attendant.hand_over(Errand("compacting", lambda: provider.compacting(goes_on)))
            case _:
                pass

    async def _sealed(self, session_id: str) -> Conversation | None:
        """By what the session was made for."""
        found = subject(await sealed(self._around.store.facts, session_id))
        session = await self._around.store.sessions.get(session_id)
        return None if found is None or session is None else Conversation(found, session_id, session.chat.key)

    async def _exchange(self, ended: TurnFinished) -> Exchange | None:
        """The turn as it is handed over; None when it is not: a job's, one of a chat that has no outside memory, or
        one in which the person said nothing."""
        store, mask = self._around.store, self._around.mask
        events = [each.event for each in await store.inbox.of_turn(ended.turn_id)]
        if not events:
            return None
        speakers = {who(each) for each in events}
        speaker = next(iter(speakers)) if len(speakers) == 1 else ""
        direct = all(each.kind is ChatKind.DIRECT for each in events)
        where = await self._where(ended.session_id, ended.chat, speaker, direct)
        stored = await store.turns.messages_of_turn(ended.turn_id)
        rows = [each.row for each in stored]
        said = own_words(_said(rows, passed_on=any(each.passed_on for each in events)))
        asked = mask(joined_halves(said)).strip()
        if where is None or not asked:
            return None
        answered = "" if any(each.untrusted for each in rows) else mask(joined_halves(reply_text(rows)))
        return Exchange(f"turn:{ended.turn_id}", where, asked, answered, stored[0].created_at, speaker)

    async def _look_at_journal(self) -> None:
        """Hand over what changed in the built-in memory since the last look, also in other processes. What changed
        before there was this provider is no news to it."""
        now = await asyncio.to_thread(_state, self._around.journal)
        if now == self._journal:
            return
        facts, scope = self._around.store.facts, f"outside:{self._attendant.name}"
        try:
            changes = await asyncio.to_thread(self._around.shelf.changes)
        except FileTrouble as trouble:
            self._around.report.warning("provider.unread", why=str(trouble))
            return
        told = await facts.get(scope, "journal")
        known = [0] if told == NONE else [at + 1 for at, each in enumerate(changes) if each.id == told]
        for record in changes[known[-1] :] if known else []:
            self._hand_over_write(record)
        await facts.put(scope, "journal", changes[-1].id if changes else NONE)
        self._journal = now

    def _hand_over_write(self, record: Record) -> None:
        removed = [each.before for each in record.changes if each.before is not None]
        added = [each.after for each in record.changes if each.after is not None]
        if ERASED in (*removed, *added):
            return
        where = Conversation(subject_of_file(record.file), record.author.session or "", record.author.chat or "")
        mask = self._around.mask
        write = Write(where, record.target.value, tuple(map(mask, removed)), tuple(map(mask, added)))
        self._attendant.hand_over(Errand("wrote", lambda: self._provider.wrote(write)))


def masked(value: Any, mask: Callable[[str], str]) -> Any:
    """Plain data without secrets, as it can be encoded."""
    match value:
        case str():
            return mask(joined_halves(value))
        case Mapping():
            return {key: masked(inner, mask) for key, inner in value.items()}
        case list() | tuple():
            return [masked(inner, mask) for inner in value]
        case _:
            return value


def _said(rows: Sequence[Row], *, passed_on: bool) -> list[Row]:
    """The rows that people themselves said: no documents, no results of another program that the house tells, and
    nothing that was only passed on."""
    foreign = {"document", "mcp", "quote"} if passed_on else {"document", "mcp"}
    return [each for each in rows if each.role == "user" and each.untrusted not in foreign]


def _state(path: Path) -> tuple[int, int]:
    try:
        seen = path.stat()
    except OSError:
        return (0, 0)
    return (seen.st_mtime_ns, seen.st_size)
