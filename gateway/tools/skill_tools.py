"""The tools `skills_list`, `skill_view` and `skill_manage`: a model's doors to the skills, and their answers.

What may be written belongs to `memory.skills`, whether it waits to its gate; what models are told beforehand, to
`gateway.tools.skill_guidance`.
"""

from __future__ import annotations

import asyncio
import difflib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, assert_never

from gateway.tools.patience import Patience, dumped, whole
from gateway.tools.skill_call import read_call, renamed
from gateway.tools.skill_guidance import LIST, TOOLSET, VIEW, list_schema, manage_schema, view_schema
from gateway.tools.tool import Tool, ToolContext, ToolResult
from memory.files import FileTrouble
from memory.model import Author, Origin
from memory.skills.apply import SkillStore
from memory.skills.gated import OTHERS
from memory.skills.library import Library
from memory.skills.model import (
    SKILL_FILE,
    Broken,
    Skill,
    SkillAction,
    SkillApplied,
    SkillOperation,
    SkillRefused,
    SkillStaged,
    SkillTrouble,
    SkillUnchanged,
)

ANSWER_CHARS = 8000
"""Characters of one answer of skills_list, about."""

VIEW_CHARS = 20_000
"""Characters of a skill's text in one answer: longer ones come in parts."""

_DESCRIPTION = 200
_BROKEN = 10
_FILES = 100
_TURNS = 256

_ANSWER_NOW = (
    "Do not call skill_manage again in this turn: answer the person now, and say plainly what was not saved."
)

Owners = Callable[[ToolContext], bool]
"""Whether nobody but owners is heard where a call comes from."""


def skill_tools(
    library: Library, store: SkillStore, owners: Owners, *, origin: Origin = Origin.FOREGROUND
) -> tuple[Tool, ...]:
    """The three tools. A change that is wished for where others than owners are heard waits. A review (by `origin`)
    may change only what it viewed in the same turn, and what it views is not counted as use."""
    door = _Door(library, store, owners, origin)
    return (
        Tool(list_schema(), door.listed, toolset=TOOLSET, spills=False),
        Tool(view_schema(), door.viewed, toolset=TOOLSET, spills=False),
        Tool(manage_schema(), door.managed, toolset=TOOLSET, spills=False),
    )


