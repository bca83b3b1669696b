"""One turn with a model: ask, run the tools it calls, ask again, until there is an answer or a reason.

Every row is stored through the port as it happens; the last one is handed back, so that it can be stored together
with the reply. Who is told what, and how a reply reaches a chat, is the engine's matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Protocol, assert_never

from gateway.agent.assisted import Assistant
from gateway.agent.conversation import reply_text
from gateway.agent.limits import TurnLimits
from gateway.models.client import (
    ModelClient,
    ReadingProgress,
    Reply,
    Request,
    TextDelta,
    ToolSchema,
    Waiting,
)
from gateway.state.records import Row
from gateway.tools.tool import ToolContext
from gateway.tools.toolset import Toolset
from gateway.transcript import Message, ToolCall

LAST_CALL = "[Innkeeper] The limit of steps for this message is reached. Answer the person now, without a tool."


class Desk(Protocol):
    """What the loop needs of the turn that it runs for."""

    async def save(self, rows: Sequence[Row]) -> None:
        """Store rows now. Raises StaleEpoch when the session was taken over."""

    async def history(self) -> tuple[Message, ...]:
        """The conversation as it is stored now, the system prompt first. Raises BudgetSpent when no further call may
        be made today."""

    async def steering(self) -> None:
        """Take in what the person said meanwhile, as rows of this turn."""

    def speaker(self) -> str:
        """Who speaks in this turn, as `platform:id`; empty once several do."""

    def show(self, text: str) -> None:
        """The visible text of this turn so far; called often."""

    async def progress(self, text: str) -> None:
        """A passing line while nothing can be shown."""

    async def spent(self, reply: Reply) -> None:
        """Book what a call cost."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What one turn may use. `assistant` stands in for tool calls where the model cannot make any; `effort` is how
    long the model may think, None for as long as its host has it."""

    client: ModelClient
    tools: tuple[ToolSchema, ...]
    toolset: Toolset
    context: ToolContext
    limits: TurnLimits = field(default_factory=TurnLimits)
    assistant: Assistant | None = None
    effort: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """How the turn ended. `last` is the row still to be stored; `notices` are the gateway's lines for the person.

    Without an answer (`failed`) there is a notice that gives the reason; `text` is then what was said before.
    """

    text: str
    last: Row
    notices: tuple[str, ...] = ()
    failed: bool = False


class Loop:
    """The state of one turn: what was said, what it cost, what the person must know."""

    def __init__(self, desk: Desk, offer: Offer, said: Sequence[Row] = ()) -> None:
        self._desk = desk
        self._offer = offer
        self._said = list(said)
        self._notices: list[str] = []
        self._partial = ""

    @property
    def so_far(self) -> str:
        """What the person could see when the turn was cut short: for the row that keeps it."""
        return self._partial

    async def run(self) -> Answer:
        """Alternate model and tools. Raises ModelError, StaleEpoch, BudgetSpent."""
        limits, misfires = self._offer.limits, 0
        if self._offer.assistant is not None and all(row.role == "user" for row in self._said):
            await self._assist(self._offer.assistant)
        for step in range(limits.iterations + 1):
            last_call = step == limits.iterations
            reply = await self._ask(LAST_CALL if last_call else None)
            if reply.tool_calls and not last_call:
                await self._run_tools(reply)
            elif reply.misfires and misfires < limits.misfires and not last_call:
                misfires += 1
                await self._hand_back(reply)
            else:
                return self._answer(reply)
            await self._desk.steering()
        raise AssertionError("the last step always answers")

    async def _ask(self, nudge: str | None) -> Reply:
        history = await self._desk.history()
        if nudge:
            history = (*history, Message("user", nudge))
        request = Request(
            history,
            self._offer.tools,
            session=self._offer.context.session_id,
            reasoning_effort=self._offer.effort,
            continues=self._offer.assistant is None and any(row.tool_calls for row in self._said),
        )
        before = reply_text(self._said)
        self._partial = ""
        reply: Reply | None = None
        async with aclosing(self._offer.client.stream(request)) as deltas:
            async for delta in deltas:
                match delta:
                    case TextDelta(text):
                        self._partial += text
                        self._desk.show(f"{before}\n\n{self._partial}" if before else self._partial)
                    case ReadingProgress(done, total):
                        if done < total:  # else it is read already, and no news
                            await self._desk.progress(f"reading {done:,} of {total:,} tokens")
                    case Waiting(reason):
                        await self._desk.progress(reason)
                    case Reply():
                        reply = delta
                    case _:
                        assert_never(delta)
        assert reply is not None, "a stream ends with a reply"
        await self._desk.spent(reply)
        return reply

    async def _run_tools(self, reply: Reply) -> None:
        await self._keep([Row("assistant", reply.text, tool_calls=reply.tool_calls, model=_by(reply))])
        for call in reply.tool_calls:
            await self._run_tool(call)

    async def _run_tool(self, call: ToolCall) -> None:
        await self._desk.progress(f"using {call.name}")
        read = next((row.untrusted for row in self._said if row.untrusted), "")
        context = replace(self._offer.context, untrusted=read, speaker=self._desk.speaker())
        result = await self._offer.toolset.run(call, context)
        await self._keep(
            [Row("tool", result.text, tool_call_id=call.id, untrusted=result.untrusted, files=result.files)]
        )

    async def _hand_back(self, reply: Reply) -> None:
        """Something looked like a call and was none: say what a right one looks like. No bad call is stored."""
        rows = [Row("assistant", reply.text, model=_by(reply))] if reply.text.strip() else []
        rows.append(Row("user", "", note="[Innkeeper] No tool was run. " + " ".join(reply.misfires)))
        await self._keep(rows)

    async def _assist(self, assistant: Assistant) -> None:
        """Ask once, by schema, whether a tool is wanted; run it before the answer is written."""
        said = "\n".join(row.content for row in self._said if row.content)
        call = await assistant.wanted(
            self._offer.client, await self._desk.history(), self._desk.spent, said, self._offer.context.session_id
        )
        if call is not None:
            await self._keep([Row("assistant", "", tool_calls=(call,), model=self._offer.client.model)])
            await self._run_tool(call)

    async def _keep(self, rows: list[Row]) -> None:
        self._partial = ""  # first: whoever cuts the turn short while the rows are stored finds the text in them
        self._said.extend(rows)
        await self._desk.save(rows)

    def _answer(self, reply: Reply) -> Answer:
        match reply.finish:
            case "repetition":
                self._notices.append("The model began to repeat itself; the answer was ended there.")
            case "length":
                self._notices.append("The answer was cut at the model's length limit.")
            case _:
                pass
        last = Row("assistant", reply.text.strip(), model=_by(reply))
        if failed := not last.content:
            self._notices.append(f"{_why_nothing(reply)}. /retry asks again.")
            last = replace(last, content="(no answer)")
        text = reply_text(self._said if failed else [*self._said, last])
        return Answer(text, last, tuple(self._notices), failed)


def _why_nothing(reply: Reply) -> str:
    if reply.tool_calls:
        return "The limit of steps for this message was reached without an answer"
    return "The model called for a tool that it may not use" if reply.misfires else "The model gave no answer"


def _by(reply: Reply) -> str:
    return f"{reply.host}/{reply.model}"
