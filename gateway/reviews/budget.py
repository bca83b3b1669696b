"""What one review may read: tokens over all its calls, and what the next call is expected to read. Pure.

How many tokens a text has is guessed in `gateway.models.tokens`; here the guess is put right by what hosts counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gateway.models.client import Message, ToolSchema
from gateway.models.tokens import estimate

SHARE = 0.75
"""Of the model's window, where nothing else is configured."""

MOST = 600_000
UNKNOWN = 120_000
"""Tokens where nobody knows the window."""

FULL = 0.9
"""Of the window, for what is read."""

MARGIN = 1.35
"""What is added to a guess, which is within about a third of the truth."""

ANSWER = 0.25
"""Of the window, for one answer of a model on this machine."""

Counted = tuple[int, int]
"""So many messages at the beginning of a request have so many tokens, the tools included, as the host counted them;
zeros when nobody knows."""


def input_budget(configured: int | None, window: int | None) -> int | None:
    """Tokens that all calls of a review may read together; None for any number. Unset: three quarters of the model's
    window, at most 600,000, and 120,000 when nobody knows the window; 0 and below: any number."""
    if configured is not None:
        return configured if configured > 0 else None
    if window is None or window <= 0:
        return UNKNOWN
    return min(int(window * SHARE), MOST)


def room(budget: int | None, window: int | None) -> int | None:
    """Tokens that a single call may read, None for any number: the budget, and what the window leaves for the
    answer."""
    bounds = [budget] if budget is not None else []
    bounds += [int(window * FULL)] if window else []
    return min(bounds, default=None)


def answer_bound(window: int | None, *, local: bool) -> int | None:
    """Tokens that one answer may have, None for what the model's host allows. On this machine nothing else ends a
    small model that talks and talks, and that may take minutes; hosts elsewhere have bounds of their own, and some
    refuse a higher one."""
    return int(window * ANSWER) if local and window else None


def expected(messages: Sequence[Message], tools: Sequence[ToolSchema], counted: Counted = (0, 0)) -> int:
    """Tokens that a request will read, rather too many than too few. What was counted is taken as it is; where the
    host counts more than the guess, it will do so for the rest as well."""
    known, tokens = counted
    if known <= 0 or tokens <= 0 or known > len(messages):
        return math.ceil(MARGIN * estimate(messages, tools))
    guessed = max(1, estimate(messages[:known], tools))
    return tokens + math.ceil(MARGIN * max(1.0, tokens / guessed) * estimate(messages[known:]))
