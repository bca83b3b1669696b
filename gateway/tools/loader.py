"""Finds tools that plugins register under the entry-point group `innkeeper.tools`.

An entry is a callable that takes nothing, or one `ToolHouse`, and returns one Tool or several. One that fails is
reported, not fatal.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from gateway.models.client import ToolSchema
from gateway.tools.cron_tool import NAME as CRON
from gateway.tools.files import NAMES as FILES
from gateway.tools.memory_guidance import NAME as MEMORY
from gateway.tools.search_guidance import NAME as SESSION_SEARCH
from gateway.tools.send_file import NAME as SEND_FILE
from gateway.tools.skill_guidance import NAMES as SKILLS
from gateway.tools.tool import Tool

GROUP = "innkeeper.tools"
OWN = frozenset({MEMORY, SEND_FILE, SESSION_SEARCH, CRON, *SKILLS, *FILES})
"""Names that the house keeps for its own tools, also where it does not offer them."""


@dataclass(frozen=True, slots=True)
class ToolHouse:
    """What a plugin's tools may know of the house: the profile's folder, and the time in seconds since the epoch."""

    folder: Path
    now: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Found:
    """The tools, and one line for each plugin that could not be loaded."""

    tools: tuple[Tool, ...]
    problems: tuple[str, ...]


def plugin_tools(house: ToolHouse, points: Iterable[EntryPoint] | None = None) -> Found:
    """Every registered tool. A name belongs to the house's own tool, else to the first plugin that takes it.

    `points` are the entry points to read; None reads those of the installed distributions.
    """
    tools: dict[str, Tool] = {}
    problems: list[str] = []
    for point in entry_points(group=GROUP) if points is None else points:
        try:
            made = _made(point.load(), house)
        except Exception as error:  # noqa: BLE001 - a plugin's fault of any kind costs its tools, not the house
            problems.append(f"tool plugin {point.name}: {type(error).__name__}: {error}")
            continue
        for tool in made:
            if tool.name in OWN or tool.name in tools:
                problems.append(f"tool plugin {point.name}: the name {tool.name} is taken; its tool is not offered")
            else:
                tools[tool.name] = tool
    return Found(tuple(tools.values()), tuple(problems))


def _made(build: Any, house: ToolHouse) -> list[Tool]:
    """What a plugin's callable returns. Raises whatever the plugin raises, and TypeError for what are no tools."""
    returned = build(house) if inspect.signature(build).parameters else build()
    made = [returned] if isinstance(returned, Tool) else list(returned)
    for each in made:
        if not (isinstance(each, Tool) and isinstance(each.schema, ToolSchema)):
            raise TypeError(f"{each!r} is not a Tool")
    return made
