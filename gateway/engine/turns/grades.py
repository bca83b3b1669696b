"""What a model's trial found, as one fact a model: `innkeeper models test` writes it, turns and `/status` go by it.

Written through the store, it counts in a running gateway from the next turn on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gateway.models.trial import Grade
from gateway.state.protocols import Facts

FALSE_CLAIMS = "false_claims"
"""The fact that counts, for a model, replies that claim a save which did not happen. Its scope is the grade's."""


def grade_fact(name: str) -> tuple[str, str]:
    """Scope and name of the fact that holds the grade of `host/model`, as `Grade.to_dict` gives it."""
    return f"model:{name}", "grade"


def assisted(grade: dict[str, Any] | None, tools: bool) -> bool:
    """Whether a model is helped with tools instead of being offered them. `tools` is what its host says of it; what
    was tried counts more."""
    return not (tools if grade is None else grade.get("tools", tools))


class Grades:
    """The grades that are kept, by `host/model`."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    async def put(self, grade: Grade) -> None:
        """Keep a grade, in place of an earlier one of the same model."""
        await self._facts.put(*grade_fact(grade.name), grade.to_dict())

    async def of(self, names: Sequence[str]) -> dict[str, Grade]:
        """The grades of these models; what was never tried is not in it."""
        found = await self._facts.several([grade_fact(name) for name in names])
        return {name: Grade.from_dict(each) for name, each in zip(names, found, strict=True) if each is not None}
