"""When the house's own jobs run if nobody says otherwise, in the words that people use for times (pure).

At night by the owner's clock, one after the other; where quiet hours are set and lie elsewhere, in those.
"""

from __future__ import annotations

from datetime import time

from gateway.config.schema import Settings
from gateway.config.values import QuietHours

NIGHT = time(3, 10)
"""When the night's work begins where nobody named quiet hours, or they cover it."""

SETTLED = 20
"""Minutes from the beginning of quiet hours until the night's work begins."""

_DAY = 24 * 60


def nightly(settings: Settings, later: int = 0) -> str:
    """So many minutes after the night's work begins."""
    return f"daily at {_clock(_minutes(_begins(settings.gateway.quiet_hours)) + later)}"


def weekly(settings: Settings, later: int = 0) -> str:
    """The same, in the night to the quietest day of the week."""
    return f"every sunday at {_clock(_minutes(_begins(settings.gateway.quiet_hours)) + later)}"


def morning(settings: Settings) -> str:
    """At the hour of the digest, or when the quiet hours end that it falls into."""
    at, quiet = time(settings.gateway.digest_hour), settings.gateway.quiet_hours
    if quiet is not None and quiet.cover(at):
        at = quiet.end
    return f"daily at {_clock(_minutes(at))}"


def _begins(quiet: QuietHours | None) -> time:
    if quiet is None or quiet.cover(NIGHT):
        return NIGHT
    minutes = _minutes(quiet.start) + SETTLED
    return time(minutes // 60 % 24, minutes % 60)


def _minutes(at: time) -> int:
    return at.hour * 60 + at.minute


def _clock(minutes: int) -> str:
    minutes %= _DAY
    return f"{minutes // 60}:{minutes % 60:02}"
