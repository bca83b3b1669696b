"""A model's arguments for skill_manage as operations, or the words that say what to send instead. Pure.

Whether the operations can be done is `memory.skills.edits`' matter.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gateway.tools.skill_guidance import example
from memory.skills.model import SkillAction, SkillOperation
from memory.skills.validate import one_line

_ALIASES = {
    **dict.fromkeys(("new_text", "new_string", "file_content", "text"), "content"),
    "old_string": "old_text",
    **dict.fromkeys(("file_path", "path"), "file"),
    **dict.fromkeys(("skill", "skill_name"), "name"),
}
_TEXTS = ("name", "description", "content", "old_text", "file", "category")
_MAY_BE_EMPTY = {(SkillAction.PATCH, "content"), (SkillAction.WRITE_FILE, "content")}

_MEANT = {
    "replace": SkillAction.PATCH,
    "update": SkillAction.PATCH,
    "rewrite": SkillAction.EDIT,
    "remove": SkillAction.DELETE,
    "archive": SkillAction.DELETE,
    "add": SkillAction.CREATE,
    "delete_file": SkillAction.REMOVE_FILE,
    "add_file": SkillAction.WRITE_FILE,
}
"""What other tools call it: such a call is refused, and shown the right one."""


def read_call(arguments: Mapping[str, Any]) -> tuple[SkillOperation, ...] | str:
    """The operations, or what is wrong with the call and an example of a right one."""
    given = renamed(arguments)
    batch = given.pop("operations", None)
    if batch in (None, "") or (batch == [] and given.get("action")):
        read = _operation(given)
        return read if isinstance(read, str) else (read,)
    if not isinstance(batch, list) or not batch:
        return f"operations must be a list of at least one object. Example: {_batch_example()}"
    if given.get("action"):
        return "Send either one operation (action, name and what it needs) or operations, not both."
    operations = []
    for number, each in enumerate(batch, 1):
        # Where all are about one skill, models name it once.
        named = {"name": given["name"]} if given.get("name") else {}
        read = _operation(named | renamed(each)) if isinstance(each, Mapping) else "it must be an object."
        if isinstance(read, str):
            return f"Operation {number} of {len(batch)}: {read} Nothing of the batch was done."
        operations.append(read)
    return tuple(operations)


def _operation(given: Mapping[str, Any]) -> SkillOperation | str:
    wished = given.get("action")
    if wished is None or wished == "":
        actions = ", ".join(each.value for each in SkillAction)
        return f"action is missing: {actions}. Example: {_shown(example(SkillAction.CREATE))}"
    word = str(wished).strip().lower()
    action = next((each for each in SkillAction if each.value == word), None)
    if action is None:
        actions = ", ".join(each.value for each in SkillAction)
        why = f"There is no action {_shown(wished)}; there are {actions}."
        return f"{why} Example: {_shown(example(_MEANT.get(word)))}"
    for name in _TEXTS:
        if given.get(name) is not None and not isinstance(given[name], str):
            return f"{name} must be a text. Example: {_shown(example(action))}"
    for name in ("name", *(each for each in ("old_text", "file", "content") if each in example(action))):
        value = given.get(name)
        if value is None or (not value.strip() and (action, name) not in _MAY_BE_EMPTY):
            return f"{action.value} needs {name}. Example: {_shown(example(action))}"
    texts = {name: str(given.get(name) or "") for name in _TEXTS}
    content = texts["content"]
    if action is SkillAction.CREATE and texts["description"].strip() and not content.lstrip().startswith("---"):
        content = _headed(texts["name"].strip(), texts["description"], content)
    return SkillOperation(
        action, texts["name"].strip(), content, texts["old_text"], texts["file"].strip(), texts["category"].strip()
    )


def _headed(name: str, description: str, body: str) -> str:
    """The whole SKILL.md. What JSON puts in quotes, YAML reads as it is meant."""
    quoted = json.dumps(one_line(description), ensure_ascii=False)
    return f"---\nname: {name}\ndescription: {quoted}\n---\n\n{body.strip()}\n"


def renamed(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """With the names of the schema; a name of the schema wins over an alias."""
    aliases = {_ALIASES[key]: value for key, value in arguments.items() if key in _ALIASES}
    return aliases | {key: value for key, value in arguments.items() if key not in _ALIASES and value is not None}


def _batch_example() -> str:
    return _shown({"operations": [example(SkillAction.PATCH), example(SkillAction.WRITE_FILE)]})


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 300 else text[:299] + "…"
