"""Own tools of outside memories that take one text (a search, a question, a fact), and arguments as they come from a
model. Whether a tool is fit for hosts is own_tools.py's matter."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from memory.providers.protocol import Conversation, ProviderTool, Refused

QUESTION = "A question in plain words."
QUERY = "What to look for, in plain words."
KEPT = "Kept; the service takes it in shortly."

Work = Callable[[Conversation, str], Awaitable[str]]
"""What a tool does with its text, which is one line that is not empty; what the model reads of it."""


def one_text(
    name: str, description: str, argument: str, longest: int, work: Work, *, about: str = "", writes: bool = False
) -> ProviderTool:
    """A tool that takes one text of at most so many characters. Its schema says what the text is `about`, or how long
    it may be."""
    lengths = {"type": "string", "minLength": 1, "maxLength": longest}
    text = {"type": "string", "description": about} if about else lengths

    async def run(arguments: Mapping[str, Any], where: Conversation) -> str:
        return await work(where, text_of(arguments, argument, longest))

    return ProviderTool(name, description, schema({argument: text}, argument), run, writes)


def search_and_remember(provider: str, longest: int, search: Work, remember: Work) -> tuple[ProviderTool, ...]:
    """The two tools of a service that keeps facts and finds them by meaning."""
    finding = "Search the memories that earlier conversations left."
    keeping = "Keep one fact about the person or their affairs, as one plain sentence."
    return (
        one_text(f"{provider}_search", finding, "query", longest, search),
        one_text(f"{provider}_remember", keeping, "fact", longest, remember, writes=True),
    )


def schema(properties: Mapping[str, object], *required: str) -> dict[str, object]:
    """Parameters of a tool, and nothing beside them."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def text_of(arguments: Mapping[str, Any], name: str, longest: int) -> str:
    """An argument that has to be some text, in one line. Raises Refused."""
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip():
        raise Refused(f"{name} is missing")
    if len(value) > longest:
        raise Refused(f"{name} has more than {longest:,} characters")
    return " ".join(value.split())
