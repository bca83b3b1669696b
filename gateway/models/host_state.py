"""Whether the host that a client stands for has work: idle, busy or unknown, and when it has been quiet for a while.

Own requests are counted and need no question. Owns when a host is asked; how is probing.py's, and what counts as
quiet is idleness.py's. Nobody is asked unless somebody wants to know.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal

from gateway.clock import Clock
from gateway.config.hosts import LOCAL
from gateway.models.client import ModelClient
from gateway.models.idleness import HostState, Idleness, Pace, Sight, busy, idle, unknown, worst
from gateway.models.main_host import HostPlan
from gateway.models.portions import YIELDING
from gateway.models.probing import ANSWER_SECONDS, Prober
from gateway.models.registry import HostRegistry
from gateway.models.transport import on_this_machine

__all__ = ["HostState", "HostWatch", "Idleness", "Sight"]

REVIEW = YIELDING
"""The task of requests that yield to all others."""
STILL_TRUE = 1.0
"""Seconds for which an idle look is believed without a new one."""
SHORTEST_PAUSE = 0.05
BREATH = 1.0
"""Seconds between two questions of one who waits for quiet, at least."""


class _Post:
    """What the watch remembers of one host."""

    def __init__(self) -> None:
        self.asking = asyncio.Lock()
        self.pace = Pace()
        self.sight = unknown("nobody has looked yet")
        self.at = float("-inf")
        self.due = float("-inf")
        self.used_at: float | None = None

    def record(self, sight: Sight, now: float) -> None:
        self.sight, self.at, self.due = sight, now, now + self.pace.after(sight.state)

    def stir(self) -> None:
        self.pace.anew()
        self.due = float("-inf")


class HostWatch:
    """Looks at hosts for those who wait until one is idle. One for the house; `close` it.

    `changed` is set whenever a request of ours comes to a host, gets its turn, or goes: clear it, look, wait for it.
    It is for one who waits; `wanted` and `quiet` may be awaited by many. Requests of the task `besides` yield to all
    others and are nobody's use of a host. `patience`: seconds for one answer.
    """

    def __init__(
        self, registry: HostRegistry, clock: Clock, *, besides: str = REVIEW, patience: float = ANSWER_SECONDS
    ) -> None:
        self.changed = asyncio.Event()
        self._registry = registry
        self._clock = clock
        self._besides = besides
        self._patience = patience
        self._posts: dict[str, _Post] = {}
        self._probers: dict[str, Prober] = {}
        self._bells: set[asyncio.Event] = set()
        registry.watch(self._moved)

    async def state(self, client: ModelClient) -> HostState:
        """As `look`, without the reason."""
        return (await self.look(client)).state

    async def look(self, client: ModelClient, *, fresh: bool = False) -> Sight:
        """What the client's host is doing now. Never raises, and never wakes a model.

        Between questions to the host (`pause`) the last busy or unknown sight is repeated, and an idle one that is
        no longer fresh is unknown. `fresh` asks in any case.
        """
        post, began = self._post(client.host), self._clock.monotonic()
        if (own := self._own(client.host)) is not None:
            return replace(own, used_at=post.used_at)
        async with post.asking:
            now = self._clock.monotonic()
            asked_meanwhile = post.at > began
            if not asked_meanwhile and (fresh or now >= post.due):
                sight = await self._ask(client.host)
                now = self._clock.monotonic()
                post.record(self._own(client.host) or sight, now)
        sight = post.sight
        if sight.state is HostState.IDLE and now - post.at > STILL_TRUE:
            sight = unknown("it was idle a moment ago")
        return replace(sight, used_at=post.used_at)

    def last(self, client: ModelClient) -> Sight:
        """What was seen last, without asking: for lists that say why something waits."""
        return self._own(client.host) or self._post(client.host).sight

    def pause(self, client: ModelClient) -> float:
        """Seconds for which `look` leaves the host alone from now on; 0 when it would ask."""
        return max(0.0, self._post(client.host).due - self._clock.monotonic())

    def busy_with_own(self, client: ModelClient) -> int:
        """Our own requests in flight or waiting at the client's host, those that yield left out."""
        return self._registry.wanted(client.host, besides=self._besides)

    def defers(self, client: ModelClient, setting: Literal["auto", "never", "always"]) -> bool:
        """Whether work on that host waits for it to be idle; `auto`: when it runs on this machine or is marked so."""
        plan = self._registry.plan(client.host)
        if plan is None or setting == "never":
            return False
        return setting == "always" or _near(plan)

    async def wanted(self, client: ModelClient) -> None:
        """Returns as soon as a request that does not yield is in flight or waits at the client's host."""
        with self._bell() as bell:
            while not self.busy_with_own(client):
                bell.clear()
                await bell.wait()

    async def quiet(self, client: ModelClient, seconds: float) -> None:
        """Returns when the client's host has been idle for that long, counted from now, as far as could be seen."""
        idleness, breath = Idleness(seconds), min(BREATH, seconds / 10)
        with self._bell() as bell:
            while True:
                bell.clear()
                if (early := self._post(client.host).at + breath - self._clock.monotonic()) > 0:
                    await self._clock.sleep(early)  # each chat of ours rings twice, and costs no question
                sight = await self.look(client, fresh=True)
                now = self._clock.monotonic()
                if idleness.observe(sight.state, now, sight.used_at):
                    return
                left = idleness.remaining(now) if sight.state is HostState.IDLE else None
                pause = self.pause(client) if self._own(client.host) is None else None
                await self._rung_or(bell, pause if left is None or pause is None else min(left, pause))

    async def close(self) -> None:
        """Let go of connections."""
        probers = list(self._probers.values())
        self._probers.clear()
        for prober in probers:
            await prober.close()

    def _post(self, host: str) -> _Post:
        return self._posts.setdefault(host, _Post())

    def _own(self, host: str) -> Sight | None:
        count = self._registry.wanted(host)
        return busy(f"{count} request{'s' if count > 1 else ''} of our own") if count else None

    async def _ask(self, host: str) -> Sight:
        plan = self._registry.plan(host)
        if plan is None:
            return unknown("there is no such host")
        if plan.kind == LOCAL:
            return await self._ask_own_server()
        if plan.address is None:
            return unknown("it has no address")
        return await self._prober(host, plan).look()

    async def _ask_own_server(self) -> Sight:
        """A process that does not run has no work, and is not started for a question."""
        sights = [idle("its model is not loaded")]
        for server in self._registry.own_servers():
            if server.loading or server.busy:
                sights.append(busy("it is loading its model" if server.loading else "a request of our own"))
            elif server.endpoint is not None:
                address, key = server.endpoint
                sights.append(await self._child_prober(address, key).look())
        return worst(sights)

    def _child_prober(self, address: str, key: str) -> Prober:
        """Each start of the process has an address of its own."""
        if address not in self._probers:
            headers = {"Authorization": f"Bearer {key}"}
            self._probers[address] = Prober(address, f"{address}/v1/models", headers, seconds=self._patience)
        return self._probers[address]

    def _prober(self, host: str, plan: HostPlan) -> Prober:
        if host not in self._probers:
            base = (plan.address or "").rstrip("/")
            root = base.removesuffix("/v1")
            headers = {"Authorization": f"Bearer {plan.api_key}"} if plan.api_key else {}
            models = f"{base}/models"
            if plan.kind == "anthropic":
                models = f"{root}/v1/models"
                headers = {"anthropic-version": "2023-06-01", **({"x-api-key": plan.api_key} if plan.api_key else {})}
            # Whoever runs a server for the public shows nobody what it works on.
            asks = plan.cloud is None and (_near(plan) or base.startswith("http://"))
            self._probers[host] = Prober(root, models, headers, asks=asks, seconds=self._patience)
        return self._probers[host]

    def _moved(self, host: str, task: str) -> None:
        post = self._post(host)
        post.stir()
        if task != self._besides:
            post.used_at = self._clock.monotonic()
        self.changed.set()
        for bell in self._bells:
            bell.set()

    @contextmanager
    def _bell(self) -> Iterator[asyncio.Event]:
        bell = asyncio.Event()
        self._bells.add(bell)
        try:
            yield bell
        finally:
            self._bells.discard(bell)

    async def _rung_or(self, bell: asyncio.Event, seconds: float | None) -> None:
        """Wait for the bell, for at most `seconds`; None waits for the bell alone."""
        if seconds is None:
            await bell.wait()
            return
        waits = {
            asyncio.ensure_future(bell.wait()),
            asyncio.ensure_future(self._clock.sleep(max(seconds, SHORTEST_PAUSE))),
        }
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()
            await asyncio.gather(*waits, return_exceptions=True)


def _near(plan: HostPlan) -> bool:
    """Whether the host shares this machine, or the owner says that it counts as if."""
    if plan.kind == LOCAL:
        return True
    return on_this_machine(plan.address) if plan.local is None else plan.local
