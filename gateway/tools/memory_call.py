"""A model's arguments for the memory tool as operations, or the words that say what to send instead. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gateway.tools.memory_guidance import example
from memory.model import Action, Operation, Target

_ALIASES = {"new_text": "content", "new_string": "content", "old_string": "old_text"}
_TEXTS = ("content", "old_text")

_NO_SUCH = {
    "replace": (
        "There is no replace. Use patch: old_text is the span to change, content what stands there instead; a whole "
        "entry as old_text rewrites that entry."
    ),
    "read": (
        "There is no read: what is kept stands in your prompt and in the notes that follow it, and each answer of "
        "this tool shows the live state."
    ),
}


@dataclass(frozen=True, slots=True)
class Call:
    """What is to be done to which store."""

    target: Target
    operations: tuple[Operation, ...]


def read_call(arguments: Mapping[str, Any], targets: Sequence[Target]) -> Call | str:
    """The call, or what is wrong with it and an example of a right one. `targets` are the stores that are on."""
    given = _renamed(arguments)
    target = next((each for each in targets if given.get("target") == each.value), None)
    if target is None:
        why = _wrong_target(given.get("target"), targets)
        return f"{why} Nothing was done. Example: {_shown(example(targets, _action(given.get('action'))))}"
    batch = given.get("operations")
    if batch in (None, "") or (batch == [] and given.get("action")):
        return _single(given, target)
    if not isinstance(batch, list):
        return f"operations must be a list. Example: {_batch_example(target)}"
    if given.get("action"):
        return "Send either one operation (action, content, old_text) or operations, not both."
    if not batch:
        return f"There is no operation: send an action. Example: {_shown(example([target]))}"
    operations = []
    for number, each in enumerate(batch, 1):
        read = _operation(_renamed(each), target) if isinstance(each, Mapping) else "it must be an object."
        if isinstance(read, str):
            return f"Operation {number} of {len(batch)}: {read} Nothing of the batch was done."
        operations.append(read)
    return Call(target, tuple(operations))


def _single(given: Mapping[str, Any], target: Target) -> Call | str:
    read = _operation({key: value for key, value in given.items() if key != "target"}, target)
    return read if isinstance(read, str) else Call(target, (read,))


def _wrong_target(given: Any, targets: Sequence[Target]) -> str:
    allowed = " or ".join(target.value for target in targets)
    if given is None or given == "":
        return f"target is missing: {allowed}, at the top level."
    if given in [target.value for target in Target]:
        return f"The store {given} is switched off; allowed: {allowed}."
    return f"target must be {allowed}, not {_shown(given)}."


def _operation(given: Mapping[str, Any], target: Target) -> Operation | str:
    own = given.get("target")
    if own is not None and own != target.value:
        return f"it names the target {_shown(own)}, the call {target.value}. One call changes one store."
    wished = given.get("action")
    if wished is None or wished == "":
        return f"action is missing: add, patch or remove. Example: {_shown(example([target]))}"
    action = _action(wished)
    if action is None:
        word = str(wished).strip().lower()
        why = _NO_SUCH.get(word, f"There is no action {_shown(wished)}; there are add, patch and remove.")
        return f"{why} Example: {_shown(example([target], Action.PATCH if word == 'replace' else None))}"
    needs = [name for name in _TEXTS if name in example([target], action)]
    for name in needs:
        value = given.get(name)
        if value is not None and not isinstance(value, str):
            return f"{name} must be a text. Example: {_shown(example([target], action))}"
        # An empty content is the store's to explain: it is not missing.
        if value is None or (not value.strip() and name == "old_text"):
            return f"{action.value} needs {name}. Example: {_shown(example([target], action))}"
    return Operation(action, *(given[name] if name in needs else "" for name in _TEXTS))


def _action(given: Any) -> Action | None:
    word = given.strip().lower() if isinstance(given, str) else ""
    return next((action for action in Action if action.value == word), None)


def _renamed(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """With the names of the schema; a name of the schema wins over an alias."""
    renamed = {_ALIASES[key]: value for key, value in arguments.items() if key in _ALIASES}
    return renamed | {key: value for key, value in arguments.items() if key not in _ALIASES and value is not None}


def _batch_example(target: Target) -> str:
    operations = [{key: value for key, value in example([target]).items() if key != "target"}]
    return _shown({"target": target.value, "operations": operations})


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 300 else text[:299] + "…"
