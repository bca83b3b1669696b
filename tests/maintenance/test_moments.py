"""When the house's own jobs run if nobody says otherwise."""

from __future__ import annotations

import pytest

from gateway.config.schema import Settings
from gateway.config.sections import Gateway
from gateway.maintenance.moments import morning, nightly, weekly


def rules(quiet: str | None = None, digest: int = 9) -> Settings:
    return Settings(gateway=Gateway.model_validate({"quiet_hours": quiet, "digest_hour": digest}))


@pytest.mark.parametrize(
    ("quiet", "begins"),
    [
        (None, "3:10"),
        ("22:30-07:00", "3:10"),
        ("13:00-15:00", "13:20"),
        ("23:50-01:00", "0:10"),
        ("03:11-09:00", "3:31"),
    ],
)
def test_at_night_or_in_the_quiet_hours_that_somebody_set(quiet: str | None, begins: str) -> None:
    assert nightly(rules(quiet)) == f"daily at {begins}"


def test_later_goes_over_midnight() -> None:
    assert nightly(rules("23:30-01:00"), 30) == "daily at 0:20"
    assert weekly(rules(), 60) == "every sunday at 4:10"


def test_the_list_of_the_morning_waits_for_the_end_of_quiet_hours() -> None:
    assert morning(rules()) == "daily at 9:00"
    assert morning(rules("22:00-11:30")) == "daily at 11:30"
    assert morning(rules("22:00-09:00")) == "daily at 9:00"
    assert morning(rules("22:00-07:00", 23)) == "daily at 7:00"
