"""What a server says of its tools, made fit to be offered: names, order, bounds, and no hidden orders. Pure.

A description is text from outside that stands in every request: what the threat scan objects to is withheld, and what
cannot be offered is said.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gateway.models.client import ToolSchema
from gateway.tools.mcp.names import offered_name
from memory.scan.characters import unseen
from memory.scan.scanner import verdict

LONGEST_DESCRIPTION = 1000
"""Characters of a description; hosts refuse longer ones."""

LONGEST_NAME = 128
"""Characters of a tool's name at its server."""

LARGEST_SCHEMA = 20_000
"""Characters of one tool's parameters."""

WITHHELD = "(the description is withheld by the threat scan: {rule})"
_WORDS = ("description", "title", "$comment", "examples", "default")
"""Keys of a schema that are words for the reader and bind nobody."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A tool as its server lists it; `reads` says that by its own word it changes nothing."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    reads: bool = False


@dataclass(frozen=True, slots=True)
class RemoteTool:
    """A tool as it is offered: `schema` has its name here, `tool` is its name at the `server`; `size` is how many
    characters it takes in a request, about."""

    server: str
    tool: str
    schema: ToolSchema
    reads: bool
    size: int

    @property
    def name(self) -> str:
        return self.schema.name


def fit(server: str, listed: Sequence[Listed], most: int) -> tuple[tuple[RemoteTool, ...], tuple[str, ...]]:
    """The tools of one server in the order of their names, and a line for each that cannot be offered as it is."""
    made: dict[str, RemoteTool] = {}
    problems: list[str] = []
    for each in sorted(listed, key=lambda one: one.name):
        name = offered_name(server, each.name)
        if len(made) >= most:
            problems.append(f"it has {len(listed)} tools; the first {most} are offered")
            break
        if name in made:
            problems.append(f"two of its tools would be called {name}: the second is not offered")
            continue
        tool, why = _judged(server, name, each)
        problems += [why] if why else []
        if tool is not None:
            made[name] = tool
    return tuple(made.values()), tuple(problems)


def _judged(server: str, name: str, listed: Listed) -> tuple[RemoteTool | None, str]:
    if not (listed.name.isprintable() and 0 < len(listed.name) <= LONGEST_NAME):
        return None, f"{name} has no proper name at its server, and is not offered"
    parameters = {**listed.parameters}
    parameters.pop("$schema", None)
    if parameters.setdefault("type", "object") != "object":
        return None, f"{name} takes no object of arguments, and is not offered"
    parameters.setdefault("properties", {})
    try:
        dumped = _dumped(parameters)
    except (TypeError, ValueError, RecursionError):
        return None, f"the arguments of {name} cannot be written down, and it is not offered"
    if len(dumped) > LARGEST_SCHEMA:
        return None, f"the arguments of {name} take {len(dumped):,} characters, and it is not offered"
    schema = ToolSchema(name, _short(plain(listed.description)), parameters)
    size = len(name) + len(schema.description) + len(dumped)
    tool = RemoteTool(server, listed.name, schema, listed.reads, size)
    if (rule := verdict(f"{listed.description}\n{dumped}")) is None:
        return tool, ""
    bare = ToolSchema(name, WITHHELD.format(rule=rule), _without_words(parameters))
    if (inside := verdict(_dumped(bare.parameters))) is not None:
        return None, f"{name} is not offered: its arguments break the rule {inside} of the threat scan"
    return replace(tool, schema=bare), f"the description of {name} is withheld by the threat scan: {rule}"


def plain(text: str) -> str:
    """The text without characters that nobody sees and that have no reason to be there."""
    pieces, at = [], 0
    for each in unseen(text):
        pieces.append(text[at : each.start])
        at = each.end
    return "".join([*pieces, text[at:]])


def _without_words(schema: Any) -> Any:
    """A schema with what binds alone; names of properties stay, whatever they are."""
    if isinstance(schema, list):
        return [_without_words(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    kept = {}
    for key, value in schema.items():
        if key in ("properties", "$defs", "definitions", "patternProperties") and isinstance(value, Mapping):
            kept[key] = {name: _without_words(inner) for name, inner in value.items()}
        elif key not in _WORDS:
            kept[key] = _without_words(value)
    return kept


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= LONGEST_DESCRIPTION else text[: LONGEST_DESCRIPTION - 1] + "…"


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
