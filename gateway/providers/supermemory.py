"""Supermemory: memories kept by a service, by way of its own client (package `supermemory`).

Each subject has a namespace of its own. A turn is a document whose id is the turn's, so that handing it over again
changes nothing; what the service learns from it, and when, is its own matter.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import Field

from gateway.providers.places import key_for, place, plain, schema, text_of
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
    Refused,
    SecretNeed,
    Silent,
    Unreachable,
    Write,
)
from platforms.settings import Section, Truth, WebAddress

if TYPE_CHECKING:
    import httpx
    from supermemory import AsyncSupermemory

T = TypeVar("T")

KEY = "SUPERMEMORY_API_KEY"
LONGEST_FACT = 2_000
BUSY = frozenset((408, 425, 429))
CONTEXT = "A conversation of one person, or of one room, with their assistant."


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
        self._http: httpx.AsyncClient | None = None
        self._client: AsyncSupermemory | None = None

    async def start(self) -> None:
        """One small search: it shows whether address and key are right."""
        import httpx

        try:
            from supermemory import AsyncSupermemory
        except ImportError as error:
            raise Unreachable(
                "the package supermemory is not installed: pip install 'innkeeper[supermemory]'"
            ) from error
        if not self._key:
            raise Refused(f"the secret {KEY} is missing: innkeeper memory setup supermemory")
        if self._client is None:
            self._http = httpx.AsyncClient(timeout=60.0)
            self._client = AsyncSupermemory(
                api_key=self._key, base_url=self._base_url, http_client=self._http, max_retries=0
            )
        await self._search(OWNER, "hello", 1)

    async def close(self) -> None:
        http, self._http, self._client = self._http, None, None
        if http is not None:
            await http.aclose()

    async def prompt_block(self, where: Conversation) -> str:
        if not self._profiles:
            return ""
        answer = await self._said(self._api().profile(self._place(where.subject)))
        facts = getattr(getattr(answer, "profile", None), "static", None)
        if not isinstance(facts, list):
            raise Unreachable("Supermemory answered without a profile")
        return listed(getattr(each, "memory", None) for each in facts)

    async def prefetch(self, question: Question) -> str:
        return await self._search(question.where.subject, question.text, self._most)

    async def sync(self, exchange: Exchange) -> None:
        said = (("Person", exchange.asked), ("Assistant", exchange.answered))
        # A document that is nothing but an address would be fetched: with a name before it, it is a text.
        text = "\n\n".join(f"{who}: {words}" for who, words in said if words.strip())
        if text:
            when = datetime.fromtimestamp(exchange.at, UTC).isoformat()
            await self._add(exchange.where, key_for(self._house, exchange.id, when), text, when)

    async def wrote(self, write: Write) -> None:
        """New entries of the built-in memory. What left it stays with the service."""
        for entry in write.added:
            if entry not in write.removed:
                await self._note(write.where, entry)

    def tools(self) -> Sequence[ProviderTool]:
        text = {"type": "string", "minLength": 1, "maxLength": LONGEST_FACT}
        return (
            ProviderTool(
                "supermemory_search",
                "Search the memories that earlier conversations left.",
                schema({"query": text}, "query"),
                self._searched,
            ),
            ProviderTool(
                "supermemory_remember",
                "Keep one fact about the person or their affairs, as one plain sentence.",
                schema({"fact": text}, "fact"),
                self._kept,
                writes=True,
            ),
        )

    async def _searched(self, arguments: Mapping[str, Any], where: Conversation) -> str:
        return await self._search(where.subject, text_of(arguments, "query", LONGEST_FACT), self._most)

    async def _kept(self, arguments: Mapping[str, Any], where: Conversation) -> str:
        await self._note(where, text_of(arguments, "fact", LONGEST_FACT))
        return "Kept; the service takes it in shortly."

    async def _note(self, where: Conversation, fact: str) -> None:
        now = datetime.fromtimestamp(self._now(), UTC).isoformat()
        await self._add(where, key_for("fact", fact), f"Kept in memory: {fact}", now)

    async def _add(self, where: Conversation, number: str, text: str, when: str) -> None:
        await self._said(
            self._api().add(
                self._place(where.subject), content=clean(text), id=number, date=when, supporting_context=CONTEXT
            )
        )

    async def _search(self, subject: str, text: str, most: int) -> str:
        asked = clean(text)
        answer = await self._said(
            self._api().search(self._place(subject), query=asked, limit=most, search_mode=self._mode)
        )
        results = getattr(answer, "results", None)
        if not isinstance(results, list):
            raise Unreachable("Supermemory answered a search without results")
        return listed(getattr(each, "memory", None) or getattr(each, "chunk", None) for each in results)

    def _place(self, subject: str) -> str:
        return place(self._namespace, subject, self._house)

    def _api(self) -> AsyncSupermemory:
        if self._client is None:
            raise Unreachable("Supermemory is not connected")
        return self._client

    async def _said(self, call: Awaitable[T]) -> T:
        """What the service answers. Its faults in the house's words."""
        import httpx
        from supermemory import APIConnectionError, APITimeoutError
        from supermemory.core.api_error import ApiError
        from supermemory.core.parse_error import ParsingError

        try:
            return await call
        except (httpx.TimeoutException, APITimeoutError) as error:
            raise Unreachable("Supermemory did not answer in time") from error
        except (httpx.HTTPError, httpx.InvalidURL, APIConnectionError) as error:
            raise Unreachable(f"Supermemory cannot be reached at {self._base_url}") from error
        except (ParsingError, ValueError, TypeError) as error:
            raise Unreachable("Supermemory answered what its client does not understand") from error
        except ApiError as error:
            raise self._fault(error.status_code or 0, error.body) from error

    def _fault(self, status: int, body: object) -> Unreachable | Refused:
        if status == 401:
            return Refused(f"Supermemory refused the key in {KEY}")
        if status in BUSY:
            return Unreachable(f"Supermemory wants to be left alone: too many requests ({status})")
        if 200 <= status < 300:
            return Unreachable("Supermemory answered what is no JSON")
        kind = Refused if 400 <= status < 500 else Unreachable
        return kind(f"Supermemory answered {status}: {plain(complaint(body), self._key)}")


def listed(texts: Any) -> str:
    """Texts, a line each; none twice."""
    lines = (f"- {' '.join(text.split())}" for text in texts if isinstance(text, str) and text.strip())
    return "\n".join(dict.fromkeys(lines))


def complaint(body: object) -> object:
    """`{"error": "…"}`, as the client gives it, or whatever else came."""
    said = body.get("error") if isinstance(body, dict) else getattr(body, "error", None)
    return said or "no reason given"


manifest = ProviderManifest(
    name="supermemory",
    provider="gateway.providers.supermemory:Supermemory",
    about="Supermemory, a service that learns from conversations (supermemory.ai)",
    settings="gateway.providers.supermemory:SupermemorySettings",
    secrets=(SecretNeed(KEY, "API key of Supermemory"),),
    extra="supermemory",
    patience=Patience(start=20.0, block=4.0, prefetch=5.0, sync=30.0, tool=20.0),
)
