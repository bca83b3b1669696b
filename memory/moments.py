"""Dates in files that people may have edited: brought to moments that every time zone and every picture can show."""

from __future__ import annotations

from datetime import UTC, datetime

EARLIEST = 0.0
"""1970, in seconds since the epoch: where a clock begins that was never set."""

LATEST = datetime(2200, 1, 1, tzinfo=UTC).timestamp()


def bounded(at: float) -> float:
    """The nearest moment that a clock may have shown, in seconds since the epoch; the earliest for what is no
    number."""
    return min(LATEST, max(EARLIEST, at))  # in this order NaN is the earliest


def moment_of(written: str) -> float:
    """What an ISO date says, bounded, in seconds since the epoch. Raises ValueError, TypeError for what is none."""
    found = datetime.fromisoformat(written)
    if not 1970 <= found.year < 2200:
        return EARLIEST if found.year < 1970 else LATEST  # the ends of the calendar are no moments in every zone
    return bounded(found.timestamp())
