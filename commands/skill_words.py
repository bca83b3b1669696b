"""How skills are shown: lists, one in full, what was done to them, what became of one from the hub. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, assert_never

from commands.pending_words import age, fenced, literal, moment
from commands.reply import CommandReply, NamedText
from commands.skill_pending_words import ROOM
from commands.skill_shortcuts import where
from memory.model import Author
from memory.skills.diff import unified
from memory.skills.model import (
    Broken,
    Skill,
    SkillApplied,
    SkillOutcome,
    SkillRefused,
    SkillStaged,
    SkillUnchanged,
)
from platforms.messages import Button

if TYPE_CHECKING:
    from memory.skills.journal import Deed
    from memory.skills.usage import Tally

LISTED = 60
"""Skills in a list that is meant for a chat."""

FROM = {"bundled": "came with the program", "hub": "from the hub", "agent": "the assistant's", "person": "yours"}


def line(skill: Skill, tally: Tally, now: float) -> str:
    """A skill in a list."""
    about = ["read only" if skill.external else FROM[skill.source]]
    about += [f"used {tally.uses} times" if tally.uses != 1 else "used once"] if tally.uses else []
    about += [f"last {age(now - tally.used)} ago"] if tally.used is not None else []
    about += ["pinned"] if tally.pinned else []
    return f"- /{literal(skill.place)}: {literal(skill.description)} ({', '.join(about)})"


def as_data(skill: Skill, tally: Tally) -> dict[str, Any]:
    """A skill for `--json`."""
    return {
        "name": skill.name,
        "category": skill.category,
        "description": skill.description,
        "source": skill.source,
        "external": skill.external,
        "pinned": tally.pinned,
        "uses": tally.uses,
        "views": tally.views,
        "patches": tally.patches,
        "used_at": _moment(tally.used),
        "created_at": _moment(tally.created),
        "broken": None,
    }


def broken_line(broken: Broken) -> str:
    return f"- ⚠️ {literal(broken.name)} is broken: {literal(where(broken))}: {literal(' '.join(broken.why.split()))}"


def broken_data(broken: Broken) -> dict[str, Any]:
    about = {"file": str(broken.file), "line": broken.line, "why": broken.why}
    return {"name": broken.name, "broken": about}


def viewed(skill: Skill, text: str, files: Sequence[str], *, shell: bool) -> CommandReply:
    """One file of a skill; a long one comes as a file in chats."""
    data = {"name": skill.name, "text": text, "files": list(files)}
    if shell:
        return CommandReply(text, data=data)
    more = f"\nFurther files: {', '.join(literal(each) for each in files)}" if files else ""
    if len(text) > ROOM:
        return CommandReply(
            f"{literal(skill.name)} is in the file.{more}", data=data, file=NamedText(f"{skill.name}.md", text)
        )
    return CommandReply(f"{fenced(text)}{more}", data=data)


def told(done: str, outcome: SkillOutcome, *, undo: bool = True) -> CommandReply:
    """What became of a change that a person ordered; `done` says it when it was made."""
    match outcome:
        case SkillApplied(name, draft, archived):
            lines = [f"{done}: {', '.join(literal(each) for each in draft.names)}."]
            lines += [f"It lies in {literal(f'skills/{each}')}." for each in archived if each.startswith(".archive")]
            data = {"id": name, "result": "done", "skills": list(draft.names), "archived": list(archived)}
            rows = ((Button("Undo", f"/skills undo {name}"),),) if undo else ()
            return CommandReply("\n".join(lines), data=data, buttons=rows)
        case SkillUnchanged(names, notes):
            text = " ".join(notes) or "Nothing had to change."
            return CommandReply(text, data={"id": "", "result": "unchanged", "skills": list(names)})
        case SkillRefused(message=message) | SkillStaged(message=message):
            return CommandReply(f"⚠️ {message}", data={"id": "", "result": "refused", "detail": message}, ok=False)
        case _:
            assert_never(outcome)


def taken_back(outcome: SkillOutcome) -> CommandReply:
    """The same for an undo, with the diff of it."""
    reply = told("Taken back", outcome, undo=False)
    if not isinstance(outcome, SkillApplied):
        return reply
    diff = unified(outcome.draft)
    if not diff or len(diff) > ROOM:
        file = NamedText(f"{outcome.id}.diff", diff) if diff else None
        return CommandReply(reply.text, data=reply.data, file=file)
    return CommandReply(f"{reply.text}\n{fenced(diff)}", data=reply.data)


def history(deeds: Iterable[Deed], gone: Mapping[str, str], now: float) -> CommandReply:
    """The last changes; `gone` has by id what took a change back."""
    kept = list(deeds)
    lines = [_deed(each, gone.get(each.id), now) for each in kept]
    data = [
        {
            "id": each.id,
            "time": moment(each.time),
            "gist": each.gist,
            "skills": list(each.names),
            "origin": each.author.origin.value,
            "who": each.author.who,
            "undone_by": gone.get(each.id),
        }
        for each in kept
    ]
    return CommandReply("\n".join(lines) or "No skill was changed yet.", data=data)


def _deed(deed: Deed, undone: str | None, now: float) -> str:
    back = f" (taken back by {undone})" if undone else ""
    return f"- `{deed.id}` {literal(deed.gist)}, {_by(deed.author)}, {age(now - deed.time)} ago{back}"


def _by(author: Author) -> str:
    return f"{author.origin.value} by {author.who}" if author.who else author.origin.value


def _moment(seconds: float | None) -> str | None:
    return moment(seconds) if seconds is not None else None
