"""Mem0: facts that a model extracts, kept in a store on this machine by the package `mem0ai`.

The package blocks, reads the environment and is large, so it runs in a process of its own (mem0_child.py), in this
Python or another one. Owns that process and its orders; models and embeddings come from an OpenAI-compatible server.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from gateway.providers.mem0_child import IN_USE, MISREAD, NOT_INSTALLED
from gateway.providers.one_text import QUERY, one_text
from gateway.providers.places import named, reference
from gateway.providers.program import cannot_be_run, killed
from gateway.providers.service import Translation, missing
from gateway.providers.texts import asked_by, brief, bullet, sound
from memory.providers.protocol import (
    Conversation,
    Exchange,
    Patience,
    ProviderContext,
    ProviderFault,
    ProviderManifest,
    ProviderTool,
    Question,
    Refused,
    SecretNeed,
    Silent,
    Unreachable,
)
from platforms.settings import Section, WebAddress

KEY = "OPENAI_API_KEY"
LONGEST_QUERY = 8_000
"""Bytes; embedding models take some 8,000 tokens at most."""
LONGEST_LINE = 16 * 1024 * 1024
END_SECONDS = 2.0
CHILD = Path(__file__).with_name("mem0_child.py")


class Mem0Settings(Section):
    """What stands under memory.providers.mem0 in config.yaml."""

    base_url: WebAddress = "https://api.openai.com/v1"
    """An OpenAI-compatible server for the model that extracts facts, and for embeddings."""
    model: Annotated[str, Field(min_length=1)] = "gpt-5-mini"
    """The model that extracts facts."""
    embedding_base_url: WebAddress | None = None
    """Another server for embeddings, when the first one has none."""
    embedding_model: Annotated[str, Field(min_length=1)] = "text-embedding-3-small"
    """The model for embeddings."""
    dimensions: Annotated[int, Field(ge=1, le=100_000)] = 1536
    """How many numbers an embedding has. Changed later, it needs an empty store."""
    most: Annotated[int, Field(ge=1, le=100)] = 10
    """Facts that are recalled at most."""
    python: str = ""
    """The Python that has `mem0ai`; empty: that of `innkeeper memory setup mem0 --install`, else Innkeeper's own."""


