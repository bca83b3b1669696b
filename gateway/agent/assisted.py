"""Assisted mode: for models that cannot call tools, the call is asked for as an answer bound to a JSON schema.

Which messages are worth the question is decided by `wants`, so that small talk costs no second call.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from gateway.models.client import Message, ModelClient, Reply, Request, ToolSchema
from gateway.models.toolcalls import validate
from gateway.tools import search_guidance, skill_guidance
from gateway.transcript import ToolCall

QUESTION = (
    "[Innkeeper] Decide whether one of these tools is needed to do what the person just asked. Answer with JSON only:"
    ' {"tool": NAME, "arguments": {...}}, or {"tool": "none"} when none is needed.\n'
)


NEVER = skill_guidance.NAMES | {search_guidance.NAME}
"""A procedure takes several calls, and so does a search; here there is one, for what the person wants kept."""

RESULT = "[Innkeeper] Result of the tool: "
"""What stands before a tool's result where a model knows no tools."""


@dataclass(frozen=True, slots=True)
class Assistant:
    """`tools` but those of `NEVER` may be wanted when `wants(what was said)` holds. `maximum` bounds the answer, in
    tokens."""

    tools: tuple[ToolSchema, ...]
    wants: Callable[[str], bool]
    maximum: int = 400

    async def wanted(
        self,
        client: ModelClient,
        history: tuple[Message, ...],
        spent: Callable[[Reply], Awaitable[None]],
        said: str,
        session: str | None = None,
    ) -> ToolCall | None:
        """The call that the person's words ask for, valid for its schema, or None. `said` is theirs alone, without
        what was added for the model: words of others that it answers, documents."""
        tools = tuple(each for each in self.tools if each.name not in NEVER)
        if not tools or not self.wants(said):
            return None
        question = Message("user", QUESTION + "\n".join(f"{each.name}: {each.description}" for each in tools))
        request = Request(
            (*history, question),
            session=session,
            task="assist",
            schema=choice_schema(tools),
            max_tokens=self.maximum,
        )
        reply: Reply | None = None
        async with aclosing(client.stream(request)) as deltas:
            async for delta in deltas:
                if isinstance(delta, Reply):
                    reply = delta
        if reply is None:
            return None
        await spent(reply)
        return read_choice(reply.text, tools)


def choice_schema(tools: tuple[ToolSchema, ...]) -> dict[str, Any]:
    """One of the tools with its arguments, or none."""
    options: list[dict[str, Any]] = [
        {
            "type": "object",
            "properties": {"tool": {"const": each.name}, "arguments": dict(each.parameters)},
            "required": ["tool", "arguments"],
            "additionalProperties": False,
        }
        for each in tools
    ]
    none = {
        "type": "object",
        "properties": {"tool": {"const": "none"}},
        "required": ["tool"],
        "additionalProperties": False,
    }
    return {"anyOf": [*options, none]}


def read_choice(text: str, tools: tuple[ToolSchema, ...]) -> ToolCall | None:
    """The chosen call, or None for "none" and for anything that does not fit the schema."""
    try:
        chosen = json.loads(text)
    except ValueError:
        return None
    if not isinstance(chosen, dict) or chosen.get("tool") not in {each.name for each in tools}:
        return None
    call = ToolCall("assisted-1", str(chosen["tool"]), json.dumps(chosen.get("arguments")))
    return next(iter(validate([call], tools).calls), None)


def as_text(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The same conversation for a template without tools: calls and results become plain words."""
    out: list[Message] = []
    for each in messages:
        if each.role == "tool":
            out.append(Message("user", f"{RESULT}{each.content}"))
        elif each.tool_calls:
            names = ", ".join(call.name for call in each.tool_calls)
            out.append(replace(each, content=f"{each.content}\n[used {names}]".strip(), tool_calls=()))
        else:
            out.append(each)
    return tuple(out)
