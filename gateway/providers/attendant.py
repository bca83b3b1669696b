"""Looks after the one outside memory of a house: asks it within deadlines, hands over in order, and leaves it alone
for a while when it fails.

Nothing that a provider does, or fails to do, reaches a turn as more than a missing recall. Where it runs is
quarters.py's matter; what is handed over, and in which chats it is asked, outside.py's.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from gateway.clock import Clock
from gateway.providers.fitting import LARGEST
from gateway.providers.quarters import Gone, Late, Quarters
from memory.providers.protocol import (
    Conversation,
    Patience,
    Provider,
    ProviderFault,
    ProviderManifest,
    ProviderTool,
    Question,
    Refused,
)
from memory.providers.registry import line

CEILINGS = Patience(start=60.0, block=5.0, prefetch=15.0, sync=120.0, tool=60.0, close=5.0)
"""Seconds that a provider may ask for at most."""

FIRST_PAUSE, LONGEST_PAUSE = 30.0, 900.0
"""Seconds for which a provider is left alone after a fault; each further one doubles them."""

QUEUE = 500
"""What may wait to be handed over; beyond it the oldest is given up. It waits in this process's memory alone: what is
still there when the process is killed, or after the drain at its end, is in the archive and never reaches the
provider."""

TRIES = 3
"""Tries at handing over one thing, each after a pause; then it is given up, so that the rest can follow."""

DRAIN_SECONDS = 5.0
"""How long handing over may go on when the house closes."""

BREATH_SECONDS = 1.0
"""How long the provider's loop may take to show, at the end, that it still turns."""

_UNREADABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

Report = Callable[..., object]


@dataclass(slots=True)
class Errand:
    """Something to be handed over: `what` for the log, `step` calls the provider."""

    what: Literal["sync", "wrote", "ended", "compacting"]
    step: Callable[[], Awaitable[None]]
    tries: int = 0


@dataclass(slots=True)
class Standing:
    """How the provider is doing. `until` is a reading of the monotonic clock, `since` in seconds since the epoch;
    `failing` are the kinds of calls that failed and have not gone well since."""

    started: bool = False
    why: str = ""
    since: float = 0.0
    until: float = 0.0
    pause: float = 0.0
    kept: int = 0
    lost: int = 0
    faults: int = 0
    withheld: int = 0
    spilled: int = 0
    failing: set[str] = field(default_factory=set)


