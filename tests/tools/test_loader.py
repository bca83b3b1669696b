"""What becomes of plugins' tools: of good ones, of those that fail, and of those that take a name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from gateway.models.client import ToolSchema
from gateway.tools.loader import GROUP, Found, ToolHouse, plugin_tools
from gateway.tools.tool import Tool, ToolContext, ToolResult

HOUSE = ToolHouse(Path("a-profile"), lambda: 1000.0)


def tool(name: str, description: str = "A tool.") -> Tool:
    async def run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult("done")

    return Tool(ToolSchema(name, description, {"type": "object"}), run)


def one() -> Tool:
    return tool("one")


def many() -> Iterator[Tool]:
    yield tool("two")
    yield tool("three")


def told(house: ToolHouse) -> Tool:
    return tool("told", f"{house.folder} at {house.now():g}")


def nothing() -> None:
    return None


def words() -> list[str]:
    return ["one"]


def hollow() -> Tool:
    return Tool(None, one)  # type: ignore[arg-type]


def broken() -> Iterator[Tool]:
    yield tool("four")
    raise RuntimeError("no luck")


def thief() -> list[Tool]:
    return [tool("memory", "Mine."), tool("one", "Mine."), tool("five")]


number = 7


def found(*names: str) -> Found:
    return plugin_tools(HOUSE, [EntryPoint(name, f"{__name__}:{name}", GROUP) for name in names])


def test_one_tool_several_tools_and_tools_that_know_the_house() -> None:
    tools, problems = found("one", "many", "told").tools, found("one", "many", "told").problems
    assert [each.name for each in tools] == ["one", "two", "three", "told"]
    assert tools[-1].schema.description == "a-profile at 1000"
    assert problems == ()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nothing", "TypeError: 'NoneType' object is not iterable"),
        ("words", "TypeError: 'one' is not a Tool"),
        ("hollow", "is not a Tool"),
        ("broken", "RuntimeError: no luck"),
        ("number", "7 is not a callable object"),
        ("absent", "AttributeError"),
    ],
)
def test_a_bad_plugin_is_a_line_and_the_others_are_offered(name: str, why: str) -> None:
    all_of_them = found(name, "one")
    assert [each.name for each in all_of_them.tools] == ["one"]
    (line,) = all_of_them.problems
    assert line.startswith(f"tool plugin {name}: ")
    assert why in line


def test_a_taken_name_stays_with_its_holder() -> None:
    all_of_them = found("one", "thief")
    assert [(each.name, each.schema.description) for each in all_of_them.tools] == [
        ("one", "A tool."),
        ("five", "A tool."),
    ]
    assert [line.partition(": ")[2] for line in all_of_them.problems] == [
        "the name memory is taken; its tool is not offered",
        "the name one is taken; its tool is not offered",
    ]
