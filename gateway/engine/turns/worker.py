"""The session worker: takes work out of a mailbox, sees each turn to its end, and survives whatever goes wrong.

A message that fails the same way three times becomes a dead letter; other sessions never notice.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import Any, assert_never

from commands.parse import Mistake, Order
from gateway.agent.conversation import dangling
from gateway.engine import notices
from gateway.engine.arrival.orders import Orders
from gateway.engine.arrival.session_key import home_chats
from gateway.engine.house import House
from gateway.engine.jobs.job_places import JobPlaces
from gateway.engine.jobs.job_turn import JobTrouble, JobTurn
from gateway.engine.sessions.boundary import Boundary
from gateway.engine.turns.attempt import Attempt, finished
from gateway.engine.turns.mailbox import Halt, Mailbox, Running
from gateway.engine.turns.skill_calls import SkillCalls
from gateway.engine.turns.steps import patiently
from gateway.engine.turns.work import Fired, Ordered, Resumed, Said, Work, events
from gateway.errors import StaleEpoch
from gateway.state.records import InboxItem, PartDraft, Row, Turn
from gateway.unbroken import to_its_end
from platforms.messages import ChatRef, Inbound, TurnSummary

TRIES = 3
TRIES_IN_ALL = 6
"""Tries of one process, when each fault reads differently."""

NEAR_LIMIT = 96
"""Units below the platform's limit within which a text was probably split by the client."""

STOPPED = "somebody stopped it"
"""Why a job's run came to no turn."""

SECOND_PART = 2.0
"""Seconds to wait for the second part of a split text or an album."""


