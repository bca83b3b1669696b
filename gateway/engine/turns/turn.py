"""One turn: from stored events to a stored reply. Each step is committed before the next begins.

A turn can be begun, or taken over from a process that died. Either way its rows are the truth: what is stored is not
asked for again, and no tool runs twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gateway.agent import compaction
from gateway.agent.assisted import Assistant, as_text
from gateway.agent.conversation import dangling, messages, reply_text
from gateway.agent.limits import BudgetSpent, TurnLimits, over_budget
from gateway.agent.loop import Answer, Loop, Offer
from gateway.attachments.wording import own_words
from gateway.engine import notices
from gateway.engine.arrival.earshot import who
from gateway.engine.house import House
from gateway.engine.jobs.job_turn import TASK, JobTurn, speaks
from gateway.engine.outgoing.outlet import files_of
from gateway.engine.outgoing.stream import Preview
from gateway.engine.turns.epilogue import TOOL, Ending, count_claim, epilogue
from gateway.engine.turns.shortening import Shortening
from gateway.engine.turns.sight import Sight
from gateway.engine.turns.trail import Trail
from gateway.errors import ConfigurationError
from gateway.events import ModelCalled, TurnStarted
from gateway.models.client import HostInfo, ModelClient, Reply, ToolSchema
from gateway.models.errors import ContextTooLong, ModelError, RequestRefused
from gateway.models.tokens import estimate
from gateway.state.records import Compaction, InboxItem, PartDraft, Row, Session, StoredMessage, Turn, TurnState
from gateway.tools.tool import ToolContext
from gateway.tools.toolset import load_schemas
from gateway.transcript import Message, Usage
from gateway.unbroken import to_its_end
from memory.model import Origin
from platforms.messages import Button


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a turn ended, for those who wait for it."""

    state: TurnState
    reply: str
    notices: tuple[str, ...]
    usage: Usage


