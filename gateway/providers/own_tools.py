"""A provider's own tools, looked at before any model is offered one: a name or a schema that hosts refuse would cost
every turn.

Calling them is attendant.py's matter; who may, outside.py's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from gateway.tools.loader import OWN
from memory.providers.protocol import Provider, ProviderTool
from memory.providers.registry import line

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What model hosts take for a tool's name."""


def tools_of(provider: Provider) -> tuple[Sequence[ProviderTool], str]:
    """Its own tools, and what is wrong with them, in one line, in which case there are none."""
    try:
        tools = list(provider.tools())
    except Exception as fault:  # noqa: BLE001 - the provider worker: it is used without its tools
        return (), f"its tools cannot be had: {line(fault)}"
    for each in tools:
        if not isinstance(each, ProviderTool) or not _fits(each.name, provider.name):
            return (), f"{getattr(each, 'name', each)!r} is no tool named {provider.name}_…"
        about: object = each.description
        if not isinstance(about, str):
            return (), f"the description of {each.name} is no text"
        try:
            schema = json.loads(json.dumps(dict(each.parameters), allow_nan=False))
        except (TypeError, ValueError, RecursionError) as fault:
            return (), f"the schema of {each.name} is none: {line(fault)}"
        inner, needed = schema.get("properties", {}), schema.get("required", [])
        if schema.get("type") != "object" or not isinstance(inner, dict) or not isinstance(needed, list):
            return (), f"the schema of {each.name} is not that of an object"
    if len({each.name for each in tools}) < len(tools):
        return (), "two of its tools have one name"
    return tools, ""


def _fits(name: object, provider: str) -> bool:
    """Whether a tool of this provider may be called so."""
    if not isinstance(name, str) or name in OWN:
        return False
    return name.startswith(f"{provider}_") and NAME.fullmatch(name) is not None
