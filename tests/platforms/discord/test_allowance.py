"""New sessions are asked for at once while there are few of them, and rarely when there were many."""

from __future__ import annotations

from platforms.discord.allowance import Allowance


def test_a_few_at_once_then_one_now_and_then() -> None:
    allowance = Allowance(2, 100.0)
    for _ in range(2):
        assert allowance.rest(1000.0) == 0
        allowance.take(1000.0)
    assert allowance.rest(1000.0) == 100
    assert allowance.rest(1060.0) == 40
    assert allowance.rest(1100.0) == 0
    allowance.take(1100.0)
    assert allowance.rest(1100.0) == 100


def test_a_day_of_refusals_asks_for_less_than_a_thousand() -> None:
    allowance, now, asked = Allowance(100, 100.0), 5.0, 0
    while now < 24 * 3600:
        now += allowance.rest(now)
        allowance.take(now)
        asked += 1
    assert asked < 1000
