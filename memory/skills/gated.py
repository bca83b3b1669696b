"""The gate of skills: whether a valid change is made now, or waits for a person's yes, and why. Pure but for its
callables.

Keeping what waits belongs to `memory.pending`, whether a skill is dangerous to the guard.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from memory.gate import Rule
from memory.model import Author, Origin
from memory.skills.model import SkillAction, SkillDraft, SkillRefused, SkillStaged, Source

GUARDED: frozenset[Source] = frozenset({"bundled", "hub"})
"""Where the skills come from that nobody here wrote: a change to one would be lost, or stop its updates."""

GUARD = "guard:"
"""The flag of what the guard is not sure about, with its reason."""

OTHERS = "others heard"
"""The flag of a wish from a chat in which others than owners are heard."""

Put = Callable[[SkillDraft, Author, str], SkillStaged | SkillRefused]
"""Puts a draft aside, with the reason."""


@dataclass(frozen=True, slots=True)
class SkillFacts:
    """What the gate decides by. `sources` are those of the skills that are there already and would change. `console`:
    the change comes from a console chat. `by_operator`: the person behind an order may approve. `doubtful`: the guard
    is not sure about it. `others`: others than owners are heard where it was wished for."""

    origin: Origin
    actions: frozenset[SkillAction]
    sources: frozenset[Source] = field(default_factory=frozenset)
    untrusted: bool = False
    console: bool = False
    by_operator: bool = False
    doubtful: bool = False
    others: bool = False


def waits(rule: Rule, facts: SkillFacts) -> str | None:
    """Why a change waits, in words that follow "it waits: "; None when it is made now."""
    by_hand = facts.origin in (Origin.COMMAND, Origin.OPERATOR)
    if by_hand and facts.by_operator:
        return None
    if facts.untrusted:
        return "it was wished for after reading text that nobody vouches for"
    if facts.doubtful:
        return "the scan of skills is not sure about it"
    if facts.others:
        return "others than the owner are heard in this chat"
    unattended = facts.origin in (Origin.REVIEW, Origin.CRON)
    if rule is True or (rule == "auto" and (unattended or not facts.console)):
        return "changes of skills need an operator's yes here"
    if facts.sources & GUARDED:
        return "it would change a skill that came with the program or from the hub"
    if unattended and SkillAction.DELETE in facts.actions:
        return "nobody watches, and a skill would go"
    return None


class SkillGate:
    """`rule()` is what is in force now; `source(name)` says where a skill comes from, `console(chat key)` and
    `operator(platform:id)` what else the gate cannot know; `put` keeps what waits; `doubt(draft)` says what the guard
    is not sure about."""

    def __init__(
        self,
        rule: Callable[[], Rule],
        source: Callable[[str], Source],
        console: Callable[[str | None], bool],
        operator: Callable[[str], bool],
        put: Put,
        doubt: Callable[[SkillDraft], str] = lambda draft: "",
    ) -> None:
        self._rule = rule
        self._source = source
        self._console = console
        self._operator = operator
        self._put = put
        self._doubt = doubt

    def __call__(self, draft: SkillDraft, author: Author) -> SkillStaged | SkillRefused | None:
        """None when it may be made now; else it has been put aside, or could not be."""
        facts = self._facts(draft, author)
        if words := self._doubt(draft):
            facts = replace(facts, doubtful=True)
            author = replace(author, flags=(*author.flags, f"{GUARD}{words}"))
        why = waits(self._rule(), facts)
        return None if why is None else self._put(draft, author, why)

    def aside(self, draft: SkillDraft, author: Author, why: str) -> SkillStaged | SkillRefused:
        """Put it aside whatever the rule says; what the guard is not sure about is flagged."""
        if words := self._doubt(draft):
            author = replace(author, flags=(*author.flags, f"{GUARD}{words}"))
        return self._put(draft, author, why)

    def _facts(self, draft: SkillDraft, author: Author) -> SkillFacts:
        return SkillFacts(
            origin=author.origin,
            actions=frozenset(draft.actions),
            sources=frozenset(map(self._source, draft.names)),
            untrusted=any(flag.startswith("untrusted") for flag in author.flags),
            console=self._console(author.chat),
            by_operator=self._operator(author.who),
            others=OTHERS in author.flags,
        )