class _Door:
    def __init__(self, library: Library, store: SkillStore, owners: Owners, origin: Origin) -> None:
        self._library = library
        self._store = store
        self._owners = owners
        self._origin = origin
        self._patience = Patience(_ANSWER_NOW)
        self._seen: OrderedDict[int, set[str]] = OrderedDict()

    # Looking

    async def listed(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        find, after = (str(arguments.get(each) or "").strip() for each in ("find", "after"))
        return ToolResult(dumped(await asyncio.to_thread(self._list, find, after)))

    def _list(self, find: str, after: str) -> dict[str, Any]:
        described = self._library.described()
        words = find.casefold().split()
        fits = [(skill, text) for skill, text in described if _holds(skill, text, words)]
        start = next((number for number, (skill, _) in enumerate(fits, 1) if skill.name == after), 0)
        lines: list[dict[str, str]] = []
        room = ANSWER_CHARS
        for skill, text in fits[start:]:
            line = {"name": skill.name} | ({"category": skill.category} if skill.category else {})
            line["description"] = text if len(text) <= _DESCRIPTION else text[: _DESCRIPTION - 1] + "…"
            room -= len(dumped(line)) + 2
            if room < 0:
                break
            lines.append(line)
        answer: dict[str, Any] = {"success": True, "count": len(fits), "skills": lines}
        if left := len(fits) - start - len(lines):
            more = {"find": find} if find else {}
            answer["more"] = f"{left} more: {LIST} {dumped({**more, 'after': lines[-1]['name']})}"
        if not words and not start and (broken := self._library.found().broken):
            answer["broken"] = [self._spoiled(each) for each in broken[:_BROKEN]]
        return answer

    def _spoiled(self, broken: Broken) -> dict[str, Any]:
        """A broken skill as a model may see it: without the machine's folders."""
        line = {"line": broken.line} if broken.line else {}
        why = self._library.without_folders(broken.why)
        return {"name": broken.name, "file": broken.file.name, **line, "why": why}

    async def viewed(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        given = renamed(arguments)
        name, file = (str(given.get(each) or "").strip() for each in ("name", "file"))
        offset = given.get("offset")
        start = max(0, int(offset)) if isinstance(offset, int | float) else 0
        try:
            answer = await asyncio.to_thread(self._view, name, file, start)
        except SkillTrouble as error:
            near = await asyncio.to_thread(self._near, name)
            return ToolResult.error(self._library.without_folders(str(error)), **({"closest": near} if near else {}))
        self._seen_in(context.turn_id).add(name)
        if self._origin is Origin.REVIEW:  # the change that was refused for want of this may be tried again
            self._patience.succeeded(context.turn_id)
        return ToolResult(dumped(answer))

    def _view(self, name: str, file: str, start: int) -> dict[str, Any]:
        """Raises SkillTrouble."""
        text = self._library.view(name, file)
        shown = text[start : start + VIEW_CHARS]
        answer: dict[str, Any] = {"success": True, "name": name, "file": file or SKILL_FILE, "content": shown}
        if (end := start + len(shown)) < len(text):
            wanted = {"name": name, **({"file": file} if file else {}), "offset": end}
            answer["more"] = f"{len(text) - end:,} more characters: {VIEW} {dumped(wanted)}"
        if not file and (files := self._library.files(name)):
            answer["files"] = list(files[:_FILES])
        if self._origin is not Origin.REVIEW and not start:
            self._count(name)
        return answer

    def _count(self, name: str) -> None:
        try:
            self._store.usage.viewed(name)
        except FileTrouble:
            pass  # figures are worth less than what they are about

    def _near(self, name: str) -> list[str]:
        names = [each.name for each in self._library.found().skills]
        return [] if name in names else difflib.get_close_matches(name, names, 3, 0.5)

    # Changing

    async def managed(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        turn = context.turn_id
        if (refusal := self._patience.refusal(turn, arguments)) is not None:
            return refusal
        operations = read_call(arguments)
        if isinstance(operations, str):
            return self._patience.failed(turn, arguments, {"error": operations})
        if (unseen := self._unseen(operations, turn)) is not None:
            words = f"A review views a skill before it changes it. First: {VIEW} {dumped({'name': unseen})}"
            return self._patience.failed(turn, arguments, {"error": words})
        outcome = await whole(lambda: self._store.apply(operations, self._author(context)))
        if isinstance(outcome, SkillRefused):
            closest = {"closest": list(outcome.closest)} if outcome.closest else {}
            return self._patience.failed(
                turn, arguments, {"error": self._library.without_folders(outcome.message), **closest}
            )
        self._patience.succeeded(turn)
        return ToolResult(dumped(_success(outcome)))

    def _author(self, context: ToolContext) -> Author:
        flags = [f"untrusted:{context.untrusted}"] if context.untrusted else []
        flags += [] if self._owners(context) else [OTHERS]
        return Author(
            context.origin or self._origin,
            context.session_id,
            context.booked,
            chat=context.chat.key,
            flags=tuple(flags),
            speaker=context.speaker,
        )

    def _unseen(self, operations: Sequence[SkillOperation], turn: int) -> str | None:
        """The first skill that a review would change without having viewed it."""
        if self._origin is not Origin.REVIEW:
            return None
        known = set(self._seen_in(turn))
        for each in operations:
            if each.action is SkillAction.CREATE:
                known.add(each.name)
            elif each.name not in known:
                return each.name
        return None

    def _seen_in(self, turn: int) -> set[str]:
        seen = self._seen.setdefault(turn, set())
        self._seen.move_to_end(turn)
        if len(self._seen) > _TURNS:
            self._seen.popitem(last=False)
        return seen


def _holds(skill: Skill, description: str, words: Sequence[str]) -> bool:
    text = f"{skill.category} {skill.name} {description}".casefold()
    return all(word in text for word in words)


def _success(outcome: SkillApplied | SkillUnchanged | SkillStaged) -> dict[str, Any]:
    """Terminal: what was done, never what stands in the files."""
    match outcome:
        case SkillStaged(pending, message):
            said = f"{message} Say so, and do not try again."
            return {"success": True, "staged": True, "pending_id": pending, "message": said}
        case SkillUnchanged(names, notes):
            said = " ".join(notes) or "Everything stands there as wished already; nothing had to be changed."
            return {"success": True, "done": True, "skills": list(names), "message": said}
        case SkillApplied(change, draft, archived):
            put_away = [f"It lies in skills/{each} now and can be restored." for each in archived]
            said = " ".join([f"Saved: {draft.gist}. Nothing more needs to be done.", *put_away, *draft.notes])
            return {"success": True, "done": True, "skills": list(draft.names), "change": change, "message": said}
        case _:
            assert_never(outcome)
