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
                said = json.dumps({"memory": [{"text": fact} for fact in _facts(body["messages"][-1]["content"])]})
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


def _facts(prompt: str) -> list[str]:
    """What the person says in the new messages; the prompt shows earlier ones before them."""
    new = prompt.rpartition("New Messages")[2]
    return re.findall(r"^\W*user\W+(\w.*?)[\"']?,?$", new, re.MULTILINE)
