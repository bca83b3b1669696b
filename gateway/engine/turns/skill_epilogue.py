"""What a turn did to skills, from their journal and from what waits: a turn that a crash cut in two finds the same.

How it is said belongs to `gateway.agent.skill_receipts`.
"""

from __future__ import annotations

from collections.abc import Sequence

from gateway.agent.conversation import tool_answers
from gateway.agent.skill_receipts import SkillsHappened
from gateway.engine.gates.skill_gatekeeper import GatedSkills
from gateway.state.records import Row, Turn
from gateway.tools.skill_guidance import MANAGE


def skills_called(rows: Sequence[Row]) -> bool:
    """Whether the turn wanted to change skills."""
    return any(call.name == MANAGE for row in rows for call in row.tool_calls)


def skills_happened(skills: GatedSkills, turn: Turn, rows: Sequence[Row]) -> SkillsHappened:
    """Synchronous; raises FileTrouble."""
    message = f"turn:{turn.id}"
    refused, staged = _answers(rows)
    deeds = skills.store.since(turn.began_at)
    undone = {each.undoes for each in deeds}
    applied = [each for each in reversed(deeds) if each.author.message == message and each.id not in undone]
    waiting = [
        each
        for each in skills.pendings.waiting()
        if each.author.message == message or each.id in staged  # an equal wish may have waited before
    ]
    return SkillsHappened(applied, waiting, refused)


def _answers(rows: Sequence[Row]) -> tuple[list[str], set[str]]:
    """What the tool refused, as the model was told; and the ids of what was put aside."""
    refused: list[str] = []
    staged: set[str] = set()
    for answer in tool_answers(rows, MANAGE):
        if not answer.get("success"):
            refused.append(str(answer.get("error", "")))
        elif answer.get("staged"):
            staged.add(str(answer.get("pending_id", "")))
    return refused, staged
