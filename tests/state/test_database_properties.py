"""Any number of callers, cancelled at any moment, some of them failing: the database agrees with a sum."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.state.database import Database
from tests.state.house import adding, numbers, opened

PARTS = ("a", "b", "c")
"""Each transaction adds its value to all three; they differ only when one was cut in two."""


@dataclass(frozen=True)
class Caller:
    """Asks once. `patience` is the number of passes of the loop before it is cancelled, None for never."""

    value: int
    fails: bool
    durable: bool
    reads: bool
    patience: int | None


CALLERS = st.builds(
    Caller,
    value=st.integers(-1000, 1000),
    fails=st.booleans(),
    durable=st.booleans(),
    reads=st.booleans(),
    patience=st.none() | st.integers(0, 12),
)


async def ask(database: Database, caller: Caller) -> bool:
    """Whether the transaction was kept; whoever reads afterwards sees it whole."""

    def work(db: sqlite3.Connection) -> None:
        for part in PARTS:
            adding(part, caller.value)(db)
            if caller.fails and part == "b":
                raise LookupError
        adding("transactions")(db)

    before = (await database.read(numbers)).get("transactions", 0) if caller.reads else 0
    try:
        await database.write(work, durable=caller.durable)
    except LookupError:
        return False
    if caller.reads:
        seen = await database.read(numbers)
        assert seen["transactions"] > before
        assert len({seen[part] for part in PARTS}) == 1
    return True


async def cancelled_after(task: asyncio.Task[bool], passes: int) -> None:
    for _ in range(passes):
        await asyncio.sleep(0)
    task.cancel()


async def scene(callers: list[Caller]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with opened(Path(folder) / "state.db") as database:
            tasks = [asyncio.ensure_future(ask(database, caller)) for caller in callers]
            async with asyncio.TaskGroup() as group:
                for task, caller in zip(tasks, callers, strict=True):
                    if caller.patience is not None:
                        group.create_task(cancelled_after(task, caller.patience))
            results = await asyncio.gather(*tasks, return_exceptions=True)
            faults = [each for each in results if isinstance(each, Exception)]
            assert faults == []
            found = await database.read(numbers)
            if asked := [each for each in results if each is True]:
                assert found["transactions"] >= len(asked)
            assert_model(callers, results, found)


def assert_model(callers: list[Caller], results: list[bool | BaseException], found: dict[str, int]) -> None:
    """What was answered is in the sum; what was cancelled may be in it, whole."""
    certain = sum(caller.value for caller, kept in zip(callers, results, strict=True) if kept is True)
    unknown = [
        caller.value
        for caller, kept in zip(callers, results, strict=True)
        if isinstance(kept, asyncio.CancelledError) and not caller.fails
    ]
    sums = {certain}
    for value in unknown:
        sums |= {each + value for each in sums}
    assert len({found.get(part, 0) for part in PARTS}) == 1
    assert found.get("a", 0) in sums


@settings(max_examples=25, deadline=None)
@given(st.lists(CALLERS, min_size=1, max_size=14))
def test_every_transaction_is_whole(callers: list[Caller]) -> None:
    asyncio.run(scene(callers))


@pytest.mark.soak
@settings(max_examples=250, deadline=None)
@given(st.lists(CALLERS, min_size=1, max_size=14))
def test_every_one_of_many_is(callers: list[Caller]) -> None:
    asyncio.run(scene(callers))
