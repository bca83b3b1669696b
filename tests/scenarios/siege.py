"""Rounds in which a gateway is ended while five chats talk to it, and goes on.

Owns when what is said and when the process ends, all from one seed. What must hold afterwards is the ledger's matter.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.fakes.gateway_process import GatewayProcess
from tests.fakes.postal import counting
from tests.fakes.postal.office import PostOffice
from tests.scenarios.ledger import InFlight, Ledger, Posted, in_flight, settled
from tests.scenarios.storyteller import Storyteller

Moment = Literal["starting", "listening", "receiving", "model", "parts", "tool", "idle"]
CHATS = ("c1", "c2", "c3", "c4", "c5")
PATIENCE = 60.0
"""Real seconds to wait for what must happen."""

MISSED = 4.0
"""Real seconds after which a moment that did not come in this round is not waited for any longer."""

SIGNS: dict[Moment, tuple[str, int, float]] = {
    "listening": ("listening", 1, 0.01),
    "receiving": ("delivered", 4, 0.006),
    "model": ("asked", 3, 0.3),
    "parts": ("sent", 6, 0.05),
    "tool": ("called", 1, 0.1),
}
"""What announces a moment, how many of them are let go by at most, and the seconds within which the end comes."""

ENTRY_POINTS = {
    "innkeeper.platforms": {"post": "tests.fakes.postal.manifest:manifest"},
    "innkeeper.tools": {"count": "tests.fakes.postal.counting:count"},
}


@dataclass(frozen=True, slots=True)
class Network:
    """What the test network can do. The office honours a nonce for longer than the house relies on it."""

    name: str
    nonce_seconds: float
    finds: bool

    @property
    def certain(self) -> bool:
        return self.finds


BLIND = Network("blind, like Telegram", 0.0, False)
NONCES = Network("nonces, like Discord", 0.7, True)
"""So short that some starts come in time for the nonce and others must look into the history."""


class Moments:
    """Waiting for the nth time that something happens."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self._waits: list[tuple[str, int, asyncio.Future[None]]] = []

    def note(self, what: str) -> None:
        self.seen[what] += 1
        for name, at, future in self._waits:
            if name == what and self.seen[what] >= at and not future.done():
                future.set_result(None)
        self._waits = [wait for wait in self._waits if not wait[2].done()]

    def next(self, what: str, passed: int = 0) -> asyncio.Future[None]:
        """Done when it has happened, from now on, once more than `passed` times."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waits.append((what, self.seen[what] + passed + 1, future))
        return future


class Siege:
    """`async with siege(...)`, some rounds, then `end()`. Everything random comes from `seed`."""

    def __init__(self, folder: Path, network: Network, seed: int, drain_seconds: int) -> None:
        self.random = random.Random(seed)
        self.network = network
        self.moments = Moments()
        self.posted: list[Posted] = []
        self.ended: Counter[str] = Counter()
        """How often the process was ended, by moment."""
        self.unknown = InFlight()
        self.began = time.monotonic()
        self.ready = 1.0
        """Seconds from a start to the first listening, as last seen."""
        self.office = PostOffice(
            self.moments.note,
            nonce_seconds=1.5 * network.nonce_seconds,
            answer_after=lambda: self.random.choice([0.0, self.random.uniform(0, 0.05)]),
            again_after=lambda: self.random.uniform(0, 0.5) if self.random.random() < 0.2 else None,
        )
        self.host = Storyteller(self.moments.note)
        self.counts = folder / "counts.jsonl"
        self._folder = folder
        self._drain_seconds = drain_seconds
        self._spoken: Counter[str] = Counter()
        self.gateway: GatewayProcess

    def furnish(self) -> None:
        """Make the gateway's folder; the office and the host are open by now."""
        config = {
            "model": {"provider": "openai", "model": "fake-model", "base_url": self.host.base_url, "api_key": "k"},
            "platforms": {
                "post": {
                    "port": self.office.port,
                    "allowed_users": ["ada"],
                    "nonce_seconds": self.network.nonce_seconds,
                    "finds": self.network.finds,
                }
            },
            "auxiliary": {"background_review": {"enabled": False}},
            "sessions": {"boundary_hint": "off"},
            "gateway": {"drain_seconds": self._drain_seconds},
        }
        self.gateway = GatewayProcess(
            self._folder,
            config,
            entry_points=ENTRY_POINTS,
            environment={counting.FILE: str(self.counts)},
        )

    async def kill_at(self, moment: Moment) -> None:
        """One round: start, talk, and SIGKILL at a moment of this kind."""
        came = await self._until(moment)
        await self.gateway.kill()
        self._note_end(moment if came else "idle")

    async def drain_at(self, moment: Moment) -> int:
        """One round: start, talk, and SIGTERM at a moment of this kind; the exit code."""
        came = await self._until(moment)
        talking = asyncio.ensure_future(self._talk(self.random.randint(0, 3)))
        code = await self.gateway.terminate()
        await talking
        self._note_end(moment if came else "idle")
        return code

    async def end(self) -> Ledger:
        """Let everything be answered, close the house in good order, and read the books."""
        listening = self.moments.next("listening")
        await self.gateway.start()
        await asyncio.wait_for(listening, PATIENCE)
        await self._settle()
        code = await self.gateway.terminate()
        assert code == 0, f"exit code {code}:\n{self.gateway.said()}"
        counted = counting.counted(self.counts)
        return Ledger(
            self.gateway.database, self.posted, self.office, counted, self.unknown, certain=self.network.certain
        )

    def summary(self, ledger: Ledger) -> str:
        """One line with the figures of all rounds."""
        moments = ", ".join(f"{moment} {count}" for moment, count in sorted(self.ended.items()))
        return (
            f"{self.ended.total()} rounds ({self.network.name}; {moments}): {len(self.posted)} messages,"
            f" {self.host.takes.total()} model calls, {len(counting.counted(self.counts))} tool calls; at the ends"
            f" {self.unknown.turns} turns ran, {self.unknown.events} events waited, {len(self.unknown.parts)} parts"
            f" and {len(self.unknown.previews)} previews were in flight; {len(ledger.uncertain)} parts uncertain,"
            f" {ledger.orphans} previews orphaned; {time.monotonic() - self.began:.0f} s"
        )

    async def _until(self, moment: Moment) -> bool:
        """Start and talk until it is time; False when the moment did not come."""
        begun, listening = time.monotonic(), self.moments.next("listening")
        sign, most, within = SIGNS.get(moment, ("", 0, 0.0))
        coming = self.moments.next(sign, self.random.randint(0, most - 1)) if sign else None
        await self._talk(self.random.randint(0, 3), tool=moment == "tool")
        await self.gateway.start()
        if moment == "starting":
            await asyncio.sleep(self.ready * self.random.uniform(0.4, 1.2))
            return True
        await asyncio.wait_for(listening, PATIENCE)
        self.ready = time.monotonic() - begun
        talking = asyncio.ensure_future(self._talk(self.random.randint(2, 5), tool=moment == "tool"))
        came = True
        if coming is None:
            await talking
            await self._settle()
        else:
            came = bool((await asyncio.wait({coming}, timeout=MISSED))[0])
            await asyncio.sleep(self.random.uniform(0, within))
        if not talking.done():
            talking.cancel()
            await asyncio.wait({talking})
        return came

    async def _talk(self, messages: int, *, tool: bool = False) -> None:
        """People write, sometimes at once, sometimes with a pause."""
        for number in range(messages):
            chat = self.random.choice(CHATS)
            self._spoken[chat] += 1
            name = f"{chat}n{self._spoken[chat]}"
            kind = self.random.choice(["", "", "[quick]", "[quick]", "[tool]", "[tools]"])
            if tool and number == messages - 1:
                kind = "[tools]"
            if self._drain_seconds and self.random.random() < 0.15:
                kind = "[slow]"
            text = f"#{name} please {kind}".strip()
            self.posted.append(Posted(self.office.post(chat, text), chat, name, text))
            await asyncio.sleep(self.random.choice([0.0, 0.0, 0.02]))

    def _note_end(self, moment: str) -> None:
        self.ended[moment] += 1
        if self.gateway.database.exists():
            self.unknown.add(in_flight(self.gateway.database))

    async def _settle(self) -> None:
        """Wait until everything is answered and delivered."""
        late = time.monotonic() + PATIENCE
        while not (self.gateway.database.exists() and self._quiet()):
            assert self.gateway.runs, f"the gateway ended by itself:\n{self.gateway.said()}"
            assert time.monotonic() < late, f"not everything was answered:\n{self.gateway.said()}"
            await asyncio.sleep(0.03)

    def _quiet(self) -> bool:
        return not self.office.waiting and settled(self.gateway.database, len(self.posted))


@asynccontextmanager
async def siege(folder: Path, network: Network, seed: int, *, drain_seconds: int = 0) -> AsyncIterator[Siege]:
    """The office, the host and the gateway's folder; no process is left behind."""
    made = Siege(folder, network, seed, drain_seconds)
    async with made.office, made.host:
        made.furnish()
        try:
            yield made
        finally:
            await made.gateway.discard()


def schedule(seed: int, rounds: int, moments: Sequence[Moment]) -> list[Moment]:
    """Every moment about equally often, in random order."""
    order: deque[Moment] = deque()
    shuffler = random.Random(seed)
    while len(order) < rounds:
        several = list(moments)
        shuffler.shuffle(several)
        order.extend(several)
    return list(order)[:rounds]
