"""Messages that call up skills, as a turn reads them: what they say, between marks, before what the person says.

Which message means which skills is `commands.skill_shortcuts`' matter. The prompt of the session stays as it is.
Skills are the owner's, and those from elsewhere were scanned and agreed to: calling one up leaves a turn trusted.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from commands.parse import Mistake
from commands.skill_shortcuts import Called, Shortcuts
from gateway.engine.house import House
from memory.files import FileTrouble
from memory.skills.model import Skill, SkillTrouble
from platforms.messages import Inbound

SIGNS_A_TOKEN = 3
"""Characters that a token has at least, about."""

ROOM = 200_000
"""Characters of all skills of one message, where nothing is known of the model's window."""

FILES = 40
"""Files of a skill that are named."""

CALLED = "[The person calls up the skill"
"""How the note about a skill begins."""

LEARNT = "[The person wants to keep"

_LEARN = (
    "{head} as a skill what was just worked out in this conversation{topic}. Save it with skill_manage now: see with "
    "skills_list whether there is a skill for it, which is then to be patched; else create one. Its description says "
    "what it does and when to use it; its text says step by step what to do, with the ways past the errors that were "
    "met, and nothing that holds for this conversation alone. If nothing here is worth a skill, or it is not clear "
    "what is meant, say so and save nothing.]"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """One message that calls something up: who reads it reads `instruction` in place of its text, and `note` before
    it. `files` are those of each skill."""

    called: Called
    instruction: str
    files: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The skills that it uses."""
        return tuple(each.name for each in self.called.skills)

    def note(self, window: int | None) -> str:
        """What the skills say; together they leave room in a `window` of so many tokens."""
        if self.called.learns:
            topic = " ".join(self.called.instruction.split())
            return _LEARN.format(head=LEARNT, topic=f" (about: {topic})" if topic else "")
        room = min(ROOM, window * SIGNS_A_TOKEN // 2) if window else ROOM
        share = room // len(self.called.skills)
        return "\n".join(said(each, self.files.get(each.name, ()), share) for each in self.called.skills)


class SkillCalls:
    """Reads messages just before their turn begins."""

    def __init__(self, house: House, shortcuts: Shortcuts) -> None:
        self._house = house
        self._shortcuts = shortcuts

    async def read(self, events: Sequence[Inbound]) -> Mapping[str, Reading] | Mistake:
        """What these messages call up, by event id; or what is wrong with the only one."""
        wanted = [each for each in events if each.text.lstrip().startswith("/")]
        if not wanted or self._house.skills is None:
            return {}
        return await asyncio.to_thread(self._read, wanted)

    def _read(self, events: Sequence[Inbound]) -> Mapping[str, Reading] | Mistake:
        self._shortcuts.look()
        found: dict[str, Reading] = {}
        for event in events:
            meant = self._shortcuts.read(event.text)
            if isinstance(meant, Mistake) and len(events) == 1:
                return meant
            if isinstance(meant, Called):
                found[event.event_id] = self._reading(event, meant)
        return found

    def _reading(self, event: Inbound, called: Called) -> Reading:
        # Words are never empty: a turn that is tried again says them once more.
        whole = called.learns or not (called.instruction or event.attachments)
        instruction = event.text.strip() if whole else called.instruction
        return Reading(called, instruction, {each.name: self._files(each) for each in called.skills})

    def _files(self, skill: Skill) -> Sequence[str]:
        assert self._house.skills is not None, "there are skills"
        try:
            return self._house.skills.library.files(skill.name)[:FILES]
        except SkillTrouble:
            return ()

    async def used(self, readings: Mapping[str, Reading]) -> None:
        """Count the skills; the turn has begun."""
        names = dict.fromkeys(name for each in readings.values() for name in each.names)
        if not names or self._house.skills is None:
            return
        try:
            await asyncio.to_thread(self._house.skills.store.usage.used, names)
        except FileTrouble as trouble:
            self._house.report.warning("skills.uncounted", why=str(trouble))


def spoken(event: Inbound, readings: Mapping[str, Reading]) -> Inbound:
    """The event as the person's words for the model."""
    reading = readings.get(event.event_id)
    return event if reading is None else replace(event, text=reading.instruction)


def notes(events: Sequence[Inbound], readings: Mapping[str, Reading], window: int | None) -> list[str]:
    """What stands before these messages."""
    return [readings[each.event_id].note(window) for each in events if each.event_id in readings]


def said(skill: Skill, files: Sequence[str], room: int) -> str:
    """What a skill says, between marks that its text cannot hold, since they come from it."""
    text = skill.body.strip()
    mark = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
    shown = text
    if len(text) > room:
        shown = f"{text[:room]}\n[left out here: {len(text) - room:,} characters; skill_view shows them]"
    more = f" skill_view shows its files: {', '.join(files)}." if files else ""
    return f"{CALLED} {skill.name}: do as it says between the two marks.{more}]\n<{mark}>\n{shown}\n</{mark}>"
