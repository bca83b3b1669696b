"""Mem0 in a process of its own: whoever has the package runs this file by its path, beside the gateway.

It speaks lines of JSON: `{"id", "do": "open" | "add" | "find", ...}` in, `{"id", "found"}` or `{"id", "status",
"said"}` out. It needs nothing of Innkeeper, and Python 3.11. The environment that it is given turns Mem0's telemetry
off; the end of its input is its end.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

WORKERS = 6
EMBEDDING_SECONDS = 10.0
MODEL_SECONDS = 25.0

MISREAD = -1
"""The status of an answer that could not be understood; 0 is none at all."""
IN_USE = -2
"""The status of a store that another process has open."""
NOT_INSTALLED = -3


class Watched:
    """The embedding model, with a note of what failed in this thread: Mem0 goes on without what it cannot embed."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._failed = threading.local()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def embed(self, *arguments: Any, **named: Any) -> Any:
        return self._noted(self._model.embed, arguments, named)

    def embed_batch(self, *arguments: Any, **named: Any) -> Any:
        return self._noted(self._model.embed_batch, arguments, named)

    def forget(self) -> None:
        self._failed.error = None

    def complain(self) -> None:
        error = getattr(self._failed, "error", None)
        if error is not None:
            raise error

    def _noted(self, call: Any, arguments: Any, named: Any) -> Any:
        try:
            return call(*arguments, **named)
        except Exception as error:
            self._failed.error = error
            raise


class Alone:
    """A store whose calls follow one another: the local one is not made for threads."""

    def __init__(self, store: Any, lock: threading.RLock) -> None:
        self._store = store
        self._lock = lock

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if not callable(found) or name == "client":
            return found

        def one_at_a_time(*arguments: Any, **named: Any) -> Any:
            with self._lock:
                return found(*arguments, **named)

        return one_at_a_time


class Store:
    """Mem0's memory on this machine, opened by the first order."""

    def __init__(self) -> None:
        self._memory: Any = None
        self._watched: Any = None

    def open(self, order: dict[str, Any]) -> str:
        from mem0 import Memory

        memory = Memory.from_config(order["config"])
        memory.llm.client = memory.llm.client.with_options(timeout=MODEL_SECONDS, max_retries=0)
        memory.embedding_model.client = memory.embedding_model.client.with_options(
            timeout=EMBEDDING_SECONDS, max_retries=0
        )
        lock = threading.RLock()
        memory._entity_store = Alone(memory.entity_store, lock)
        memory.vector_store = Alone(memory.vector_store, lock)
        self._watched = memory.embedding_model = Watched(memory.embedding_model)
        self._memory = memory
        length = len(memory.embedding_model.embed("Hello.", "search"))
        wanted = order["config"]["vector_store"]["config"]["embedding_model_dims"]
        if length != wanted:
            raise LookupError(f"the embedding model gives {length} numbers, and dimensions says {wanted}")
        return ""

    def add(self, order: dict[str, Any]) -> str:
        kept = self._memory.get_all(filters={"user_id": order["user"], "turn": order["turn"]}, top_k=1)
        if kept["results"]:
            return ""  # handed over before, and only the answer was lost
        self._watched.forget()
        added = self._memory.add(order["messages"], user_id=order["user"], metadata={"turn": order["turn"]})
        if not added["results"]:
            self._watched.complain()
        return ""

    def find(self, order: dict[str, Any]) -> list[str]:
        found = self._memory.search(order["query"], filters={"user_id": order["user"]}, top_k=order["most"])
        return [str(each["memory"]) for each in found["results"]]


def reading(error: BaseException) -> tuple[int, str]:
    """The HTTP status and the words of what went wrong, from the error or what caused it."""
    seen: BaseException | None = error
    while seen is not None:
        status = getattr(seen, "status_code", None)
        if isinstance(status, int):
            return status, str(seen)
        if type(seen).__name__ in {"APIConnectionError", "APITimeoutError"} or isinstance(seen, OSError):
            return 0, str(seen)
        if "already accessed by another instance" in str(seen):
            return IN_USE, ""
        seen = seen.__cause__
    if isinstance(error, ImportError):
        return NOT_INSTALLED, str(error)
    return MISREAD, f"{type(error).__name__}: {error}" if isinstance(error, LookupError) else type(error).__name__


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is no answer
    store = Store()
    writing = threading.Lock()

    def work(order: dict[str, Any]) -> None:
        try:
            answer = {"id": order["id"], "found": getattr(store, order["do"])(order)}
        except Exception as error:  # noqa: BLE001 - the provider worker: told to the gateway, which judges it
            status, said = reading(error)
            answer = {"id": order["id"], "status": status, "said": said}
        with writing:
            answers.write(json.dumps(answer) + "\n")
            answers.flush()

    workers = ThreadPoolExecutor(WORKERS)
    for line in sys.stdin.buffer:
        workers.submit(work, json.loads(line))
    os._exit(0)  # calls that hang are not waited for; whatever is kept is on disk


if __name__ == "__main__":
    main()