class Attendant:
    """`info` and `warning` write to the log, with a name for what happened and fields."""

    def __init__(
        self, provider: Provider, manifest: ProviderManifest, clock: Clock, info: Report, warning: Report
    ) -> None:
        self._provider = provider
        self._clock = clock
        self._info = info
        self._warning = warning
        self._patience = bounded(manifest.patience)
        self._quarters = Quarters(manifest.name, clock)
        self._queue: deque[Errand] = deque()
        self._arrived = asyncio.Event()
        self._at_rest = asyncio.Event()
        """Set while nothing is being handed over: nothing waits, or it is left alone."""
        self._ready = asyncio.Event()
        self._waited_for = False
        self._closing = False
        self._worker: asyncio.Future[None] | None = None
        self.name = manifest.name
        self.standing = Standing()

    def begin(self) -> None:
        """Start the provider and hand over what comes, beside everything else. Returns at once."""
        self._worker = asyncio.ensure_future(self._work())

    @property
    def well(self) -> bool:
        """Whether it may be asked now."""
        return self.standing.started and not self.standing.why and not self._quarters.stuck and not self._closing

    @property
    def promising(self) -> bool:
        """Whether asking makes sense: it is well, or is started for the first time and nobody waited in vain."""
        starting = not self.standing.started and not self.standing.why and not self._waited_for
        return self.well or (starting and not self._closing)

    @property
    def waiting(self) -> int:
        """How much is still to be handed over."""
        return len(self._queue)

    @property
    def words(self) -> str:
        """How it is doing, in a line for /status."""
        now = self.standing
        more = f", {self.waiting} to be handed over" if self.waiting else ""
        more += f", {now.lost} given up" if now.lost else ""
        if now.withheld:
            more += f", the threat scan withheld passages of {_counted(now.withheld, 'answer')}"
        if now.spilled:
            more += f", {_counted(now.spilled, 'recall')} too large to be read whole"
        if now.why:
            left = max(0.0, now.until - self._clock.monotonic())
            again = f"tried again in {left:.0f} s" if left else "being tried again"
            again = "stuck in a call that was given up" if self._quarters.stuck else again
            return f"⚠️ {self.name} is left alone, {again}: {now.why}{more}"
        if self._quarters.stuck:
            return f"⚠️ {self.name} is stuck in a call that was given up, and is not asked{more}"
        if not now.started:
            return f"{self.name} is being started{more}"
        return f"{self.name}, {now.kept} handed over since the start{more}"

    @property
    def data(self) -> dict[str, object]:
        """The same for programs."""
        now = self.standing
        return {
            "name": self.name,
            "well": self.well,
            "why": now.why,
            "handed_over": now.kept,
            "waiting": self.waiting,
            "lost": now.lost,
            "faults": now.faults,
            "withheld": now.withheld,
            "spilled": now.spilled,
        }

    def looked_at(self, what: str, withheld: Sequence[str], *, spilled: int = 0) -> None:
        """Note what became of an answer: the rules that withheld passages, and the characters that went to a file."""
        if withheld:
            self.standing.withheld += 1
            self._warning("provider.withheld", provider=self.name, what=what, rules=list(withheld))
        if spilled:
            self.standing.spilled += 1
            self._warning("provider.large", provider=self.name, what=what, characters=spilled)

    # What is asked on a person's way

    async def block(self, where: Conversation) -> str:
        """What it wants to stand in a new session's prompt; nothing when it cannot say so in time."""
        return await self._text("prompt_block", lambda: self._provider.prompt_block(where), self._patience.block)

    async def recall(self, question: Question) -> str:
        """What it knows that may help; nothing when it cannot say so in time."""
        return await self._text("prefetch", lambda: self._provider.prefetch(question), self._patience.prefetch)

    async def use(self, tool: ProviderTool, arguments: dict[str, Any], where: Conversation) -> tuple[bool, str]:
        """Run one of its tools: whether it did what it should, and what the model reads."""
        if not self.well:
            return False, f"{self.name} cannot be asked now: {self.standing.why or 'it is not ready'}"
        try:
            answer = checked(await self._quarters.call(lambda: tool.run(arguments, where), self._patience.tool))
            self._went_well(tool.name)
            return True, answer
        except Refused as refusal:
            return False, _one_line(str(refusal))
        except Exception as fault:  # noqa: BLE001 - the provider worker: a plugin's fault is reported, and stays its own
            return False, f"{self.name}: {self._failed(tool.name, fault)}"

    async def _text(self, what: str, step: Callable[[], Awaitable[str]], seconds: float) -> str:
        if not self.promising:
            return ""
        if not self._ready.is_set():
            began = self._clock.monotonic()
            await self._until(self._ready.wait(), seconds)
            self._waited_for = not self._ready.is_set()
            seconds -= self._clock.monotonic() - began
        if not self.well:
            return ""
        try:
            answer = checked(await self._quarters.call(step, seconds))
            self._went_well(what)
            return answer
        except Exception as fault:  # noqa: BLE001 - the provider worker: the turn goes on without it
            self._failed(what, fault)
            return ""

    # What is handed over beside everything

    def hand_over(self, errand: Errand) -> None:
        """Put something into the queue. Never waits."""
        if self._closing:
            return
        if len(self._queue) >= QUEUE:
            self._queue.popleft()
            self._lost("queue", f"more than {QUEUE} things wait to be handed over")
        self._queue.append(errand)
        self._at_rest.clear()
        self._arrived.set()

    async def close(self) -> None:
        """Hand over what can be handed over within `DRAIN_SECONDS`, then let the provider go. Bounded, whatever it
        does."""
        if self._worker is not None:
            if self._queue and self.well:
                await self._until(self._at_rest.wait(), DRAIN_SECONDS)
            self._worker.cancel()
            await asyncio.wait([self._worker])
        self._closing = True
        if self._queue:
            self._warning("provider.left", provider=self.name, errands=len(self._queue))
        if await self._breathes():
            try:
                await self._quarters.call(self._provider.close, self._patience.close)
            except Exception as fault:  # noqa: BLE001 - the provider worker: the house closes all the same
                self._warning("provider.fault", provider=self.name, what="close", why=_said(fault))
        if not await self._quarters.close():
            self._warning("provider.stuck", provider=self.name, why="its thread would not end, and was left behind")

    async def _breathes(self) -> bool:
        """Whether its loop still turns, and can be asked to let go of everything: what was given up may need some
        time to end, but one that blocks hears nothing."""
        try:
            await self._quarters.call(lambda: asyncio.sleep(0), BREATH_SECONDS)
        except Late:
            return False
        return True

    async def _work(self) -> None:
        """Start it, and again after each pause; while it is well, hand over one thing after the other."""
        while True:
            try:
                await self._step()
            except Exception as fault:  # noqa: BLE001 - the provider worker: it goes on
                self._failed("worker", fault)

    async def _step(self) -> None:
        if (left := self.standing.until - self._clock.monotonic()) > 0 or self._quarters.stuck:
            await self._clock.sleep(max(left, 1.0))
            return
        if self.standing.why or not self.standing.started:
            await self._start()
            return
        if not self._queue:
            self._at_rest.set()
            self._arrived.clear()
            await self._arrived.wait()
            return
        self._at_rest.clear()
        await self._deliver(self._queue[0])

    async def _start(self) -> None:
        try:
            await self._quarters.call(self._provider.start, self._patience.start)
        except Exception as fault:  # noqa: BLE001 - the provider worker: it is tried again after a pause
            self._failed("start", fault)
            return
        again = bool(self.standing.why)
        self.standing.started, self.standing.why = True, ""
        self._went_well("start")
        self._ready.set()
        self._info("provider.started", provider=self.name, again=again)

    async def _deliver(self, errand: Errand) -> None:
        """Hand over the first thing; it stays the first until it is over with."""
        errand.tries += 1
        try:
            await self._quarters.call(errand.step, self._patience.sync)
        except Refused as refusal:
            self._drop(errand)
            self._lost(errand.what, _one_line(str(refusal)))
            return
        except Exception as fault:  # noqa: BLE001 - the provider worker: tried again after a pause, then given up
            why = self._failed(errand.what, fault)
            if errand.tries >= TRIES:
                self._drop(errand)
                self._lost(errand.what, why)
            return
        self._drop(errand)
        self.standing.kept += errand.what == "sync"
        self._went_well(errand.what)

    def _drop(self, errand: Errand) -> None:
        """The queue may have lost it meanwhile, being full."""
        if self._queue and self._queue[0] is errand:
            self._queue.popleft()

    def _went_well(self, what: str) -> None:
        """The next fault is a first one again, when nothing is left that failed and was not done since."""
        now = self.standing
        now.failing.discard(what)
        if not now.failing:
            now.pause = 0.0

    def _failed(self, what: str, fault: Exception) -> str:
        """Leave it alone for a while; why, in one line. Calls that were on their way together fail once."""
        now, why = self.standing, f"{what}: {_said(fault)}"
        if isinstance(fault, Gone):
            return why
        now.faults += 1
        now.failing.add(what)
        if now.until <= self._clock.monotonic():
            now.pause = min(LONGEST_PAUSE, now.pause * 2 or FIRST_PAUSE)
            now.why, now.since, now.until = why, self._clock.now(), self._clock.monotonic() + now.pause
        for bell in (self._arrived, self._ready, self._at_rest):
            bell.set()
        self._warning("provider.fault", provider=self.name, what=what, why=_said(fault), pause=now.pause)
        return why

    def _lost(self, what: str, why: str) -> None:
        self.standing.lost += 1
        self._warning("provider.given_up", provider=self.name, what=what, why=why)

    async def _until(self, step: Awaitable[object], seconds: float) -> None:
        """Wait for something, but not for longer."""
        wanted, late = asyncio.ensure_future(step), asyncio.ensure_future(self._clock.sleep(seconds))
        try:
            await asyncio.wait({wanted, late}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            wanted.cancel()
            late.cancel()


def bounded(asked: Patience) -> Patience:
    """What a provider asks for, cut at the house's ceilings."""
    pairs = ((min(getattr(asked, name), getattr(CEILINGS, name))) for name in Patience.__slots__)
    return Patience(*pairs)


def checked(answer: object) -> str:
    """The answer, when it is one. Raises ValueError for garbage."""
    if not isinstance(answer, str):
        raise ValueError(f"it answered with a {type(answer).__name__} instead of text")
    if len(answer) > LARGEST:
        raise ValueError(f"it answered with {len(answer):,} characters")
    return _UNREADABLE.sub("", answer).strip()


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _said(fault: BaseException) -> str:
    return _one_line(str(fault) if isinstance(fault, ProviderFault | Late) and str(fault) else line(fault))


def _one_line(text: str) -> str:
    """As a terminal and a chat may show it."""
    joined = "".join(sign if sign.isprintable() else "?" for sign in " ".join(text[:2000].split()))
    return joined if len(joined) <= 300 else f"{joined[:299]}…"
