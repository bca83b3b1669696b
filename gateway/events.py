"""What happens in the house, for those who want to know: plain events and a bus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gateway.transcript import Usage
from platforms.messages import ChatRef


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A turn took its session; `resumed` when a dead process had begun it. `host` is the model host that it needs."""

    turn_id: int
    session_id: str
    chat: ChatRef
    resumed: bool
    host: str = ""


@dataclass(frozen=True, slots=True)
class TurnFinished:
    """A turn ended. `state` is `answered`, `stopped`, `failed` or `dropped`; `seconds` from its first start."""

    turn_id: int
    session_id: str
    chat: ChatRef
    state: str
    usage: Usage
    seconds: float


@dataclass(frozen=True, slots=True)
class SessionClosed:
    """A boundary was drawn."""

    session_id: str
    session_key: str
    reason: str


@dataclass(frozen=True, slots=True)
class EventStored:
    """Something that a person did on a platform was let in, and is stored."""

    platform: str


@dataclass(frozen=True, slots=True)
class PartEnded:
    """A part of a reply reached its end: with the platform, or given up."""

    platform: str
    delivered: bool


@dataclass(frozen=True, slots=True)
class ModelCalled:
    """A call to a model ended; `usage.seconds` says how long it took."""

    host: str
    model: str
    task: str
    usage: Usage
    answered: bool


@dataclass(frozen=True, slots=True)
class ReviewFinished:
    """A review is over and booked. `outcome` says what was kept, as `state.review_records.ReviewOutcome`; what it
    wrote carries `message` in journals and pending writes. `chat` is that of its session."""

    review_id: int
    session_id: str
    chat: ChatRef
    outcome: str
    message: str


Event = TurnStarted | TurnFinished | SessionClosed | EventStored | PartEnded | ModelCalled | ReviewFinished


class Bus:
    """Subscribers are called in order, at once. They hand off work instead of doing it, and must not raise: a fault
    of theirs is the publisher's."""

    def __init__(self) -> None:
        self._subscribers: list[Callable[[Event], None]] = []

    def subscribe(self, subscriber: Callable[[Event], None]) -> None:
        self._subscribers.append(subscriber)

    def publish(self, event: Event) -> None:
        for subscriber in self._subscribers:
            subscriber(event)
