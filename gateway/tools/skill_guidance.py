"""What models are told about skills: the schemas of the three tools, the list in the prompt, and the lines about it.

All of it is frozen into sessions and part of what hosts cache.
"""

from __future__ import annotations

from typing import Any

from gateway.models.client import ToolSchema
from memory.skills.model import SkillAction

LIST, VIEW, MANAGE = "skills_list", "skill_view", "skill_manage"
NAMES = frozenset({LIST, VIEW, MANAGE})
TOOLSET = "skills"

INDEX_CHARS = 4000
"""Room for the list of skills in the prompt, in characters: about a thousand tokens."""

_GUIDANCE = (
    "Skills are procedures that were worked out before. Before you do what one of them is for, read it with "
    "skill_view and follow it. Save one with skill_manage, without being asked, after a solution in several steps "
    "that will come again, after a way was found past an error, or after a correction. Patch a skill that is "
    "there before you rewrite it or make another. A skill says what it is for, when to use it, and what to do "
    "step by step, pitfalls included; facts belong in memory, matters of this conversation only nowhere. Say that "
    "a skill is saved only after the tool confirmed it."
)

_LIST = (
    "The skills there are, by name. find: words that name, category or description must hold. after: go on behind "
    "this name."
)
_VIEW = (
    "Read a skill: its instructions (SKILL.md) and the names of its files; with file, one of those. offset: where "
    "to go on in a long text."
)
_MANAGE = (
    "Change skills. One change: action and name, and what the action needs. Several: operations, all or nothing. "
    "create makes a skill: description (what it does and when to use it, one line) and content (the instructions "
    "in Markdown). patch replaces the one passage old_text by content, in SKILL.md or in file. edit rewrites "
    "SKILL.md with content. delete puts the skill away; it can be restored. write_file and remove_file are about "
    "a file in references/, templates/, assets/ or scripts/. A success is final: do not repeat or verify it."
)

_TEXT = {"type": "string"}


def guidance() -> str:
    """The lines for the prompt."""
    return _GUIDANCE


def block(index: str) -> str:
    """The list of skills as it stands in the prompt; empty for none."""
    return f"Skills (name: what it does and when to use it):\n{index}" if index else ""


def list_schema() -> ToolSchema:
    return ToolSchema(LIST, _LIST, {"type": "object", "properties": {"find": _TEXT, "after": _TEXT}, "required": []})


def view_schema() -> ToolSchema:
    properties = {"name": _TEXT, "file": _TEXT, "offset": {"type": "integer", "minimum": 0}}
    example = {"name": "meeting-notes"}
    return ToolSchema(
        VIEW, _VIEW, {"type": "object", "properties": properties, "required": ["name"], "examples": [example]}
    )


def manage_schema() -> ToolSchema:
    operation = {
        "action": {"type": "string", "enum": [each.value for each in SkillAction]},
        "name": {"type": "string", "description": "The skill: a-z, 0-9, hyphens; at most 64 characters."},
        "description": {"type": "string", "description": "create: what it does and when to use it, on one line."},
        "content": {"type": "string", "description": "What is to stand there; for patch in place of old_text."},
        "old_text": {"type": "string", "description": "patch: a passage that stands there once, to the letter."},
        "file": {"type": "string", "description": "Such as references/notes.md; for patch, SKILL.md when left out."},
        "category": {"type": "string", "description": "create: a group to put it in, if any."},
    }
    return ToolSchema(
        MANAGE,
        _MANAGE,
        {
            "type": "object",
            "properties": {
                **operation,
                "operations": {
                    "type": "array",
                    "description": "Instead of the above: several changes, all or nothing.",
                    "items": {"type": "object", "properties": operation, "required": ["action"]},
                },
            },
            "required": [],
            # What a wrong call is answered with.
            "examples": [example(SkillAction.CREATE)],
        },
    )


def example(action: SkillAction | None = None) -> dict[str, Any]:
    """Arguments of a right call."""
    name = {"name": "deploy-site"}
    match action:
        case SkillAction.CREATE | SkillAction.EDIT:
            about = {"description": "<what it does and when to use it>"} if action is SkillAction.CREATE else {}
            text = "<the instructions in Markdown>" if about else "<the whole SKILL.md, frontmatter included>"
            more = {**about, "content": text}
        case SkillAction.DELETE:
            more = {}
        case SkillAction.WRITE_FILE:
            more = {"file": "references/notes.md", "content": "<the text of the file>"}
        case SkillAction.REMOVE_FILE:
            more = {"file": "references/notes.md"}
        case _:
            more = {"old_text": "<a passage that stands there once>", "content": "<what stands there instead>"}
    return {"action": (action or SkillAction.PATCH).value, **name, **more}