class Workers:
    """All mailboxes, and the one function that serves them."""

    def __init__(
        self, house: House, boundary: Boundary, orders: Orders, calls: SkillCalls, places: JobPlaces
    ) -> None:
        self._house = house
        self._places = places
        self._calls = calls
        self._boundary = boundary
        self._orders = orders
        self._boxes: dict[str, Mailbox[Work]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._tellings: set[asyncio.Task[None]] = set()
        self._closing = False

    def box(self, key: str) -> Mailbox[Work]:
        """The mailbox of a session key; made when it is asked for, dropped when it has nothing to do."""
        if (box := self._boxes.get(key)) is None:
            for idle in [name for name, each in self._boxes.items() if each.idle] if len(self._boxes) > 256 else []:
                del self._boxes[idle]
            box = self._boxes[key] = Mailbox(key, self._work, self._house.clock, self.spawn)
            if self._closing:
                box.freeze()
        return box

    @property
    def boxes(self) -> list[Mailbox[Work]]:
        return list(self._boxes.values())

    @property
    def running(self) -> list[Mailbox[Work]]:
        return [box for box in self._boxes.values() if box.busy]

    def spawn(self, step: Coroutine[Any, Any, None]) -> None:
        """Run something beside the sessions and keep hold of it."""
        self._hold(asyncio.ensure_future(step), self._tasks)

    def tell(self, step: Coroutine[Any, Any, None]) -> None:
        """The same for what follows an answer, which the end of the house does not cut off."""
        self._hold(asyncio.ensure_future(step), self._tellings)

    @staticmethod
    def _hold(task: asyncio.Task[None], tasks: set[asyncio.Task[None]]) -> None:
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async def halt(self, key: str, why: Halt) -> bool:
        """Cancel a session's running work; work that will not end is shut out of it. Whether there was any."""
        box = self.box(key)
        command = box.running is not None and isinstance(box.running.work, Ordered)
        halted = await box.halt(why, cancel=not command or why == "stop")
        if halted is None:
            return False
        if not halted.settled:
            halted.settled = True
            try:
                await self._settle(box, halted, why)
            finally:
                halted.released.set()
        return True

    async def interrupt(self, key: str, running: Running[Work]) -> None:
        """End this work for the sake of what waits behind it; anything that runs since then is left alone."""
        if self.box(key).running is running:
            await self.halt(key, "interrupt")

    async def _settle(self, box: Mailbox[Work], halted: Running[Work], why: Halt) -> None:
        """See to it that halted work leaves nothing that a later process would take up again."""
        store, work = self._house.store, halted.work
        if halted.task is not None and not halted.task.done():
            self._house.report.warning("turn.let_go", key=box.key, why=why)
            self._hold(halted.task, self._tasks)
            if (session := await store.sessions.current(box.key)) is not None:
                await store.turns.drop(session.id, why, self._house.clock.now())
            await self.set_aside(await self._events(work))
            if isinstance(work, Fired):
                work.end("it would not end, and was let go")
        elif isinstance(work, Ordered):
            await self.set_aside((work.item,) if halted.task is None or halted.task.cancelled() else ())
        elif not halted.begun:
            await self._settle_unbegun(box, work, halted.halted or why)

    async def _settle_unbegun(self, box: Mailbox[Work], work: Work, why: Halt) -> None:
        """What was cancelled before its turn took it: said before a boundary, it is answered behind it."""
        if isinstance(work, Said | Fired) and why != "stop":
            box.put(work, first=True)
            return
        if isinstance(work, Fired):
            work.end(STOPPED)
        if isinstance(work, Resumed):
            await self._house.store.turns.drop(work.turn.session_id, why, self._house.clock.now())
        await self.set_aside(await self._events(work))

    async def _events(self, work: Work) -> tuple[InboxItem, ...]:
        return (
            tuple(await self._house.store.inbox.of_turn(work.turn.id)) if isinstance(work, Resumed) else events(work)
        )

    async def set_aside(self, items: Sequence[InboxItem]) -> None:
        """Events that nobody will answer: they are done, and their platform hears so."""
        await self._house.store.inbox.done([each.id for each in items])
        for each in items:
            self._say_finished(each, "", "stopped")

    def _say_finished(self, item: InboxItem, reply: str, outcome: str) -> None:
        summary = TurnSummary((item.event.event_id,), "", reply, outcome=outcome)
        self.tell(finished(self._house, item.event.chat, summary))

    async def order(self, item: InboxItem, order: Order | Mistake) -> None:
        """Carry out a command beside the turn; a fault is reported and answered."""
        await self._safely(lambda: self._orders.run(item, order), (item,))

    def moved(self, old: ChatRef, new: ChatRef) -> None:
        """A chat has a new id: its mailboxes go along. Where the new chat has one already, what waits goes over."""
        for key in [each for each in self._boxes if each == old.key or each.startswith(f"{old.key}#")]:
            box, new_key = self._boxes[key], new.key + key[len(old.key) :]
            if (there := self._boxes.get(new_key)) is None:
                box.key = new_key
                self._boxes[new_key] = self._boxes.pop(key)
                continue
            while box.waiting:
                there.put(box.waiting.pop(), first=True)

    async def close(self, drain: float) -> None:
        """Start nothing more; give what runs its time, then cut it off where it stands: its rows are stored."""
        self._closing = True
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

    async def told(self) -> None:
        """Once delivery has ended: the last things that platforms hear of their events."""
        if self._tellings:
            _, late = await asyncio.wait(list(self._tellings), timeout=1)
            for task in late:
                task.cancel()

    async def _work(self, running: Running[Work], box: Mailbox[Work]) -> None:
        work = running.work
        match work:
            case Ordered(item, order):
                running.gathering = False
                await self._safely(lambda: self._ordered(item, order), (item,))
            case Said(items):
                await self._safely(lambda: self._said(running, box, work), items)
            case Resumed(turn):
                running.gathering = False
                await self._safely(lambda: self._resumed(running, box.key, turn), ())
            case Fired():
                running.gathering = False
                await self._safely(lambda: self._fired(running, box.key, work), ())
                work.end("it went wrong; the log says how")
            case _:
                assert_never(work)

    async def _safely(self, step: Callable[[], Awaitable[None]], items: tuple[InboxItem, ...]) -> None:
        """The session worker's guard: a fault here ends this piece of work and nothing else."""
        try:
            await patiently(step, self._house)
        except StaleEpoch as error:
            self._house.report.info("turn.superseded", why=str(error))
        except Exception as fault:  # noqa: BLE001 - the session worker: report, tell the person, let the others live
            await self._put_aside(items, None, fault, 1)

    async def _ordered(self, item: InboxItem, order: Order | Mistake) -> None:
        """A command that waited, as the store has it now: its chat may have moved."""
        await self._orders.run(await self._house.store.inbox.get(item.id) or item, order)

    async def _said(self, running: Running[Work], box: Mailbox[Work], said: Said) -> None:
        if not said.whole:
            await self._gather(running, box, said)
        running.gathering = False
        items = events(running.work)
        await self._try(self._attempt(running, box.key, items, None, said.again))

    async def _resumed(self, running: Running[Work], key: str, turn: Turn) -> None:
        items = tuple(await self._house.store.inbox.of_turn(turn.id))
        job = None
        if turn.run is not None:
            try:
                job = await self._places.of(turn.run, begun=True)
            except JobTrouble as error:
                await self._fail(turn, "", str(error))
                return
        await self._try(self._attempt(running, key, items, turn, job=job))

    async def _fired(self, running: Running[Work], key: str, fired: Fired) -> None:
        """A job's run; one whose chat moved meanwhile is begun elsewhere, by whoever waits for it."""
        why = ""
        try:
            job = await self._places.of(fired.run)
            if job.key == key:
                await self._try(self._attempt(running, key, (), None, job=job))
        except (JobTrouble, StaleEpoch) as error:
            why = str(error)
        fired.end(why)

    def _attempt(
        self,
        running: Running[Work],
        key: str,
        items: tuple[InboxItem, ...],
        turn: Turn | None,
        again: tuple[Row, ...] = (),
        job: JobTurn | None = None,
    ) -> Attempt:
        house, boundary = self._house, self._boundary
        return Attempt(house, boundary, self.tell, running, key, items, turn, again, calls=self._calls, job=job)

    async def _gather(self, running: Running[Work], box: Mailbox[Work], said: Said) -> None:
        """What the client split, together again, as the running work. Waits only when a part looks like one of
        several, and past what others in the room say meanwhile."""
        clock, passed = self._house.clock, 0
        until = clock.monotonic() + SECOND_PART
        while self._more_to_come(said.items[-1].event):
            if not await box.arrival(max(0.0, until - clock.monotonic()), beyond=passed):
                return
            following = box.waiting[passed]
            if not isinstance(following, Said):
                return
            if _belongs(said.items[-1].event, following.items[0].event):
                del box.waiting[passed]
                running.work = said = Said((*events(running.work), *following.items))  # which may have been edited
                until = clock.monotonic() + SECOND_PART
            elif following.items[0].event.sender != said.items[-1].event.sender:
                passed += 1
            else:
                return

    def expects(self, key: str, event: Inbound) -> bool:
        """Whether an event is a further part of what its speaker said last in this session, a moment ago."""
        box = self._boxes.get(key)
        if box is None:
            return False
        lines = [*([box.running.work] if box.running is not None else []), *box.waiting]
        theirs = [each for each in lines if any(item.event.sender == event.sender for item in events(each))]
        if not theirs or not isinstance(said := theirs[-1], Said) or said.whole:
            return False
        last = said.items[-1]
        late = self._house.clock.now() - last.received_at > SECOND_PART
        return not late and self._more_to_come(last.event) and _belongs(last.event, event)

    def _more_to_come(self, event: Inbound) -> bool:
        adapter = self._house.adapters.get(event.chat.platform)
        limit = adapter.capabilities.limit if adapter is not None else 0
        return event.media_group is not None or bool(event.units and limit and event.units >= limit - NEAR_LIMIT)

    async def _try(self, attempt: Attempt) -> None:
        """A turn, again after a fault, until it ends or has failed the same way often enough."""
        try:
            for tries in itertools.count(1):
                try:
                    return await patiently(attempt.make, self._house)
                except JobTrouble:
                    raise
                except StaleEpoch:
                    if attempt.turn is not None or tries >= TRIES:
                        raise  # else its session was closed in the moment in which it began: there will be another
                except Exception as fault:  # noqa: BLE001 - the session worker: the same fault three times is a dead letter
                    error, ids = _named(fault), [each.id for each in attempt.items]
                    failures = await patiently(partial(self._house.store.inbox.failed, ids, error), self._house)
                    self._house.report.error("turn.fault", error=error, failures=failures)
                    most = TRIES_IN_ALL if ids else 1 if attempt.job is None else TRIES
                    if failures >= TRIES or tries >= most:
                        return await self._put_aside(attempt.items, attempt.turn, fault, max(failures, tries))
                    await self._house.clock.sleep(0.5 * 2**failures)
        except asyncio.CancelledError:
            if not await to_its_end(patiently(attempt.cut_short, self._house)):
                raise

    async def _put_aside(self, items: tuple[InboxItem, ...], turn: Turn | None, fault: Exception, tries: int) -> None:
        """Make dead letters, tell the person and the owner. What the fault says in full is the owner's."""
        error, told = _named(fault), notices.poison(type(fault).__name__)
        self._house.report.error("work.put_aside", error=error, items=[each.id for each in items])
        if turn is not None:
            await patiently(partial(self._fail, turn, told, error), self._house)
        await patiently(partial(self._bury, items, "" if turn is not None else told, error, tries), self._house)
        for item in items:
            self._say_finished(item, told, "failed")

    async def _fail(self, turn: Turn, told: str, error: str) -> None:
        store = self._house.store
        said = [each.row for each in await store.turns.messages_of_turn(turn.id)]
        rows = [*dangling(said), Row("assistant", "(no answer)")]
        now, of_job = self._house.clock.now(), turn.run is not None
        parts = [] if of_job else [PartDraft(told)]
        await store.turns.finish(turn, "failed", now, rows=rows, parts=parts, reason=error, unsaid=of_job)
        self._house.turn_ended(turn, "failed")
        self._house.delivery.wake(turn.chat)

    async def _bury(self, items: Sequence[InboxItem], told: str, error: str, tries: int) -> None:
        """Dead letters, one report each, and these words to the person, if any."""
        await self._house.store.inbox.bury([each.id for each in items], error, self._house.clock.now())
        for item in items:
            if told:
                await self._house.delivery.post(item.event.chat, f"inbox:{item.id}", told)
            report = notices.poison_report(item.session_key, error, item.event.text, tries)
            await self.tell_owner(f"dead:{item.id}", report)

    async def tell_owner(self, source: str, text: str) -> None:
        """A notice in each home chat."""
        for number, chat in enumerate(home_chats(self._house.settings())):
            await self._house.delivery.post(chat, f"{source}:{number}", text)


def _belongs(first: Inbound, second: Inbound) -> bool:
    """Whether the second event continues the first: the same speaker, and the same album if it is one."""
    return first.sender == second.sender and first.media_group == second.media_group


def _named(fault: Exception) -> str:
    return f"{type(fault).__name__}: {fault}"[:300]
