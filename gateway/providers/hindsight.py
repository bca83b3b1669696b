"""Hindsight: a service that extracts facts from turns and reflects on them, through its client `hindsight-client`.

Owns how turns become documents of memory banks, and how facts come back. Each subject has a bank of its own. The
built-in memory's entries are not sent: they are in every prompt.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from gateway.providers.one_text import QUESTION, one_text
from gateway.providers.places import named, reference, space
from gateway.providers.service import Line, Translation, missing
from gateway.providers.texts import asked_by, brief, bullet, sound
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
    from hindsight_client import Hindsight as Client

KEY = "HINDSIGHT_API_KEY"
SECONDS = 60.0
LONGEST_QUESTION = 8_000
LONGEST_QUERY = 1_200
"""Bytes; the service takes 500 tokens."""


class HindsightSettings(Section):
    """What stands under memory.providers.hindsight in config.yaml."""

    base_url: WebAddress = "https://api.hindsight.vectorize.io"
    """Where the service runs; `http://localhost:8888` for one of your own."""
    bank: str = ""
    """How banks' names begin; profiles that write the same share what is remembered. Empty: `innkeeper-PROFILE`."""
    budget: Literal["low", "mid", "high"] = "low"
    """How much work the service puts into one recall."""
    max_tokens: Annotated[int, Field(ge=100, le=100_000)] = 2048
    """Tokens of facts that are recalled at most."""


class Hindsight(Silent):
    """A turn is one document: handed over again, it replaces itself."""

    name = "hindsight"

    def __init__(self, context: ProviderContext) -> None:
        self._settings = HindsightSettings.model_validate(dict(context.settings))
        self._context = context
        self._key = context.secrets.get(KEY, "")
        self._banks = space(self._settings.bank, context)
        self._line: Line[Client] = Line("Hindsight")

    async def start(self) -> None:
        try:
            from aiohttp import ClientError
            from hindsight_client import Hindsight as Client
            from hindsight_client_api.exceptions import OpenApiException
        except ImportError:
            raise missing("hindsight-client", "hindsight") from None
        await self.close()

        def reading(error: Exception) -> tuple[int, str]:
            if isinstance(error, OpenApiException):
                return getattr(error, "status", None) or 0, _words(error)
            return 0, str(error)

        told = Translation("Hindsight", (self._key,), (OpenApiException, ClientError, OSError), reading)
        with told():
            client = Client(self._settings.base_url, api_key=self._key or None, timeout=SECONDS, max_attempts=1)
            self._line.open(client, told)
            await client.banks.list_banks(limit=1, _request_timeout=SECONDS)

    async def prefetch(self, question: Question) -> str:
        with self._line() as client:
            asked = brief(question.text, LONGEST_QUERY)
            if not asked:
                return ""
            found = await _if_there_is_a_bank(
                client.arecall(
                    self._bank(question.where),
                    asked,
                    budget=self._settings.budget,
                    max_tokens=self._settings.max_tokens,
                )
            )
        return "\n".join(bullet(fact.text) for fact in found.results) if found else ""

    async def sync(self, exchange: Exchange) -> None:
        bank, document = self._bank(exchange.where), reference(self._context, exchange)
        words = f"Person: {asked_by(exchange)}"
        if exchange.answered:
            words += f"\nAssistant: {exchange.answered}"
        with self._line() as client:
            await client.aretain(
                bank,
                sound(words),
                timestamp=datetime.fromtimestamp(exchange.at, UTC),
                context="a turn of a conversation with an assistant",
                document_id=document,
                metadata={"session": exchange.where.session},
                retain_async=True,
                operation_id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"innkeeper:{bank}/{document}")),
            )

    def tools(self) -> Sequence[ProviderTool]:
        what = "Ask Hindsight to think about what it remembers from earlier conversations here, and to answer."
        return (one_text("hindsight_reflect", what, "question", LONGEST_QUESTION, self._reflect, about=QUESTION),)

    async def close(self) -> None:
        if (client := self._line.cut()) is not None:
            await client.aclose()  # type: ignore[no-untyped-call]

    def _bank(self, where: Conversation) -> str:
        return f"{self._banks}-{named(where.subject)}"

    async def _reflect(self, where: Conversation, question: str) -> str:
        with self._line() as client:
            answer = await _if_there_is_a_bank(
                client.areflect(self._bank(where), question, budget=self._settings.budget)
            )
        return str(answer.text) if answer and answer.text else "Hindsight knows nothing about that."


async def _if_there_is_a_bank(call: Any) -> Any:
    """The call's result; None when the bank does not exist, since nothing was kept in it yet."""
    from hindsight_client_api.exceptions import NotFoundException

    try:
        return await call
    except NotFoundException:
        return None


def _words(error: Exception) -> str:
    """What the service said; the error's own text holds all headers of the answer."""
    body = getattr(error, "body", None)
    try:
        told = json.loads(body) if body else None
    except ValueError:
        told = None
    if isinstance(told, dict) and "detail" in told:
        return str(told["detail"])
    return str(body or getattr(error, "reason", None) or error)


manifest = ProviderManifest(
    name="hindsight",
    provider="gateway.providers.hindsight:Hindsight",
    about="Hindsight, a service that extracts facts and reflects on them; also on a server of your own",
    settings="gateway.providers.hindsight:HindsightSettings",
    secrets=(SecretNeed(KEY, "API key of Hindsight; none for a server of your own without one", required=False),),
    extra="hindsight",
    patience=Patience(prefetch=5.0, tool=60.0),
)
