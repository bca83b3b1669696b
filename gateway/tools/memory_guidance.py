"""What models are told about memory: the tool's description and schema, and the lines in the prompt.

Both are frozen into sessions and part of what hosts cache. They follow from the stores that are on, and from nothing
else.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from gateway.models.client import ToolSchema
from memory.model import Action, Target

NAME = "memory"

_WHAT = {
    Target.MEMORY: (
        "memory = your notes: environment, project conventions, quirks of tools and ways round them, lessons, "
        "finished work with its date"
    ),
    Target.USER: (
        "user = who the person is: name, role, time zone, skill level, style, preferences, dislikes, habits"
    ),
}

_DESCRIPTION = (
    "Keep facts across conversations. {what}. What is kept stands in your prompt: there is nothing to read. One "
    "change: action, content, old_text. Several for one target: operations, all or nothing. add appends content. "
    "patch replaces just the span old_text by content in the one entry that holds it (old_text = the whole entry "
    "rewrites it). remove deletes the one entry that old_text identifies. old_text is a unique part of an entry, to "
    "the letter. A success is final: do not repeat or verify it. When space is short, free it and add in ONE batch."
)

_GUIDANCE = (
    "Memory: keep with the memory tool, without being asked: preferences, corrections, facts of the environment, "
    "conventions, lessons, finished work with its date, and whatever the person asks you to keep. {what}. Leave out "
    "the trivial, what can be looked up, dumps, matters of this conversation only, and what your instructions or a "
    "skill already say. Write dense, declarative entries. Above 80 % merge entries before adding. Procedures belong "
    "in skills, past talk in the archive. Say that something is saved only after the tool confirmed it."
)


_CENSORED = (
    " Others read along in this chat: {names} is the file of the person who speaks; it is not shown here, and only "
    "takes add."
)


def guidance(targets: Sequence[Target], censored: Collection[Target] = ()) -> str:
    """The lines for the prompt; empty when no store is on. `censored` stores are the speaker's, and never shown."""
    if not targets:
        return ""
    names = " and ".join(target.value for target in targets if target in censored)
    return _GUIDANCE.format(what=_what(targets)) + (_CENSORED.format(names=names) if names else "")


def schema(targets: Sequence[Target]) -> ToolSchema:
    """The tool as it is offered for these stores (at least one)."""
    return ToolSchema(NAME, _DESCRIPTION.format(what=_what(targets)), _parameters(targets))


def example(targets: Sequence[Target], action: Action | None = None) -> dict[str, Any]:
    """Arguments of a right call."""
    target = targets[-1].value
    match action:
        case Action.PATCH:
            more = {"old_text": "<unique part of the entry>", "content": "<what stands there instead>"}
        case Action.REMOVE:
            more = {"old_text": "<unique part of the entry>"}
        case _:
            more = {"content": "<the fact to keep>"}
    return {"target": target, "action": (action or Action.ADD).value, **more}


def _what(targets: Sequence[Target]) -> str:
    return "; ".join(_WHAT[target] for target in targets)


def _parameters(targets: Sequence[Target]) -> dict[str, Any]:
    operation = {
        "action": {
            "type": "string",
            "enum": [action.value for action in Action],
            "description": (
                "add needs content; patch needs old_text and content; remove needs old_text. There is no replace: "
                "use patch. There is no read: memory stands in the prompt."
            ),
        },
        "content": {"type": "string", "description": "add: the entry. patch: what replaces old_text; not empty."},
        "old_text": {
            "type": "string",
            "description": "patch, remove: a unique part of the entry, to the letter; for patch the span to replace.",
        },
    }
    return {
        "type": "object",
        "properties": {
            "target": {"type": "string", "enum": [target.value for target in targets], "description": "Which store."},
            **operation,
            "operations": {
                "type": "array",
                "description": "Instead of action, content and old_text: several changes, all or nothing.",
                "items": {"type": "object", "properties": operation, "required": ["action"]},
            },
        },
        "required": ["target"],
        # What a wrong call is answered with.
        "examples": [example(targets)],
    }
