"""A model that cannot be had: asked, it says why. So a wrong name becomes a visible reason like any other."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from gateway.models.client import Delta, HostInfo, Request, Waiting
from gateway.models.errors import ModelMissing


class Unavailable:
    """A `ModelClient` that answers every request with ModelMissing."""

    def __init__(self, why: str, name: str = "") -> None:
        self._why = why
        self._host, _, self._model = name.partition("/")

    @property
    def host(self) -> str:
        return self._host

    @property
    def model(self) -> str:
        return self._model

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        yield Waiting("looking for the model")
        raise ModelMissing(self._why)

    async def info(self) -> HostInfo:
        return HostInfo()

    async def close(self) -> None:
        """There is nothing to let go of."""
