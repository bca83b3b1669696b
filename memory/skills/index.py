"""The list of skills in the prompt (pure): bounded, and the same bytes for the same skills."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import groupby

from memory.skills.model import Skill

_CUTS = (1024, 400, 240, 160, 120, 90, 60, 40, 0)
"""How long descriptions may be, in characters; the longest that lets all fit is taken. 0 leaves names alone."""

Describe = Callable[[Skill], str]


def index(skills: Sequence[Skill], limit: int, describe: Describe, first: Collection[str] = ()) -> str:
    """At most `limit` characters about skills that are in order; empty for none.

    First descriptions are shortened, then only names are told, then as many as fit, those in `first` before others.
    A last line says how many are missing and how to see them.
    """
    for cut in _CUTS:
        text = _text(skills, describe, cut)
        if len(text) <= limit:
            return text
    return _some(skills, limit, first)


def _text(skills: Sequence[Skill], describe: Describe, cut: int) -> str:
    lines = []
    for category, group in groupby(skills, lambda each: each.category):
        if category:
            lines.append(f"{category}/")
        indent = "  " if category else ""
        if cut:
            lines += [f"{indent}- {skill.name}: {_cut(describe(skill), cut)}" for skill in group]
        else:
            lines.append(indent + ", ".join(skill.name for skill in group))
    return "\n".join(lines)


def _some(skills: Sequence[Skill], limit: int, first: Collection[str]) -> str:
    ordered = sorted(skills, key=lambda each: each.name not in first)
    kept, used = 0, len(_rest(len(skills)))
    for skill in ordered:
        used += len(skill.name) + 2
        if used > limit:
            break
        kept += 1
    if not kept:
        text = f"{len(skills):,} skills: see skills_list."
        return text if len(text) <= limit else ""
    names = sorted(skill.name for skill in ordered[:kept])
    return ", ".join(names) + _rest(len(skills) - kept)


def _rest(count: int) -> str:
    return f"\n… and {count:,} more: see skills_list."


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
