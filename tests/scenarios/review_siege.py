"""Rounds in which a gateway is ended while it talks and looks back, and goes on.

Owns when what is said, whether reviews give way, and when the process ends, all from one seed. What must hold
afterwards is `review_ledger`'s matter.
"""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Literal

from tests.fakes.gateway_process import GatewayProcess
from tests.fakes.postal import counting
from tests.fakes.postal.office import PostOffice
from tests.scenarios.ledger import settled
from tests.scenarios.review_ledger import ReviewLedger, owed, running
from tests.scenarios.reviewer import Reviewer
from tests.scenarios.siege import ENTRY_POINTS, PATIENCE, Moments

Moment = Literal["starting", "queueing", "reading", "writing", "ending", "telling", "any"]
CHATS = ("c1", "c2", "c3", "c4")
EVERY = {"memory": 2, "skill": 4}
"""User turns between two reviews of memory, tool calls between two for skills."""

MISSED = 12.0
SIGNS: dict[Moment, tuple[str, int, float]] = {
    "queueing": ("told", 4, 0.06),
    "reading": ("reading", 3, 0.08),
    "writing": ("called", 2, 0.03),
    "ending": ("over", 2, 0.03),
    "telling": ("over", 2, 0.15),
}
"""What announces a moment, how many of them are let go by at most, and the seconds within which the end comes."""


