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

from gateway.providers.places import key_for, place, plain, schema, text_of
from memory.providers.protocol import (
    OWNER,
    Conversation,
    Exchange,
    Patience,
    ProviderContext,
    ProviderManifest,
    ProviderTool,
    Question,
    Refused,
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
BUSY = frozenset((408, 425, 429))


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
        self._client: httpx.AsyncClient | None = None

    async def start(self) -> None:
        """One small search: it shows whether address and key are right."""
        import httpx

        if not self._key:
            raise Refused(f"the secret {KEY} is missing: innkeeper memory setup retaindb")
        if self._client is None:
            headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
            # The house has deadlines of its own; this one keeps a lost connection from lasting.
            self._client = httpx.AsyncClient(base_url=self._base_url, headers=headers, timeout=60.0)
        await self._search(OWNER, "hello", 1)

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def prefetch(self, question: Question) -> str:
        return "\n".join(await self._search(question.where.subject, question.text, self._most))

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
        for text in write.added:
            if text not in write.removed:
                await self._remember(write.where, text)

    def tools(self) -> Sequence[ProviderTool]:
        query = {"type": "string", "minLength": 1, "maxLength": LONGEST_FACT}
        return (
            ProviderTool(
                "retaindb_search",
                "Search the memories that earlier conversations left.",
                schema({"query": query}, "query"),
                self._searched,
            ),
            ProviderTool(
                "retaindb_remember",
                "Keep one fact about the person or their affairs, as one plain sentence.",
                schema({"fact": query}, "fact"),
                self._kept,
                writes=True,
            ),
        )

    async def _searched(self, arguments: Mapping[str, Any], where: Conversation) -> str:
        query = text_of(arguments, "query", LONGEST_FACT)
        return "\n".join(await self._search(where.subject, query, self._most))

    async def _kept(self, arguments: Mapping[str, Any], where: Conversation) -> str:
        await self._remember(where, text_of(arguments, "fact", LONGEST_FACT))
        return "Kept; the service takes it in shortly."

    async def _remember(self, where: Conversation, text: str) -> None:
        body = {"content": text, "memory_type": "factual", "write_mode": "async"}
        await self._post("/v1/memory", where.subject, body, key_for(self._user(where.subject), text))

    async def _search(self, subject: str, text: str, most: int) -> list[str]:
        body = {"query": text, "top_k": most, "include_pending": True, "profile": "fast"}
        answer = await self._post("/v1/memory/search", subject, body)
        results = answer.get("results")
        if not isinstance(results, list):
            raise Unreachable("RetainDB answered a search without results")
        found = (memory_in(each, self._user(subject)) for each in results)
        return list(dict.fromkeys(f"- {text}" for text in found if text))

    def _user(self, subject: str) -> str:
        return place(self._project, subject, self._profile)

    async def _post(self, path: str, subject: str, body: Mapping[str, object], key: str = "") -> Mapping[str, Any]:
        """What it answers. Raises Unreachable and Refused."""
        import httpx

        if self._client is None:
            raise Unreachable("RetainDB is not connected")
        user = self._user(subject)
        # As ASCII: half a surrogate pair, which people's texts may hold, has no other spelling.
        content = json.dumps({"project": user, "user_id": user, **body}).encode()
        try:
            answer = await self._client.post(path, content=content, headers={"Idempotency-Key": key} if key else None)
        except httpx.TimeoutException as error:
            raise Unreachable("RetainDB did not answer in time") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreachable(f"RetainDB cannot be reached at {self._base_url}: {type(error).__name__}") from error
        return self._understood(answer)

    def _understood(self, answer: httpx.Response) -> Mapping[str, Any]:
        status = answer.status_code
        if status == 401:
            raise Refused(f"RetainDB refused the key in {KEY}")
        if status in BUSY:
            raise Unreachable(
                f"RetainDB wants to be left alone: too many requests, or the plan is used up ({status})"
            )
        if not 200 <= status < 300:
            kind = Refused if 400 <= status < 500 else Unreachable
            raise kind(f"RetainDB answered {status}: {plain(complaint(answer), self._key)}")
        try:
            whole = answer.json()
        except ValueError as error:
            raise Unreachable("RetainDB answered what is no JSON") from error
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


def complaint(answer: httpx.Response) -> object:
    """`{"error": {"code": …, "message": …}}`, or whatever else came."""
    try:
        error = answer.json()["error"]
        return error["message"] if isinstance(error, dict) else error
    except (ValueError, LookupError, TypeError):
        return answer.reason_phrase or "no reason given"


manifest = ProviderManifest(
    name="retaindb",
    provider="gateway.providers.retaindb:Retaindb",
    about="RetainDB, a service that keeps memories (retaindb.com)",
    settings="gateway.providers.retaindb:RetaindbSettings",
    secrets=(SecretNeed(KEY, "API key of RetainDB"),),
    patience=Patience(start=20.0, prefetch=5.0, sync=30.0, tool=20.0),
)
