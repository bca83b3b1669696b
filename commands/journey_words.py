"""How the journey reads: lists, one thing in full, what became of a change. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import Any, assert_never

from commands.pending_words import fenced, literal, moment, quoted
from commands.reply import CommandReply
from commands.skill_pending_words import ROOM
from memory.journey.meant import Changed, Unknown
from memory.journey.model import Node, Timeline
from memory.model import Applied, Refused, Staged, Unchanged
from memory.skills.model import SkillApplied, SkillRefused, SkillStaged, SkillUnchanged
from platforms.messages import Button

LONGEST_ACTION = 64
"""Bytes that a button can carry; names of skills may be longer."""

_FROM = {
    "foreground": "from a conversation",
    "review": "from a review",
    "cron": "from a job",
    "command": "by order",
    "operator": "by an operator",
}
_STATES = {"changed": "changed since", "stale": "not used for long", "archived": "put away", "removed": "removed"}


def line(node: Node, zone: tzinfo, place: str = "-") -> str:
    """A node in a list: `- 2026-11-30 Ada drinks green tea. (USER.md, from a conversation) 1a2b3c4d`."""
    what = [node.store or "skill", *filter(None, (_FROM.get(node.origin, ""), _STATES.get(node.state, "")))]
    what += ["written by hand"] if node.kind != "skill" and not node.origin else []
    what += [f"used {node.uses} times" if node.uses != 1 else "used once"] if node.uses else []
    return f"{place} {_day(node.at, zone)} {literal(node.title)} ({literal(', '.join(what))}) `{node.id}`"


def in_full(node: Node, timeline: Timeline, zone: tzinfo) -> str:
    """One thing, whole, with its dates and what it belongs to."""
    head = line(node, zone)
    changed = f"Last changed {_minute(node.changed, zone)}." if node.changed > node.at else ""
    first = f"{'Learnt' if node.dated else 'First seen'} {_minute(node.at, zone)}."
    titles = {each.id: each for each in timeline.nodes}
    near = [titles[each] for each in _neighbours(node, timeline)]
    belongs = [f"Goes with `{each.id}`: {literal(each.title)}" for each in near[:10]]
    dates = " ".join(filter(None, (first, changed)))
    return "\n".join([head, fenced(node.text), dates, *belongs])


def rows(nodes: Sequence[Node]) -> tuple[tuple[Button, ...], ...]:
    """The buttons of a numbered list: read, edit and delete, a row for each."""
    return tuple(
        tuple(
            Button(f"{number} {word}", f"/journey {action} {node.id}")
            for word, action in (("Read", "show"), ("Edit", "revise"), ("Delete", "delete"))
        )
        for number, node in enumerate(nodes, 1)
        if len(f"/journey revise {node.id}") <= LONGEST_ACTION
    )


def told(done: Changed | Unknown, *, undo: bool = False) -> CommandReply:
    """What became of a wish to change something, in words that quote what was overwritten or removed in full."""
    if isinstance(done, Unknown):
        return CommandReply(f"⚠️ {done.message}", data=_result("", "unknown", done.message), ok=False)
    outcome = done.outcome
    match outcome:
        case Applied(id=name, changes=changes):
            lines = ["↩️ Taken back."] if undo else []
            for each in changes:
                lines.append(_change(done.store, each.before, each.after))
            return _made(name, lines, undo)
        case SkillApplied(id=name, draft=draft, archived=archived):
            verb = "↩️ Taken back" if undo else "📦 Put away" if archived else "✏️ Changed"
            lines = [f"{verb}: {', '.join(literal(each) for each in draft.names)}."]
            return _made(name, lines, undo)
        case Unchanged(notes=notes) | SkillUnchanged(notes=notes):
            return CommandReply(" ".join(notes) or "Nothing had to be changed.", data=_result("", "unchanged"))
        case Staged(message=message, pending_id=name) | SkillStaged(message=message, pending_id=name):
            return CommandReply(message, data=_result(name, "staged"))
        case Refused(message=message) | SkillRefused(message=message):
            return CommandReply(f"⚠️ Not saved. {message}", data=_result("", "refused", message), ok=False)
        case _:
            assert_never(outcome)


def as_data(node: Node) -> dict[str, Any]:
    """A node for programs."""
    return {
        "id": node.id,
        "kind": node.kind,
        "title": node.title,
        "text": node.text,
        "at": moment(node.at),
        "changed": moment(node.changed),
        "state": node.state,
        "origin": node.origin,
        "session": node.session,
        "message": node.message,
        "store": node.store,
        "uses": node.uses,
        "pinned": node.pinned,
        "dated": node.dated,
    }


def whole(timeline: Timeline) -> dict[str, Any]:
    """The journey for programs: `{"nodes": […], "edges": [{"first", "second", "why"}]}`."""
    edges = [{"first": each.first, "second": each.second, "why": each.why} for each in timeline.edges]
    return {"nodes": [as_data(each) for each in timeline.nodes], "edges": edges}


def _made(name: str, lines: Sequence[str], undo: bool) -> CommandReply:
    buttons = () if undo else ((Button("Undo", f"/journey undo {name}"),),)
    return CommandReply("\n".join(lines), data=_result(name, "done"), buttons=buttons)


def _result(name: str, result: str, detail: str = "") -> dict[str, Any]:
    return {"id": name, "result": result, **({"detail": detail} if detail else {})}


def _change(file: str, before: str | None, after: str | None) -> str:
    match before, after:
        case None, _:
            return f"💾 Kept in {literal(file)}: {quoted(after or '')}"
        case _, None:
            return f"🗑 Removed from {literal(file)}: {quoted(before or '')}"
        case _:
            return f"✏️ Changed in {literal(file)}: {quoted(after or '')}\nIt was: {quoted(before or '')}"


def how_to_edit(node: str, text: str) -> CommandReply:
    """What the Edit button answers; a text that is too long to be sent back in a message is edited elsewhere."""
    if len(text) > ROOM:
        return CommandReply(f"It is too long for a message: edit it at the shell, innkeeper journey edit {node}")
    return CommandReply(f"Send it back as it should read:\n{fenced(f'/journey edit {node} {text}')}")


def _neighbours(node: Node, timeline: Timeline) -> list[str]:
    mine = [each for each in timeline.edges if node.id in (each.first, each.second)]
    return [each.second if each.first == node.id else each.first for each in mine]


def _day(at: float, zone: tzinfo) -> str:
    return f"{datetime.fromtimestamp(at, zone):%Y-%m-%d}"


def _minute(at: float, zone: tzinfo) -> str:
    return f"{datetime.fromtimestamp(at, zone):%Y-%m-%d %H:%M}"
