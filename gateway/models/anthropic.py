"""Anthropic's models as a ModelClient, with cache breakpoints.

Owns the anthropic library (extra `anthropic`), imported at first use, off the event loop. The format is
anthropic_wire.py's, errors are faults.py's, silence is patience.py's; nothing is retried here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from gateway.clock import Clock
from gateway.config.hosts import CLOUDS
from gateway.models.anthropic_wire import Events, body, status_of
from gateway.models.client import Delta, HostInfo, Request
from gateway.models.errors import HostDown, ModelError
from gateway.models.exchange import exchange
from gateway.models.faults import Place, broken, from_status
from gateway.models.patience import Patience
from gateway.models.pictures import loaded
from gateway.models.pieces import Piece, Spent
from gateway.models.sight import sees_by_name
from gateway.models.transport import on_this_machine, reason, transport_errors

if TYPE_CHECKING:
    import anthropic

    from gateway.models.kinds import HostContext

USUAL_WINDOW = 200_000
"""Tokens, as Anthropic documents for its models, when neither the owner nor the server says otherwise."""
CONNECT_SECONDS = 10.0
PROBE_SECONDS = 5.0


def of(context: HostContext) -> AnthropicClient:
    """The client of a host of kind anthropic."""
    plan = context.plan
    return AnthropicClient(
        plan.name,
        context.model,
        plan.api_key,
        clock=context.clock,
        base_url=plan.address or CLOUDS["anthropic"].address,
        window=plan.window,
        local=plan.local,
        sees=plan.sees,
    )


class AnthropicClient:
    """One model there. `window` (tokens) overrides what the server says; `base_url` is the root, without /v1. `sees`
    None goes by the model's name."""

    def __init__(
        self,
        name: str,
        model: str,
        api_key: str | None,
        *,
        clock: Clock,
        base_url: str = CLOUDS["anthropic"].address,
        window: int | None = None,
        local: bool | None = None,
        patience: Patience | None = None,
        sees: bool | None = None,
    ) -> None:
        self._host = name
        self._model = model
        self._base_url = base_url.rstrip("/").removesuffix("/v1")
        self._key = api_key or None
        self._clock = clock
        self._window = window
        self._local = on_this_machine(base_url) if local is None else local
        self._patience = patience or Patience.standard(local=self._local)
        self._sees = sees_by_name(model, usual=True) if sees is None else sees
        self._sdk: anthropic.AsyncAnthropic | None = None
        self._building = asyncio.Lock()
        self._info: HostInfo | None = None

    @property
    def host(self) -> str:
        return self._host

    @property
    def model(self) -> str:
        return self._model

    async def warm(self) -> None:
        """Import the library and build its client. Raises HostDown when the library is not installed."""
        async with self._building:
            if self._sdk is None:
                try:
                    self._sdk = await asyncio.to_thread(self._build)
                except ImportError:
                    raise HostDown(f"{self._host} needs the extra: pip install 'innkeeper[anthropic]'") from None

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        await self.warm()
        deltas = exchange(self._pieces(request), request, self._place(), self._patience, self._clock)
        async with aclosing(deltas):
            async for delta in deltas:
                yield delta

    async def info(self) -> HostInfo:
        if self._info is None:
            found = HostInfo(window=self._window or USUAL_WINDOW, local=self._local, sees=self._sees)
            if self._window is not None:
                self._info = found
                return found
            asked = await self._ask_window()
            if asked is None:
                return found  # not known yet: ask again the next time
            self._info = HostInfo(window=asked or USUAL_WINDOW, local=self._local, sees=self._sees)
        return self._info

    async def close(self) -> None:
        sdk, self._sdk = self._sdk, None
        if sdk is not None:
            await sdk.close()

    def _build(self) -> anthropic.AsyncAnthropic:
        import anthropic

        # A proxy from the environment is for the world outside, never for this machine.
        web = anthropic.DefaultAsyncHttpxClient(trust_env=not on_this_machine(self._base_url))
        return anthropic.AsyncAnthropic(
            api_key=self._key or "none",
            base_url=self._base_url,
            timeout=anthropic.Timeout(None, connect=CONNECT_SECONDS),
            max_retries=0,
            http_client=web,
        )

    def _place(self) -> Place:
        return Place(self._host, self._model, self._base_url, (self._key,) if self._key else ())

    async def _pieces(self, request: Request) -> AsyncGenerator[Piece, None]:
        import anthropic

        assert self._sdk is not None  # stream() warmed
        reader = Events()
        shown = await loaded(request.messages) if self._sees else {}
        begun = False
        try:
            opened = await self._sdk.post(
                "/v1/messages",
                body=body(request, self._model, shown),
                cast_to=object,
                stream=True,
                stream_cls=anthropic.AsyncStream[object],
            )
            async with opened as events:
                async for event in events:
                    for piece in reader.pieces(event):
                        begun = begun or not isinstance(piece, Spent)
                        yield piece
        except _troubles() as error:
            raise self._translated(error, begun) from None

    def _translated(self, error: Exception, begun: bool) -> ModelError:
        """The error in our terms; the library's own text is neither passed on nor chained, it may quote the key."""
        import anthropic

        place = self._place()
        if isinstance(error, anthropic.APIStatusError):
            status = error.status_code
            if status < 400:  # an error event within a stream that began well
                inner = error.body.get("error") if isinstance(error.body, Mapping) else None
                status = status_of(inner.get("type") if isinstance(inner, Mapping) else None)
            headers: Mapping[str, Any] = error.response.headers
            fault = from_status(place, status, error.body, headers, self._clock.now())
            return broken(place, str(fault)) if begun and fault.fallback else fault
        words = "it sent something that is not JSON" if isinstance(error, ValueError) else reason(error)
        return broken(place, words) if begun else place.down(words)

    async def _ask_window(self) -> int | None:
        """Tokens; 0 when the server answers without saying, None when it does not answer."""
        try:
            await self.warm()
            assert self._sdk is not None  # warmed above
            entry: object = await self._sdk.get(
                f"/v1/models/{self._model}", cast_to=object, options={"timeout": PROBE_SECONDS}
            )
        except HostDown:
            return None  # the library itself is missing
        except _troubles():
            return None
        window = entry.get("max_input_tokens") if isinstance(entry, Mapping) else None
        return window if isinstance(window, int) else 0


def _troubles() -> tuple[type[Exception], ...]:
    """All that a request may raise; a ValueError is an event that is not JSON."""
    import anthropic

    return (anthropic.AnthropicError, ValueError, *transport_errors())
