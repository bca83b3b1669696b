"""Steps that are taken to their end, however often whoever takes them is cancelled."""

from __future__ import annotations

import asyncio

import pytest

from gateway.unbroken import to_its_end


@pytest.mark.parametrize("times", [1, 2, 5])
async def test_a_step_ends_before_its_cancellation_goes_on(times: int) -> None:
    gate, ended = asyncio.Event(), []

    async def step() -> None:
        await gate.wait()
        ended.append(True)

    task = asyncio.ensure_future(to_its_end(step()))
    for _ in range(times):
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.sleep(0)
    assert not task.done()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == [True]


async def test_a_fault_that_a_cancellation_outranks_is_nobodys_news() -> None:
    """Cancelled twice, too: what is not looked at is reported as lost."""
    gate, lost = asyncio.Event(), list[object]()
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: lost.append(context))

    async def step() -> None:
        await gate.wait()
        raise OSError("gone")

    task = asyncio.ensure_future(to_its_end(step()))
    for _ in range(2):
        await asyncio.sleep(0)
        task.cancel()
    await asyncio.sleep(0)
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    del task
    await asyncio.sleep(0)
    assert lost == []