class TurnRun:
    """The state of one running turn; it is the desk that `agent.loop` works at."""

    def __init__(
        self,
        house: House,
        session: Session,
        turn: Turn,
        client: ModelClient,
        speaker: str,
        *,
        steered: Callable[[], tuple[InboxItem, Row] | None] = lambda: None,
        taken: Callable[[InboxItem], None] = lambda item: None,
        halted: Callable[[], bool] = lambda: False,
        fallback: str | None = None,
        group: bool = False,
        job: JobTurn | None = None,
    ) -> None:
        self.house = house
        self.session = session
        self.turn = turn
        self._client = client
        self._speaker = speaker
        self._stored: list[StoredMessage] = []
        self._compaction: Compaction | None = None
        self._assisted = False
        self._schemas = load_schemas(session.tools)
        self._schemas_weigh = estimate((), self._schemas)
        self._tools: tuple[ToolSchema, ...] = ()
        self._loop: Loop | None = None
        self._usage = Usage()
        self._notices: list[str] = []
        self._preview: Preview | None = None
        self._bookings: list[asyncio.Future[None]] = []
        self._steered = steered
        self._group = group
        self._job = job
        self._task = "chat" if job is None else TASK
        self._origin = None if job is None else Origin.CRON
        self._taken = taken
        self._halted = halted
        self._fallback = fallback
        self._asked_at = house.clock.monotonic()
        self._outcome: Outcome | None = None
        self._ending: Ending | None = None
        self._sight = Sight(house.store.facts, session.id, client)
        self._trail = Trail(house, session)
        self._shortening = Shortening(house, session, client, self)

    async def run(self, asking: asyncio.Future[HostInfo], assisted: Callable[[HostInfo], bool]) -> Outcome:
        """Work until there is a reply or a reason, and store it. `asking` brings what the host says of itself, which
        may take as long as a model takes to load. Raises StaleEpoch, and faults that are no model's; on cancellation
        the turn is left as it is (see `cut_short`)."""
        await self._load()
        self.house.bus.publish(
            TurnStarted(self.turn.id, self.session.id, self.turn.chat, self.turn.starts > 1, self._client.host)
        )
        await self._open_preview()
        try:
            await self._check_budget()
            if not asking.done():
                await self.progress("waiting for the model host")
            info = await asking
            self._assisted = assisted(info)
            self._sight.judge(info)
            await self._keep_within(info)
            try:
                answer = await self._converse()
            except ContextTooLong as error:
                if not await self._compact(info.window or 8192):
                    raise
                self.house.report.info("turn.compacted", turn=self.turn.id, why=str(error))
                answer = await self._converse()
            except RequestRefused:
                if not self._sight.refused(self._conversation()):
                    raise
                answer = await self._converse()
        except ModelError as error:
            self.house.report.warning("turn.no_answer", turn=self.turn.id, error=str(error))
            took = Usage(seconds=self.house.clock.monotonic() - self._asked_at)
            self.house.bus.publish(
                ModelCalled(self._client.host, self._client.model, self._task, took, answered=False)
            )
            return await self._give_reason(notices.reason(error))
        except BudgetSpent as error:
            return await self._give_reason(notices.budget(str(error)))
        finally:
            await self._close_preview()
        return await self._answer(answer)

    async def cut_short(self, why: str, *, silent: bool) -> Outcome:
        """The turn was cancelled: keep what was said so far, so that the store agrees with the chat. A turn that had
        ended already stays as it ended."""
        if self._outcome is not None:
            return self._outcome
        await self._close_preview()
        said = [each.row for each in await self.house.store.turns.messages_of_turn(self.turn.id)]
        partial = self._loop.so_far.strip() if self._loop else ""
        last = Row("assistant", partial or f"({why} before an answer)", model=None)
        text = "" if silent else reply_text([*said, last]) if partial else reply_text(said)
        silent = silent or self._job is not None
        parts = self.house.delivery.cut(self.turn.chat, text) if text and not silent else []
        parts += [] if silent else [*files_of(said), *await self._epilogue(said, "")]
        return await self._end("stopped", text, rows=[*dangling(said), last], parts=parts, reason=why)

    async def save(self, rows: Sequence[Row]) -> None:
        await self._add(rows, ())

    async def history(self) -> tuple[Message, ...]:
        self._stop_if_halted()
        await self._check_budget()
        self._asked_at = self.house.clock.monotonic()
        shown = self._sight.shown(self._conversation())
        shown = as_text(shown) if self._assisted else shown
        self._trail.sends(shown, self._tools)
        return shown

    async def steering(self) -> None:
        while not self._halted() and (steered := self._steered()) is not None:
            item, row = steered
            await self._add([row], (item.id,))
            self._taken(item)
            self._speaker = self._speaker if self._speaker == who(item.event) else ""

    def speaker(self) -> str:
        return self._speaker

    def show(self, text: str) -> None:
        if self._preview is not None and not self._halted():
            self._preview.show(text)

    async def progress(self, text: str) -> None:
        if self._preview is not None and not self._halted():
            await self._preview.progress(text)

    def tell(self, notice: str) -> None:
        """A line that goes out with the answer."""
        self._notices.append(notice)

    def _stop_if_halted(self) -> None:
        """A tool or a host may swallow the cancellation; the turn does not."""
        if self._halted():
            raise asyncio.CancelledError

    async def spent(self, reply: Reply) -> None:
        self._trail.answered(reply)
        await self.book(reply, self._task)
        if self._job is not None:  # what answers it is no news for the chat
            return
        if reply.notice != (self._fallback or "") and (reply.notice or reply.host == self._client.host):
            self._fallback = reply.notice or None  # said once, and again only after the main host was back
            await self.house.store.facts.put(self.turn.chat.key, "fallback", self._fallback)
            self._notices.extend([reply.notice] if reply.notice else [])

    async def _load(self) -> None:
        self._compaction, self._stored = await self.house.store.turns.conversation(self.session.id, self.turn.id)
        await self._sight.load(self._stored)
        if self.turn.starts > 1 and (missing := dangling(self._rows_of_turn())):
            await self._add(missing, ())

    def _offer(self) -> Offer:
        tools, chat, settings = self._schemas, self.turn.chat, self.house.settings()
        self._tools = () if self._assisted else tools
        return Offer(
            client=self._client,
            tools=self._tools,
            toolset=self.house.toolset,
            context=ToolContext(
                chat, self.session.id, self.turn.id, self._speaker, direct=not self._group, origin=self._origin
            ),
            limits=TurnLimits(settings.agent.max_iterations),
            assistant=Assistant(tools, self._wants_tool) if self._assisted and tools else None,
            effort=self._effort(settings.model.reasoning_effort),
        )

    def _wants_tool(self, text: str) -> bool:
        """Whether a tool may be called for: by what the person says, not by what stands in a document."""
        return self.house.wants_tool(own_words(self._rows_of_turn()))

    def _effort(self, configured: str | None) -> str | None:
        """How long the main model may think; one that was picked for the chat is left to its host."""
        if configured is None:
            return None
        try:
            main = self.house.hosts.resolve(None)
        except ConfigurationError:
            return None
        return configured if (main.host, main.model) == (self._client.host, self._client.model) else None

    async def _converse(self) -> Answer:
        self._loop = Loop(self, self._offer(), said=self._rows_of_turn())
        return await self._loop.run()

    async def _answer(self, answer: Answer) -> Outcome:
        self._notices += [*answer.notices, *await self._sight.notices(self._stored, self.turn.id)]
        lines = [f"_{line}_" for line in self._notices]
        shown = "\n\n".join(piece for piece in (answer.text, *lines) if piece)
        parts: list[PartDraft] = []
        if self._job is None or await speaks(self.house.store, self._job, answer):
            parts = [*self.house.delivery.cut(self.turn.chat, shown), *files_of(self._rows_of_turn())]
        parts += await self._epilogue([*self._rows_of_turn(), answer.last], answer.text)
        state: TurnState = "failed" if answer.failed else "answered"
        reason = " ".join(answer.notices) if answer.failed else None
        self._stop_if_halted()
        outcome = await to_its_end(
            self._end(state, answer.text or shown, rows=[answer.last], parts=parts, reason=reason)
        )
        if self._ending is not None:
            await count_claim(self.house, self._ending)
        return outcome

    async def _give_reason(self, reason: str) -> Outcome:
        """No answer, but never silence: the reason is the reply. What was said before it stays."""
        said, partial = self._rows_of_turn(), self._loop.so_far.strip() if self._loop else ""
        last = Row("assistant", partial or "(no answer)")
        text = "\n\n".join(piece for piece in (reply_text([*said, last] if partial else said), reason) if piece)
        parts: list[PartDraft] = []
        if self._job is None:
            parts = self.house.delivery.cut(self.turn.chat, text, ((Button("Retry", "/retry"),),))
            parts += [*files_of(said), *await self._epilogue(said, "")]
        rows = [*dangling(said), last]
        await self._close_preview()
        self._stop_if_halted()
        return await to_its_end(self._end("failed", text, rows=rows, parts=parts, reason=reason))

    async def _epilogue(self, rows: Sequence[Row], reply: str) -> list[PartDraft]:
        """The gateway's own last word, about memory, as parts that are stored with the reply.
        What a job writes waits, and is told as all that waits."""
        if self._job is not None:
            return []
        offered = any(each.name == TOOL for each in self._schemas)
        last = rows[-1].model if rows else None  # another one than the main model may have answered
        model = last or f"{self._client.host}/{self._client.model}"
        self._ending = Ending(self.turn, rows, reply, model, self._group, offered)
        said = await epilogue(self.house, self._ending)
        if said is None:
            return []
        self._notices.append(said.text)
        return self.house.delivery.cut(self.turn.chat, said.text, said.buttons)

    async def _end(
        self,
        state: TurnState,
        reply: str,
        *,
        rows: Sequence[Row],
        parts: Sequence[PartDraft],
        reason: str | None = None,
    ) -> Outcome:
        """Store how the turn ended, and say so; what it cost goes to the store beside its last rows, and in the same
        commit."""
        if self._job is None:
            await self._trail.wrote([*self._rows_of_turn(), *rows])
        finish, unsaid = self.house.store.turns.finish, self._job is not None and not parts
        await finish(self.turn, state, self._now(), rows=rows, parts=parts, reason=reason, unsaid=unsaid)
        self._outcome = Outcome(state, reply, tuple(self._notices), self._usage)
        for lost in await asyncio.gather(*self._bookings, return_exceptions=True):
            if lost is not None:  # the answer is stored, and goes out
                self.house.report.warning("usage.lost", turn=self.turn.id, why=str(lost))
        self.house.turn_ended(self.turn, state, self._usage)
        self.house.delivery.wake(self.turn.chat)
        if self._job is None:
            self._trail.leave()
        return self._outcome

    async def _check_budget(self) -> None:
        why = await self.over_budget(self._task)
        if why is None and self._job is not None:
            why = self._job.over(self._usage, self.used())
        if why is not None:
            raise BudgetSpent(why)

    async def over_budget(self, task: str) -> str | None:
        """Why no further call of this task may be made today, or None."""
        budgets = self.house.settings().gateway.budgets
        if not budgets:
            return None
        await asyncio.gather(*self._bookings, return_exceptions=True)
        spent = await self.house.store.usage.tokens_today(self._now())
        return over_budget({str(each): bound for each, bound in budgets.items()}, spent, task)

    async def _keep_within(self, info: HostInfo) -> None:
        if info.window and self.used() > compaction.FULL * info.window:
            await self._compact(info.window)

    @property
    def rows(self) -> int:
        """Rows of the session that the turn found and added."""
        return len(self._stored)

    def used(self) -> int:
        """Tokens of the conversation as it stands, estimated."""
        return estimate(self._sight.counted(self._conversation())) + self._schemas_weigh

    def _conversation(self) -> tuple[Message, ...]:
        return messages(self.session.prompt, self._stored, self._compaction)

    async def _compact(self, window: int) -> bool:
        """Whether a summary stands for the older part now."""
        made = await self._shortening.summary(self._stored, self._compaction, window)
        self._compaction = made or self._compaction
        return made is not None

    async def book(self, reply: Reply, task: str) -> None:
        """Note what a call of this turn cost; the end of the turn waits until that is stored."""
        self._usage = self._usage.plus(reply.usage)
        self.house.bus.publish(ModelCalled(reply.host, reply.model, task, reply.usage, answered=True))
        book = self.house.store.usage
        booking = book.add(self.session.id, reply.host, reply.model, task, reply.usage, self._now())
        self._bookings.append(asyncio.ensure_future(booking))

    async def _add(self, rows: Sequence[Row], inbox_ids: Sequence[int]) -> None:
        """Store rows, and know of them, also when the turn is cancelled in that moment."""
        await to_its_end(self._store(rows, inbox_ids))

    async def _store(self, rows: Sequence[Row], inbox_ids: Sequence[int]) -> None:
        now = self._now()
        ids = await self.house.store.turns.add(self.turn, rows, now, inbox_ids=inbox_ids)
        for number, row in zip(ids, rows, strict=True):
            self._stored.append(StoredMessage(number, self.session.id, self.turn.id, row, now))

    def _rows_of_turn(self) -> list[Row]:
        return [each.row for each in self._stored if each.turn_id == self.turn.id]

    async def _open_preview(self) -> None:
        adapter = self.house.adapters.get(self.turn.chat.platform)
        if adapter is None or self._job is not None:  # nobody knows yet whether it says anything
            return
        house, source = self.house, f"turn:{self.turn.id}"
        self._preview = Preview(
            house.delivery,
            house.store.outbox,
            adapter,
            self.turn.chat,
            source,
            house.clock,
            self._halted,
            group=self._group,
        )
        await self._preview.start(taken_over=self.turn.starts > 1)

    async def _close_preview(self) -> None:
        if self._preview is not None:
            await self._preview.close()

    def _now(self) -> float:
        return self.house.clock.now()