class Mem0(Silent):
    """The store lies in the provider's folder, so each profile has its own; each subject is a user in it."""

    name = "mem0"

    def __init__(self, context: ProviderContext) -> None:
        self._settings = Mem0Settings.model_validate(dict(context.settings))
        self._context = context
        self._key = context.secrets.get(KEY, "")
        self._told = Translation("Mem0's model", (self._key,), (), lambda error: (0, str(error)))
        self._child: asyncio.subprocess.Process | None = None
        self._listening: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._numbers = itertools.count(1)

    async def start(self) -> None:
        await self.close()
        command = [self._python(), "-P", str(CHILD)]
        try:
            self._child = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env=self._environment(),
                cwd=self._context.folder,
                start_new_session=True,
                limit=LONGEST_LINE,
            )
        except OSError as error:
            raise cannot_be_run(command[0], error) from error
        self._listening = asyncio.create_task(self._listen(self._child))
        try:
            await self._order("open", config=self._config())
        except BaseException:
            await self.close()
            raise

    async def prefetch(self, question: Question) -> str:
        return await self._found(question.where, question.text)

    async def sync(self, exchange: Exchange) -> None:
        messages = [{"role": "user", "content": sound(asked_by(exchange))}]
        if exchange.answered:
            messages.append({"role": "assistant", "content": sound(exchange.answered)})
        turn = reference(self._context, exchange)
        await self._order("add", user=named(exchange.where.subject), messages=messages, turn=turn)

    def tools(self) -> Sequence[ProviderTool]:
        what = "Search the facts that Mem0 keeps from earlier conversations here."
        return (one_text("mem0_search", what, "query", LONGEST_QUERY, self._search, about=QUERY),)

    async def close(self) -> None:
        child, self._child = self._child, None
        listening, self._listening = self._listening, None
        try:
            if child is not None and child.stdin is not None:
                child.stdin.close()
                await asyncio.wait_for(child.wait(), END_SECONDS)
        except TimeoutError:
            pass
        finally:
            if child is not None and child.returncode is None:
                killed(child)
            if listening is not None:
                listening.cancel()
        if child is not None:
            await child.wait()
        if listening is not None:
            await asyncio.gather(listening, return_exceptions=True)

    def _python(self) -> str:
        if self._settings.python:
            return self._settings.python
        installed = self._context.environment / "bin" / "python" if self._context.environment else None
        return str(installed) if installed is not None and installed.is_file() else sys.executable

    async def _search(self, where: Conversation, query: str) -> str:
        return await self._found(where, query) or "Nothing like that is kept."

    async def _found(self, where: Conversation, text: str) -> str:
        query = brief(text, LONGEST_QUERY)
        if not query:
            return ""
        found = await self._order("find", query=query, user=named(where.subject), most=self._settings.most)
        return "\n".join(bullet(str(fact)) for fact in found)

    async def _order(self, do: str, **rest: object) -> Any:
        """The answer to one order. A call that is cancelled leaves the process at work; its answer is dropped."""
        child = self._child
        if child is None or child.stdin is None:
            raise Unreachable("Mem0 was not started")
        number = next(self._numbers)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            child.stdin.write(json.dumps({"id": number, "do": do, **rest}).encode() + b"\n")
            await child.stdin.drain()
            told = await answer
        except OSError as error:
            raise Unreachable("Mem0's process ended") from error
        finally:
            self._waiting.pop(number, None)
        if "status" in told:
            raise self._fault(int(told["status"]), str(told["said"]))
        return told["found"]

    def _fault(self, status: int, said: str) -> ProviderFault:
        if status == NOT_INSTALLED:
            return missing("mem0ai", "mem0")
        if status == IN_USE:
            return Unreachable("Mem0's store is in use by another process of Innkeeper")
        if status == MISREAD and said.startswith("LookupError: "):
            return Refused(said.removeprefix("LookupError: "))
        if status == MISREAD:
            return Unreachable(f"Mem0's model answers in a form that is not understood ({said})")
        return self._told.fault(status, said)

    async def _listen(self, child: asyncio.subprocess.Process) -> None:
        """Hands answers to whoever waits for them; when the process ends, nobody waits any longer."""
        assert child.stdout is not None, "it was made with a pipe"
        try:
            while line := await child.stdout.readline():
                told = json.loads(line)
                answer = self._waiting.get(told["id"])
                if answer is not None and not answer.done():
                    answer.set_result(told)
        except (ValueError, KeyError, TypeError):
            killed(child)  # it does not speak as it should
        finally:
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(Unreachable("Mem0's process ended"))

    def _environment(self) -> dict[str, str]:
        """Nothing of the gateway's own: keys and addresses of other services would change where texts are sent."""
        folder = str(self._context.folder)
        return {"PATH": os.defpath, "HOME": folder, "LANG": "C.UTF-8", "MEM0_TELEMETRY": "false", "MEM0_DIR": folder}

    def _config(self) -> dict[str, Any]:
        settings, folder = self._settings, self._context.folder
        key = self._key or "none"  # the SDK wants one
        near = settings.embedding_base_url or settings.base_url
        return {
            "llm": {
                "provider": "openai",
                "config": {"model": settings.model, "api_key": key, "openai_base_url": settings.base_url},
            },
            "embedder": {
                "provider": "openai",
                "config": {"model": settings.embedding_model, "api_key": key, "openai_base_url": near},
            },
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "collection_name": "innkeeper",
                    "path": str(folder / "store"),
                    "on_disk": True,
                    "embedding_model_dims": settings.dimensions,
                },
            },
            "history_db_path": str(folder / "history.db"),
        }


manifest = ProviderManifest(
    name="mem0",
    provider="gateway.providers.mem0:Mem0",
    about="Mem0, facts that a model extracts, in a store on this machine; needs a model server with embeddings",
    settings="gateway.providers.mem0:Mem0Settings",
    secrets=(SecretNeed(KEY, "key of the OpenAI-compatible server; none for one without keys", required=False),),
    extra="mem0",
    packages=("mem0ai>=2.2,<3",),
    patience=Patience(start=30.0, prefetch=5.0, sync=60.0, close=10.0),
)
