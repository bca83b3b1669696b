"""The course of one review: what was said so far, kept at the desk after each step, and the tools that it runs.

A review that was cut off goes on from what was kept: no answer is asked for again, and no tool that does something
runs twice.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from gateway.agent.conversation import INTERRUPTED
from gateway.agent.fingerprint import fingerprint
from gateway.models.client import ModelClient, Reply, Request
from gateway.models.host_state import REVIEW
from gateway.reviews.budget import expected
from gateway.reviews.material import Material
from gateway.reviews.permitted import ReviewTools, writes
from gateway.reviews.progress import Ended, Progress, dumped, loaded
from gateway.state.review_records import QueuedReview, ReviewKind, ReviewOutcome
from gateway.tools.memory_tool import SAVED
from gateway.tools.tool import ToolContext, ToolResult
from gateway.transcript import Message, ToolCall, Usage
from gateway.unbroken import to_its_end

CALLS = 16
"""Model calls of one review, at most."""

SAID_CHARS = 500


class Desk(Protocol):
    """What a review needs of whoever runs it."""

    async def check(self) -> None:
        """Before each call. Raises BudgetSpent when no further call may be made today."""

    async def spent(self, reply: Reply) -> None:
        """Book what a call cost; comes before `keep` of the same call."""

    async def keep(self, progress: str, spent: Usage) -> None:
        """Store how far the review is, and what its calls cost since the last time. Raises StaleEpoch when the
        review went to somebody else."""


@dataclass(frozen=True, slots=True)
class Given:
    """What one review works with.

    `context` says where its writes belong: chat, session, speaker, direct; the rest is set here. `instruction` is the
    closing instruction (see `prompts`), `budget` what all calls together may read, in tokens, None for any number.
    `effort`: how long the model may think, None for as long as its host has it. `answer`: tokens that one answer may
    have, None for what the host allows.
    """

    review: QueuedReview
    material: Material
    client: ModelClient
    tools: ReviewTools
    context: ToolContext
    instruction: str
    budget: int | None = None
    effort: str | None = None
    answer: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of a review. `outcome` goes by what tools answered; a write whose answer was lost is in the journal
    alone. `reason` says why it ended as it did, empty when the model was simply done. `calls` and `spent` are those
    of the whole review, earlier stretches included; all of it went to `Desk.keep`, so nothing of it is left for
    `ReviewQueue.done`. `said` are the model's last words, shortened."""

    outcome: ReviewOutcome
    reason: str
    calls: int
    spent: Usage
    said: str = field(default="", repr=False)


def outcome_of(wrote: frozenset[ReviewKind], *, bad: bool = False) -> ReviewOutcome:
    """What a review came to, by the kinds of what it wrote."""
    if "memory" in wrote:
        return "memory+skill" if "skill" in wrote else "memory"
    if "skill" in wrote:
        return "skill"
    return "error" if bad else "none"


