"""The `memory` tool: a model's door to the two stores, its answers, and the patience with calls that fail.

What may be written belongs to `memory.store`; what models are told beforehand, to `gateway.tools.memory_guidance`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from gateway.tools.memory_call import Call, read_call
from gateway.tools.memory_guidance import NAME, schema
from gateway.tools.patience import Patience, dumped, whole
from gateway.tools.tool import Tool, ToolContext, ToolResult
from memory.model import Action, Applied, Author, Change, Origin, Outcome, Reason, Refused, Staged, Target, Unchanged
from memory.store import Stores

_ANSWER_NOW = "Do not call memory again in this turn: answer the person now, and say plainly what was not saved."

NOTHING_HERE = "Memory is off in this chat: nothing was written."
ONLY_ADD = (
    "Others read along in this chat: {target} is the speaker's own file, its entries are not shown here, and it only "
    "takes add. The person can change it in a direct chat."
)
FULL = "There is no room for this in {target}, the speaker's own file. The person can make room in a direct chat."

Ask = Callable[[Staged, ToolContext], Awaitable[Outcome]]
"""Asks somebody who sits there about a write that waits; what became of it."""

SAVED = "Saved: "
"""How the message about a change begins; one about nothing that had to be changed does not."""

SECONDS = 300.0
"""How long one call may take: a person may be asked."""


async def nobody(staged: Staged, context: ToolContext) -> Outcome:
    """Nobody to ask: it waits."""
    return staged


@dataclass(frozen=True, slots=True)
class Reach:
    """What one call may write to. Others may not see what is in the `censored` stores: they only take new entries,
    and no answer shows any."""

    stores: Stores
    targets: Sequence[Target]
    censored: frozenset[Target] = frozenset()


def memory_tool(
    stores: Stores,
    *,
    origin: Origin = Origin.FOREGROUND,
    ask: Ask = nobody,
    reach: Callable[[ToolContext], Reach] | None = None,
) -> Tool | None:
    """The tool for the stores that are on now; None when none is. A store that is switched off later is refused at
    each call. `reach` chooses, by where a call comes from, what it writes to; None: always to `stores`."""
    targets = stores.enabled
    if not targets:
        return None
    door = _Door(reach or (lambda context: Reach(stores, targets)), origin, ask)
    return Tool(schema(targets), door.run, toolset=NAME, seconds=SECONDS, spills=False)


class _Door:
    def __init__(self, reach: Callable[[ToolContext], Reach], origin: Origin, ask: Ask) -> None:
        self._reach = reach
        self._origin = origin
        self._ask = ask
        self._patience = Patience(_ANSWER_NOW)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        turn = context.turn_id
        if (refusal := self._patience.refusal(turn, arguments)) is not None:
            return refusal
        reach = self._reach(context)
        call = read_call(arguments, reach.targets) if reach.targets else NOTHING_HERE
        if isinstance(call, str):
            return self._patience.failed(turn, arguments, {"error": call})
        censored = call.target in reach.censored
        if censored and any(each.action is not Action.ADD for each in call.operations):
            return self._patience.failed(turn, arguments, {"error": ONLY_ADD.format(target=call.target.value)})
        outcome = await whole(lambda: self._write(call, reach.stores, context))
        if isinstance(outcome, Staged) and context.origin is None:
            outcome = await self._ask(outcome, context)
        if isinstance(outcome, Refused):
            answer = _censored(outcome) if censored else _refusal(outcome)
            return self._patience.failed(turn, arguments, answer)
        self._patience.succeeded(turn)
        return ToolResult(dumped(_success(outcome)))

    def _write(self, call: Call, stores: Stores, context: ToolContext) -> Outcome:
        flags = (f"untrusted:{context.untrusted}",) if context.untrusted else ()
        author = Author(
            context.origin or self._origin,
            context.session_id,
            context.booked,
            chat=context.chat.key,
            flags=flags,
            speaker=context.speaker,
        )
        return stores.apply(call.target, call.operations, author)


def _censored(refused: Refused) -> dict[str, Any]:
    """A refusal that shows no entry, nor asks for what only somebody who sees them could do."""
    if refused.reason is Reason.OVER_LIMIT:
        return {"error": FULL.format(target=refused.target.value if refused.target is not None else "")}
    return {"error": refused.message}


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
                "message": f"{message} Say so, and do not try again.",
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
    tail = f" old_text did not match to the letter; what was replaced reads: {dumped(loose)[1:-1]}." if loose else ""
    return f"{SAVED}{words}. Nothing more needs to be done.{tail}"
