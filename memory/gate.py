"""The gate: whether a valid write is made now, or waits for a person's yes, and why. Pure but for its callable.

The rules are one function of plain facts. Keeping what waits belongs to `memory.pending`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memory.model import Action, Author, Change, Draft, Origin, Refused, Staged

Rule = Literal[True, False, "auto"]
"""`memory.write_approval`: everything waits, nothing does, or what nobody watches does."""

DOUBTFUL = "doubtful:"
"""The flag of what reads like an order, with the words that weigh most."""

Put = Callable[[Draft, Author, str, str], Staged | Refused]
"""Puts a draft for a file aside, with the reason."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the gate decides by. `console`: the write comes from a console chat. `by_operator`: the person behind an
    order may approve. `doubtful`: it reads like an order to the assistant."""

    origin: Origin
    actions: frozenset[Action]
    untrusted: bool = False
    console: bool = False
    by_operator: bool = False
    doubtful: bool = False


def waits(rule: Rule, facts: Facts) -> str | None:
    """Why a write waits, in words that follow "it waits: "; None when it is made now."""
    by_hand = facts.origin in (Origin.COMMAND, Origin.OPERATOR)
    if by_hand and facts.by_operator:
        return None
    if facts.untrusted:
        return "it was wished for after reading text that nobody vouches for"
    if facts.doubtful:
        return "it reads like an order to the assistant rather than a note"
    unattended = facts.origin in (Origin.REVIEW, Origin.CRON)
    if rule is True or (rule == "auto" and (unattended or not facts.console)):
        return "writes need an operator's yes here"
    if facts.origin is Origin.REVIEW and facts.actions - {Action.ADD}:
        return "a review may only add by itself"
    return None


class Gate:
    """`memory.store.Decide`. `rule()` is what is in force now; `console(chat key)` and `operator(platform:id)` say
    what the gate cannot know; `put` keeps what waits; `doubt(draft)` gives the words that make it doubtful."""

    def __init__(
        self,
        rule: Callable[[], Rule],
        console: Callable[[str | None], bool],
        operator: Callable[[str], bool],
        put: Put,
        doubt: Callable[[Draft], str] = lambda draft: "",
    ) -> None:
        self._rule = rule
        self._console = console
        self._operator = operator
        self._put = put
        self._doubt = doubt

    def __call__(self, draft: Draft, author: Author, file: str) -> Staged | Refused | None:
        facts = self._facts(draft.changes, author)
        if words := self._doubt(draft):
            facts = replace(facts, doubtful=True)
            author = replace(author, flags=(*author.flags, f"{DOUBTFUL}{words}"))
        why = waits(self._rule(), facts)
        return None if why is None else self._put(draft, author, file, why)

    def _facts(self, changes: Sequence[Change], author: Author) -> Facts:
        return Facts(
            origin=author.origin,
            actions=frozenset(each.action for each in changes),
            untrusted=any(flag.startswith("untrusted") for flag in author.flags),
            console=self._console(author.chat),
            by_operator=self._operator(author.who),
        )
