"""The gateway's own word about skills at the end of a turn: each thing that was done, or waits, by its name. Pure.

It is written from the journal of skills and from what waits. Memory's word, and how receipts look, is
`gateway.agent.receipts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from commands.pending_words import literal
from gateway.agent.receipts import Level, Receipt
from gateway.agent.requests import Kind
from memory.pending.skill_model import SkillWrite
from memory.skills.journal import Deed, Write
from platforms.messages import Button

_LINES = 12
_REASON = 300
_FILES = 4


@dataclass(frozen=True, slots=True)
class SkillsHappened:
    """What became of a turn's changes of skills. `refused` are the reasons as the model was told them."""

    applied: Sequence[Deed] = ()
    waiting: Sequence[SkillWrite] = ()
    refused: Sequence[str] = ()

    @property
    def anything(self) -> bool:
        """Whether a skill changed, or a change waits."""
        return bool(self.applied or self.waiting)

    def may_answer(self, kind: Kind) -> bool:
        """Whether something was done, or waits, that a wish may have meant: a new skill is no answer to "forget it",
        nor is one that was put away to "keep it"."""
        if kind is Kind.FORGET:
            return bool(self.waiting) or any(each.archived or each.patched for each in self.applied)
        return bool(self.waiting) or any(each.created or each.patched for each in self.applied)


def skill_notice(happened: SkillsHappened, level: Level) -> Receipt | None:
    """A line for each thing done; None when nothing was, or the person wants no such lines."""
    if level == "off" or not happened.anything:
        return None
    lines: list[str] = []
    for deed in happened.applied:
        lines += [f"💾 {each}" for each in _done(deed)]
        lines += [f"✏️ {literal(deed.gist)}"] if level == "verbose" else []
    lines += [f"🕓 Waits for a yes: {literal(each.gist)} (`{each.id}`)" for each in happened.waiting]
    if len(lines) > _LINES:
        lines = [*lines[: _LINES - 1], f"… and {len(lines) - _LINES + 1} more"]
    return Receipt("\n".join(lines), _buttons(happened), bool(happened.applied))


def skill_receipt(happened: SkillsHappened, level: Level) -> Receipt | None:
    """The same for somebody who asked to have something kept: also where notices are off, and what failed as well."""
    said = skill_notice(happened, "on" if level == "off" else level)
    refused = [f"⚠️ No skill was changed: {_short(each)}" for each in dict.fromkeys(happened.refused)]
    if said is None or not refused:
        return said or (Receipt("\n".join(refused), (), saved=False) if refused else None)
    tried = [f"⚠️ A try was refused: {_short(each)}" for each in dict.fromkeys(happened.refused)]
    return replace(said, text="\n".join([said.text, *tried]))


def _done(deed: Deed) -> Iterator[str]:
    for name in deed.created:
        yield f"Skill created: {literal(name)}"
    for name in deed.patched:
        files = [_inside(each) for each in deed.steps if isinstance(each, Write) and _of(each) == name]
        more = f" and {len(files) - _FILES} more" if len(files) > _FILES else ""
        yield f"Skill changed: {literal(name)} ({literal(', '.join(files[:_FILES]))}{more})"
    for name in deed.archived:
        yield f"Skill put away: {literal(name)}"
    for name in deed.restored:
        yield f"Skill brought back: {literal(name)}"


def _of(step: Write) -> str:
    return step.skill.rpartition("/")[2]


def _inside(step: Write) -> str:
    return step.path.removeprefix(f"{step.skill}/")


def _buttons(happened: SkillsHappened) -> tuple[tuple[Button, ...], ...]:
    """What can be done about the last change; or about the last that waits, when nothing was changed."""
    if happened.applied:
        return ((Button("Undo skill", f"/skills undo {happened.applied[-1].id}"),),)
    return ((Button("Show", f"/skills show {happened.waiting[-1].id}"),),)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _REASON else flat[: _REASON - 1].rstrip() + "…"
