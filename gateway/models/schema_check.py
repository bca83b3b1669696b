"""Whether a JSON value fits a tool's JSON Schema, what is wrong when it does not, and an example that does.

The part of JSON Schema that tools use: type, enum, const, properties, required, additionalProperties, items, anyOf,
oneOf, allOf, local $ref, and limits of length and size. Keywords outside that part are ignored. Pure.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]

_DEPTH = 64
"""Nesting after which a schema that refers to itself is no longer followed."""


def problems(value: Any, schema: Any, root: Schema | None = None) -> list[str]:
    """What keeps `value` from fitting, one line each with its path; empty when it fits.

    `root` is the schema that references are looked up in, when `schema` is only a part of it.
    """
    return list(_check(value, schema, schema if root is None else root, "", 0))


def resolved(schema: Any, root: Schema) -> Schema:
    """The schema itself, following `#/…` references within `root`; an empty one for anything unusable."""
    for _ in range(_DEPTH):
        if not isinstance(schema, Mapping):
            return {}
        pointer = schema.get("$ref")
        if not isinstance(pointer, str) or not pointer.startswith("#"):
            return schema
        target: Any = root
        for part in pointer.lstrip("#/").split("/") if pointer.lstrip("#/") else ():
            key = part.replace("~1", "/").replace("~0", "~")
            target = target.get(key) if isinstance(target, Mapping) else None
        schema = target
    return {}


def same(one: Any, other: Any) -> bool:
    """JSON equality: true is not 1, while 1 and 1.0 are the same number."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def _check(value: Any, schema: Any, root: Schema, path: str, depth: int) -> Iterator[str]:
    if schema is False:
        yield f"{_at(path)} is not allowed"
    schema = resolved(schema, root)
    if depth > _DEPTH or not schema:
        return
    kinds = schema.get("type")
    allowed = [kinds] if isinstance(kinds, str) else list(kinds) if isinstance(kinds, list | tuple) else []
    if allowed and not any(_is(value, kind) for kind in allowed):
        yield f"{_at(path)} must be {' or '.join(map(str, allowed))}, not {_kind(value)}"
        return
    if "const" in schema and not same(value, schema["const"]):
        yield f"{_at(path)} must be {_shown(schema['const'])}"
    options = schema.get("enum")
    if isinstance(options, list | tuple) and not any(same(value, option) for option in options):
        meaning = schema.get("description")  # where a tool says why there is no such choice
        hint = f" ({meaning})" if isinstance(meaning, str) and meaning else ""
        yield f"{_at(path)} must be one of {', '.join(map(_shown, options))}, not {_shown(value)}{hint}"
    yield from _check_limits(value, schema, path)
    yield from _check_branches(value, schema, root, path, depth)
    if isinstance(value, dict):
        yield from _check_object(value, schema, root, path, depth)
    elif isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from _check(item, schema["items"], root, f"{path}[{index}]", depth + 1)


def _check_object(value: dict[str, Any], schema: Schema, root: Schema, path: str, depth: int) -> Iterator[str]:
    properties = schema.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    for name in schema.get("required") or ():
        if name not in value:
            yield f"{_at(_inside(path, name))} is missing"
    extra = schema.get("additionalProperties", True)
    for name, item in value.items():
        inner = properties.get(name, extra)
        if name not in properties and extra is False:
            known = ", ".join(properties) or "none"
            yield f"{_at(_inside(path, name))} is not an argument (allowed: {known})"
        elif inner is not True:
            yield from _check(item, inner, root, _inside(path, name), depth + 1)


def _check_branches(value: Any, schema: Schema, root: Schema, path: str, depth: int) -> Iterator[str]:
    for branch in _list(schema.get("allOf")):
        yield from _check(value, branch, root, path, depth + 1)
    for keyword, exactly in (("anyOf", False), ("oneOf", True)):
        branches = _list(schema.get(keyword))
        if not branches:
            continue
        found = [list(_check(value, branch, root, path, depth + 1)) for branch in branches]
        fitting = sum(not wrong for wrong in found)
        if not fitting:
            yield min(found, key=len)[0]
        elif exactly and fitting > 1:
            yield f"{_at(path)} fits more than one of the allowed forms"


def _check_limits(value: Any, schema: Schema, path: str) -> Iterator[str]:
    size: float | None = None
    if isinstance(value, str):
        names, size, unit = ("minLength", "maxLength"), len(value), " characters"
    elif isinstance(value, list):
        names, size, unit = ("minItems", "maxItems"), len(value), " items"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        names, size, unit = ("minimum", "maximum"), value, ""
    if size is None:
        return
    least, most = schema.get(names[0]), schema.get(names[1])
    if isinstance(least, int | float) and size < least:
        yield f"{_at(path)} must be at least {least:g}{unit}"
    if isinstance(most, int | float) and size > most:
        yield f"{_at(path)} must be at most {most:g}{unit}"


def _is(value: Any, kind: Any) -> bool:
    match kind:
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "integer":
            whole = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value) and value % 1 == 0)
            return whole and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case _:
            return True


def _kind(value: Any) -> str:
    names = ("null", "boolean", "integer", "number", "string", "array", "object")
    return next((name for name in names if _is(value, name)), type(value).__name__)


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _inside(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _at(path: str) -> str:
    return f"'{path}'" if path else "the value"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def example(schema: Schema) -> Any:
    """A small value that fits an ordinary tool schema: required properties only, words where text is wanted."""
    return _example(schema, schema, "value", 0)


def _example(schema: Any, root: Schema, name: str, depth: int) -> Any:
    schema = resolved(schema, root)
    if "const" in schema:
        return schema["const"]
    for key in ("enum", "examples"):
        options = _list(schema.get(key))
        if options:
            return options[0]
    if "default" in schema:
        return schema["default"]
    for key in ("anyOf", "oneOf", "allOf"):
        for branch in _list(schema.get(key)):
            if resolved(branch, root).get("type") != "null" and depth < _DEPTH and "properties" not in schema:
                return _example(branch, root, name, depth + 1)
    kinds = schema.get("type")
    kind = next((each for each in kinds if each != "null"), "null") if isinstance(kinds, list | tuple) else kinds
    if kind == "object" or (kind is None and "properties" in schema):
        properties = schema.get("properties") or {}
        wanted = [key for key in schema.get("required") or () if key in properties] if depth < _DEPTH else []
        return {key: _example(properties[key], root, key, depth + 1) for key in wanted}
    if kind == "array":
        few = int(schema.get("minItems") or 0)
        return [_example(schema.get("items"), root, name, depth + 1)] * few
    plain: dict[Any, Any] = {"integer": 1, "number": 1, "boolean": True, "null": None}
    if kind in plain:
        return max(plain[kind], schema.get("minimum", 1)) if kind in ("integer", "number") else plain[kind]
    return f"<{name}>"
