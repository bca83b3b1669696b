"""Whether sends get through on each platform, as their ends tell. What is done about it is `watch`'s."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from gateway.clock import Clock
from platforms.errors import PLUGIN_FAULTS, Absent, DeliveryError, Gone, Refused, RetryAfter, Uncertain

UNSENT = 120.0
"""Seconds without a send that got through, while some were tried, after which a platform counts as one that cannot
send."""

CHATS = 3
"""Chats that must refuse everything before that is the platform's doing and not theirs."""

_STUCK = "a message has not left since"


@dataclass(frozen=True, slots=True)
class Unsent:
    """Nothing got through since this moment (seconds since the epoch), and why."""

    since: float
    why: str


@dataclass(slots=True)
class _Sends:
    sent_at: float | None = None
    fault: Unsent | None = None
    refused: dict[str, float] = field(default_factory=dict)
    under_way: dict[int, float] = field(default_factory=dict)


class Reach:
    """By platform. Times are in seconds since the epoch."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._sends: dict[str, _Sends] = {}
        self._numbers = itertools.count()

    @contextmanager
    def trying(self, platform: str, chat: str) -> Iterator[None]:
        """A call that must get through is made within the block; its end is noted."""
        sends, number = self._of(platform), next(self._numbers)
        sends.under_way[number] = self._clock.now()
        try:
            yield
        except DeliveryError as error:
            self._failed(sends, chat, error)
            raise
        except PLUGIN_FAULTS as fault:
            self._failed(sends, chat, Uncertain(type(fault).__name__))
            raise
        else:
            sends.sent_at, sends.fault = self._clock.now(), None
            sends.refused.clear()
        finally:
            del sends.under_way[number]

    def sent_at(self, platform: str) -> float | None:
        """When a send last got through in this process."""
        return self._of(platform).sent_at

    def unsent(self, platform: str) -> Unsent | None:
        """Since when nothing gets through, once that has lasted; None while sends work, or none was tried."""
        sends, now = self._of(platform), self._clock.now()
        faults = [sends.fault] if sends.fault is not None else []
        if sends.under_way:
            faults.append(Unsent(min(sends.under_way.values()), _STUCK))
        oldest = min(faults, key=lambda each: each.since, default=None)
        return oldest if oldest is not None and now - oldest.since >= UNSENT else None

    def _failed(self, sends: _Sends, chat: str, error: DeliveryError) -> None:
        now = self._clock.now()
        match error:
            case Absent() | Gone():
                return
            case RetryAfter() if error.seconds < UNSENT:
                return
            case Refused():
                sends.refused.setdefault(chat, now)
                if len(sends.refused) < CHATS:
                    sends.fault = None  # it answers: what was in the way is gone
                    return
                since = min(sends.refused.values())
            case _:
                since = now
        since = sends.fault.since if sends.fault is not None else since
        sends.fault = Unsent(since, str(error))

    def _of(self, platform: str) -> _Sends:
        return self._sends.setdefault(platform, _Sends())
