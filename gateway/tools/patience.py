"""The patience with calls that fail: in one turn the same failing call is not run twice, and after a few none is run.

It also sees a write to its end. What a call means, and whether it failed, is the tool's knowledge.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from gateway.tools.tool import ToolResult

FAILURES = 3
"""Failed calls in one turn after which the tool runs no more."""

_TURNS = 256
"""Turns whose failures are remembered at a time: far more than run at once."""

T = TypeVar("T")


@dataclass
class _Failures:
    """The failed calls of one turn. `same` are calls that failed since something last changed in it."""

    count: int = 0
    same: set[str] = field(default_factory=set)


class Patience:
    """`enough` tells the model what to do instead of calling again."""

    def __init__(self, enough: str) -> None:
        self._enough = enough
        self._turns: OrderedDict[int, _Failures] = OrderedDict()

    def refusal(self, turn: int, arguments: Mapping[str, Any]) -> ToolResult | None:
        """Why this call is not run; None when it may be."""
        failures = self._of(turn)
        if failures.count >= FAILURES:
            return ToolResult.error(f"Not run: {FAILURES} calls failed already. {self._enough}")
        if _words(arguments) in failures.same:
            return self.failed(turn, arguments, {"error": "Not run: the same call failed already in this turn."})
        return None

    def failed(self, turn: int, arguments: Mapping[str, Any], answer: dict[str, Any]) -> ToolResult:
        """The answer to a call that failed, with `error` in it."""
        failures = self._of(turn)
        failures.count += 1
        failures.same.add(_words(arguments))
        if failures.count >= FAILURES:
            answer["error"] = f"{answer['error']} This was failed call {failures.count}. {self._enough}"
        return ToolResult(dumped({"success": False, **answer}), ok=False)

    def succeeded(self, turn: int) -> None:
        """Something changed: what failed before may not fail now."""
        self._of(turn).same.clear()

    def _of(self, turn: int) -> _Failures:
        failures = self._turns.setdefault(turn, _Failures())
        self._turns.move_to_end(turn)
        if len(self._turns) > _TURNS:
            self._turns.popitem(last=False)
        return failures


async def whole(write: Callable[[], T]) -> T:
    """What a write gives, off the loop. A turn that is cancelled meanwhile ends after the write: whoever starts anew
    finds things as they were before it or as they are behind it."""
    writing = asyncio.ensure_future(asyncio.to_thread(write))
    try:
        return await asyncio.shield(writing)
    except asyncio.CancelledError:
        await asyncio.wait([writing])
        raise


def dumped(value: Any) -> str:
    """JSON as models read it."""
    return json.dumps(value, ensure_ascii=False)


def _words(arguments: Mapping[str, Any]) -> str:
    return json.dumps(arguments, sort_keys=True, default=str)
