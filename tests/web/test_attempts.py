"""How often logins may fail: by address, and all together."""

from __future__ import annotations

from gateway.web.attempts import ALL, EACH, WINDOW, Attempts
from tests.fakes.clock import FakeClock


async def test_ten_failures_from_one_address_close_it_for_a_while() -> None:
    clock = FakeClock()
    attempts = Attempts(clock)
    for _ in range(EACH):
        assert attempts.wait("a") == 0
        attempts.failed("a")
        await clock.advance(1)
    assert attempts.wait("a") == WINDOW - EACH
    assert attempts.wait("b") == 0
    await clock.advance(WINDOW - EACH)
    assert attempts.wait("a") == 0
    attempts.failed("a")
    assert attempts.wait("a") > 0


async def test_failures_from_everywhere_close_it_for_all() -> None:
    clock = FakeClock()
    attempts = Attempts(clock)
    for number in range(ALL):
        attempts.failed(f"address {number}")
    assert attempts.wait("somebody else") == WINDOW
    clock.set_back(3600)  # the clock on the wall is not asked
    assert attempts.wait("somebody else") == WINDOW
    await clock.advance(WINDOW)
    assert attempts.wait("somebody else") == 0
