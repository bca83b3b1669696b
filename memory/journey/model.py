"""What was learnt, as points in time and what joins them. Made by `timeline`; drawn by whoever shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["memory", "user", "skill"]
State = Literal["kept", "changed", "stale", "archived", "removed"]
Why = Literal["related", "named", "session"]


@dataclass(frozen=True, slots=True)
class Node:
    """One thing that was learnt.

    `id` is stable and short: of an entry the id of the journal's change that brought it, of a skill `skill:NAME`.
    `at` is when it was learnt, `changed` when it last changed, in seconds since the epoch. `title` is one line,
    `text` the whole entry or the skill's description. `origin` is who wanted it (foreground, review, cron, command,
    operator), `session` and `message` where that was; empty where nobody knows. `store` is the file of an entry,
    relative to the memory folder; empty for a skill. `uses` counts views and uses of a skill. `dated` is False for a
    hand-written entry, of which the journal knows no date: it stands at the moment when it was first seen.
    """

    id: str
    kind: Kind
    title: str
    text: str
    at: float
    changed: float
    state: State = "kept"
    origin: str = ""
    session: str = ""
    message: str = ""
    store: str = ""
    uses: int = 0
    pinned: bool = False
    dated: bool = True


@dataclass(frozen=True, slots=True)
class Edge:
    """Two nodes by their ids, the earlier one first, and why they belong together: skills that name each other
    (`related`), an entry that names a skill (`named`), or both from one session (`session`)."""

    first: str
    second: str
    why: Why


@dataclass(frozen=True, slots=True)
class Timeline:
    """Nodes from the oldest to the newest, and the edges between them."""

    nodes: Sequence[Node]
    edges: Sequence[Edge]
