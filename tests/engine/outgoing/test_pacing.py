"""The pace of what nobody needs: halved under pressure, back step by step, slower for a crowd."""

from __future__ import annotations

from contextlib import ExitStack

from gateway.engine.outgoing.pacing import AT_ONCE, RECOVERY, STREAK, Pacing
from platforms.messages import ChatRef
from tests.fakes.clock import FakeClock

CHAT, OTHER = ChatRef("telegram", "1"), ChatRef("telegram", "2")


async def streamed(pacing: Pacing, clock: FakeClock, base: float, seconds: float) -> int:
    """How many edits a preview makes in so many seconds."""
    end, edits = clock.monotonic() + seconds, 0
    while clock.monotonic() < end:
        pacing.spent(CHAT, base)
        edits += 1
        await clock.advance(pacing.seconds(CHAT, base))
    return edits


async def test_the_platforms_own_pace_is_kept_while_it_is_patient() -> None:
    pacing = Pacing(FakeClock())
    assert pacing.seconds(CHAT, 1.0) == 1.0
    assert pacing.seconds(CHAT, 3.0) == 3.0
    assert pacing.seconds(CHAT, 0.0) == 0.0


async def test_pressure_halves_the_pace_of_that_chat_and_it_recovers_slowly() -> None:
    clock = FakeClock()
    pacing = Pacing(clock)
    for _ in range(2):
        pacing.pressed(CHAT)
    assert (pacing.seconds(CHAT, 1.0), pacing.seconds(OTHER, 1.0)) == (4.0, 1.0)
    await clock.advance(RECOVERY - 1)
    assert pacing.seconds(CHAT, 1.0) == 4.0
    await clock.advance(1)
    assert pacing.seconds(CHAT, 1.0) == 2.0
    await clock.advance(RECOVERY)
    assert pacing.seconds(CHAT, 1.0) == 1.0


async def test_it_is_never_slower_than_a_sixteenth() -> None:
    pacing = Pacing(FakeClock())
    for _ in range(50):
        pacing.pressed(CHAT)
    assert pacing.seconds(CHAT, 1.0) == 16.0


async def test_many_edits_in_a_row_slow_it_down() -> None:
    clock = FakeClock()
    pacing = Pacing(clock)
    first = await streamed(pacing, clock, 1.0, 60)
    later = await streamed(pacing, clock, 1.0, 60)
    assert STREAK < first < 60
    assert later < first
    room = Pacing(clock)
    assert await streamed(room, clock, 3.0, 60) <= STREAK


async def test_a_terminal_is_never_slowed_down_by_its_own_edits() -> None:
    clock = FakeClock()
    pacing = Pacing(clock)
    await streamed(pacing, clock, 0.05, 20)
    assert pacing.seconds(CHAT, 0.05) == 0.05


async def test_a_platform_without_a_pace_gets_one_when_it_asks_to_wait() -> None:
    pacing = Pacing(FakeClock())
    pacing.pressed(CHAT)
    assert pacing.seconds(CHAT, 0.0) == 1.0


async def test_a_crowd_shares_its_platform() -> None:
    pacing = Pacing(FakeClock())
    with ExitStack() as stack:
        for number in range(5 * AT_ONCE):
            stack.enter_context(pacing.showing(ChatRef("telegram", str(number))))
        assert pacing.seconds(CHAT, 1.0) == 5.0
        assert pacing.seconds(ChatRef("discord", "1"), 1.0) == 1.0
    assert pacing.seconds(CHAT, 1.0) == 1.0
