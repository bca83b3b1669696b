"""What is known of a model host's work, and when it counts as quiet: plain values and rules, nothing is asked here.

Three states, since a host that does not answer is neither idle nor busy. Looking is host_state.py's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import assert_never


class HostState(Enum):
    """Whether a host has work. UNKNOWN is what is left when it does not say so in a way that we understand."""

    IDLE = "idle"
    BUSY = "busy"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Sight:
    """One look at a host. `why` is a few words for people, without secrets ("1 of 2 slots at work").

    `used_at` is the monotonic moment at which a request of ours other than a review last came or went there.
    `asleep`: it is idle, and a request would have to wake or load its model first.
    """

    state: HostState
    why: str
    used_at: float | None = None
    asleep: bool = False


def idle(why: str) -> Sight:
    return Sight(HostState.IDLE, why)


def sleeping(why: str) -> Sight:
    return Sight(HostState.IDLE, why, asleep=True)


def busy(why: str) -> Sight:
    return Sight(HostState.BUSY, why)


def unknown(why: str) -> Sight:
    return Sight(HostState.UNKNOWN, why)


def worst(sights: Sequence[Sight]) -> Sight:
    """The first busy one, else the first unknown one, else the last: for parts of one host. At least one."""
    for state in (HostState.BUSY, HostState.UNKNOWN):
        for sight in sights:
            if sight.state is state:
                return sight
    return sights[-1]


class Idleness:
    """Tells when a host has been idle for `quiet_s` seconds on end, as far as could be seen.

    Being busy starts the count anew. Not knowing does neither: it never resets the count and never completes it.
    """

    def __init__(self, quiet_s: float) -> None:
        self._quiet = quiet_s
        self._since: float | None = None

    @property
    def since(self) -> float | None:
        """The monotonic moment at which the host was first seen idle; None when it was not since it was busy."""
        return self._since

    def observe(self, state: HostState, now: float, used_at: float | None = None) -> bool:
        """Whether the host has now been idle for long enough. `now` is monotonic and never goes back.

        `used_at` makes a use between two looks count, which neither of them saw.
        """
        match state:
            case HostState.BUSY:
                self._since = None
                return False
            case HostState.UNKNOWN:
                return False
            case HostState.IDLE:
                began = now if self._since is None else self._since
                self._since = began if used_at is None else max(began, used_at)
                return now - self._since >= self._quiet
            case _:
                assert_never(state)

    def remaining(self, now: float) -> float | None:
        """Seconds until an idle look may complete the count; None before the first idle look."""
        return None if self._since is None else max(0.0, self._since + self._quiet - now)

    def reset(self) -> None:
        """Start anew, as after a busy look."""
        self._since = None


FIRST_PAUSE = 1.0
LONGEST_PAUSE = {HostState.IDLE: 5.0, HostState.BUSY: 30.0, HostState.UNKNOWN: 60.0}
"""Seconds. A look costs the host little, but llama.cpp takes each for a use and then does not go to sleep."""


class Pace:
    """How long to leave a host alone after a look: 1, 2, 4, … seconds while the looks say the same."""

    def __init__(self) -> None:
        self._state: HostState | None = None
        self._pause = FIRST_PAUSE

    def after(self, state: HostState) -> float:
        """Seconds until the next look, after one that saw `state`."""
        self._pause = min(self._pause * 2, LONGEST_PAUSE[state]) if state is self._state else FIRST_PAUSE
        self._state = state
        return self._pause

    def anew(self) -> None:
        """Something happened: whatever is seen next is news."""
        self._state = None
