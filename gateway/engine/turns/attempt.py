"""A message being answered: its session and model are found, a turn takes its events, runs, and ends or is cut short.

It remembers the turn between two tries. What a fault means, and whether there is another try, is the worker's matter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from commands.parse import Mistake
from gateway.attachments.brought import Brought
from gateway.attachments.wording import own_words
from gateway.engine import notices
from gateway.engine.arrival.earshot import who
from gateway.engine.arrival.remarks import HOUSE, strayed
from gateway.engine.house import House
from gateway.engine.jobs.job_turn import JobTurn, asked, count_skills
from gateway.engine.sessions.boundary import OTHER_EARS, Boundary
from gateway.engine.turns.baggage import brought, only_deaf, say_heard
from gateway.engine.turns.grades import assisted, grade_fact
from gateway.engine.turns.mailbox import Running
from gateway.engine.turns.skill_calls import Reading, SkillCalls
from gateway.engine.turns.turn import Outcome, TurnRun
from gateway.engine.turns.work import Said, Work
from gateway.errors import ConfigurationError, StaleEpoch
from gateway.models.client import HostInfo, ModelClient
from gateway.models.errors import ModelError
from gateway.models.unavailable import Unavailable
from gateway.state.records import InboxItem, Row, Session, Turn
from gateway.unbroken import to_its_end
from platforms.messages import Button, ChatKind, ChatRef, TurnSummary

STARTS = 10
"""Starts of a turn, tries after a fault included, at which a process that finds it takes it for what kills them."""

PROMPT = 0.25
"""Seconds that a host gets to say what it is before the turn begins without that."""

CUT = {
    "stop": "stopped",
    "new": "a new session was begun",
    "interrupt": "interrupted by the next message",
}

Grade = dict[str, Any] | None
"""What trying a model showed; `tools` says whether it can call them."""

Tell = Callable[[Coroutine[Any, Any, None]], object]
"""Runs what follows an answer, beside everything else."""


class OtherEars(Exception):
    """While a turn was interrupted, its chat came to be heard by others."""


class Attempt:
    """`make()` it as often as it takes. `items` grows by what is steered into the turn; `turn` is None until the
    events are taken. Of a `job` there are no events."""

    def __init__(
        self,
        house: House,
        boundary: Boundary,
        tell: Tell,
        running: Running[Work],
        key: str,
        items: tuple[InboxItem, ...],
        turn: Turn | None,
        again: tuple[Row, ...] = (),
        *,
        calls: SkillCalls,
        job: JobTurn | None = None,
    ) -> None:
        self._house = house
        self._calls = calls
        self._boundary = boundary
        self._tell = tell
        self._running = running
        self._key = key
        self.items = items
        self.turn = turn
        self.job = job
        self._starts = turn.starts if turn is not None else 0
        self._again = again
        self._brought: Mapping[str, Sequence[Brought]] = {}
        self._called: Mapping[str, Reading] = {}
        self._session: Session | None = None
        self._run: TurnRun | None = None
        self._over = False

    async def make(self) -> None:
        """One try. Raises StaleEpoch when the session or the events went to somebody else, and any other fault."""
        if self.turn is None and not self._again and self.job is None:
            called = await self._calls.read([each.event for each in self.items])
            if isinstance(called, Mistake):
                return await self._say_only(called.text)
            self._called = called
            self._brought = await brought(self._house, self.items)
            if (line := only_deaf([each.event for each in self.items], self._brought)) is not None:
                return await self._say_only(line)
            await say_heard(self._house, self.items, self._brought)
        session = self._session = await self._find_session()
        events = [each.event for each in self.items] if self.turn is None and not self._again else []
        if (line := strayed(events, session.id)) is not None:
            return await self._say_only(line)
        client, grade, fallback = await client_for(self._house, session.chat, self.job.model if self.job else "")
        asking = asyncio.ensure_future(client.info())
        try:
            timed = not (await self._heard_soon(asking) and assisted(grade, asking.result().tools))
            if self._running.halted is not None:
                raise asyncio.CancelledError  # somebody swallowed it
            window = asking.result().window if asking.done() else None
            recalled = await self._recalled(session, window)
            beginning = self._begin(session, client, timed=timed, window=window, fallback=fallback, recalled=recalled)
            run = await to_its_end(beginning)
            if self._starts >= STARTS:
                raise RuntimeError(f"the process ended {STARTS} times while it handled this")
            outcome = await self._outcome(run, asking, grade)
        finally:
            asking.cancel()
        try:
            if outcome.state == "answered" and self.job is None:
                hint = await self._boundary.hint(session, run.turn.id, run.rows, run.used, asking.result().window)
                if hint is not None:
                    await self._offer_boundary(session, run.turn, hint)
        finally:
            self._say_finished(session, outcome)

    async def _recalled(self, session: Session, window: int | None) -> str:
        """What the outside memory has to say to what people said; nothing to a job, and to a turn that goes on."""
        if self._house.outside is None or self.turn is not None or not self.items or self.job is not None:
            return ""
        spoken = [one.spoken for each in self.items for one in self._brought.get(each.event.event_id, ())]
        theirs = (each.event.text for each in self.items if each.event.account != HOUSE)
        again = [each for each in self._again if each.untrusted != "mcp"]
        said = own_words(again) if self._again else "\n".join(theirs)
        text = "\n".join(piece for piece in (said, *spoken) if piece)
        return await self._house.outside.recall(session, self.items[0].event, text, window)

    async def _heard_soon(self, asking: asyncio.Future[Any]) -> bool:
        """Whether the host said at once what it is. One that loads or hangs keeps nobody from beginning."""
        await asyncio.sleep(0)
        if not asking.done():
            late: asyncio.Future[Any] = asyncio.ensure_future(self._house.clock.sleep(PROMPT))
            try:
                await asyncio.wait([asking, late], return_when=asyncio.FIRST_COMPLETED)
            finally:
                late.cancel()
        return asking.done()

    async def _outcome(self, run: TurnRun, asking: asyncio.Future[HostInfo], grade: Grade) -> Outcome:
        try:
            return await run.run(asking, lambda info: assisted(grade, info.tools))
        except StaleEpoch:
            self._house.turn_ended(run.turn, "dropped")
            raise

    async def cut_short(self) -> bool:
        """After a cancellation: end the turn with what there is. False when no turn has taken the events yet, or the
        house is closing, and the next process goes on."""
        why = self._running.halted
        if why is None or why == "shutdown" or self._run is None or self._session is None:
            return False
        outcome = await self._run.cut_short(CUT[why], silent=why == "new")
        self._say_finished(self._session, outcome)
        return True

    def _say_finished(self, session: Session, outcome: Outcome) -> None:
        """Once, also when the turn is cut short in what comes after its end."""
        if self.job is not None or self._over:  # for the end of a job no platform waits
            return
        self._over = True
        chat = self.items[0].event.chat if self.items else session.chat
        ids = tuple(each.event.event_id for each in self.items)
        usage, state = asdict(outcome.usage), outcome.state
        summary = TurnSummary(ids, session.id, outcome.reply, usage, outcome.notices, state)
        self._tell(finished(self._house, chat, summary))

    async def _say_only(self, line: str) -> None:
        """There is nothing that a model could answer: this line is the reply, and no turn is made of it."""
        chat, ids = self.items[0].event.chat, tuple(each.id for each in self.items)
        await self._house.delivery.post(chat, f"inbox:{ids[0]}", line, finishes=ids)
        if self._house.intake is not None:
            self._house.intake.forget(self.items)
        summary = TurnSummary(tuple(each.event.event_id for each in self.items), "", line, outcome="failed")
        self._tell(finished(self._house, chat, summary))

    async def _find_session(self) -> Session:
        if self.turn is None and self.job is not None:
            return await self._boundary.session_for(self._key, self.job.hearer)
        if self.turn is None:
            await self._follow()
            return await self._boundary.session_for(self._key, self.items[0].event)
        session = await self._house.store.sessions.get(self.turn.session_id)
        if session is None or session.ended_at is not None:
            raise StaleEpoch(f"session {self.turn.session_id} is closed")
        hearer = self.items[0].event if self.items else self.job.hearer if self.job is not None else None
        if hearer is not None and not await self._boundary.fits(session, hearer):
            raise OtherEars(OTHER_EARS)  # what its prompt holds is not for those who would read the answer
        return session

    async def _follow(self) -> None:
        """The events as the store has them now: their chat may have moved while they waited."""
        inbox = self._house.store.inbox
        now = await inbox.get(self.items[0].id)
        if now is not None and now.session_key != self.items[0].session_key:
            self._key = now.session_key
            self.items = tuple([await inbox.get(each.id) or each for each in self.items])

    async def _begin(
        self,
        session: Session,
        client: ModelClient,
        *,
        timed: bool,
        window: int | None,
        fallback: str | None,
        recalled: str = "",
    ) -> TurnRun:
        """Take the events, or take the turn over. What is read with them leaves room in a `window` of tokens."""
        turns, now = self._house.store.turns, self._house.clock.now()
        if self.turn is not None:
            self.turn = await turns.take_over(self.turn)
        else:
            notes, job, events = self._house.notes, self.job, [each.event for each in self.items]
            news, state = (await notes.due(session.id) if notes is not None else None) or ("", "")
            calls = self._house.remote.desk if self._house.remote is not None else None
            turned, told = await calls.news(session.id) if calls is not None else ("", [])
            says = [await asked(self._house, job, timed=timed, window=window)] if job is not None else self._again
            rows = self._boundary.user_rows(
                session,
                events,
                timed=timed and job is None,
                again=says,
                brought=self._brought,
                window=window,
                news="\n".join(piece for piece in (news, recalled, turned) if piece),
                called=self._called,
            )
            if any(each.called.learns for each in self._called.values()):
                rows = await self._learnt(session, rows)
            ids = [each.id for each in self.items]
            chat = self.items[0].event.chat if job is None else job.chat
            self.turn = await turns.begin(session.id, chat, ids, rows, now, run=job.run if job is not None else None)
            if notes is not None and news and job is None:  # what a job is told, the next message is told as well
                await notes.told(session.id, state)
            if calls is not None and told:
                await calls.told(told)
            if job is not None:
                await count_skills(self._house, job)
            if self._house.intake is not None:
                self._house.intake.forget(self.items)
            await self._calls.used(self._called)
        self._running.begun = True
        group = bool(self.items) and self.items[0].event.kind is ChatKind.GROUP
        self._run = TurnRun(
            self._house,
            session,
            self.turn,
            client,
            self._speaker(),
            steered=lambda: self._steered(session),
            taken=self._taken,
            halted=lambda: self._running.halted is not None,
            fallback=fallback,
            group=group if self.job is None else not self.job.direct,
            job=self.job,
        )
        return self._run

    def _speaker(self) -> str:
        """Who speaks, where it is one person; nobody where several do."""
        speakers = {who(each.event) for each in self.items} if self.job is None else {self.job.speaker}
        return next(iter(speakers)) if len(speakers) == 1 else ""

    async def _learnt(self, session: Session, rows: list[Row]) -> list[Row]:
        """What is learnt is made of the whole conversation: what was read from outside in any turn of it counts."""
        said = await self._house.store.turns.messages(session.id)
        read = next((each.row.untrusted for each in said if each.row.untrusted), "")
        return [replace(rows[0], untrusted=rows[0].untrusted or read), *rows[1:]]

    def _steered(self, session: Session) -> tuple[InboxItem, Row] | None:
        """What the person said while the turn ran: the next message, which stays in the mailbox until it is taken."""
        if not self._running.steered:
            return None
        work = self._running.steered[0]
        assert isinstance(work, Said), "only messages steer"
        item = work.items[0]
        (row,) = self._boundary.user_rows(session, [item.event], timed=False)
        return item, row

    def _taken(self, item: InboxItem) -> None:
        self.items = (*self.items, item)
        if self._running.steered:
            self._running.steered.popleft()

    async def _offer_boundary(self, session: Session, turn: Turn, why: str) -> None:
        """One quiet line with a button, after the answer."""
        button = ((Button("🆕 New session", "/new"),),)
        await self._house.delivery.post(turn.chat, f"hint:{turn.id}", notices.boundary_hint(why), buttons=button)


async def finished(house: House, chat: ChatRef, summary: TurnSummary) -> None:
    """Everything for these events is stored; once it is handed over, say so to the platform."""
    await house.delivery.flushed(chat)
    if (adapter := house.adapters.get(chat.platform)) is not None:
        await adapter.finished(chat, summary)


async def client_for(house: House, chat: ChatRef, model: str = "") -> tuple[ModelClient, Grade, str | None]:
    """The model of a chat, or the one that is named, its grade if it was tried, and what the chat was told last about
    another host that answered."""
    client, facts = _resolve(house, model or None), house.store.facts
    wanted = [(chat.key, "model"), grade_fact(_name(client)), (chat.key, "fallback")]
    chosen, grade, fallback = await facts.several(wanted)
    if chosen is not None and not model:
        client = _resolve(house, chosen)
        grade = await facts.get(*grade_fact(_name(client)))
    return client, grade, fallback


def _resolve(house: House, name: str | None) -> ModelClient:
    try:
        return house.hosts.resolve(name)
    except (ConfigurationError, ModelError) as error:
        return Unavailable(str(error), name or "")


def _name(client: ModelClient) -> str:
    return f"{client.host}/{client.model}"
