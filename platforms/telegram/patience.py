"""How long the adapter waits for what. Everything is in seconds; tests shorten it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """`poll` is the length of a long poll, `answer` and `connect` bound any other call.

    `deaf` without a completed poll means that the poller is built anew, `rebuilds` times in a row at most. `start`
    bounds the first calls, `stop` the last ones. `conflict` is how long another poller may linger, `calm` how long
    after its last sign it counts as gone. An update that cannot be stored is tried `tries` times, with `pause`
    before the second time and twice as much before each further one. `interval` lies between two polls, so that
    what just came goes on its way first; `edit` between two edits of one message.
    """

    poll: float = 25.0
    answer: float = 20.0
    connect: float = 10.0
    deaf: float = 90.0
    rebuilds: int = 3
    start: float = 30.0
    stop: float = 5.0
    conflict: float = 60.0
    calm: float = 60.0
    tries: int = 3
    pause: float = 0.5
    interval: float = 0.005
    edit: float = 1.0
