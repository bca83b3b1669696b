"""The suite that every tool passes, for this house and for authors of plugins.

Subclass `ToolContract` in a test module and give it a pytest fixture `tools`, the tools that an entry makes; the
tests are coroutines (pytest-asyncio in mode auto). What a tool answers is its own tests' matter, for which `called`
calls it.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from typing import Any

from gateway.tools.loader import OWN
from gateway.tools.tool import Tool, ToolContext, ToolResult
from gateway.tools.toolset import Toolset
from gateway.transcript import ToolCall
from platforms.messages import ChatRef

HERE = ToolContext(ChatRef("console", "here"), "20261130-00000001", 1, "console:owner")
"""Where calls of the suite come from."""

ODD: tuple[dict[str, Any], ...] = ({}, {"nothing": "of the kind"}, {"": None})
"""Arguments as models write them when they guess."""


async def called(tools: Sequence[Tool], name: str, context: ToolContext = HERE, **arguments: Any) -> ToolResult:
    """What a call gives, as a conversation runs it: a fault becomes an answer that is not ok."""
    call = ToolCall("call-1", name, json.dumps(arguments))
    return await Toolset(tools).run(call, context)


class ToolContract:
    """What is true of every tool."""

    def test_each_has_a_name_of_its_own(self, tools: Sequence[Tool]) -> None:
        names = [each.name for each in tools]
        assert names
        assert len(set(names)) == len(names)
        assert [each for each in names if not re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_-]{0,63}", each)] == []
        assert set(names) & OWN == set()

    def test_its_schema_is_an_object_that_says_what_is_needed(self, tools: Sequence[Tool]) -> None:
        for each in tools:
            assert each.schema.description.strip(), each.name
            parameters = json.loads(json.dumps(each.schema.parameters))
            assert parameters.get("type") == "object", each.name
            assert set(parameters.get("required", ())) <= set(parameters.get("properties", {})), each.name

    def test_it_is_written_the_same_each_time(self, tools: Sequence[Tool]) -> None:
        assert Toolset(tools).serialise() == Toolset(list(reversed(tools))).serialise()

    async def test_odd_arguments_get_an_answer_in_time(self, tools: Sequence[Tool]) -> None:
        for each in tools:
            for arguments in ODD:
                async with asyncio.timeout(each.seconds):
                    result = await each.run(arguments, HERE)
                assert isinstance(result, ToolResult), each.name
                assert isinstance(result.text, str)

    async def test_what_is_needed_and_missing_is_refused_in_words(self, tools: Sequence[Tool]) -> None:
        for each in tools:
            if each.schema.parameters.get("required"):
                result = await each.run({}, HERE)
                assert result.ok is False, f"{each.name} took a call without what it needs"
                assert result.text.strip()
