"""A pending change of skills as a value, and as the JSON that people can read: every text in full, before and after.
Pure.

What a person decides by (gist, actions, names) is made out of the changes, never taken from the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.model import Author, Origin
from memory.pending.fields import author_from, dumped, loaded, moment, whence
from memory.skills.draft import draft_fields, draft_from
from memory.skills.model import SKILL_FILE, SkillDraft, digest
from memory.skills.validate import objection_to_name, objection_to_path

KIND = "skills"
PINS = "pins"


@dataclass(frozen=True, slots=True)
class SkillWrite:
    """What waits. `created_at` in seconds since the epoch."""

    id: str
    author: Author
    created_at: float
    draft: SkillDraft

    @property
    def gist(self) -> str:
        """The write in a few words, on one line."""
        return self.draft.gist

    @property
    def action(self) -> str:
        """`create`, `patch` and so on; `batch` for several."""
        gone = {f"{folder}/" for folder in self.draft.archives}
        rest = [each for each in self.draft.changes if not each.path.startswith(tuple(gone))]
        return self.gist.partition(" ")[0] if len(gone) + len(rest) == 1 else "batch"

    @property
    def flags(self) -> tuple[str, ...]:
        return self.author.flags

    @property
    def unattended(self) -> bool:
        """Whether nobody asked for it: a review's, marked `[auto]`."""
        return self.author.origin is Origin.REVIEW

    @property
    def unpinned(self) -> str | None:
        """Why it can never be carried out, for one that was made by hand or by something older; None when it can."""
        pins = self.draft.pins
        if any(each.path not in pins or pins[each.path] != digest(each.before) for each in self.draft.changes):
            return "it does not record the files that it would change, so nobody can tell what it would do"
        if any(pins.get(f"{folder}/{SKILL_FILE}") is None for folder in self.draft.archives):
            return "it does not record the skill that it would put away, so nobody can tell what would go"
        return None

    def same_as(self, other: SkillWrite) -> bool:
        """Whether both would do the same to the same files."""
        return (self.draft.changes, self.draft.archives, dict(self.draft.pins)) == (
            other.draft.changes,
            other.draft.archives,
            dict(other.draft.pins),
        )


def dump(write: SkillWrite) -> str:
    """The file's text."""
    payload = dict(draft_fields(write.draft))
    pins = payload.pop(PINS)
    return dumped(
        {
            "id": write.id,
            "kind": KIND,
            "action": write.action,
            "skills": list(write.draft.names),
            "gist": write.gist,
            **whence(write.author, write.created_at),
            "payload": payload,
            PINS: pins,
        }
    )


def load(text: str, name: str) -> SkillWrite:
    """The write in a file of that name (without suffix). Raises Unusable."""
    return loaded(text, lambda fields: _read(fields, name))


def _read(fields: Mapping[str, Any], name: str) -> SkillWrite:
    if fields.get("kind") != KIND:
        raise ValueError("it is no change of skills")
    draft = draft_from({**fields["payload"], PINS: fields.get(PINS, {})})
    if (why := objection(draft)) is not None:
        raise ValueError(why.rstrip("."))
    return SkillWrite(name, author_from(fields), moment(fields["created_at"]), draft)


def objection(draft: SkillDraft) -> str | None:
    """Why no wish can have come to this draft, whatever there is; None when one can. Whether it can still be made is
    asked again on the files."""
    places = {*draft.archives, *(each.skill for each in draft.changes)}
    for place in places:
        parts = place.split("/")
        if len(parts) > 2:
            return f"{place!r} is no place of a skill"
        if (why := next(filter(None, map(objection_to_name, parts)), None)) is not None:
            return why
    for path in draft.pins:
        if ".." in path.split("/") or not any(path.startswith(f"{each}/") for each in places):
            return f"{path!r} is no file of the skills that it changes"
    for change in draft.changes:
        if not change.path.startswith(f"{change.skill}/"):
            return f"{change.path!r} is no file of {change.skill!r}"
        if (why := objection_to_path(change.file)) is not None:
            return why
        if change.before == change.after:
            return f"{change.path!r} would not change"
    return None