class ReviewSiege:
    """`async with review_siege(...)`, some rounds, then `end()`."""

    def __init__(self, folder: Path, seed: int, drain_seconds: int) -> None:
        self.random = random.Random(seed)
        self.moments = Moments()
        self.ended: Counter[str] = Counter()
        self.began = time.monotonic()
        self.ready = 1.0
        self.office = PostOffice(self.moments.note, nonce_seconds=600.0, limit=4000)
        self.host = Reviewer(seed, self._noticed)
        self.said = 0
        self.gateway: GatewayProcess
        self._folder = folder
        self._drain_seconds = drain_seconds
        self._spoken: Counter[str] = Counter()

    def furnish(self) -> None:
        """Make the gateway's folder; the office and the host are open by now."""
        environment = {counting.FILE: str(self._folder / "counts.jsonl")}
        self.gateway = GatewayProcess(
            self._folder, self._config("auto"), entry_points=ENTRY_POINTS, environment=environment
        )

    def _config(self, defer: str) -> dict[str, Any]:
        """Reviews are begun as soon as no turn runs, since they count as overdue at once; with `defer` "never" they
        run beside the chats, and give way to nobody."""
        review = {"defer": defer, "quiet_s": 0, "defer_max_age_s": 0, "extra_tools": ["count"]}
        return {
            "model": {"provider": "openai", "model": "fake-model", "base_url": self.host.base_url, "api_key": "k"},
            "platforms": {
                "post": {
                    "port": self.office.port,
                    "allowed_users": ["ada"],
                    "nonce_seconds": 600.0,
                    "finds": True,
                    "limit": 4000,
                }
            },
            "memory": {"nudge_interval": EVERY["memory"], "user_char_limit": 1_000_000},
            "skills": {"creation_nudge_interval": EVERY["skill"]},
            "auxiliary": {"background_review": review},
            "display": {"memory_notifications": "verbose"},
            "sessions": {"boundary_hint": "off"},
            "gateway": {"drain_seconds": self._drain_seconds},
        }

    async def kill_at(self, moment: Moment) -> None:
        """One round: start, talk, and SIGKILL at a moment of this kind."""
        came = await self._until(moment)
        await self.gateway.kill()
        self.ended[moment if came else "missed"] += 1

    async def drain_at(self, moment: Moment) -> int:
        """One round: start, talk, and SIGTERM at a moment of this kind; the exit code."""
        came = await self._until(moment)
        code = await self.gateway.terminate()
        self.ended[moment if came else "missed"] += 1
        return code

    async def end(self) -> ReviewLedger:
        """A day later: let everything be answered, reviewed and told, close the house, and read the books, which tell
        what never came to its end."""
        while True:  # what was at work at the last end is put back by the next start, and pauses from then on
            await self._start("never")
            await asyncio.sleep(0.5)
            assert await self.gateway.terminate() == 0, self.gateway.said()
            if not running(self.gateway.database):
                break
        self._time_passes(86_400)
        await self._start("never")
        late = time.monotonic() + PATIENCE
        while not self._quiet() and time.monotonic() < late:
            assert self.gateway.runs, f"the gateway ended by itself:\n{self.gateway.said()}"
            await asyncio.sleep(0.05)
        code = await self.gateway.terminate()
        assert code == 0, f"exit code {code}:\n{self.gateway.said()}"
        counted = counting.counted(self._folder / "counts.jsonl")
        return ReviewLedger(self.gateway.home, self.host, self.office, counted, every=EVERY)

    def summary(self, ledger: ReviewLedger) -> str:
        """One line with the figures of all rounds."""
        moments = ", ".join(f"{moment} {count}" for moment, count in sorted(self.ended.items()))
        return (
            f"{self.ended.total()} rounds ({moments}): {self.said} messages, {ledger.summary()};"
            f" {time.monotonic() - self.began:.0f} s"
        )

    async def _start(self, defer: str) -> None:
        (self.gateway.home / "config.yaml").write_text(json.dumps(self._config(defer)), encoding="utf-8")
        begun, listening = time.monotonic(), self.moments.next("listening")
        await self.gateway.start()
        await asyncio.wait_for(listening, PATIENCE)
        self.ready = time.monotonic() - begun

    async def _until(self, moment: Moment) -> bool:
        """Start and talk until it is time; False when the moment did not come."""
        if self.random.random() < 0.5:
            self._time_passes(7_200)
        sign, most, within = SIGNS.get(moment, ("", 0, 0.0))
        coming = self.moments.next(sign, self.random.randrange(most)) if sign else None
        for _ in range(self.random.randrange(4)):
            self._say()
        if moment == "starting":
            await self.gateway.start()
            await asyncio.sleep(self.ready * self.random.uniform(0.4, 1.3))
            return True
        await self._start(self.random.choice(["auto", "never"]))
        talking = asyncio.ensure_future(self._talk())
        came = True
        if coming is None:
            await asyncio.sleep(self.random.uniform(0, 1.5))
        else:
            came = bool((await asyncio.wait({coming}, timeout=MISSED))[0])
            await asyncio.sleep(self.random.uniform(0, within))
        talking.cancel()
        await asyncio.wait({talking})
        return came

    async def _talk(self) -> None:
        for _ in range(self.random.randint(3, 6)):
            self._say()
            await asyncio.sleep(self.random.choice([0.0, 0.02, 0.15]))

    def _say(self) -> None:
        """Somebody writes; now and then a conversation is ended."""
        self.said += 1
        chat = self.random.choice(CHATS)
        if self.random.random() < 0.08:
            self.office.post(chat, "/new")
            return
        self._spoken[chat] += 1
        kind = self.random.choice(["[quick]", "[quick]", "[quick] [tools]", "[quick] [tool]", ""])
        self.office.post(chat, f"#{chat}n{self._spoken[chat]} please {kind}".strip())

    def _noticed(self, what: str) -> None:
        if what == "reading" and self.random.random() < 0.25:
            asyncio.get_running_loop().call_later(self.random.uniform(0, 0.1), self._interrupt)
        self.moments.note(what)

    def _interrupt(self) -> None:
        """Somebody writes while a review is at work."""
        if self.gateway.runs and self.ended.total() < self.stops_talking_at:
            self._say()

    stops_talking_at = 0
    """After so many rounds nobody interrupts any more."""

    def _time_passes(self, seconds: float) -> None:
        """Pauses of reviews that failed, or took their process along, are over. The process does not run."""
        if self.gateway.database.exists():
            with closing(sqlite3.connect(self.gateway.database)) as db, db:
                if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'review_queue'").fetchone():
                    db.execute("UPDATE review_queue SET back_at = max(0, back_at - ?)", (seconds,))

    def _quiet(self) -> bool:
        database = self.gateway.database
        return not self.office.waiting and settled(database, self.said) and not owed(database, EVERY)


@asynccontextmanager
async def review_siege(folder: Path, seed: int, rounds: int, *, drain_seconds: int = 0) -> AsyncIterator[ReviewSiege]:
    """The office, the host and the gateway's folder; no process is left behind."""
    made = ReviewSiege(folder, seed, drain_seconds)
    made.stops_talking_at = rounds
    async with made.office, made.host:
        made.furnish()
        try:
            yield made
        finally:
            await made.gateway.discard()


def schedule(seed: int, rounds: int, moments: Sequence[Moment]) -> list[Moment]:
    """Every moment about equally often, in random order."""
    order = [moments[number % len(moments)] for number in range(rounds)]
    random.Random(seed).shuffle(order)
    return order
