"""Asks the next host when one is down, refuses, or is out of quota, and says so in the reply."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from gateway.models.client import Delta, HostInfo, ModelClient, Reply, Request, TextDelta, Waiting
from gateway.models.errors import ModelError
from gateway.models.streams import opened


class Chain:
    """Clients in order; the first is the main one. The others are asked before any word was shown, and never in the
    middle of a tool sequence, which only the model that began it can go on with."""

    def __init__(self, clients: Sequence[ModelClient]) -> None:
        if not clients:
            raise ValueError("a chain needs at least one client")
        self._clients = tuple(clients)
        self._began: dict[tuple[str | None, str], ModelClient] = {}
        """Who called a tool last, by session and task, while the sequence lasts: a review runs beside its chat."""

    @property
    def host(self) -> str:
        return self._clients[0].host

    @property
    def model(self) -> str:
        return self._clients[0].model

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Raises the main host's error, with what the others said in its text, when none answered."""
        failed: list[tuple[ModelClient, ModelError]] = []
        sequence = (request.session, request.task)
        began = self._began.pop(sequence, self._clients[0])
        candidates = (began,) if request.continues else self._clients
        for client in candidates:
            shown = False
            try:
                async with aclosing(opened(client, self._addressed(client, request))) as deltas:
                    async for delta in deltas:
                        shown = shown or isinstance(delta, TextDelta)
                        if isinstance(delta, Reply) and failed:
                            delta = replace(delta, notice=_notice(failed, client))
                        if isinstance(delta, Reply) and delta.tool_calls:
                            self._began[sequence] = client
                        yield delta
                return
            except ModelError as error:
                if shown or not error.fallback or len(candidates) == 1:
                    raise
                failed.append((client, error))
            if len(failed) < len(candidates):
                following = candidates[len(failed)]
                yield Waiting(f"{client.host} did not answer; asking {_named(following)}")
        raise _together(failed)

    def _addressed(self, client: ModelClient, request: Request) -> Request:
        """How long to think was said to the main model; another might refuse the word."""
        return request if client is self._clients[0] else replace(request, reasoning_effort=None)

    async def info(self) -> HostInfo:
        return await self._clients[0].info()

    async def close(self) -> None:
        for client in self._clients:
            await client.close()


def _named(client: ModelClient) -> str:
    return f"{client.host}/{client.model}"


def _notice(failed: list[tuple[ModelClient, ModelError]], answered: ModelClient) -> str:
    reasons = "; ".join(f"{client.host} did not answer ({error})" for client, error in failed)
    return f"{reasons}; {_named(answered)} answered"


def _together(failed: list[tuple[ModelClient, ModelError]]) -> ModelError:
    first = failed[0][1]
    others = "; ".join(str(error) for _, error in failed[1:])
    return type(first)(f"{first}. Also tried: {others}") if others else first
