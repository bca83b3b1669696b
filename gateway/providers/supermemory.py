"""Supermemory: memories kept by a service, by way of its own client (package `supermemory`).

Each subject has a namespace of its own. A turn is a document whose id is the turn's, so that handing it over again
changes nothing; what the service learns from it, and when, is its own matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from gateway.providers.one_text import KEPT, search_and_remember
from gateway.providers.places import key_for, place
from gateway.providers.service import MISREAD, Line, Translation, keyless, missing, words_of
from gateway.providers.texts import dialogue, listed, new_entries
from gateway.state.codec import clean
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
from platforms.settings import Section, Truth, WebAddress

if TYPE_CHECKING:
    import httpx
    from supermemory import AsyncSupermemory

KEY = "SUPERMEMORY_API_KEY"
LONGEST_FACT = 2_000
CONTEXT = "A conversation of one person, or of one room, with their assistant."
WORDS = words_of(
    KEY,
    away="cannot be reached at {address}",
    misread="answered what its client does not understand",
    busy="wants to be left alone: too many requests",
)


class SupermemorySettings(Section):
    """What stands under memory.providers.supermemory in config.yaml."""

    base_url: WebAddress = "https://api.supermemory.ai"
    """Where the service is."""
    namespace: str = ""
    """How the names of its namespaces begin; empty: innkeeper-PROFILE. Two profiles with the same one share
    memories."""
    most: Annotated[int, Field(ge=1, le=50)] = 8
    """Memories that are recalled at most."""
    passages: Truth = True
    """Whether passages of earlier turns are recalled too, not only what the service learnt from them."""
    profile: Truth = True
    """Whether what the service takes for lasting facts about the person stands in the prompt of each new session."""


class Supermemory(Silent):
    name = "supermemory"

    def __init__(self, context: ProviderContext) -> None:
        settings = context.settings
        self._base_url = str(settings["base_url"])
        self._namespace = str(settings["namespace"])
        self._most = int(settings["most"])
        self._mode = "hybrid" if settings["passages"] else "memories"
        self._profiles = bool(settings["profile"])
        self._key = context.secrets.get(KEY, "")
        self._house = context.profile
        self._now = context.now
        self._line: Line[AsyncSupermemory] = Line("Supermemory", "is not connected")
        self._http: httpx.AsyncClient | None = None

    async def start(self) -> None:
        """One small search: it shows whether address and key are right."""
        import httpx

        try:
            from supermemory import APIConnectionError, APITimeoutError, AsyncSupermemory
            from supermemory.core.api_error import ApiError
            from supermemory.core.parse_error import ParsingError
        except ImportError as error:
            raise missing("supermemory", "supermemory") from error
        if not self._key:
            raise keyless(KEY, self.name)
        if not self._line.is_open:
            self._http = httpx.AsyncClient(timeout=60.0)
            client = AsyncSupermemory(
                api_key=self._key, base_url=self._base_url, http_client=self._http, max_retries=0
            )
            told = Translation(
                "Supermemory",
                (self._key,),
                errors=(httpx.HTTPError, httpx.InvalidURL, APIConnectionError, ApiError),
                reading=reading,
                late=(httpx.TimeoutException, APITimeoutError),
                misread=(ParsingError, *MISREAD),
                address=self._base_url,
                words=WORDS,
            )
            self._line.open(client, told)
        await self._search(Conversation(OWNER, ""), "hello", 1)

    async def close(self) -> None:
        http, self._http = self._http, None
        self._line.cut()
        if http is not None:
            await http.aclose()

    async def prompt_block(self, where: Conversation) -> str:
        if not self._profiles:
            return ""
        with self._line() as client:
            answer = await client.profile(self._place(where.subject))
        facts = getattr(getattr(answer, "profile", None), "static", None)
        if not isinstance(facts, list):
            raise Unreachable("Supermemory answered without a profile")
        return listed(getattr(each, "memory", None) for each in facts)

    async def prefetch(self, question: Question) -> str:
        return await self._search(question.where, question.text)

    async def sync(self, exchange: Exchange) -> None:
        # A document that is nothing but an address would be fetched: with a name before it, it is a text.
        if text := dialogue(exchange):
            when = datetime.fromtimestamp(exchange.at, UTC).isoformat()
            await self._add(exchange.where, key_for(self._house, exchange.id, when), text, when)

    async def wrote(self, write: Write) -> None:
        """New entries of the built-in memory. What left it stays with the service."""
        for entry in new_entries(write):
            await self._remember(write.where, entry)

    def tools(self) -> Sequence[ProviderTool]:
        return search_and_remember(self.name, LONGEST_FACT, self._search, self._remember)

    async def _remember(self, where: Conversation, fact: str) -> str:
        now = datetime.fromtimestamp(self._now(), UTC).isoformat()
        await self._add(where, key_for("fact", fact), f"Kept in memory: {fact}", now)
        return KEPT

    async def _add(self, where: Conversation, number: str, text: str, when: str) -> None:
        with self._line() as client:
            await client.add(
                self._place(where.subject), content=clean(text), id=number, date=when, supporting_context=CONTEXT
            )

    async def _search(self, where: Conversation, text: str, most: int = 0) -> str:
        with self._line() as client:
            answer = await client.search(
                self._place(where.subject), query=clean(text), limit=most or self._most, search_mode=self._mode
            )
        results = getattr(answer, "results", None)
        if not isinstance(results, list):
            raise Unreachable("Supermemory answered a search without results")
        return listed(getattr(each, "memory", None) or getattr(each, "chunk", None) for each in results)

    def _place(self, subject: str) -> str:
        return place(self._namespace, subject, self._house)


def reading(error: Exception) -> tuple[int, str]:
    """The status, and `{"error": "…"}`, as the client gives it, or whatever else came."""
    from supermemory.core.api_error import ApiError

    if not isinstance(error, ApiError):
        return 0, str(error)
    said = error.body.get("error") if isinstance(error.body, dict) else getattr(error.body, "error", None)
    return error.status_code or 0, str(said or "no reason given")


manifest = ProviderManifest(
    name="supermemory",
    provider="gateway.providers.supermemory:Supermemory",
    about="Supermemory, a service that learns from conversations (supermemory.ai)",
    settings="gateway.providers.supermemory:SupermemorySettings",
    secrets=(SecretNeed(KEY, "API key of Supermemory"),),
    extra="supermemory",
    patience=Patience(start=20.0, block=4.0, prefetch=5.0, sync=30.0, tool=20.0),
)
