"""RetainDB: memories kept by a service, over its HTTP interface (version 1).

Each subject has a project and a user of its own there: what the service shares within a project is shared with nobody
else. What it makes of a turn is its own matter; it takes its time, and what waits is recalled meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from gateway.providers.one_text import KEPT, search_and_remember
from gateway.providers.places import key_for, place
from gateway.providers.service import Line, Translation, keyless, words_of
from gateway.providers.texts import listed, new_entries
from memory.providers.protocol import (
    OWNER,
    Conversation,
    Exchange,
    Patience,
    ProviderContext,
    ProviderManifest,
    ProviderTool,
    Question,
    SecretNeed,
    Silent,
    Unreachable,
    Write,
)
from platforms.settings import Section, WebAddress

if TYPE_CHECKING:
    import httpx

KEY = "RETAINDB_API_KEY"
LONGEST_FACT = 2_000
WORDS = words_of(
    KEY,
    away="cannot be reached at {address}{why}",
    misread="answered what is no JSON",
    busy="wants to be left alone: too many requests, or the plan is used up",
)


class RetaindbSettings(Section):
    """What stands under memory.providers.retaindb in config.yaml."""

    base_url: WebAddress = "https://api.retaindb.com"
    """Where the service is; its own server on your machine has another address."""
    project: str = ""
    """How the names of its projects begin; empty: innkeeper-PROFILE. Profiles with the same one share memories."""
    most: Annotated[int, Field(ge=1, le=50)] = 8
    """Memories that are recalled at most."""


class Retaindb(Silent):
    name = "retaindb"

    def __init__(self, context: ProviderContext) -> None:
        self._base_url = str(context.settings["base_url"])
        self._project = str(context.settings["project"])
        self._most = int(context.settings["most"])
        self._key = context.secrets.get(KEY, "")
        self._profile = context.profile
        self._line: Line[httpx.AsyncClient] = Line("RetainDB", "is not connected")

    async def start(self) -> None:
        """One small search: it shows whether address and key are right."""
        import httpx

        if not self._key:
            raise keyless(KEY, self.name)
        if not self._line.is_open:
            headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
            # The house has deadlines of its own; this one keeps a lost connection from lasting.
            client = httpx.AsyncClient(base_url=self._base_url, headers=headers, timeout=60.0)
            told = Translation(
                "RetainDB",
                (self._key,),
                errors=(httpx.HTTPError, httpx.InvalidURL),
                reading=reading,
                late=(httpx.TimeoutException,),
                address=self._base_url,
                words=WORDS,
            )
            self._line.open(client, told)
        await self._search(Conversation(OWNER, ""), "hello", 1)

    async def close(self) -> None:
        if (client := self._line.cut()) is not None:
            await client.aclose()

    async def prefetch(self, question: Question) -> str:
        return await self._search(question.where, question.text)

    async def sync(self, exchange: Exchange) -> None:
        when = datetime.fromtimestamp(exchange.at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        said = (("user", exchange.asked), ("assistant", exchange.answered))
        messages = [{"role": role, "content": text, "timestamp": when} for role, text in said if text.strip()]
        if messages:
            body = {"session_id": exchange.where.session, "messages": messages, "write_mode": "async"}
            key = key_for(self._user(exchange.where.subject), exchange.id, when)
            await self._post("/v1/memory/ingest/session", exchange.where.subject, body, key)

    async def wrote(self, write: Write) -> None:
        """New entries of the built-in memory. What left it stays with the service, which has no way to forget a
        memory by its words."""
        for text in new_entries(write):
            await self._remember(write.where, text)

    def tools(self) -> Sequence[ProviderTool]:
        return search_and_remember(self.name, LONGEST_FACT, self._search, self._remember)

    async def _remember(self, where: Conversation, text: str) -> str:
        body = {"content": text, "memory_type": "factual", "write_mode": "async"}
        await self._post("/v1/memory", where.subject, body, key_for(self._user(where.subject), text))
        return KEPT

    async def _search(self, where: Conversation, text: str, most: int = 0) -> str:
        body = {"query": text, "top_k": most or self._most, "include_pending": True, "profile": "fast"}
        answer = await self._post("/v1/memory/search", where.subject, body)
        results = answer.get("results")
        if not isinstance(results, list):
            raise Unreachable("RetainDB answered a search without results")
        return listed(memory_in(each, self._user(where.subject)) for each in results)

    def _user(self, subject: str) -> str:
        return place(self._project, subject, self._profile)

    async def _post(self, path: str, subject: str, body: Mapping[str, object], key: str = "") -> Mapping[str, Any]:
        """What it answers. Raises Unreachable and Refused."""
        user = self._user(subject)
        # As ASCII: half a surrogate pair, which people's texts may hold, has no other spelling.
        content = json.dumps({"project": user, "user_id": user, **body}).encode()
        with self._line() as client:
            answer = await client.post(path, content=content, headers={"Idempotency-Key": key} if key else None)
            whole = answer.raise_for_status().json()
        if not isinstance(whole, dict):
            raise Unreachable("RetainDB answered what is no object")
        return whole


def memory_in(result: object, user: str) -> str:
    """The words of one result; nothing for what is not this user's."""
    memory = result.get("memory", result) if isinstance(result, dict) else None
    if not isinstance(memory, dict) or not isinstance(memory.get("content"), str):
        return ""
    if memory.get("user_id") not in (None, user):
        return ""
    return " ".join(memory["content"].split())


def reading(error: Exception) -> tuple[int, str]:
    """The status, and `{"error": {"code": …, "message": …}}` or whatever else came."""
    import httpx

    if not isinstance(error, httpx.HTTPStatusError):
        return 0, type(error).__name__
    answer = error.response
    try:
        said = answer.json()["error"]
        said = said["message"] if isinstance(said, dict) else said
    except (ValueError, LookupError, TypeError):
        said = answer.reason_phrase or "no reason given"
    return answer.status_code, str(said)


manifest = ProviderManifest(
    name="retaindb",
    provider="gateway.providers.retaindb:Retaindb",
    about="RetainDB, a service that keeps memories (retaindb.com)",
    settings="gateway.providers.retaindb:RetaindbSettings",
    secrets=(SecretNeed(KEY, "API key of RetainDB"),),
    patience=Patience(start=20.0, prefetch=5.0, sync=30.0, tool=20.0),
)
