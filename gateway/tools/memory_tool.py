"""The `memory` tool: a model's door to the two stores, its answers, and the patience with calls that fail.

What may be written belongs to `memory.store`; what models are told beforehand, to `gateway.tools.memory_guidance`.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from gateway.tools.memory_call import Call, read_call
from gateway.tools.memory_guidance import NAME, schema
from gateway.tools.tool import Tool, ToolContext, ToolResult
from memory.model import Applied, Author, Change, Origin, Outcome, Reason, Refused, Staged, Target, Unchanged
from memory.store import Stores

FAILURES = 3
"""Failed calls in one turn after which the tool runs no more."""

_TURNS = 256
"""Turns whose failures are remembered at a time: far more than run at once."""

_ANSWER_NOW = "Do not call memory again in this turn: answer the person now, and say plainly what was not saved."

Noticed = Callable[[Outcome, ToolContext], object]
"""Told each outcome of a call that reached the stores: for receipts and notices."""


def memory_tool(
    stores: Stores,
    *,
    origin: Origin = Origin.FOREGROUND,
    noticed: Noticed = lambda outcome, context: None,
) -> Tool | None:
    """The tool for the stores that are on now; None when none is. A store that is switched off later is refused at
    each call."""
    targets = stores.enabled
    if not targets:
        return None
    return Tool(schema(targets), _Door(stores, targets, origin, noticed).run, toolset=NAME)


@dataclass
class _Failures:
    """The failed calls of one turn. `same` are calls that failed since memory last changed in it."""

    count: int = 0
    same: set[str] = field(default_factory=set)


class _Door:
    def __init__(self, stores: Stores, targets: Sequence[Target], origin: Origin, noticed: Noticed) -> None:
        self._stores = stores
        self._targets = targets
        self._origin = origin
        self._noticed = noticed
        self._turns: OrderedDict[int, _Failures] = OrderedDict()

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        failures = self._failures(context.turn_id)
        if failures.count >= FAILURES:
            return ToolResult.error(f"Not run: {FAILURES} calls failed already. {_ANSWER_NOW}")
        words = json.dumps(arguments, sort_keys=True, default=str)
        if words in failures.same:
            return self._failed(failures, words, {"error": "Not run: the same call failed already in this turn."})
        call = read_call(arguments, self._targets)
        if isinstance(call, str):
            return self._failed(failures, words, {"error": call})
        outcome = await self._written(call, context)
        if isinstance(outcome, Refused):
            return self._failed(failures, words, _refusal(outcome))
        failures.same.clear()
        return ToolResult(_dumped(_success(outcome)))

    async def _written(self, call: Call, context: ToolContext) -> Outcome:
        """The outcome, off the loop. A turn that is cancelled meanwhile ends after the write: whoever starts anew
        finds memory before it or behind it, and it is noticed all the same."""
        writing = asyncio.ensure_future(asyncio.to_thread(self._write, call, context))
        try:
            outcome = await asyncio.shield(writing)
        except asyncio.CancelledError:
            await asyncio.wait([writing])
            self._noticed(writing.result(), context)
            raise
        self._noticed(outcome, context)
        return outcome

    def _write(self, call: Call, context: ToolContext) -> Outcome:
        author = Author(self._origin, context.session_id, f"turn:{context.turn_id}")
        return self._stores.apply(call.target, call.operations, author)

    def _failures(self, turn: int) -> _Failures:
        failures = self._turns.setdefault(turn, _Failures())
        self._turns.move_to_end(turn)
        if len(self._turns) > _TURNS:
            self._turns.popitem(last=False)
        return failures

    @staticmethod
    def _failed(failures: _Failures, words: str, answer: dict[str, Any]) -> ToolResult:
        failures.count += 1
        failures.same.add(words)
        if failures.count >= FAILURES:
            answer["error"] = f"{answer['error']} This was failed call {failures.count}. {_ANSWER_NOW}"
        return ToolResult(_dumped({"success": False, **answer}), ok=False)


def _refusal(refused: Refused) -> dict[str, Any]:
    answer: dict[str, Any] = {"error": refused.message}
    match refused.reason:
        case Reason.OVER_LIMIT:
            answer["current_entries"] = list(refused.entries)
        case Reason.NO_MATCH:
            answer["closest_entries"] = list(refused.entries)
        case Reason.AMBIGUOUS:
            answer["matches"] = list(refused.entries)
        case _:
            pass
    if refused.usage is not None:
        answer["usage"] = refused.usage.fraction
    return answer


def _success(outcome: Applied | Unchanged | Staged) -> dict[str, Any]:
    """Terminal: what was done and how full the store is, never what else is in it."""
    match outcome:
        case Staged(target, pending, message):
            return {
                "success": True,
                "staged": True,
                "target": target.value,
                "pending_id": pending,
                "message": message,
            }
        case Unchanged():
            return _done(outcome, " ".join(outcome.notes) or "Nothing had to be changed.")
        case Applied():
            removed = [change.before for change in outcome.changes if change.after is None]
            rewritten = [
                {"before": change.before, "after": change.after}
                for change in outcome.changes
                if change.before is not None and change.after is not None
            ]
            answer = _done(outcome, " ".join((_said(outcome.changes), *outcome.notes)))
            return (
                answer | ({"removed": removed} if removed else {}) | ({"rewritten": rewritten} if rewritten else {})
            )
        case _:
            assert_never(outcome)


def _done(outcome: Applied | Unchanged, message: str) -> dict[str, Any]:
    return {
        "success": True,
        "done": True,
        "target": outcome.target.value,
        "usage": outcome.usage.fraction,
        "entry_count": outcome.entry_count,
        "message": message,
    }


def _said(changes: Sequence[Change]) -> str:
    counts = {
        "added": sum(change.before is None for change in changes),
        "changed": sum(change.before is not None and change.after is not None for change in changes),
        "removed": sum(change.after is None for change in changes),
    }
    words = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    loose = [change.folded for change in changes if change.folded is not None]
    tail = f" old_text did not match to the letter; what was replaced reads: {_dumped(loose)[1:-1]}." if loose else ""
    return f"Saved: {words}. Nothing more needs to be done.{tail}"


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
