"""What was learnt, put into one timeline: entries as the journal dates them, skills that were made or used here, and
what joins them. Pure: records, files and figures go in as values.

Entries' lives are `traces`' part, changing them is `edit`'s.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from memory.journal import Record
from memory.journey.meant import SKILL
from memory.journey.model import Edge, Node, State, Timeline, Why
from memory.journey.traces import Live, Trace, traces
from memory.model import Author, Target
from memory.moments import bounded
from memory.skills.journal import Deed
from memory.skills.model import Skill, Value
from memory.skills.usage import Tally

TITLE = 80
"""Characters of a title."""


_WORD = re.compile(r"[a-z0-9]+(?:[._-]+[a-z0-9]+)*")
_TOKEN = re.compile(rf"(?P<mark>[`/])?(?P<name>{_WORD.pattern})(?P<end>`)?")
_RELATED = frozenset({"related", "related_skills", "related-skills", "see_also", "see-also"})
_ABOUT_SKILLS = re.compile(r"\bskills?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Craft:
    """The skills of a profile. `there` are those that can be used, `away` those that were put away, the last one of
    each name; `deeds` are the changes that are known, the newest first; `stale` are names of those that nobody has
    used for long."""

    there: Sequence[Skill] = ()
    away: Sequence[Skill] = ()
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    deeds: Sequence[Deed] = ()
    stale: Collection[str] = ()


def timeline(
    records: Iterable[Record],
    live: Sequence[Live],
    craft: Craft | None = None,
    *,
    seen: Mapping[str, float] | None = None,
    now: float = 0.0,
    gone: bool = False,
) -> Timeline:
    """Nodes from the oldest to the newest, with the edges between them.

    `records` are the journal's, the oldest first; `live`, what stands in the files that may be shown. With `gone`,
    entries that were removed and skills that were put away are nodes too. `seen` says when entries that were written
    by hand were first noticed; `now`, in seconds since the epoch, is for those that are noticed only now. Of skills
    there are those that the assistant made, in a turn, by /learn or in a review, and those that were ever used.
    """
    nodes = [entry_node(each) for each in traces(records, live, seen, now)]
    craft = craft or Craft()
    texts = {}
    for skill, away in [*((each, False) for each in craft.there), *((each, True) for each in craft.away)]:
        node = _skill_node(skill, craft, away)
        if node is not None and node.id not in texts:
            nodes.append(node)
            texts[node.id] = skill
    shown = [each for each in nodes if gone or each.state not in ("removed", "archived")]
    shown.sort(key=lambda each: (each.at, each.id))
    return Timeline(tuple(shown), tuple(_edges(shown, texts)))


def title(text: str) -> str:
    """One line of at most `TITLE` characters, nothing in it that cannot be seen."""
    line = " ".join(text.split())
    line = "".join(each if each.isprintable() else "\ufffd" for each in line)
    return line if len(line) <= TITLE else line[: TITLE - 1].rstrip() + "…"


def entry_node(trace: Trace) -> Node:
    return Node(
        trace.id,
        "memory" if trace.target is Target.MEMORY else "user",
        title(trace.text),
        trace.text,
        trace.at,
        max(trace.at, trace.changed),
        trace.fate,
        trace.author.origin.value if trace.dated else "",
        trace.author.session or "",
        trace.author.message or "",
        store=trace.file,
        dated=trace.dated,
    )


def _skill_node(skill: Skill, craft: Craft, away: bool) -> Node | None:
    """None for one that nobody here made and nobody used."""
    tally = craft.tallies.get(skill.name, Tally())
    uses = tally.views + tally.uses
    if skill.source != "agent" and not uses:
        return None
    born = next((each for each in craft.deeds if skill.name in each.created), None)
    by = born.author if born is not None else None
    known = [each for each in (tally.created, tally.used, tally.viewed, tally.patched, tally.archived) if each]
    at = bounded(born.time if born is not None else tally.created or min(known, default=0.0))
    patched = [each.time for each in craft.deeds if skill.name in each.patched and each.time >= at]
    return Node(
        f"{SKILL}{skill.name}",
        "skill",
        title(f"/{skill.name}: {skill.description}"),
        skill.description,
        at,
        bounded(max([at, *patched, *(each for each in (tally.patched, tally.archived) if each)])),
        _state(skill, tally, craft, away),
        _origin(by),
        (by.session or "") if by else "",
        (by.message or "") if by else "",
        uses=uses,
        pinned=tally.pinned,
        dated=born is not None or tally.created is not None,
    )


def _origin(by: Author | None) -> str:
    return by.origin.value if by is not None else ""


def _state(skill: Skill, tally: Tally, craft: Craft, away: bool) -> State:
    if away:
        return "archived"
    if skill.name in craft.stale:
        return "stale"
    return "changed" if tally.patches else "kept"


# What joins them


def _edges(nodes: Sequence[Node], skills: Mapping[str, Skill]) -> Iterator[Edge]:
    """Each pair once, for the strongest reason: a name that was written, before a session that both came from."""
    order = {each.id: number for number, each in enumerate(nodes)}
    names = {skill.name: name for name, skill in skills.items() if name in order}
    joined: set[tuple[str, str]] = set()

    def edge(one: str, other: str, why: Why) -> Iterator[Edge]:
        first, second = sorted((one, other), key=order.__getitem__)
        if first != second and (first, second) not in joined:
            joined.add((first, second))
            yield Edge(first, second, why)

    for node in nodes:
        skill = skills.get(node.id)
        text = f"{skill.description}\n{skill.body}" if skill is not None else node.text
        related = set(_related(skill.fields)) if skill is not None else set()
        for name in dict.fromkeys((*_named(text, names), *sorted(related & names.keys()))):
            yield from edge(node.id, names[name], "related" if skill is not None else "named")
    last: dict[str, str] = {}
    for node in nodes:
        if node.session:
            # A chain through the session, not everything with everything.
            if node.session in last:
                yield from edge(last[node.session], node.id, "session")
            last[node.session] = node.id


def _named(text: str, names: Collection[str]) -> Iterator[str]:
    """Names of skills that a text writes down: a plain word counts only where it is marked as one, as `deploy`,
    /deploy or "the skill deploy"; a name with a dash or the like is no word of any language."""
    if not names or not any(word in names for word in _WORD.findall(text)):
        return  # nearly every text, found out in a fraction of the time
    for found in _TOKEN.finditer(text):
        name = found["name"]
        before = text[found.start() - 1] if found.start() else " "
        if name not in names or (before.isascii() and (before.isalnum() or before in "._-")):
            continue
        ends = found["end"] if found["mark"] == "`" else text[found.end() : found.end() + 1] != "/"
        marked = found["mark"] is not None and ends
        if marked or re.search(r"[._-]", name) or _about_skills(text, found.start(), found.end()):
            yield name


def _about_skills(text: str, start: int, end: int) -> bool:
    """Whether the word `skill` stands just before or behind."""
    return bool(_ABOUT_SKILLS.search(text[max(0, start - 8) : start]) or _ABOUT_SKILLS.search(text[end : end + 8]))


def _related(fields: Mapping[str, Value], within: bool = False) -> Iterator[str]:
    """What the frontmatter lists as related, at any depth."""
    for key, value in fields.items():
        inside = within or key.lower() in _RELATED
        if isinstance(value, Mapping):
            yield from _related(value, inside)
        elif inside and isinstance(value, str):
            yield from re.split(r"[,\s]+", value)
        elif inside:
            yield from (each for each in value if isinstance(each, str))
