"""Carrying out what jobs ask for: a turn in the session of the job's chat, and its answer followed to the platform.

The turn is the truth: it is tied to its run in the store, so that whoever asks again for the same run, also after a
crash, gets that turn and no second one. When runs are due, and how they are booked, is `gateway.schedule`'s matter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from gateway.agent.conversation import reply_text
from gateway.engine.house import House
from gateway.engine.jobs.job_places import JobPlaces
from gateway.engine.jobs.job_turn import JobTrouble
from gateway.engine.turns.attempt import CUT
from gateway.engine.turns.work import Fired, Resumed, Work
from gateway.engine.turns.worker import STOPPED, Workers
from gateway.errors import InnkeeperError
from gateway.events import Event, PartEnded, SessionClosed, TurnFinished
from gateway.state.records import Turn

LONGEST = 1500.0
"""Seconds that a run may wait for its session and be answered, together."""

PATIENCE = 300.0
"""Seconds that an answer may take to its platform; then it is left to delivery."""

LOOK = 30.0
"""Seconds between two looks into the store, whatever is heard."""

TURNS = 3
"""Turns that one run may get in this process: a boundary ends one, and the next is held behind it."""

_ON_ITS_WAY = ("queued", "sending", "preview")
_LOST = {
    "refused": "the platform refused the answer",
    "expired": "the answer could not be sent for too long",
    "uncertain": "nobody knows whether the answer arrived",
}
_STOPPED = ("stop", CUT["stop"], STOPPED)


class JobStopped(InnkeeperError):
    """Somebody stopped it; it is not to be done again."""


@dataclass(frozen=True, slots=True)
class JobAnswer:
    """What a run came to. `silent`: it was not sent, since it says that there is nothing to say."""

    text: str
    tokens: int
    silent: bool


class JobTurns:
    """One for the engine."""

    def __init__(self, house: House, workers: Workers, places: JobPlaces) -> None:
        self._house = house
        self._workers = workers
        self._places = places
        self._bells: set[asyncio.Event] = set()
        self._tokens: dict[int, int] = {}
        self._asking = 0
        house.bus.subscribe(self._heard)

    async def answer(self, run: int) -> JobAnswer:
        """Have a run answered, or wait for the turn that answers it. Raises JobStopped, and JobTrouble with the
        reason. When it is cancelled, the turn goes on, and its end is found by whoever asks again."""
        self._asking += 1
        try:
            return await self._answer(run, self._house.clock.monotonic() + LONGEST)
        finally:
            self._asking -= 1
            if not self._asking:
                self._tokens.clear()

    async def _answer(self, run: int, until: float) -> JobAnswer:
        last = ""
        for _ in range(TURNS):
            turn = await self._house.store.turns.of_run(run)
            if turn is None or _again(turn):
                last = await self._fire(run, until)
                turn = await self._house.store.turns.of_run(run)
            if turn is not None and turn.state == "running":
                turn = await self._over(turn, until)
            if turn is not None and not _again(turn):
                return await self._read(turn)
        raise JobTrouble(last or "its session was ended again and again")

    async def deliver(self, run: int) -> None:
        """Wait until the answer is with its platform. Raises JobTrouble when it is not, or not yet."""
        turn = await self._house.store.turns.of_run(run)
        if turn is None:
            raise JobTrouble("its answer is gone")
        until = self._house.clock.monotonic() + PATIENCE
        with self._bell() as bell:
            while True:
                bell.clear()
                parts = await self._house.store.outbox.of_source(f"turn:{turn.id}")
                if (why := next((_LOST[each.state] for each in parts if each.state in _LOST), None)) is not None:
                    raise JobTrouble(why)
                if not (waiting := [each for each in parts if each.state in _ON_ITS_WAY]):
                    return
                if (left := until - self._house.clock.monotonic()) <= 0:
                    place = waiting[0].chat.platform
                    raise JobTrouble(f"the answer is kept, and goes out once {place} can be reached")
                await self._wait(bell, min(left, LOOK))

    async def _fire(self, run: int, until: float) -> str:
        """Put a run into its session's mailbox, and wait until it has been taken out and is over; why it came to no
        turn, or nothing."""
        place = await self._places.of(run)
        ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        work = Fired(run, lambda why: None if ended.done() else ended.set_result(why))
        self._workers.box(place.key).put(work)
        left = max(0.0, until - self._house.clock.monotonic())
        late = asyncio.ensure_future(self._house.clock.sleep(left))
        waits: set[asyncio.Future[Any]] = {ended, late}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            if not ended.done():
                await self._give_up(run)
        finally:
            late.cancel()
            self._take_out(work)
        why = ended.result()
        if why == STOPPED:
            raise JobStopped(why)
        if why and await self._house.store.turns.of_run(run) is None:
            raise JobTrouble(why)
        return why

    async def _over(self, turn: Turn, until: float) -> Turn | None:
        """The turn, once it has ended; another process may have begun it."""
        with self._bell() as bell:
            while True:
                bell.clear()
                now = await self._house.store.turns.of_run(turn.run or 0)
                if now is None or now.state != "running":
                    return now
                if (left := until - self._house.clock.monotonic()) <= 0:
                    await self._give_up(turn.run or 0)
                await self._wait(bell, min(left, LOOK))

    async def _give_up(self, run: int) -> None:
        """It takes too long."""
        for box in self._workers.running:
            if box.running is not None and _is_for(box.running.work, run):
                await self._workers.halt(box.key, "stop")
                raise JobTrouble(f"it was stopped after {LONGEST / 60:.0f} minutes")
        raise JobTrouble(f"its chat was busy for {LONGEST / 60:.0f} minutes")

    def _take_out(self, work: Fired) -> None:
        """Whoever waited for it does so no more: what has not begun does not begin."""
        for box in self._workers.boxes:
            if work in box.waiting:
                box.waiting.remove(work)

    async def _read(self, turn: Turn) -> JobAnswer:
        """How a turn ended. Raises JobStopped, and JobTrouble with its reason."""
        if turn.state == "stopped" or turn.reason in _STOPPED:
            raise JobStopped(turn.reason or STOPPED)
        if turn.state != "answered":
            raise JobTrouble(turn.reason or "the model gave no answer")
        rows = [each.row for each in await self._house.store.turns.messages_of_turn(turn.id)]
        return JobAnswer(reply_text(rows), self._tokens.pop(turn.id, 0), turn.unsaid)

    async def _wait(self, bell: asyncio.Event, seconds: float) -> None:
        rung, late = asyncio.ensure_future(bell.wait()), asyncio.ensure_future(self._house.clock.sleep(seconds))
        try:
            await asyncio.wait({rung, late}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            rung.cancel()
            late.cancel()

    def _heard(self, event: Event) -> None:
        if isinstance(event, TurnFinished) and self._asking:
            self._tokens[event.turn_id] = event.usage.input + event.usage.output
        if isinstance(event, TurnFinished | SessionClosed | PartEnded):
            for bell in self._bells:
                bell.set()

    @contextmanager
    def _bell(self) -> Iterator[asyncio.Event]:
        """Rings when something came to an end."""
        bell = asyncio.Event()
        self._bells.add(bell)
        try:
            yield bell
        finally:
            self._bells.discard(bell)


def _again(turn: Turn) -> bool:
    """Whether the turn was cut off by a boundary, so that the run is still to be answered, in the next session."""
    return turn.state in ("stopped", "dropped") and turn.reason not in _STOPPED


def _is_for(work: Work, run: int) -> bool:
    return (isinstance(work, Fired) and work.run == run) or (isinstance(work, Resumed) and work.turn.run == run)
