"""How long the adapter waits for what. Everything is in seconds; tests shorten it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """`answer` and `connect` bound a call, `upload` one that carries a file, `start` the login.

    `deaf` without a sign of life on the gateway means that the connection is built anew, `rebuilds` times in a row at
    most, with `pause` before the second time and twice as much before each further one, up to `longest`. A connection
    that lived for `calm` was no failure. `identify` lies before a new session, which Discord wants to be rare:
    `sessions` of them may follow each other, then one is asked for in `rare`. `stop` bounds the last steps. What
    cannot be stored is tried `tries` times, with `retry` before the second time and twice as much before each further
    one. `hold` is how long a call waits for its turn by itself before the engine is asked to wait. `again` is how
    long a channel waits for what was missed there; then what came since goes first, and after as long again it is
    tried once more. `save` is how rarely it is written down what was heard. `edit` lies between two edits of one
    message.
    """

    answer: float = 20.0
    connect: float = 10.0
    upload: float = 120.0
    start: float = 30.0
    deaf: float = 60.0
    rebuilds: int = 6
    pause: float = 1.0
    longest: float = 30.0
    calm: float = 20.0
    identify: float = 5.0
    sessions: int = 100
    rare: float = 100.0
    stop: float = 5.0
    tries: int = 3
    retry: float = 0.5
    hold: float = 0.5
    again: float = 30.0
    save: float = 5.0
    edit: float = 1.2
