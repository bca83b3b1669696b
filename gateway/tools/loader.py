"""Finds tools that plugins register under the entry-point group `innkeeper.tools`.

An entry is a callable that takes no argument and returns one Tool or several. One that fails is reported, not fatal.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points

from gateway.tools.tool import Tool
from platforms.errors import PLUGIN_FAULTS


@dataclass(frozen=True, slots=True)
class Found:
    """The tools, and one line for each plugin that could not be loaded."""

    tools: tuple[Tool, ...]
    problems: tuple[str, ...]


def plugin_tools() -> Found:
    """Load every registered tool."""
    tools: list[Tool] = []
    problems: list[str] = []
    for entry in entry_points(group="innkeeper.tools"):
        try:
            made = entry.load()()
        except PLUGIN_FAULTS as error:
            problems.append(f"tool plugin {entry.name}: {type(error).__name__}: {error}")
            continue
        tools.extend([made] if isinstance(made, Tool) else made)
    return Found(tuple(tools), tuple(problems))
