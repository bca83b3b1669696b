"""Decides what is a tool call: native ones, and those that small models write into their text.

Pure. A call counts when, and only when, it names an offered tool and its arguments fit that tool's schema; anything
else that looks like one becomes a misfire, a line that shows the model the right call.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gateway.models.call_shapes import Candidate, candidates, read_json
from gateway.models.client import ToolCall, ToolSchema
from gateway.models.pieces import joined_halves
from gateway.models.schema_check import example, problems, resolved

ALIASES: Mapping[str, str] = {"newtext": "content", "newstring": "content", "oldstring": "old_text"}
"""Names of arguments, folded, that models take from other tools; used where the schema knows only the second."""

_NAMES = ("name", "tool", "tool_name", "function", "function_name")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "params")
_BESIDE = frozenset({"id", "type", "index", *_NAMES, *_ARGUMENTS})


@dataclass(frozen=True, slots=True)
class Found:
    """What a text or a list of native calls amounts to. `rest_of_text` is what a person should read.

    `shape` is how the first call was written: `native`, `json`, `fence` or `tag`; empty without any call.
    """

    calls: tuple[ToolCall, ...] = ()
    misfires: tuple[str, ...] = ()
    rest_of_text: str = ""
    shape: str = ""


@dataclass(frozen=True, slots=True)
class _Wish:
    """A name and arguments as the model wrote them."""

    name: str
    arguments: Any


def recognise(text: str, tools: Sequence[ToolSchema], *, ids: str = "call", complete: bool = True) -> Found:
    """The calls and misfires in a finished text. Ids are `ids` with a number.

    `complete` False (the answer was cut) does not guess missing brackets. Text without any call comes back unchanged.
    """
    if not tools:
        return Found(rest_of_text=text)
    calls: list[ToolCall] = []
    misfires: list[str] = []
    kept: list[str] = []
    shape = ""
    at = 0
    for one in candidates(text, repair=complete):
        judged = judge(one, text, tools)
        if judged is None:
            continue
        kept.append(text[at : one.start])
        at = one.end + len(text[one.end :]) - len(text[one.end :].lstrip("}]"))  # brackets too many are common
        for outcome in judged:
            if isinstance(outcome, str):
                misfires.append(outcome)
            else:
                shape = shape or _shape(one, text)
                calls.append(ToolCall(f"{ids}_{len(calls) + 1}", outcome.name, outcome.arguments))
    if not calls and not misfires:
        line = _written_as_code(text, tools)
        return Found((), (line,), "") if line else Found(rest_of_text=text)
    kept.append(text[at:])
    rest = "\n\n".join(part.strip() for part in kept if part.strip())
    return Found(tuple(calls), tuple(misfires), rest, shape)


def validate(calls: Iterable[ToolCall], tools: Sequence[ToolSchema]) -> Found:
    """Native calls, whose `arguments` may be anything that a host sends: names put right, arguments canonical."""
    good: list[ToolCall] = []
    misfires: list[str] = []
    for call in calls:
        outcome = _fit(_Wish(call.name, call.arguments), tools)
        if isinstance(outcome, str):
            misfires.append(outcome)
        else:
            good.append(ToolCall(call.id, outcome.name, outcome.arguments))
    return Found(tuple(good), tuple(misfires), shape="native" if good else "")


def judge(one: Candidate, text: str, tools: Sequence[ToolSchema]) -> list[ToolCall | str] | None:
    """The calls (with empty ids) and misfires that a candidate holds; None when it is just text."""
    if not one.values:
        written = text[one.start : one.end]
        if one.marked or any(f'"{tool.name}"' in written for tool in tools):
            return [f"The tool call could not be read as JSON. {_right_call(_named_in(written, tools))}"]
        return None
    wishes: list[_Wish] = []
    for value in one.values:
        found = _wishes(value, tools, one.marked, one.name)
        if found is None:
            if one.marked:
                return [f"The text in the tool-call tag names no tool. {_right_call(tools[0])}"]
            alone = not text[: one.start].strip() and not text[one.end :].strip()
            nameless = _nameless(value, tools) if alone and len(one.values) == 1 else None
            return None if nameless is None else [nameless]
        wishes += found
    return [_fit(wish, tools) for wish in wishes]


def canonical(arguments: Mapping[str, Any]) -> str:
    """The one serialisation of arguments: order as given, no blanks, real characters, never half a surrogate pair."""
    return joined_halves(json.dumps(arguments, ensure_ascii=False, separators=(",", ":"), allow_nan=False))


def _shape(one: Candidate, text: str) -> str:
    if one.marked:
        return "tag"
    return "fence" if text[one.start : one.end].lstrip().startswith(("```", "~~~")) else "json"


def _wishes(value: Any, tools: Sequence[ToolSchema], marked: bool, name: str) -> list[_Wish] | None:
    """The calls that a JSON value spells out, or None when it spells out none."""
    if name:
        return [_Wish(name, value)]
    if isinstance(value, list):
        each = [_wishes(item, tools, marked, "") for item in value]
        found = [wish for wishes in each for wish in wishes or ()]
        return found if each and None not in each else None
    if not isinstance(value, dict):
        return None
    listed = value.get("tool_calls")
    if isinstance(listed, list) and listed:
        return _wishes(listed, tools, True, "")
    inner = value.get("function")
    if isinstance(inner, dict):
        return _wishes(inner, tools, marked, "")
    return _one_wish(value, tools, marked)


def _one_wish(value: dict[str, Any], tools: Sequence[ToolSchema], marked: bool) -> list[_Wish] | None:
    named = next((key for key in _NAMES if isinstance(value.get(key), str)), None)
    if named is None:
        # {"memory": {…}}: the tool's name is the key.
        if len(value) == 1:
            key, inner = next(iter(value.items()))
            if isinstance(inner, dict) and _tool(key, tools):
                return [_Wish(key, inner)]
        return None
    name = value[named]
    given = next((key for key in _ARGUMENTS if key in value), None)
    known = _tool(name, tools) is not None
    if given is not None and (given == named or not isinstance(value[given], dict | str | None)):
        given = None
    if given is not None:
        # An unknown name is a failed call only where nothing else is said: other objects have names as well.
        return [_Wish(name, value[given])] if known or marked or _BESIDE.issuperset(value) else None
    if not known:
        return [_Wish(name, {})] if marked else None
    flat = {key: item for key, item in value.items() if key not in (named, "id", "type")}
    return [_Wish(name, flat)]


def _fit(wish: _Wish, tools: Sequence[ToolSchema]) -> ToolCall | str:
    """The call with an empty id, or the misfire's line."""
    tool = _tool(wish.name, tools)
    if tool is None:
        nearest = difflib.get_close_matches(wish.name, [each.name for each in tools], 1, 0.5)
        shown = next((each for each in tools if nearest and each.name == nearest[0]), tools[0] if tools else None)
        offered = ", ".join(each.name for each in tools) or "none"
        return f"There is no tool named {_short(wish.name)!r} (offered: {offered}). {_right_call(shown)}".rstrip()
    arguments = _object(wish.arguments)
    if arguments is None:
        return f"{tool.name}: the arguments are not a JSON object. {_right_call(tool)}"
    renamed = _renamed(arguments, tool.parameters, tool.parameters)
    wrong = problems(renamed, tool.parameters)
    if wrong:
        return f"{tool.name}: {'; '.join(_short(line, 200) for line in wrong[:3])}. {_right_call(tool)}"
    try:
        return ToolCall("", tool.name, canonical(renamed))
    except (ValueError, RecursionError):
        return f"{tool.name}: the arguments are not JSON. {_right_call(tool)}"


