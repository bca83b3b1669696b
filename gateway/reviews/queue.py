"""When a review that waits may start, and what follows when one is cut off, fails or ends.

The decision is a pure function of the entry and the moment; `ReviewQueue` carries it out on the store. How idle a
host is, and doing the review, are others' matters.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from gateway.clock import Clock
from gateway.errors import StaleEpoch
from gateway.state.review_protocols import Reviews
from gateway.state.review_records import QueuedReview, ReviewOutcome, ReviewResult
from gateway.transcript import Usage
from gateway.unbroken import to_its_end

CANCELLATIONS = 3
"""So often a review gives way; then it waits for a longer pause."""

LONGER = 8.0
"""The longer pause, in quiet times, but no less than `LONGER_SECONDS`."""

LONGER_SECONDS = 120.0
GIVE_UP_AGES = 4.0
"""Maximum ages after which a review is dropped."""

DEFAULT_AGE = 1800.0
FAILURES = 3
"""So often a review may fail."""

SLEPT = 60.0
"""Seconds that the time of day is ahead of what a process has lived through since the last look: it slept."""

LEASE_SECONDS = 120.0
"""How long a claim holds without a sign of life."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How a review waits. `deferred`: it runs on a host that chats need, and waits for it; otherwise it runs beside
    them. `quiet_s`: seconds without a turn; `max_age_s`: seconds after which it starts on a busy host, too."""

    deferred: bool = True
    quiet_s: float = 15.0
    max_age_s: float = 1800.0
    settle_s: float = 2.0
    """Seconds for which the host must have been seen idle."""
    behind: str = ""
    """What has to be over first, in words; only what a person asked for does not wait for it."""

    @property
    def longer_s(self) -> float:
        return max(LONGER * self.quiet_s, LONGER_SECONDS)

    @property
    def give_up_s(self) -> float:
        return GIVE_UP_AGES * (self.max_age_s or DEFAULT_AGE)


@dataclass(frozen=True, slots=True)
class Start:
    """It may start now."""

    why: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Not yet. `seconds` until it is worth looking again, None when that depends on others."""

    why: str
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class GiveUp:
    """It waited too long."""

    why: str


def may_start(
    entry: QueuedReview,
    host_idle_for: float | None,
    turns_quiet_for: float | None,
    now: float,
    patience: Patience,
    up_for: float = float("inf"),
) -> Start | Wait | GiveUp:
    """Whether a review may start. `host_idle_for`: seconds for which its host has been idle, None when it is busy or
    nobody knows; `turns_quiet_for`: seconds since the last turn that needed the host, None while one runs; `up_for`:
    seconds since the process started. Nothing is dropped before the process had time to begin what is overdue."""
    if entry.running:
        return Wait("it runs")
    if waited_for(entry):
        return Start("somebody asked for it")
    age = max(0.0, now - entry.first_asked_at)
    if age >= patience.give_up_s and up_for >= patience.max_age_s:
        return GiveUp(f"it waited for {_minutes(age)} without coming to an end: {_hindered(entry)}")
    pause = pause_of(entry)
    if 0 <= now - entry.back_at < pause:  # a clock that was set back makes nobody wait for years
        return Wait(f"it comes back after a pause: {entry.reason}", entry.back_at + pause - now)
    if patience.behind and entry.cause != "person":
        return Wait(patience.behind)
    if not patience.deferred or entry.cause == "person":
        return Start("it runs beside the chats")
    return _deferred(entry, host_idle_for, turns_quiet_for, age, patience)


def waited_for(entry: QueuedReview) -> bool:
    """Whether a person asked for it just now, and it did not come to grief yet: it waits for nothing."""
    return entry.cause == "person" and not entry.running and not entry.failed and not entry.died


def _deferred(
    entry: QueuedReview, host_idle_for: float | None, turns_quiet_for: float | None, age: float, patience: Patience
) -> Start | Wait:
    if turns_quiet_for is None:  # the next prompt would end what starts inside a turn all the same
        return Wait("a turn runs")
    if entry.cancelled >= CANCELLATIONS and turns_quiet_for < patience.longer_s:
        why = f"it gave way {_times(entry.cancelled)} and waits for a longer pause"
        return Wait(why, patience.longer_s - turns_quiet_for)
    if age >= patience.max_age_s:
        return Start("it has waited long enough")
    overdue_in = patience.max_age_s - age
    if turns_quiet_for < patience.quiet_s:
        return Wait("the chats were busy a moment ago", min(patience.quiet_s - turns_quiet_for, overdue_in))
    if host_idle_for is None:
        return Wait("the model host is not known to be idle", overdue_in)
    if host_idle_for < patience.settle_s:
        return Wait("the model host has just become idle", min(patience.settle_s - host_idle_for, overdue_in))
    return Start("the house is quiet")


def pause_of(entry: QueuedReview) -> float:
    """Seconds that a review waits after what last befell it. One death of the process is nobody's fault; a review
    that takes the process along each time must not do so for ever."""
    after_failure = 0.0 if not entry.failed else 60.0 * 10.0 ** (entry.failed - 1)
    after_death = 0.0 if entry.died < 2 else 60.0 * 2.0 ** min(entry.died - 2, 4)
    return max(after_failure, after_death)


def _hindered(entry: QueuedReview) -> str:
    told = [
        f"{what} {_times(count)}"
        for what, count in (("gave way", entry.cancelled), ("failed", entry.failed), ("was cut off", entry.died))
        if count
    ]
    return ", ".join(told) or "the house was never quiet"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes"


