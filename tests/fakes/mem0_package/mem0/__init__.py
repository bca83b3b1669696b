"""What the gateway uses of the package `mem0ai`, for tests where that is not installed: the same calls, the same
requests to the model server, a plain file as store. The real package is tested by `pytest -m soak`."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit


class LLMError(Exception):
    pass


class StatusError(Exception):
    def __init__(self, status_code: int, words: str) -> None:
        super().__init__(f"Error code: {status_code} - {words}")
        self.status_code = status_code


class OpenAI:
    """As much of the library `openai` as is used here, without the second that each process takes to import it."""

    def __init__(self, *, api_key: str, base_url: str, timeout: float = 600.0) -> None:
        self._key = api_key
        self._address = base_url
        self._timeout = timeout
        self.embeddings = SimpleNamespace(create=lambda **asked: self._post("/embeddings", asked))
        completions = SimpleNamespace(create=lambda **asked: self._post("/chat/completions", asked))
        self.chat = SimpleNamespace(completions=completions)

    def with_options(self, *, timeout: float, max_retries: int) -> OpenAI:
        if max_retries:
            raise ValueError("trying again is the house's matter")
        return OpenAI(api_key=self._key, base_url=self._address, timeout=timeout)

    def _post(self, path: str, asked: dict[str, Any]) -> Any:
        address = urlsplit(self._address)
        connection = HTTPConnection(address.hostname or "", address.port, timeout=self._timeout)
        try:
            headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
            connection.request("POST", address.path.rstrip("/") + path, json.dumps(asked), headers)
            answer = connection.getresponse()
            words = answer.read().decode("utf-8", "replace")
        finally:
            connection.close()
        if answer.status != 200:
            raise StatusError(answer.status, words)
        return json.loads(words, object_hook=lambda found: SimpleNamespace(**found))


class Embedder:
    def __init__(self, config: dict[str, Any]) -> None:
        self.client = OpenAI(api_key=config["api_key"], base_url=config["openai_base_url"])
        self.model = config["model"]

    def embed(self, text: str, action: str) -> list[float]:
        made = self.client.embeddings.create(input=[text], model=self.model, encoding_format="float")
        embedding: list[float] = made.data[0].embedding
        return embedding


class Memory:
    def __init__(self, config: dict[str, Any]) -> None:
        written = config["llm"]["config"]
        client = OpenAI(api_key=written["api_key"], base_url=written["openai_base_url"])
        self.llm = SimpleNamespace(client=client, model=written["model"])
        self.embedding_model: Any = Embedder(config["embedder"]["config"])
        self.vector_store: Any = SimpleNamespace()
        self.entity_store: Any = SimpleNamespace()
        folder = Path(config["vector_store"]["config"]["path"])
        folder.mkdir(exist_ok=True)
        self._file = folder / "facts.json"
        print("Welcome to Mem0! This line must not be taken for an answer.")

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Memory:
        return cls(config)

    def get_all(self, *, filters: dict[str, str], top_k: int) -> dict[str, Any]:
        wanted = filters.items()
        return {"results": [fact for fact in self._read() if wanted <= fact["metadata"].items()][:top_k]}

    def add(self, messages: list[dict[str, str]], *, user_id: str, metadata: dict[str, str]) -> dict[str, Any]:
        told = "\n".join(f"{each['role']}: {each['content']}" for each in messages)
        try:
            said = self.llm.client.chat.completions.create(
                model=self.llm.model, messages=[{"role": "user", "content": f"## New Messages\n{told}\n"}]
            )
            facts = [each["text"] for each in json.loads(said.choices[0].message.content or "")["memory"]]
        except Exception as error:
            raise LLMError(f"LLM extraction failed: {error}") from error
        added = []
        for fact in facts:
            try:
                vector = self.embedding_model.embed(fact, "add")
            except Exception:
                continue  # as the package does
            added.append({"memory": fact, "vector": vector, "metadata": {"user_id": user_id, **metadata}})
        self._file.write_text(json.dumps([*self._read(), *added]), "utf-8")
        return {"results": added}

    def search(self, query: str, *, filters: dict[str, str], top_k: int) -> dict[str, Any]:
        asked = self.embedding_model.embed(query, "search")
        near = [
            fact
            for fact in self._read()
            if fact["metadata"]["user_id"] == filters["user_id"]
            and sum(a * b for a, b in zip(asked, fact["vector"], strict=True)) > 0
        ]
        return {"results": near[:top_k]}

    def _read(self) -> list[dict[str, Any]]:
        return list(json.loads(self._file.read_text("utf-8"))) if self._file.exists() else []
