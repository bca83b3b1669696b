"""Timelines that are made up: one that reads like a small inn's, and ones of any size."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

from memory.journey.model import Edge, Kind, Node, State, Timeline

DAY = 86_400.0
NOW = datetime(2026, 11, 30, 15, tzinfo=UTC).timestamp()


def at(year: int, month: int, day: int, hour: int = 12) -> float:
    return datetime(year, month, day, hour, tzinfo=UTC).timestamp()


def node(name: str, kind: Kind, title: str, when: float, **more: object) -> Node:
    return Node(name, kind, title, title, when, when, **more)  # type: ignore[arg-type]


def inn() -> Timeline:
    """Eight things over two months: wide letters, every state, two conversations, a skill that an entry names."""
    return Timeline(
        (
            node("0a1b2c3d", "user", "Prefers short answers", at(2026, 10, 3, 9), session="s1"),
            node("1a1b2c3d", "memory", "The key of the cellar hangs behind the door of the old wing, by the fuses",
                 at(2026, 10, 3, 10), session="s1", state="changed"),
            node("2a1b2c3d", "user", "誕生日は三月三日です。毎年お祝いをするので忘れないでください、お願いします",
                 at(2026, 10, 17), session="s2"),
            node("skill:deploy-checks", "skill", "deploy-checks", at(2026, 11, 2, 8), session="s3", pinned=True),
            node("3a1b2c3d", "memory", "Run deploy-checks first", at(2026, 11, 2, 9), session="s3"),
            node("4a1b2c3d", "memory", "👩‍👩‍👧‍👦 stay until Sunday", at(2026, 11, 2, 10), state="removed"),
            node("skill:old-ways", "skill", "old-ways", at(2026, 11, 20), state="archived"),
            node("hand:5a1b2c", "memory", "Written by hand", at(2026, 11, 28), state="stale", dated=False),
        ),
        (
            Edge("0a1b2c3d", "1a1b2c3d", "session"),
            Edge("skill:deploy-checks", "3a1b2c3d", "named"),
            Edge("skill:deploy-checks", "3a1b2c3d", "session"),
            Edge("skill:deploy-checks", "skill:old-ways", "related"),
        ),
    )  # fmt: skip


def many(count: int, days: float = 500, seed: int = 1) -> Timeline:
    """So many things over so many days, with edges of every sort."""
    chance = Random(seed)
    moments = sorted(NOW - days * DAY * (1 - chance.random() ** 0.7) for _ in range(count))
    nodes = []
    for number, when in enumerate(moments):
        kind: Kind = chance.choices(("memory", "user", "skill"), (5, 3, 2))[0]
        state: State = chance.choices(("kept", "changed", "stale", "archived", "removed"), (14, 3, 1, 1, 1))[0]
        name = f"skill:s{number}" if kind == "skill" else f"{number:08x}"
        nodes.append(node(name, kind, f"Thing {number}", when, state=state, session=f"s{number // 3}"))
    edges = [Edge(nodes[each].id, nodes[each + 1].id, "session") for each in range(count - 1) if each % 3 != 2]
    skills = [each.id for each in nodes if each.kind == "skill"]
    edges += [Edge(first, second, "related") for first, second in zip(skills, skills[2:], strict=False)]
    return Timeline(tuple(nodes), tuple(edges))
