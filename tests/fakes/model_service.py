"""An OpenAI-compatible server on loopback for what extracts and embeds: chat completions and embeddings.

Its embeddings are bags of words; its extraction makes one fact of each of the person's messages.
"""

from __future__ import annotations

import json
import re
import zlib
from typing import Any

from tests.fakes.memory_service import MemoryService

DIMENSIONS = 256


class ModelService(MemoryService):
    def answer_to(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, object]:
        match method, path:
            case "POST", "/embeddings":
                texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
                data = [
                    {"object": "embedding", "index": number, "embedding": _vector(text)}
                    for number, text in enumerate(texts)
                ]
                usage = {"prompt_tokens": 1, "total_tokens": 1}
                return 200, {"object": "list", "data": data, "model": body["model"], "usage": usage}
            case "POST", "/chat/completions":
                said = _said(body["messages"])
                message = {"role": "assistant", "content": said}
                choice = {"index": 0, "finish_reason": "stop", "message": message}
                return 200, {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        return 404, {"error": {"message": f"nothing at {method} {path}"}}


def _vector(text: str) -> list[float]:
    vector = [0.0] * DIMENSIONS
    for word in re.findall(r"\w{4,}", text.casefold()):
        vector[zlib.crc32(word.encode()) % DIMENSIONS] += 1.0
    if not any(vector):
        vector[0] = 1.0
    return vector


def _said(messages: list[dict[str, str]]) -> str:
    """The facts in the form that the prompt wants: Mem0's JSON, or calls of OpenViking's memory SDK."""
    if "restricted Python memory SDK" not in messages[0]["content"]:
        return json.dumps({"memory": [{"text": fact} for fact in _facts(messages[-1]["content"])]})
    told = next(each["content"] for each in messages if "## Conversation History" in each["content"])
    calls = []
    for number, words in re.findall(r"^\[(\d+)\]\[user\]\[.*?\]: (.*)$", told, re.MULTILINE):
        name = "_".join(re.findall(r"[a-z]{4,}", words.casefold())[:3]) or "words"
        calls.append(f'sdk.create_events(event_name="{name}", goal="remember", summary={words!r}, ranges="{number}")')
    return "\n".join(calls)


def _facts(prompt: str) -> list[str]:
    """What the person says in the new messages; the prompt shows earlier ones before them."""
    new = prompt.rpartition("New Messages")[2]
    return re.findall(r"^\W*user\W+(\w.*?)[\"']?,?$", new, re.MULTILINE)
