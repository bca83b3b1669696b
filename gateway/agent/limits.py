"""What one turn may spend: model calls, and tokens of the day. The stop is said in words, never silent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gateway.errors import InnkeeperError


class BudgetSpent(InnkeeperError):
    """No further call may be made today; the text says which budget is used up."""


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """`iterations` bounds model calls in one turn; `misfires` how often a malformed call is handed back."""

    iterations: int = 30
    misfires: int = 3


def over_budget(budgets: Mapping[str, int], spent_today: Mapping[str, int], task: str) -> str | None:
    """Why no further call of this task may be made today, or None. `budgets` are tokens a day by task or `total`."""
    bound = budgets.get(task)
    if bound is not None and spent_today.get(task, 0) >= bound:
        return f"today's budget for {task} is used up ({spent_today.get(task, 0):,} of {bound:,} tokens)"
    total = budgets.get("total")
    if total is not None and (used := sum(spent_today.values())) >= total:
        return f"today's budget is used up ({used:,} of {total:,} tokens)"
    return None
