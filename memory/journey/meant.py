"""Which node a person means, and what became of a wish to change one (pure).

Light on purpose: the words of commands are made from these, at every start of the shell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory.journey.model import Node, Timeline

if TYPE_CHECKING:
    from memory.model import Outcome
    from memory.skills.model import SkillOutcome

SKILL = "skill:"
"""How the id of a skill begins."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What became of a wish to change a node, as it was before. `node` is None where a change was named that belongs
    to no node that can be seen. `store` is the file of an entry, empty for a skill."""

    node: Node | None
    outcome: Outcome | SkillOutcome
    store: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """What this very order changed before its process died: `id` names the change, `gist` says it."""

    id: str
    gist: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """There is nothing of that id that could be changed; `message` says what to do."""

    message: str


def find(timeline: Timeline, wish: str) -> list[Node]:
    """The nodes that a person may mean: the one of that id, or the skill of that name; else those whose id begins
    so."""
    wish = wish.strip()
    exact = [each for each in timeline.nodes if each.id == wish] or [
        each for each in timeline.nodes if each.id == f"{SKILL}{wish}"
    ]
    return exact or [each for each in timeline.nodes if wish and each.id.startswith(wish)]


def node_of(timeline: Timeline, name: str) -> Node | Unknown:
    """The node that a person means. `timeline` is one with all that is gone."""
    found = find(timeline, name)
    if len(found) == 1:
        return found[0]
    if not found:
        return Unknown(f"Nothing that was learnt has the id {name!r}; /journey list shows the ids.")
    return Unknown(f"{name} stands for {len(found)} things: {', '.join(each.id for each in found[:5])}.")
