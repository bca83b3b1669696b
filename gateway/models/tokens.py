"""How many tokens a prompt has, guessed without a tokenizer. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable

from gateway.models.client import Message, ToolSchema

CHARACTERS_PER_TOKEN = 4.0
"""For Latin letters, as tokenizer makers state it; other scripts that are written with blanks take about half."""
PER_MESSAGE = 4
"""Tokens that a chat template puts around each message."""

PER_PICTURE = 1_200
"""Tokens of a picture: hosts scale large ones down, to between 600 and 1,600 tokens each."""


def estimate(messages: Iterable[Message], tools: Iterable[ToolSchema] = ()) -> int:
    """Tokens of a whole prompt, pictures included. Within about a third of the truth for prose in most scripts."""
    total = 0.0
    for message in messages:
        total += PER_MESSAGE + weight(message.content) + PER_PICTURE * len(message.pictures)
        for call in message.tool_calls:
            total += PER_MESSAGE + weight(call.name) + weight(call.arguments)
    for tool in tools:
        shape = json.dumps(tool.parameters, ensure_ascii=False, separators=(",", ":"), default=str)
        total += PER_MESSAGE + weight(tool.name) + weight(tool.description) + weight(shape)
    return round(total)


def weight(text: str) -> float:
    """Tokens of a text, as a fraction: a quarter for a Latin letter, one for a Chinese, Japanese or Korean one."""
    if text.isascii():
        return len(text) / CHARACTERS_PER_TOKEN
    total = 0.0
    for character in text:
        point = ord(character)
        if point < 0x250:
            total += 1 / CHARACTERS_PER_TOKEN
        elif point < 0x2E80:
            total += 2 / CHARACTERS_PER_TOKEN
        else:
            total += 1.0 if point < 0x1_0000 else 2.0
    return total
