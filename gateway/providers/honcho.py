"""Honcho: a service that reasons about people from what they say, through its public client `honcho-ai`.

Owns how turns become messages of peers, and how conclusions come back. Each subject is a peer of its own, so that
nothing concluded about one is told to another. The built-in memory's entries are not sent: they are in every prompt.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from gateway.providers.one_text import QUESTION, one_text
from gateway.providers.places import named, reference, space
from gateway.providers.service import Line, Translation, missing
from gateway.providers.texts import asked_by, brief, pieces
from memory.providers.protocol import (
    Conversation,
    Exchange,
    Patience,
    ProviderContext,
    ProviderManifest,
    ProviderTool,
    Question,
    SecretNeed,
    Silent,
)
from platforms.settings import Section, WebAddress

if TYPE_CHECKING:
    from honcho import Honcho as Client
    from honcho import Peer

KEY = "HONCHO_API_KEY"
LONGEST_MESSAGE = 20_000
"""Characters of one message; the service takes 25,000."""
MOST_MESSAGES = 100
"""In one request."""
LONGEST_QUESTION = 8_000
LONGEST_QUERY = 1_000
"""Bytes; the query travels in an address."""
MOST_KNOWN = 500


class HonchoSettings(Section):
    """What stands under memory.providers.honcho in config.yaml."""

    base_url: WebAddress = "https://api.honcho.dev"
    """Where the service runs; `http://localhost:8000` for one of your own."""
    workspace: str = ""
    """The workspace; profiles that write the same one share what is remembered. Empty: `innkeeper-PROFILE`."""
    assistant: Annotated[str, Field(min_length=1)] = "innkeeper"
    """The assistant's name among the peers."""
    messages: Annotated[int, Field(ge=0, le=50)] = 5
    """Earlier messages that are recalled at most, beside conclusions."""
    conclusions: Annotated[int, Field(ge=1, le=100)] = 25
    """Conclusions that are recalled at most."""


class Honcho(Silent):
    """Turns go to a session of two peers: the subject, who is observed, and the assistant, who is not."""

    name = "honcho"

    def __init__(self, context: ProviderContext) -> None:
        self._settings = HonchoSettings.model_validate(dict(context.settings))
        self._context = context
        self._key = context.secrets.get(KEY, "")
        self._workspace = space(self._settings.workspace, context)
        self._assistant = named(self._settings.assistant)
        self._line: Line[Client] = Line("Honcho")
        self._peers: dict[str, Peer] = {}

    async def start(self) -> None:
        try:
            from honcho import Honcho as Client
            from honcho.http import HonchoError
        except ImportError:
            raise missing("honcho-ai", "honcho") from None
        await self.close()

        def reading(error: Exception) -> tuple[int, str]:
            return (error.status, error.message) if isinstance(error, HonchoError) else (0, str(error))

        told = Translation("Honcho", (self._key,), (HonchoError, OSError), reading)
        with told():
            client = Client(
                api_key=self._key or None,
                base_url=self._settings.base_url,
                workspace_id=self._workspace,
                timeout=30.0,
                max_retries=0,  # the house tries again
            )
            self._line.open(client, told)
            await client.aio.get_configuration()

    async def prompt_block(self, where: Conversation) -> str:
        with self._line() as client:
            card = await (await self._peer(client, where)).aio.get_card()
        return "\n".join(f"- {line}" for line in card or ())

    async def prefetch(self, question: Question) -> str:
        with self._line() as client:
            asked = brief(question.text, LONGEST_QUERY)
            if not asked:
                return ""
            peer = await self._peer(client, question.where)
            concluded, found = await _both(
                peer.aio.context(search_query=asked, max_conclusions=self._settings.conclusions),
                self._messages(peer, asked),
            )
            representation = (concluded.representation or "").strip()
            earlier = [f"- {day:%Y-%m-%d}: {words}" for day, words in found if words not in representation]
        parts = []
        if representation:
            parts.append(f"What was concluded:\n{representation}")
        if earlier:
            parts.append("What was said earlier:\n" + "\n".join(earlier))
        return "\n\n".join(parts)

    async def sync(self, exchange: Exchange) -> None:
        from honcho.api_types import SessionPeerConfig

        ours = reference(self._context, exchange)
        with self._line() as client:
            peer = await self._peer(client, exchange.where)
            session = await client.aio.session(
                named(f"{exchange.where.subject}/{exchange.where.session}"),
                peers=[
                    (peer.id, SessionPeerConfig(observe_me=True, observe_others=False)),
                    (self._assistant, SessionPeerConfig(observe_me=False, observe_others=False)),
                ],
            )
            kept = await session.aio.messages(filters={"metadata": {"turn": ours}}, size=1)
            if kept.items:
                return  # it was handed over before, and only the answer was lost
            messages = self._as_messages(peer.id, exchange, ours)
            if messages:
                await session.aio.add_messages(messages)

    def tools(self) -> Sequence[ProviderTool]:
        what = "Ask Honcho what it has concluded about the person you are talking to, from earlier conversations."
        return (one_text("honcho_ask", what, "question", LONGEST_QUESTION, self._ask, about=QUESTION),)

    async def close(self) -> None:
        client = self._line.cut()
        self._peers.clear()
        if client is None:
            return
        # The SDK has no public way to close its two connection pools.
        client._http.close()
        await client._async_http_client.close()

    async def _peer(self, client: Client, where: Conversation) -> Peer:
        wanted = named(where.subject)
        peer = self._peers.get(wanted)
        if peer is None:
            peer = await client.aio.peer(wanted)
            if len(self._peers) >= MOST_KNOWN:
                self._peers.clear()
            self._peers[wanted] = peer
        return peer

    async def _messages(self, peer: Peer, asked: str) -> list[tuple[datetime, str]]:
        if not self._settings.messages:
            return []
        found = await peer.aio.search(asked, limit=self._settings.messages)
        return [(each.created_at, " ".join(each.content.split())) for each in found]

    def _as_messages(self, peer: str, exchange: Exchange, ours: str) -> list[Any]:
        from honcho.api_types import MessageCreateParams

        at = datetime.fromtimestamp(exchange.at, UTC)
        said = [(peer, piece) for piece in pieces(asked_by(exchange), LONGEST_MESSAGE)]
        said += [(self._assistant, piece) for piece in pieces(exchange.answered, LONGEST_MESSAGE)]
        return [
            MessageCreateParams(content=words, peer_id=who, metadata={"turn": ours}, created_at=at)
            for who, words in said[:MOST_MESSAGES]
        ]

    async def _ask(self, where: Conversation, question: str) -> str:
        with self._line() as client:
            answer = await (await self._peer(client, where)).aio.chat(question)
        return str(answer) if answer else "Honcho knows nothing about that."


async def _both(first: Any, second: Any) -> tuple[Any, Any]:
    """The results of both; the first fault of either, once both are over."""
    results = await asyncio.gather(first, second, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results[0], results[1]


manifest = ProviderManifest(
    name="honcho",
    provider="gateway.providers.honcho:Honcho",
    about="Honcho, a service that reasons about people from what they say; also on a server of your own",
    settings="gateway.providers.honcho:HonchoSettings",
    secrets=(SecretNeed(KEY, "API key of Honcho; none for a server of your own without one", required=False),),
    extra="honcho",
    patience=Patience(prefetch=5.0, tool=60.0),
)