def _object(arguments: Any) -> dict[str, Any] | None:
    """Arguments as an object: itself, or a text that holds one (twice encoded at most); nothing means none."""
    for _ in range(3):
        if isinstance(arguments, dict):
            return arguments
        if arguments is None or (isinstance(arguments, str) and not arguments.strip()):
            return {}
        if not isinstance(arguments, str):
            return None
        stripped = arguments.strip()
        if stripped.startswith('"'):
            try:
                arguments = json.loads(stripped)
            except ValueError:
                return None
            continue
        read = read_json(stripped)
        if read is None or stripped[read[1] :].strip():
            return None
        arguments = read[0]
    return None


def _renamed(value: Any, schema: Any, root: Mapping[str, Any]) -> Any:
    """`value` with argument names as the schema spells them, and without nulls for what may be left out."""
    schema = resolved(schema, root)
    if isinstance(value, list):
        return [_renamed(item, schema.get("items"), root) for item in value]
    properties = schema.get("properties")
    if not isinstance(value, dict) or not isinstance(properties, Mapping):
        return value
    spelled = {_folded(name): name for name in properties}
    renamed: dict[str, Any] = {}
    for key, item in value.items():
        name = key
        if key not in properties:
            folded = _folded(key)
            target = spelled.get(folded) or spelled.get(_folded(ALIASES.get(folded, "")))
            if target is not None and target not in value and target not in renamed:
                name = target
        inner = properties.get(name)
        optional = name in properties and name not in (schema.get("required") or ())
        if item is None and optional and problems(None, inner, root):
            continue
        renamed[name] = _renamed(item, inner, root)
    return renamed


def _tool(name: str, tools: Sequence[ToolSchema]) -> ToolSchema | None:
    """The offered tool of that name; case and separators may differ when only one tool is meant."""
    for tool in tools:
        if tool.name == name:
            return tool
    wanted = {_folded(name), _folded(name.rpartition(".")[2])} - {""}
    alike = [tool for tool in tools if _folded(tool.name) in wanted]
    return alike[0] if len(alike) == 1 else None


def _folded(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _nameless(value: Any, tools: Sequence[ToolSchema]) -> str | None:
    """A misfire for an answer that is nothing but one tool's arguments."""
    if not isinstance(value, dict) or not value:
        return None
    for tool in tools:
        properties = tool.parameters.get("properties") or {}
        if not tool.parameters.get("required") or not set(value) <= set(properties):
            continue
        if not problems(value, tool.parameters):
            return f"A call of {tool.name} must name the tool. {_right_call(tool)}"
    return None


def _written_as_code(text: str, tools: Sequence[ToolSchema]) -> str | None:
    """A misfire for an answer that is nothing but `tool(argument=…)`."""
    match = re.fullmatch(r"\s*(?:```\w*\s*)?([\w.\-]{1,64})\((.*)\)\s*(?:```)?\s*", text, re.DOTALL)
    tool = next((each for each in tools if match and each.name == match[1]), None)
    return f"{tool.name}: a call must be written as JSON. {_right_call(tool)}" if tool else None


def _named_in(text: str, tools: Sequence[ToolSchema]) -> ToolSchema:
    return next((tool for tool in tools if tool.name in text), tools[0])


def _right_call(tool: ToolSchema | None) -> str:
    if tool is None:
        return ""
    shown = {"name": tool.name, "arguments": example(tool.parameters)}
    return f"A right call: {json.dumps(shown, ensure_ascii=False)}"


def _short(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."
