"""The session worker: takes work out of a mailbox, sees each turn to its end, and survives whatever goes wrong.

A message that fails the same way three times becomes a dead letter; other sessions never notice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import asdict
from typing import Any, assert_never

from commands.parse import Mistake, Order
from gateway.agent.conversation import dangling
from gateway.engine import notices
from gateway.engine.boundary import Boundary, merged
from gateway.engine.house import House
from gateway.engine.mailbox import Halt, Mailbox, Running
from gateway.engine.orders import Orders
from gateway.engine.session_key import home_chats
from gateway.engine.turn import Outcome, TurnRun
from gateway.engine.work import Ordered, Resumed, Said, Work
from gateway.errors import ConfigurationError, StaleEpoch
from gateway.models.client import HostInfo, ModelClient
from gateway.models.unavailable import Unavailable
from gateway.state.records import InboxItem, PartDraft, Row, Session, Turn
from platforms.messages import Button, ChatRef, Inbound, TurnSummary

TRIES = 3
STARTS = 10
"""Times that a turn may be taken up by a new process before it counts as what kills the process."""

NEAR_LIMIT = 96
"""Units below the platform's limit within which a text was probably split by the client."""

SECOND_PART = 2.0
"""Seconds to wait for the second part of a split text or an album."""


class Workers:
    """All mailboxes, and the one function that serves them."""

    def __init__(self, house: House, boundary: Boundary, orders: Orders) -> None:
        self._house = house
        self._boundary = boundary
        self._orders = orders
        self._boxes: dict[str, Mailbox[Work]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def box(self, key: str) -> Mailbox[Work]:
        """The mailbox of a session key; made when it is asked for, dropped when it has nothing to do."""
        if (box := self._boxes.get(key)) is None:
            for idle in [name for name, each in self._boxes.items() if each.idle] if len(self._boxes) > 256 else []:
                del self._boxes[idle]
            box = self._boxes[key] = Mailbox(key, self._work, self._house.clock, self.spawn)
        return box

    @property
    def running(self) -> list[Mailbox[Work]]:
        return [box for box in self._boxes.values() if box.busy]

    def spawn(self, step: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run something beside the sessions and keep hold of it."""
        task = asyncio.ensure_future(step)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def halt(self, key: str, why: Halt) -> bool:
        """Cancel a session's running work; work that will not end is shut out of it. Whether there was any."""
        halted = await self.box(key).halt(why)
        if halted is None:
            return False
        if halted.task is not None and not halted.task.done():
            self._house.report.warning("turn.let_go", key=key, why=why)
            if (session := await self._house.store.sessions.current(key)) is not None:
                await self._house.store.turns.drop(session.id, why, self._house.clock.now())
        if isinstance(halted.work, Said):  # a turn that had not begun yet left its events as they were
            ids = [each.id for each in halted.work.items]
            await self._house.store.inbox.done(ids)
        return True

    async def order(self, item: InboxItem, order: Order | Mistake) -> None:
        """Carry out a command beside the turn; a fault is reported and answered."""
        await self._safely(self._orders.run(item, order), (item,))

    async def close(self, drain: float) -> None:
        """Start nothing more; give what runs its time, then cut it off where it stands: its rows are stored."""
        for box in self._boxes.values():
            box.freeze()
        tasks = [box.running.task for box in self.running if box.running and box.running.task]
        if tasks:
            late = asyncio.ensure_future(self._house.clock.sleep(drain))
            ended = asyncio.ensure_future(asyncio.wait(tasks))
            await asyncio.wait({ended, late}, return_when=asyncio.FIRST_COMPLETED)
            ended.cancel()
            late.cancel()
        await asyncio.gather(*(box.halt("shutdown") for box in self.running))
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(list(self._tasks), timeout=1)

    async def _work(self, running: Running[Work], box: Mailbox[Work]) -> None:
        work = running.work
        match work:
            case Ordered(item, order):
                await self._safely(self._orders.run(item, order), (item,))
            case Said(items):
                await self._safely(self._said(running, box, work), items)
            case Resumed(turn):
                items = tuple(await self._house.store.inbox.of_turn(turn.id))
                await self._safely(self._try(running, box.key, items, turn), items)
            case _:
                assert_never(work)

    async def _safely(self, step: Coroutine[Any, Any, None], items: tuple[InboxItem, ...]) -> None:
        """The session worker's guard: a fault here ends this piece of work and nothing else."""
        try:
            await step
        except StaleEpoch as error:
            self._house.report.info("turn.superseded", why=str(error))
        except Exception as fault:  # noqa: BLE001 - the session worker: report, tell the person, let the others live
            await self._put_aside(items, None, fault)

    async def _said(self, running: Running[Work], box: Mailbox[Work], said: Said) -> None:
        running.gathering = not said.whole
        items = said.items if said.whole else await self._gather(said.items[0], box)
        running.gathering = False
        running.work = Said(items, whole=True)
        await self._try(running, box.key, items, None)

    async def _gather(self, first: InboxItem, box: Mailbox[Work]) -> tuple[InboxItem, ...]:
        """What the client split, together again. Waits only when a part looks like one of several."""
        items = [first]
        while self._more_to_come(items[-1].event) and await box.arrival(SECOND_PART):
            following = box.waiting[0]
            if not isinstance(following, Said) or not _belongs(items[-1].event, following.items[0].event):
                break
            box.waiting.popleft()
            items.extend(following.items)
        return tuple(items)

    def _more_to_come(self, event: Inbound) -> bool:
        adapter = self._house.adapters.get(event.chat.platform)
        limit = adapter.capabilities.limit if adapter is not None else 0
        return event.media_group is not None or bool(event.units and limit and event.units >= limit - NEAR_LIMIT)

    async def _try(self, running: Running[Work], key: str, items: tuple[InboxItem, ...], turn: Turn | None) -> None:
        """A turn, again after a fault, until it ends or has failed the same way often enough."""
        attempt = _Attempt(self, running, key, items, turn)
        while True:
            try:
                return await attempt.make()
            except StaleEpoch:
                raise
            except Exception as fault:  # noqa: BLE001 - the session worker: the same fault three times is a dead letter
                failures = await self._house.store.inbox.failed([each.id for each in items], _named(fault))
                self._house.report.error("turn.fault", error=_named(fault), failures=failures)
                if failures >= TRIES or not items:
                    return await self._put_aside(items, attempt.turn, fault)
                await self._house.clock.sleep(0.5 * 2**failures)

    async def _put_aside(self, items: tuple[InboxItem, ...], turn: Turn | None, fault: Exception) -> None:
        """Make dead letters, tell the person and the owner."""
        store, now, error = self._house.store, self._house.clock.now(), _named(fault)
        self._house.report.error("work.put_aside", error=error, items=[each.id for each in items])
        if turn is not None:
            said = [each.row for each in await store.turns.messages_of_turn(turn.id)]
            rows = [*dangling(said), Row("assistant", "(no answer)")]
            parts = [PartDraft(notices.poison(error))]
            await store.turns.finish(turn, "failed", now, rows=rows, parts=parts, reason=error)
            self._house.delivery.wake(turn.chat)
        await store.inbox.bury([each.id for each in items], error, now)
        for item in items:
            if turn is None:
                await self._house.delivery.post(item.event.chat, f"inbox:{item.id}", notices.poison(error))
            await self.tell_owner(f"dead:{item.id}", notices.poison_report(item.session_key, error, item.event.text))

    async def tell_owner(self, source: str, text: str) -> None:
        """A notice in each home chat."""
        for number, chat in enumerate(home_chats(self._house.settings())):
            await self._house.delivery.post(chat, f"{source}:{number}", text)

    async def client_for(self, chat: ChatRef) -> tuple[ModelClient, HostInfo, bool]:
        """The model of a chat, what is known of it, and whether it needs assistance with tools."""
        client = self._resolve(None)
        facts = self._house.store.facts
        chosen, grade = await facts.several([(chat.key, "model"), (_graded(client), "grade")])
        if chosen is not None:
            client = self._resolve(chosen)
            grade = await facts.get(_graded(client), "grade")
        info = await client.info()
        assisted = not info.tools if grade is None else not grade.get("tools", info.tools)
        return client, info, assisted

    def _resolve(self, name: str | None) -> ModelClient:
        try:
            return self._house.hosts.resolve(name)
        except ConfigurationError as error:
            return Unavailable(str(error), name or "")

    async def finished(self, items: tuple[InboxItem, ...], session: Session, outcome: Outcome) -> None:
        """Everything of a turn is stored; once it is handed over, say so to the platform."""
        chat = items[0].event.chat if items else session.chat
        await self._house.delivery.flushed(chat)
        adapter = self._house.adapters.get(chat.platform)
        if adapter is not None:
            usage = asdict(outcome.usage)
            ids = tuple(each.event.event_id for each in items)
            await adapter.finished(
                chat, TurnSummary(ids, session.id, outcome.reply, usage, outcome.notices, outcome.state)
            )

    async def offer_boundary(self, session: Session, why: str) -> None:
        """One quiet line with a button, after the answer."""
        day = int(self._house.clock.now() // 86400)
        button = ((Button("🆕 New session", "/new"),),)
        source = f"hint:{session.chat.key}:{day}"
        await self._house.delivery.post(session.chat, source, notices.boundary_hint(why), buttons=button)


class _Attempt:
    """One turn being seen to its end; remembers the turn between two tries."""

    def __init__(
        self, workers: Workers, running: Running[Work], key: str, items: tuple[InboxItem, ...], turn: Turn | None
    ) -> None:
        self._workers = workers
        self._house = workers._house
        self._boundary = workers._boundary
        self._running = running
        self._key = key
        self._items = items
        self.turn = turn

    async def make(self) -> None:
        session = await self._session()
        client, info, assisted = await self._workers.client_for(session.chat)
        await _to_its_end(self._begin(session, fresh=session.epoch == 0, timed=not assisted))
        turn = self.turn
        assert turn is not None
        if turn.starts > STARTS:
            raise RuntimeError(f"the process ended {STARTS} times while it handled this")
        speaker = f"{session.chat.platform}:{self._items[0].event.sender.id}" if self._items else "job"
        run = TurnRun(self._house, session, turn, client, speaker, lambda: self._steered(session))
        try:
            outcome = await run.run(info, assisted)
        except asyncio.CancelledError:
            if self._running.halted in (None, "shutdown"):
                raise
            why = {
                "stop": "stopped",
                "new": "a new session was begun",
                "interrupt": "interrupted by the next message",
            }
            words = why[self._running.halted]
            outcome = await run.cut_short(words, silent=self._running.halted == "new")
        if outcome.state == "answered":
            hint = await self._boundary.hint(session, run.rows, run.used(), info.window)
            if hint is not None:
                await self._workers.offer_boundary(session, hint)
        self._workers.spawn(self._workers.finished(self._items, session, outcome))

    async def _session(self) -> Session:
        if self.turn is None:
            return await self._boundary.session_for(self._key, self._items[0].event)
        session = await self._house.store.sessions.get(self.turn.session_id)
        if session is None or session.ended_at is not None:
            raise StaleEpoch(f"session {self.turn.session_id} is closed")
        return session

    async def _begin(self, session: Session, *, fresh: bool, timed: bool) -> None:
        turns, now = self._house.store.turns, self._house.clock.now()
        if self.turn is not None:
            self.turn = await turns.take_over(self.turn)
            return
        adapter = self._house.adapters.get(session.chat.platform)
        event = merged([each.event for each in self._items], adapter.capabilities.limit if adapter else 0)
        row = self._boundary.user_row(session, event, fresh=fresh, timed=timed)
        ids = [each.id for each in self._items]
        self.turn = await turns.begin(session.id, event.chat, ids, [row], now)

    def _steered(self, session: Session) -> list[tuple[InboxItem, Row]]:
        """What the person said while the turn ran, taken out of the mailbox for good."""
        taken: list[tuple[InboxItem, Row]] = []
        while self._running.steered:
            work = self._running.steered.popleft()
            assert isinstance(work, Said)
            for item in work.items:
                row = self._boundary.user_row(session, item.event, fresh=False, timed=False)
                taken.append((item, row))
        return taken


async def _to_its_end(step: Coroutine[Any, Any, None]) -> None:
    """A step that must not be cut in two: on cancellation it is finished first."""
    task = asyncio.ensure_future(step)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


def _belongs(first: Inbound, second: Inbound) -> bool:
    """Whether the second event continues the first: the same speaker, and the same album if it is one."""
    return first.sender == second.sender and first.media_group == second.media_group


def _graded(client: ModelClient) -> str:
    """The scope under which a model's grade is kept."""
    return f"model:{client.host}/{client.model}"


def _named(fault: Exception) -> str:
    return f"{type(fault).__name__}: {fault}"[:300]
