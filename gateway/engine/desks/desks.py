"""What commands ask of the house, answered: the books from the store, a chat from the engine."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from commands.ports import ModelView, Opened, SessionView, Stopped, UsageView
from gateway.clock import Clock
from gateway.engine.arrival.backlog import Backlog
from gateway.engine.arrival.edits import Edits
from gateway.engine.arrival.remarks import kept
from gateway.engine.house import Hosts, House
from gateway.engine.notices import gist
from gateway.engine.sessions.archive import StoredArchive
from gateway.engine.sessions.boundary import Boundary
from gateway.engine.turns.work import Fired, Ordered, Resumed, Said, Work, events, first_event
from gateway.engine.turns.worker import Workers
from gateway.errors import ConfigurationError
from gateway.models.errors import ModelError
from gateway.state.protocols import Facts, Store
from gateway.state.records import InboxItem, PartDraft, Row, Turn, UsageLine
from platforms.messages import ChatRef


class StoredBooks:
    """`commands.ports.Books` on the store."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def session(self, key: str) -> list[UsageView]:
        current = await self._store.sessions.current(key)
        return views(await self._store.usage.of_session(current.id)) if current else []

    async def since(self, days: int) -> list[UsageView]:
        return views(await self._store.usage.since(self._clock.now() - (days - 1) * 86400))


def views(lines: Sequence[UsageLine]) -> list[UsageView]:
    """Usage as commands show it."""
    return [
        UsageView(
            each.task,
            each.host,
            each.model,
            each.calls,
            each.input,
            each.cached,
            each.output,
            each.cost,
            each.seconds,
        )
        for each in lines
    ]


class ChosenModels:
    """`commands.ports.Models`: the main model, or the one that a person picked for a chat."""

    def __init__(self, facts: Facts, hosts: Hosts, known: Callable[[], Sequence[str]] = tuple) -> None:
        self._facts = facts
        self._hosts = hosts
        self._known = known

    async def current(self, chat: ChatRef | None) -> ModelView:
        chosen = await self._facts.get(chat.key, "model") if chat is not None else None
        client = self._hosts.resolve(chosen)
        return ModelView(f"{client.host}/{client.model}", chosen is not None, tuple(self._known()))

    async def choose(self, chat: ChatRef, name: str | None) -> ModelView:
        if name is not None:
            try:
                self._hosts.resolve(name)
            except (ConfigurationError, ModelError) as error:
                raise LookupError(str(error)) from None
        await self._facts.put(chat.key, "model", name)
        return await self.current(chat)


