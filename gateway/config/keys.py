"""The names in the schema: every key as a path, for suggestions, for `config set` and for the documented example."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from gateway.config.lines import Key, dotted
from gateway.config.schema import Settings
from gateway.config.values import closest

ANY = "*"
"""Stands in a path for a name that people choose (a host, an MCP server)."""

Models = Mapping[str, type[BaseModel] | None]


PLATFORMS: Key = ("platforms",)
PROVIDERS: Key = ("memory", "providers")
NONE: Models = {}


def keys(
    platforms: Models, model: type[BaseModel] = Settings, path: Key = (), *, providers: Models = NONE
) -> Iterator[tuple[Key, FieldInfo]]:
    """Every key of the schema, groups before what is in them; of `providers`, those whose settings are known here."""
    for name, field in model.model_fields.items():
        here = (*path, name)
        yield here, field
        if here in (PLATFORMS, PROVIDERS):
            for chosen, own in (platforms if here == PLATFORMS else providers).items():
                if own is not None:
                    yield from keys(platforms, own, (*here, chosen))
            continue
        inner, named = _inner(field.annotation)
        if inner is not None:
            yield from keys(platforms, inner, (*here, ANY) if named else here, providers=providers)


def unknown(key: Key, platforms: Models, providers: Models = NONE) -> str:
    """What is wrong with a key that is not in the schema, with the nearest one that is."""
    known = [path for path, _ in keys(platforms, providers=providers)]
    name, parent = str(key[-1]), key[:-1]
    siblings = [str(path[-1]) for path in known if len(path) == len(key) and _fits(path[:-1], parent)]
    if parent in (PLATFORMS, PROVIDERS):
        chosen = platforms if parent == PLATFORMS else providers
        siblings = [each for each, own in chosen.items() if own is not None]
    near = closest(name, siblings)
    if not near:
        elsewhere = [path for path in known if path[-1] == name and ANY not in path]
        near = f", did you mean {dotted(elsewhere[0])}?" if elsewhere else ""
    allowed = f"; allowed: {', '.join(siblings)}" if siblings and not near else ""
    return f"unknown key{near}{allowed}"


def exists(key: Key, platforms: Models, providers: Models = NONE) -> bool:
    """Whether a key is in the schema, or a name that people choose inside it (`hosts.lab`, `mcp_servers.x.env.Y`)."""
    for path, field in keys(platforms, providers=providers):
        if _fits(path, key):
            return True
        if get_origin(field.annotation) is dict and len(key) == len(path) + 1 and _fits(path, key[:-1]):
            return key[-1] in platforms if path == PLATFORMS else path != PROVIDERS or key[-1] in providers
    return False


def _fits(path: Key, key: Key) -> bool:
    return len(path) == len(key) and all(part in (ANY, own) for part, own in zip(path, key, strict=True))


def _inner(annotation: Any) -> tuple[type[BaseModel] | None, bool]:
    """(the model of a group, whether names stand between)."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, False
    if get_origin(annotation) is dict:
        value = get_args(annotation)[1]
        if isinstance(value, type) and issubclass(value, BaseModel):
            return value, True
    return None, False
