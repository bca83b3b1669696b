"""Skills, their files and their journal, as pages show them. Reads files: off the event loop."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

from commands.registry import Registry
from commands.reply import CommandReply
from commands.skill_ports import Skills
from commands.skill_shortcuts import collisions
from commands.skill_words import FROM
from memory.files import FileTrouble
from memory.skills.curator import Judged
from memory.skills.diff import spelt_out
from memory.skills.journal import Deed, Move, Write
from memory.skills.model import SKILL_FILE, NoSkill, Skill
from memory.skills.putting_back import archived_as
from memory.skills.usage import Tally

PER_PAGE = 40
STATES = {"active": "in use", "stale": "not used lately", "overdue": "about to be put away"}


@dataclass(frozen=True, slots=True)
class SkillView:
    """A skill in a list. `state` is what the curator thinks of it, empty for one that is none of its business."""

    skill: Skill
    tally: Tally
    source: str
    state: str = ""
    kept: str = ""

    @property
    def path(self) -> str:
        return path_of(self.skill.name)


@dataclass(frozen=True, slots=True)
class BrokenView:
    """One that cannot be used: `where` is file and line, below the folders of this machine."""

    name: str
    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Everything in the overview; `clashes` are sentences."""

    skills: tuple[SkillView, ...]
    broken: tuple[BrokenView, ...]
    clashes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileLink:
    """A file of a skill, and its page."""

    name: str
    path: str


@dataclass(frozen=True, slots=True)
class Shown:
    """One file of a skill as it reads now."""

    view: SkillView
    file: str
    text: str
    files: tuple[FileLink, ...]


@dataclass(frozen=True, slots=True)
class DeedView:
    """A change: its steps in words, and what took it back."""

    deed: Deed
    steps: tuple[str, ...]
    undone_by: str | None


@dataclass(frozen=True, slots=True)
class Away:
    """A skill in the archive; `at` is when it was put there, in seconds since the epoch."""

    place: str
    name: str
    was: str
    at: float


def path_of(name: str) -> str:
    """A skill's page."""
    return f"/skills/named/{quote(name, safe='')}"


def listing(skills: Skills, registry: Registry) -> Listing:
    """What there is. Raises FileTrouble."""
    found, tallies, verdicts = skills.library.found(), _tallies(skills), _verdicts(skills)
    broken = tuple(
        BrokenView(
            each.name,
            skills.library.without_folders(f"{each.file}:{each.line}" if each.line else str(each.file)),
            skills.library.without_folders(each.why),
        )
        for each in found.broken
    )
    return Listing(
        tuple(_view(each, tallies, verdicts) for each in found.skills), broken, tuple(collisions(found, registry))
    )


def shown(skills: Skills, name: str, file: str) -> Shown:
    """A file of a skill, SKILL.md for none. Raises SkillTrouble."""
    text, files = skills.library.view(name, file), skills.library.files(name)
    skill = skills.library.get(name)
    if skill is None:
        raise NoSkill(f"There is no skill {name}.")
    links = [FileLink(SKILL_FILE, path_of(name))]
    links += [FileLink(each, f"{path_of(name)}/file/{quote(each)}") for each in files]
    view = _view(skill, _tallies(skills), _verdicts(skills))
    return Shown(view, file or SKILL_FILE, spelt_out(text), tuple(links))


def deeds(skills: Skills, number: int, wanted: str = "") -> tuple[list[DeedView], int, int]:
    """A page of the journal, the newest first; its number and how many there are. Raises FileTrouble."""
    done = skills.store.history()
    gone = {each.undoes: each.id for each in done if each.undoes is not None}
    last = max(1, -(-len(done) // PER_PAGE))
    at = next((place for place, each in enumerate(done) if each.id == wanted), None)
    number = at // PER_PAGE + 1 if at is not None else min(max(number, 1), last)
    page = done[(number - 1) * PER_PAGE : number * PER_PAGE]
    return [DeedView(each, tuple(map(_step, each.steps)), gone.get(each.id)) for each in page], number, last


def away(skills: Skills) -> list[Away]:
    """What was put away, the last first. Raises FileTrouble."""
    out = []
    for place in reversed(skills.store.archived()):
        was, name = archived_as(place)
        moment = datetime.strptime(place.rpartition("@")[2][:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        out.append(Away(place, name, was, moment.timestamp()))
    return out


def head(reply: CommandReply) -> CommandReply:
    """A reply without the diff under it."""
    return CommandReply(reply.text.partition("\n```")[0], ok=reply.ok)


def _view(skill: Skill, tallies: Mapping[str, Tally], verdicts: Mapping[str, Judged]) -> SkillView:
    judged = verdicts.get(skill.name)
    return SkillView(
        skill,
        tallies.get(skill.name, Tally()),
        "read only, from an external folder" if skill.external else FROM[skill.source],
        STATES[judged.state] if judged is not None else "",
        judged.kept if judged is not None else "",
    )


def _tallies(skills: Skills) -> Mapping[str, Tally]:
    with suppress(FileTrouble):  # what counts is worth less than what is counted
        return skills.store.usage.all()
    return {}


def _verdicts(skills: Skills) -> Mapping[str, Judged]:
    with suppress(FileTrouble):
        return {each.name: each for each in skills.caretaker.dry_run().plan.verdicts}
    return {}


def _step(step: Move | Write) -> str:
    if isinstance(step, Move):
        return f"{step.path} → {step.to}"
    fate = "new" if step.before is None else "removed" if step.after is None else "changed"
    return f"{step.path} {fate}"