class Surroundings(Protocol):
    """What the queue asks about the house, each for the host on which the review would run."""

    def patience(self, review: QueuedReview) -> Patience: ...

    async def host_idle_for(self, review: QueuedReview) -> float | None:
        """See `may_start`. Never wakes a sleeping model."""

    def turns_quiet_for(self, review: QueuedReview) -> float | None:
        """See `may_start`."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A review in the list, and why it waits."""

    review: QueuedReview
    why: str


class ReviewQueue:
    """The store's queue with a policy. `owner` names this process and is used by no other, before or after it.

    Methods that take a claimed review raise StaleEpoch when it went to somebody else; drop it then.
    """

    def __init__(self, reviews: Reviews, clock: Clock, around: Surroundings, owner: str) -> None:
        self._reviews = reviews
        self._clock = clock
        self._around = around
        self._owner = owner
        self._since = clock.monotonic()
        self._apart = clock.now() - self._since
        self.pause: float | None = None
        """Seconds after the last `next` until it is worth looking again; None when that depends on others."""

    async def open(self) -> list[QueuedReview]:
        """At start, alone on the profile: what a dead process was busy with waits again."""
        return await self._reviews.take_back(self._owner, self._clock.now(), everyone=True)

    async def next(self) -> QueuedReview | None:
        """Claim the first review that may start; give up those that waited too long."""
        await self._reviews.take_back(self._owner, self._clock.now())
        self._notice_sleep()
        self.pause = None
        # What a person waits for comes first: where it runs, nothing else is begun.
        for entry in sorted(await self._reviews.queue(), key=lambda each: not waited_for(each)):
            verdict = await self._judge(entry)
            if isinstance(verdict, GiveUp):
                await self._give_up(entry, verdict.why)
            elif isinstance(verdict, Start) and (claimed := await self.claim(entry)) is not None:
                return claimed
            elif isinstance(verdict, Wait) and verdict.seconds is not None:
                self.pause = min(verdict.seconds, verdict.seconds if self.pause is None else self.pause)
        return None

    async def claim(self, entry: QueuedReview) -> QueuedReview | None:
        """Take this review now, whatever the house does: somebody asked for it. None when it cannot be had."""
        try:
            return await self._reviews.claim(entry.id, self._owner, self._clock.now() + LEASE_SECONDS)
        except asyncio.CancelledError:
            await to_its_end(self._let_go(entry))
            raise

    async def _let_go(self, entry: QueuedReview) -> None:
        """A claim that was cut off may have been made all the same: nobody would hold it, and the next process would
        count it as died."""
        with suppress(StaleEpoch):
            await self.stopped(replace(entry, running=True, epoch=entry.epoch + 1), Usage())

    async def hold(self, review: QueuedReview) -> None:
        """Keep a claim while the review runs; to be cancelled at its end. Returns when the claim was lost."""
        while await self._reviews.renew(review, self._clock.now() + LEASE_SECONDS):
            await self._clock.sleep(LEASE_SECONDS / 4)

    async def gave_way(
        self, review: QueuedReview, spent: Usage, reason: str = "a prompt needed the model host"
    ) -> QueuedReview:
        """Something else needs the host, or it cannot be had. `spent` since the last note, as everywhere here."""
        return await self._reviews.put_back(review, "cancelled", self._clock.now(), reason=reason, spent=spent)

    async def stopped(self, review: QueuedReview, spent: Usage) -> QueuedReview:
        """The process ends in good order."""
        return await self._reviews.put_back(review, "stopped", self._clock.now(), spent=spent)

    async def failed(self, review: QueuedReview, reason: str, spent: Usage) -> QueuedReview | None:
        """It failed, and is tried again after a pause; None when it has failed too often and is given up."""
        now = self._clock.now()
        if review.failed + 1 < FAILURES:
            return await self._reviews.put_back(review, "failed", now, reason=reason, spent=spent)
        await self._reviews.keep(review, "", spent)
        why = f"it failed {_times(review.failed + 1)}, the last time so: {reason}"
        await self._reviews.drop(review, why, now, count_anew=True)
        return None

    async def refused(self, review: QueuedReview, reason: str) -> None:
        """It cannot be done, and is given up at once. Nothing counts as seen."""
        await self._reviews.drop(review, reason, self._clock.now(), count_anew=False)

    async def done(
        self, review: QueuedReview, outcome: ReviewOutcome, *, host: str, model: str, spent: Usage, reason: str = ""
    ) -> ReviewResult:
        """It came to its end; `reason` says why it ended so, when there is something to say."""
        now = self._clock.now()
        return await self._reviews.done(review, outcome, now, host=host, model=model, spent=spent, reason=reason)

    async def waiting(self) -> list[Waiting]:
        """What waits and runs, and why."""
        return [Waiting(entry, (await self._judge(entry)).why) for entry in await self._reviews.queue()]

    def _notice_sleep(self) -> None:
        """A machine that slept begins anew, as it were: what waited had no time to be begun."""
        now, apart = self._clock.monotonic(), self._clock.now() - self._clock.monotonic()
        if apart - self._apart > SLEPT:
            self._since = now
        self._apart = apart

    async def _give_up(self, entry: QueuedReview, why: str) -> None:
        try:
            await self._reviews.drop(entry, why, self._clock.now(), count_anew=False)
        except StaleEpoch:  # somebody asked for it just now, and has it
            return

    async def _judge(self, entry: QueuedReview) -> Start | Wait | GiveUp:
        idle = await self._around.host_idle_for(entry) if not entry.running else None
        return may_start(
            entry,
            idle,
            self._around.turns_quiet_for(entry),
            self._clock.now(),
            self._around.patience(entry),
            self._clock.monotonic() - self._since,
        )
