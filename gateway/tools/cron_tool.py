"""The tool `cronjob`: a model lists the jobs of its chat, and proposes one, which a person has to say yes to.

Who may wish for one, who is asked and what is kept belongs to whoever answers behind `Proposing`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from commands.cron_ports import JobWish
from gateway.models.client import ToolSchema
from gateway.tools.patience import Patience, dumped
from gateway.tools.tool import Tool, ToolContext, ToolResult

NAME = "cronjob"
TOOLSET = "cronjob"

_DESCRIPTION = (
    "Jobs: what you do by yourself at a time, in this chat. propose suggests one when the person wishes for a "
    "reminder or for something regular; the person sees it with Yes and No, and nothing runs before a Yes. when is a "
    "time in English, such as in 30m, tomorrow at 7:00, weekdays at 9am, every monday 9:30, on 2026-12-24 at 18:00, "
    "or cron 0 9 * * 1-5. prompt is what you are to do then, complete in itself. list shows the jobs there are."
)
_ENOUGH = "Do not call cronjob again in this turn: answer the person now, and say plainly that no job was made."
_TEXTS = ("when", "prompt", "name", "silent_unless")
_NEEDED = ("when", "prompt")


class Proposing(Protocol):
    """The house's side of it."""

    async def seen(self, context: ToolContext) -> Sequence[Mapping[str, Any]]:
        """The jobs that may be seen where a call comes from, as a model reads them."""

    async def propose(self, wish: JobWish, context: ToolContext) -> Mapping[str, Any]:
        """Keep a job that waits for a yes, and ask for it; what the model reads. Raises LookupError with words."""


def schema() -> ToolSchema:
    properties = {
        "action": {"type": "string", "enum": ["list", "propose"]},
        "when": {"type": "string"},
        "prompt": {"type": "string"},
        "name": {"type": "string", "description": "A few words, if the prompt's own do not say it."},
        "silent_unless": {"type": "string", "description": "What must hold for the answer to be sent at all."},
    }
    return ToolSchema(
        NAME,
        _DESCRIPTION,
        {"type": "object", "properties": properties, "required": ["action"], "examples": [example()]},
    )


def example() -> dict[str, Any]:
    """Arguments of a right call."""
    return {"action": "propose", "when": "weekdays at 9am", "prompt": "Summarise my unread notes."}


def cron_tool(proposing: Proposing) -> Tool:
    """The tool. A call never makes a job that runs."""
    return Tool(schema(), _Door(proposing).run, toolset=TOOLSET, seconds=30.0, spills=False)


class _Door:
    def __init__(self, proposing: Proposing) -> None:
        self._proposing = proposing
        self._patience = Patience(_ENOUGH)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        action = str(arguments.get("action") or "").strip().lower()
        if action == "list":
            return ToolResult(dumped({"success": True, "jobs": list(await self._proposing.seen(context))}))
        if (refusal := self._patience.refusal(context.turn_id, arguments)) is not None:
            return refusal
        try:
            if action != "propose":
                raise LookupError(f"action is list or propose, not {action!r}. Example: {dumped(example())}")
            answer = await self._proposing.propose(_wish(arguments), context)
        except LookupError as error:
            return self._patience.failed(context.turn_id, arguments, {"error": str(error)})
        self._patience.succeeded(context.turn_id)
        return ToolResult(dumped({"success": True, **answer}))


def _wish(arguments: Mapping[str, Any]) -> JobWish:
    given = {name: arguments[name] for name in _TEXTS if arguments.get(name) not in (None, "")}
    for name, value in given.items():
        if not isinstance(value, str):
            raise LookupError(f"{name} must be a text. Example: {dumped(example())}")
    if missing := [name for name in _NEEDED if not str(given.get(name, "")).strip()]:
        raise LookupError(f"propose needs {' and '.join(missing)}. Example: {dumped(example())}")
    return JobWish(**given)
