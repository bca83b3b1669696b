"""What the gateway adds to a message for the model: which words it answers, and that it was changed. Pure.

Remarks stand in the row's note, never in its content: they are no words of the person's, and ask for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from commands.pending_words import fenced
from gateway.agent.recalled import recalled, without_recall
from gateway.engine.notices import gist
from platforms.messages import Inbound

MOST = 600
"""Characters of what is answered that a model is shown."""

LINES = 10

HOUSE = ":calls"
"""The account of events that are the house's own: what came of a call that was approved, in `quoted`. The id of such
an event ends in `@` and the session that it is for."""

SHOWN = 1500
"""Characters of what came of a call that are shown where its conversation has ended."""

CHANGED = "[This was changed after it was sent, and now reads:]"
_REMARK = re.compile(r"^\[(?:This (?:was changed|answers)|The person (?:calls up|wants to keep)) .*", re.M | re.S)


def remarks(events: Sequence[Inbound]) -> str:
    """The remarks on what one speaker said in one go; empty when there are none."""
    lines = dict.fromkeys(line for each in events for line in (_changed(each), _answered(each)) if line)
    return "\n".join(lines)


def kept(note: str) -> str:
    """The remarks out of a row's note, in which they come last, and the skills that it calls up, which come before
    them: for whoever says the row once more. What was recalled for it holds none."""
    found = _REMARK.search(without_recall(note))
    return found[0] if found else ""


def unsaid(note: str) -> str:
    """The rest of a row's note: what the house says of itself, and what was recalled."""
    return "\n".join([*recalled(note), without_recall(note).removesuffix(kept(note))])


def foreign(event: Inbound) -> bool:
    """Whether it brings words of somebody else, for which its sender does not vouch."""
    if event.account == HOUSE:
        return True
    by = event.quoted_from
    if event.passed_on:
        return True
    return bool(event.quoted.strip()) and (by is None or by.id not in (event.account, event.sender.id) or not by.id)


def strayed(events: Sequence[Inbound], session: str) -> str | None:
    """What the chat is told where one brings what came of a call of another session than this one, which has ended
    meanwhile; None where none does."""
    for each in events:
        whose = each.event_id.rpartition("@")[2]
        if each.account == HOUSE and whose not in (session, each.event_id):
            return too_late(each.text, each.quoted)
    return None


def too_late(line: str, result: str) -> str:
    """What came of a call, for the people in a chat whose conversation has ended."""
    shown = result if len(result) <= SHOWN else f"{result[:SHOWN]} …"
    return f"{line} Its conversation has ended.\n{fenced(shown)}"


def read_from(events: Sequence[Inbound]) -> str:
    """Where words that nobody vouches for came from, as rows say it; empty when there are none."""
    if any(each.account == HOUSE for each in events):
        return "mcp"
    return "quote" if any(map(foreign, events)) else ""


def _changed(event: Inbound) -> str:
    return CHANGED if event.edited else ""


def _answered(event: Inbound) -> str:
    """The words that a message answers, each line marked, so that none of them reads like the message itself."""
    words = event.quoted.strip()
    if not words or event.account == HOUSE:
        return words
    shown = words[:MOST].splitlines()[:LINES]
    cut = len("\n".join(shown)) < len("\n".join(words.splitlines()))
    quoted = "\n".join(f"> {line}" for line in shown)
    return f"[This answers {_whose(event)}]\n{quoted}{' …' if cut else ''}"


def _whose(event: Inbound) -> str:
    by = event.quoted_from
    if by is None:
        return "these words:"
    if by.id and by.id == event.account:
        return "these words of yours:"
    if by.id and by.id == event.sender.id:
        return "earlier words of theirs:"
    return f"words of {gist(by.name) or 'somebody'}:"