class ChatConversation:
    """`commands.ports.Conversation` on the running engine."""

    def __init__(
        self,
        house: House,
        boundary: Boundary,
        workers: Workers,
        backlog: Backlog,
        settled: Callable[[], Awaitable[None]] | None = None,
        *,
        edits: Edits,
    ) -> None:
        """`settled` waits for what commands are writing into memory."""
        self._edits = edits
        self._house = house
        self._settled = settled
        self._boundary = boundary
        self._workers = workers
        self._backlog = backlog
        self._archive = StoredArchive(house.store)

    async def new(self, key: str, name: str, chat: ChatRef, who: str, *, direct: bool) -> Opened:
        box = self._workers.box(key)
        with box.between():
            await self._workers.halt(key, "new")
            if self._settled is not None:
                await self._settled()
            current = await self._house.store.sessions.current(key)
            closed = await self._archive.view(current.id) if current is not None else None
            if current is not None:
                await self._boundary.close(current, "new")
            await self._house.store.facts.put(key, "next_title", name or None)
            scope = self._house.scope(chat, who, direct)
            return Opened(closed, await asyncio.to_thread(self._house.carried, scope), len(box.waiting))

    async def stop(self, key: str, item_id: int) -> Stopped:
        box = self._workers.box(key)
        with box.between():
            running = box.running
            newer = running is not None and first_event(running.work) > item_id > 0
            halted = False if newer else await self._workers.halt(key, "stop")
            lines = (running.steered, box.waiting) if running is not None else (box.waiting,)
            dropped = [item for line in lines for item in _taken_out(line, item_id)]
            await self._workers.set_aside(dropped)
        return Stopped(halted, tuple(gist(each.event.text) for each in dropped))

    async def retry(self, key: str, chat: ChatRef, item_id: int) -> Literal["sent", "running", "nothing", "busy"]:
        store = self._house.store
        if self._answering(key):
            return "busy"
        item, session = await store.inbox.get(item_id), await store.sessions.current(key)
        turn = await self._to_retry(session.id) if session is not None else None
        if item is None or turn is None:
            return "nothing"
        parts = await store.outbox.of_source(f"turn:{turn.id}")
        if turn.state == "answered" and any(each.text for each in parts):
            told = [each for each in parts if each.text or each.file is not None]
            drafts = [PartDraft(each.text, each.buttons, file=each.file) for each in told]
            now = self._house.clock.now()
            await store.outbox.put(chat, f"inbox:{item_id}", drafts, now, finishes=(item_id,))
            self._house.delivery.wake(chat)
            return "sent"
        rows = [each.row for each in await store.turns.messages_of_turn(turn.id)]
        said = "\n".join(row.content for row in rows if row.role == "user" and row.content)
        if not said:
            return "nothing"
        read = next((row.untrusted for row in rows if row.untrusted), "")
        files = tuple(file for row in rows if row.role == "user" for file in row.files)
        papers = [row for row in rows if row.role == "user" and row.untrusted and not row.content]
        note = "\n".join(filter(None, (kept(row.note) for row in rows if row.role == "user" and row.content)))
        again = (Row("user", said, note=note, untrusted=read, files=files), *papers)
        self._workers.box(key).put(Said((item,), whole=True, again=again), first=True)
        return "running"

    async def _to_retry(self, session_id: str) -> Turn | None:
        """The last turn; but where people got no answer, a job that said something since does not stand before it."""
        turns = self._house.store.turns
        asked = await turns.last(session_id, asked=True)
        return asked if asked is not None and asked.state != "answered" else await turns.last(session_id)

    async def reanswer(self, key: str, item_id: int) -> Literal["running", "nothing"]:
        return await self._edits.reanswer(key, item_id)

    async def current(self, key: str) -> SessionView | None:
        session = await self._house.store.sessions.current(key)
        return await self._archive.view(session.id) if session is not None else None

    async def resume(self, session_id: str, key: str, chat: ChatRef) -> SessionView:
        store = self._house.store
        chosen, current = await store.sessions.get(session_id), await store.sessions.current(key)
        assert chosen is not None, "it was found a moment ago"
        stays = current is not None and current.id == session_id
        with self._workers.box(key).between(), self._workers.box(chosen.session_key).between():
            if self._answering(key) and not stays:  # a button was pressed beside it
                await self._workers.halt(key, "new")
            if current is not None and not stays:
                await self._boundary.close(current, "resumed another")
            if chosen.ended_at is None and chosen.session_key != key:  # what was said there so far stays there
                await self._workers.halt(chosen.session_key, "stop")
            if not (stays and self._answering(key)):
                await store.sessions.resume(session_id, key, chat, self._house.clock.now())
        view = await self._archive.view(session_id)
        assert view is not None, "it was found a moment ago"
        return view

    def _answering(self, key: str) -> bool:
        """Whether a turn runs, as opposed to the very command that asks."""
        running = self._workers.box(key).running
        return running is not None and not isinstance(running.work, Ordered)

    async def backlog(self, key: str, answer: bool) -> int:
        held = await self._house.store.inbox.held(key)
        if not held:
            return 0
        if not answer:
            await self._house.store.inbox.done([each.id for each in held])
            return len(held)
        await self._house.store.inbox.release([each.id for each in held])
        self._workers.box(key).put(Said(tuple(held), whole=True))
        return len(held)


def _taken_out(line: deque[Work], before: int) -> list[InboxItem]:
    """The events of one line that came before a command, taken out of it; all of them when `before` is 0."""
    said = [work for work in line if not isinstance(work, Resumed | Fired)]
    out = [work for work in said if not before or first_event(work) < before]
    for work in out:
        line.remove(work)
    return [item for work in out for item in events(work)]
