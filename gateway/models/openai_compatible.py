"""Any OpenAI-compatible server as a ModelClient: llama-server, vLLM, Ollama, LM Studio, OpenRouter, clouds.

Owns the openai library, which is imported at first use, off the event loop. The format is openai_wire.py's, errors
are faults.py's, silence is patience.py's; nothing is retried here.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gateway.clock import Clock
from gateway.models.client import Delta, HostInfo, Request
from gateway.models.errors import ModelError, ModelMissing
from gateway.models.exchange import exchange
from gateway.models.faults import Place, broken, from_status
from gateway.models.openai_wire import Dialect, body, info_from_props, pieces, served, window_of
from gateway.models.patience import Patience
from gateway.models.pictures import Shown, loaded
from gateway.models.pieces import Piece, Reading, Spent
from gateway.models.sight import sees_by_entry, sees_by_name
from gateway.models.transport import on_this_machine, reason, transport_errors

if TYPE_CHECKING:
    import openai

    from gateway.models.kinds import HostContext

CONNECT_SECONDS = 10.0
PROBE_SECONDS = 5.0
"""For questions about the host; answers to prompts have `Patience` instead."""
TRANSCRIPTION_SECONDS = 80.0
OFFICIAL = "api.openai.com"
_ANY = re.compile("")
_LISTENS = re.compile(r"(?i)whisper|transcri|voxtral|parakeet|canary")


def of(context: HostContext) -> OpenAICompatible:
    """The client of a host of kind openai."""
    plan = context.plan
    return OpenAICompatible(
        plan.name,
        context.model,
        plan.address or "",
        plan.api_key,
        clock=context.clock,
        window=plan.window,
        local=plan.local,
        sees=plan.sees,
    )


class OpenAICompatible:
    """One model on one server. `base_url` usually ends in /v1. `model` "auto" takes the first that is served.

    `window` (tokens) overrides what the host says. `local` marks a host that shares this machine; None goes by the
    address. `llama_cpp` tells that the server is llama.cpp's; None finds out where that is likely. `sees` says
    whether the model takes pictures; None asks the host, and else goes by the model's name.
    """

    def __init__(
        self,
        name: str,
        model: str,
        base_url: str,
        api_key: str | None,
        *,
        clock: Clock,
        window: int | None = None,
        local: bool | None = None,
        patience: Patience | None = None,
        llama_cpp: bool | None = None,
        sees: bool | None = None,
    ) -> None:
        self._host = name
        self._model = model
        self._base_url = base_url.rstrip("/")
        self._key = api_key or None
        self._clock = clock
        self._window = window
        self._local = on_this_machine(base_url) if local is None else local
        self._patience = patience or Patience.standard(local=self._local)
        self._llama_cpp = llama_cpp
        self._sees = sees
        self._sdk: openai.AsyncOpenAI | None = None
        self._building = asyncio.Lock()
        self._info: HostInfo | None = None

    @property
    def host(self) -> str:
        return self._host

    @property
    def model(self) -> str:
        return self._model

    async def warm(self) -> None:
        """Import the library and build its client, so that the first message does not wait for it."""
        async with self._building:
            if self._sdk is None:
                self._sdk = await asyncio.to_thread(self._build)

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        await self.warm()
        if self._model == "auto":
            self._model = await self._first_served()
        if self._llama_cpp is None and self._may_be_llama_cpp():
            await self.info()
        pictured = any(message.pictures for message in request.messages)
        shown = await loaded(request.messages) if pictured and (await self.info()).sees else {}
        deltas = exchange(self._pieces(request, shown), request, self._place(), self._patience, self._clock)
        async with aclosing(deltas):
            async for delta in deltas:
                yield delta

    async def info(self) -> HostInfo:
        if self._info is not None:
            return self._info
        await self.warm()
        named = sees_by_name(self._model) if self._sees is None else self._sees
        info = HostInfo(window=self._window, local=self._local, sees=named)
        props = await self._probe(self._root() + "/props") if self._may_be_llama_cpp() else None
        if isinstance(props, Mapping) and "default_generation_settings" in props:
            self._llama_cpp = True
            said = info_from_props(props, info)
            self._info = said if self._sees is None else replace(said, sees=self._sees)
            return self._info
        models = await self._probe("/models")
        if models is None:
            return info  # down or loading: ask again the next time
        if props is not None and self._llama_cpp is None:
            self._llama_cpp = False
        entries = served(models)
        entry = next((each for each in entries if each["id"] == self._model or self._model == "auto"), {})
        sees = sees_by_entry(entry) if self._sees is None else self._sees
        if sees is None:
            sees = info.sees or sees_by_name(str(entry.get("id", "")))
        self._info = replace(info, window=self._window or window_of(entry), sees=sees)
        return self._info

    async def transcribe(self, data: bytes, name: str) -> str:
        """What is said in a recording; `name` has the ending of its format. A model "auto" is the served one that
        sounds like it. Raises ModelError."""
        await self.warm()
        assert self._sdk is not None  # warmed
        if self._model == "auto":
            self._model = await self._first_served(_LISTENS)
        try:
            said = await self._sdk.audio.transcriptions.create(
                model=self._model, file=(name, data), response_format="json", timeout=TRANSCRIPTION_SECONDS
            )
        except _troubles() as error:
            raise self._translated(error, False) from None
        text = getattr(said, "text", said)
        return text if isinstance(text, str) else ""

    async def close(self) -> None:
        sdk, self._sdk = self._sdk, None
        if sdk is not None:
            await sdk.close()

    def _build(self) -> openai.AsyncOpenAI:
        import openai

        # A proxy from the environment is for the world outside, never for this machine.
        here = on_this_machine(self._base_url)
        web = openai.DefaultAsyncHttpxClient(trust_env=not here)
        sdk = openai.AsyncOpenAI(
            api_key=self._key or "none",
            base_url=self._base_url,
            timeout=openai.Timeout(None, connect=CONNECT_SECONDS),
            max_retries=0,
            http_client=web,
            # llama.cpp closes a kept connection after a stream without saying so; one in six requests then failed.
            default_headers={"Connection": "close"} if here else None,
        )
        # The library takes these from the environment; they belong to another account than the configured one.
        sdk.organization = sdk.project = None
        return sdk

    def _place(self) -> Place:
        return Place(self._host, self._model, self._base_url, (self._key,) if self._key else ())

    def _root(self) -> str:
        return self._base_url.removesuffix("/v1")

    def _may_be_llama_cpp(self) -> bool:
        return self._llama_cpp is not False and (self._local or self._base_url.startswith("http://"))

    async def _pieces(self, request: Request, shown: Shown) -> AsyncGenerator[Piece, None]:
        import openai

        assert self._sdk is not None  # stream() warmed
        dialect = Dialect(
            progress=self._llama_cpp is True,
            official=urlsplit(self._base_url).hostname == OFFICIAL,
        )
        begun = False
        try:
            # `create()` walks through every argument, 64 ms at 300 messages; `post` sends the body as it is.
            opened = await self._sdk.post(
                "/chat/completions",
                body=body(request, self._model, dialect, shown),
                cast_to=object,
                stream=True,
                stream_cls=openai.AsyncStream[object],
            )
            async with opened as events:
                async for event in events:
                    for piece in pieces(event):
                        begun = begun or not isinstance(piece, Reading | Spent)
                        yield piece
        except _troubles() as error:
            raise self._translated(error, begun) from None

    def _translated(self, error: Exception, begun: bool) -> ModelError:
        """The error in our terms. The library's own text may quote the key, so it is never passed on or chained."""
        import openai

        place = self._place()
        if isinstance(error, openai.APIStatusError):
            return from_status(place, error.status_code, error.body, error.response.headers, self._clock.now())
        if isinstance(error, openai.APIError) and not isinstance(error, openai.APIConnectionError):
            fault = from_status(place, _code(error.body), error.body, {}, self._clock.now())
            return broken(place, str(fault)) if begun and fault.fallback else fault
        words = "it sent something that is not JSON" if isinstance(error, ValueError) else reason(error)
        return broken(place, words) if begun else place.down(words)

    async def _first_served(self, preferred: re.Pattern[str] = _ANY) -> str:
        assert self._sdk is not None  # stream() warmed
        try:
            models = await self._sdk.get("/models", cast_to=object, options={"timeout": PROBE_SECONDS})
        except _troubles() as error:
            raise self._translated(error, False) from None
        entries = served(models)
        if not entries:
            raise ModelMissing(f"{self._host} names no model; set model.model")
        names = [str(entry["id"]) for entry in entries]
        return next((name for name in names if preferred.search(name)), names[0])

    async def _probe(self, path: str) -> object | None:
        """The JSON at `path`; None when there is no answer yet, an empty object when the answer is a refusal."""
        import openai

        assert self._sdk is not None  # info() warmed
        try:
            return await self._sdk.get(path, cast_to=object, options={"timeout": PROBE_SECONDS})
        except openai.APIStatusError as error:
            return None if error.status_code >= 500 else {}
        except _troubles():
            return None


def _troubles() -> tuple[type[Exception], ...]:
    """All that a request may raise; a ValueError is an event that is not JSON."""
    import openai

    return (openai.OpenAIError, ValueError, *transport_errors())


def _code(body: object) -> int:
    code = body.get("code") if isinstance(body, Mapping) else None
    return code if isinstance(code, int) and code >= 400 else 500
