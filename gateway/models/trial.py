"""Tries a model out: does it answer, how fast, does its host keep a cache, what do its tool calls look like, and does
it claim to have saved what it could not save.

Works on any ModelClient; knows no host. What is kept of it is a `Grade`, wherever the caller
wants it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from typing import Any

from gateway.clock import Clock, iso
from gateway.models.claims import claims_saving
from gateway.models.client import Message, ModelClient, Reply, Request, TextDelta, ToolSchema
from gateway.models.errors import ModelError

Step = Callable[[str], None]
"""Told what is being tried, for a line on the screen."""

TASK = "trial"
PERSONA = "You are a helpful AI assistant. Give correct, short answers."
TOOLS_NEEDED = 2
"""Right calls among the probes from which on a model is offered tools; below it is assisted mode."""


@dataclass(frozen=True, slots=True)
class Grade:
    """What a trial found. `reading` and `writing` in tokens a second, `first_token` in seconds, `cached_share` of
    the first call's prompt on the second; None where it could not be measured.

    `shapes` has one word for each probe: `native`, `json`, `fence`, `tag`, `called` (shape unknown), `misfire` (a
    call that fits no tool) or `none`. `tools` False means assisted mode. `claims_saves`: says "saved" without any
    tool.
    """

    host: str
    model: str
    at: str
    reachable: bool
    error: str = ""
    window: int | None = None
    first_token: float | None = None
    reading: float | None = None
    writing: float | None = None
    cached_share: float | None = None
    shapes: tuple[str, ...] = ()
    right_calls: int = 0
    tools: bool = False
    claims_saves: bool | None = None

    @property
    def name(self) -> str:
        return f"{self.host}/{self.model}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON: `name` first, then every field."""
        return {"name": self.name, **asdict(self)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Grade:
        """The inverse; unknown keys are left out. Raises TypeError when a needed one is missing."""
        known = {key: value for key, value in values.items() if key in cls.__dataclass_fields__}
        return cls(**{**known, "shapes": tuple(known.get("shapes", ()))})


@dataclass(frozen=True, slots=True)
class Probe:
    """A wish that calls for one tool, and the arguments that would be right."""

    text: str
    tool: str
    right: Callable[[dict[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer and when it came, in seconds from the request."""

    reply: Reply
    first: float
    end: float


def _object(required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


TOOLS: tuple[ToolSchema, ...] = (
    ToolSchema(
        "weather",
        "The weather in a city, now.",
        _object(["city"], city={"type": "string", "description": "The city's name"}),
    ),
    ToolSchema(
        "timer",
        "Start a timer.",
        _object(["minutes"], minutes={"type": "integer", "description": "Minutes until it rings"}),
    ),
    ToolSchema(
        "memory",
        "Keep something in long-term memory.",
        _object(
            ["action", "content"],
            action={"type": "string", "enum": ["add", "remove"]},
            content={"type": "string", "description": "What to keep, as one sentence"},
        ),
    ),
)
PROBES: tuple[Probe, ...] = (
    Probe("What is the weather in Oslo right now?", "weather", lambda said: "oslo" in str(said.get("city")).lower()),
    Probe("Start a timer for 15 minutes, please.", "timer", lambda said: said.get("minutes") == 15),
    Probe(
        "Please remember that my favourite colour is green.",
        "memory",
        lambda said: said.get("action") == "add" and "green" in str(said.get("content")).lower(),
    ),
)


async def try_out(client: ModelClient, clock: Clock, step: Step = lambda text: None) -> Grade:
    """Run the whole trial, some eight short requests. Never raises ModelError: what failed is in `error`."""
    grade = Grade(client.host, client.model, iso(clock.now()), reachable=False)
    try:
        step("waiting for its first answer")  # a model that must be loaded first is not slow for it
        await _hear(client, clock, Request((Message("user", "Hello"),), task=TASK, max_tokens=4))
        step("measuring its speed")
        grade = await _measured(client, clock, replace(grade, reachable=True))
        step("trying tool calls")
        grade = await _tools(client, clock, grade)
        step("looking for false claims")
        reply = (await _ask(client, clock, PERSONA, PROBES[2].text)).reply
        return replace(grade, claims_saves=claims_saving(reply.text))
    except ModelError as error:
        return replace(grade, error=str(error))


async def _measured(client: ModelClient, clock: Clock, grade: Grade) -> Grade:
    """Speed and cache. The prompt begins with a random word, so that nothing of it is cached yet."""
    info = await client.info()
    facts = " ".join(f"Room {number} has {number % 3 + 1} beds and faces the garden." for number in range(1, 20))
    system = Message("system", f"{secrets.token_hex(8)}. {PERSONA} {facts}")
    question = Message("user", "Count from one to thirty in words.")
    session = f"trial-{secrets.token_hex(4)}"
    first = await _hear(client, clock, Request((system, question), session=session, task=TASK, max_tokens=64))
    used = first.reply.usage
    grade = replace(
        grade,
        window=info.window,
        tools=info.tools,
        first_token=round(first.first, 3),
        reading=_rate(used.input - used.cached, first.first),
        writing=_rate(used.output - 1, first.end - first.first),
    )
    history = (system, question, Message("assistant", first.reply.text), Message("user", "And now the next five."))
    second = await _hear(client, clock, Request(history, session=session, task=TASK, max_tokens=8))
    share = second.reply.usage.cached / used.input if used.input else None
    return replace(grade, cached_share=None if share is None else round(min(share, 1.0), 3))


async def _tools(client: ModelClient, clock: Clock, grade: Grade) -> Grade:
    """Which calls come when tools are offered; a model whose host says that it takes none is not asked."""
    if not grade.tools:
        return grade
    shapes, right = [], 0
    for probe in PROBES:
        reply = (await _ask(client, clock, f"{PERSONA} Use a tool when it fits.", probe.text, TOOLS)).reply
        shapes.append(_shape(reply))
        right += any(call.name == probe.tool and probe.right(call.parsed()) for call in reply.tool_calls)
    return replace(grade, shapes=tuple(shapes), right_calls=right, tools=right >= TOOLS_NEEDED)


def _shape(reply: Reply) -> str:
    if reply.tool_calls:
        return reply.shape or "called"
    return "misfire" if reply.misfires else "none"


async def _ask(
    client: ModelClient, clock: Clock, system: str, text: str, tools: tuple[ToolSchema, ...] = ()
) -> Heard:
    messages = (Message("system", system), Message("user", text))
    return await _hear(client, clock, Request(messages, tools=tools, task=TASK, max_tokens=160))


async def _hear(client: ModelClient, clock: Clock, request: Request) -> Heard:
    began = clock.monotonic()
    first: float | None = None
    end = 0.0
    reply: Reply | None = None
    async with aclosing(client.stream(request)) as deltas:
        async for delta in deltas:
            if isinstance(delta, TextDelta | Reply) and first is None:
                first = clock.monotonic() - began
            if isinstance(delta, Reply):
                reply, end = delta, clock.monotonic() - began
    assert reply is not None  # the protocol's promise
    return Heard(reply, first if first is not None else end, end)


def _rate(tokens: int, seconds: float) -> float | None:
    return round(tokens / seconds, 1) if tokens > 0 and seconds > 0 else None