class Course:
    """From the review's kept progress on, or from `opening`, the message that asks."""

    def __init__(self, desk: Desk, given: Given, opening: str) -> None:
        self._desk = desk
        self._given = given
        material = given.material
        self.at = loaded(given.review.progress) or Progress((Message("user", opening),))
        head = fingerprint(material.messages, material.tools)
        if self.at.head != head:  # another beginning, or the first time
            joined = material.messages[-1].role == "user" and material.counted[0] == len(material.messages)
            self.at = replace(self.at, head=head, counted=(0, 0) if joined else material.counted)
        self._context = replace(
            given.context, turn_id=-given.review.id, message=f"review:{given.review.id}", untrusted=material.untrusted
        )

    @property
    def messages(self) -> tuple[Message, ...]:
        """The next request's."""
        opening, *rest = self.at.talk
        *before, last = self._given.material.messages
        if last.role == "user":  # two messages of one speaker in a row are more than some models accept
            return (*before, replace(last, content=f"{last.content}\n\n{opening.content}"), *rest)
        return (*before, last, opening, *rest)

    def hindered(self) -> str:
        """Why no further call may be made; empty when one may."""
        if self.at.calls >= CALLS:
            return f"it made {CALLS} calls"
        budget = self._given.budget
        if budget is None:
            return ""
        next_call = expected(self.messages, self._given.material.tools, self.at.counted)
        if self.at.spent.input + next_call <= budget:
            return ""
        return f"the next call would have gone beyond its budget of {budget:,} input tokens"

    async def ask(self, **more: Any) -> Reply:
        """One call; `more` are further fields of the request. Raises ModelError, BudgetSpent."""
        await self._desk.check()
        given = self._given
        request = Request(
            self.messages,
            given.material.tools,
            session=given.context.session_id,
            task=REVIEW,
            max_tokens=given.answer,
            reasoning_effort=given.effort,
            continues=any(each.tool_calls for each in self.at.talk),
        )
        reply: Reply | None = None
        async with aclosing(given.client.stream(replace(request, **more))) as deltas:
            async for delta in deltas:
                if isinstance(delta, Reply):
                    reply = delta
        assert reply is not None, "a stream ends with a reply"
        return reply

    async def took(
        self, reply: Reply, said: Sequence[Message] = (), *, misfired: bool = False, ended: Ended | None = None
    ) -> None:
        """A call is finished: book it, and keep what it came to before anything follows from it."""
        at = self.at
        self.at = replace(
            at,
            talk=(*at.talk, *said),
            calls=at.calls + 1,
            misfires=at.misfires + misfired,
            begun="",
            spent=at.spent.plus(reply.usage),
            counted=(len(self.messages), reply.usage.input) if reply.usage.input else at.counted,
            ended=ended,
        )

        async def note() -> None:
            await self._desk.spent(reply)
            await self._keep(reply.usage)

        await to_its_end(note())

    async def run_open_calls(self, *, again: bool = False) -> None:
        """Run what was called for. A call in which an earlier stretch was cut off is run `again` only where that does
        no harm."""
        for call in self.at.open_calls:
            if call.id == self.at.begun and not again:
                await self._answer(call, ToolResult(INTERRUPTED, ok=False))
            elif writes(call.name):  # quick, and half done it would be told wrongly
                await to_its_end(self._run(call))
            else:
                await self._run(call)

    async def end(self, ended: Ended) -> Finding:
        """The end, for whatever reason; no call led to it."""
        self.at = replace(self.at, ended=ended)
        return self.finding()

    def finding(self) -> Finding:
        at, ended = self.at, self.at.ended or Ended()
        outcome = outcome_of(at.wrote, bad=ended.bad)
        return Finding(outcome, ended.reason, at.calls, at.spent, ended.said[:SAID_CHARS])

    async def _run(self, call: ToolCall) -> None:
        if not self._given.tools.reads(call.name):
            self.at = replace(self.at, begun=call.id)
            await self._keep(Usage())
        untrusted = self._context.untrusted or self.at.untrusted
        result = await self._given.tools.run(call, replace(self._context, untrusted=untrusted))
        await self._answer(call, result)

    async def _answer(self, call: ToolCall, result: ToolResult) -> None:
        at = self.at
        kind = writes(call.name)
        wrote = at.wrote | {kind} if kind is not None and result.ok and _changed(result.text) else at.wrote
        answer = Message("tool", result.text, tool_call_id=call.id)
        read = at.untrusted or result.untrusted
        self.at = replace(at, talk=(*at.talk, answer), wrote=wrote, untrusted=read, begun="")
        await to_its_end(self._keep(Usage()))

    async def _keep(self, spent: Usage) -> None:
        await self._desk.keep(dumped(self.at), spent)


def _changed(answer: str) -> bool:
    """Whether a tool's success says that something was written, or waits; not that it stood there before."""
    try:
        told = json.loads(answer)
    except ValueError:
        return False
    if not isinstance(told, dict):
        return False
    return bool(told.get("staged") or "change" in told or str(told.get("message", "")).startswith(SAVED))
