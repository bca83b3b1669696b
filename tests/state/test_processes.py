"""Other processes on the same file: short-lived commands beside the gateway, and a death at any moment."""

from __future__ import annotations

import asyncio
import random
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from gateway.clock import SystemClock
from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.engine.desks.status import HouseStatus
from gateway.state.health import examine
from gateway.state.store import SqliteStore, prepare
from tests.state.house import adding, beside, numbers, opened, told

COMMANDS = """
import asyncio, json, pathlib, sys
from gateway.state.store import SqliteStore
async def main():
    seen = []
    for number in range(int(sys.argv[2])):
        store = await SqliteStore.open(pathlib.Path(sys.argv[1]))
        seen.append(await store.facts.count("shell", "n"))
        await store.sessions.recent(10)
        await store.close()
    print(json.dumps(seen))
asyncio.run(main())
"""


async def test_commands_come_and_go_beside_the_gateway(tmp_path: Path) -> None:
    async def gateway(store: SqliteStore, name: str) -> int:
        count = 0
        while not done.is_set():
            count = await store.facts.count("gateway", name)
            await store.facts.get("shell", "n")
        return count

    done = asyncio.Event()
    store = await SqliteStore.open(tmp_path / "state.db")
    shells = [beside(COMMANDS, tmp_path / "state.db", 15) for _ in range(2)]
    turning = [asyncio.ensure_future(gateway(store, f"n{number}")) for number in range(4)]
    seen = await asyncio.gather(*(asyncio.to_thread(told, shell) for shell in shells))
    done.set()
    counts = await asyncio.gather(*turning)
    assert sorted(seen[0] + seen[1]) == list(range(1, 31))
    assert [await store.facts.get("gateway", f"n{number}") for number in range(4)] == counts
    await store.close()


HOLDER = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
connection.execute("INSERT INTO numbers VALUES ('held', 1)")
print("holds", flush=True)
sys.stdin.readline()
connection.execute("COMMIT")
print("true")
"""


async def test_a_writer_waits_for_another_process(tmp_path: Path) -> None:
    async with opened(tmp_path / "state.db") as database:
        holder = beside(HOLDER, tmp_path / "state.db")
        assert holder.stdout is not None
        assert holder.stdout.readline() == "holds\n"
        writing = asyncio.ensure_future(database.write(adding("n")))
        assert await database.read(numbers) == {}  # a reader never waits
        await asyncio.sleep(0.2)
        assert not writing.done()
        assert await asyncio.to_thread(told, holder) is True  # the end of its input lets it go on
        assert await writing == 1
        assert await database.read(numbers) == {"held": 1, "n": 1}


PROBE = """
import fcntl, json, os, sys
found = {}
for name, start, length in ((sys.argv[1], 0x40000002, 510), (sys.argv[1] + "-shm", 128, 1)):
    file = os.open(name, os.O_RDWR)
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, length, start)
        found[name[len(sys.argv[1]):]] = "free"
    except OSError:
        found[name[len(sys.argv[1]):]] = "held"
print(json.dumps(found))
"""
"""The byte ranges are SQLite's own: shared locks on the file, and the sign of life on the index of the log."""


def locks(path: Path) -> dict[str, str]:
    found: dict[str, str] = told(beside(PROBE, path))
    return found


HELD = {"": "held", "-shm": "held"}


async def test_nothing_in_the_house_drops_the_locks(tmp_path: Path) -> None:
    profile = Profile("default", tmp_path, tmp_path)
    store = await SqliteStore.open(profile.database)
    await store.facts.put("s", "n", 1)
    assert locks(profile.database) == HELD
    prepare(profile.database)
    status = HouseStatus(store, profile.database, SystemClock(), Settings, lambda: "none")
    assert (await status.view(None)).data["database_bytes"]
    assert locks(profile.database) == HELD
    assert examine(profile.database).faults == ()
    assert locks(profile.database) == HELD
    second = await SqliteStore.open(profile.database)
    await second.facts.put("s", "n", 2)
    await second.close()
    assert locks(profile.database) == HELD
    assert await store.facts.get("s", "n") == 2
    await store.close()


async def test_the_probe_sees_what_an_ordinary_open_does(tmp_path: Path) -> None:
    path = tmp_path / "victim"
    store = await SqliteStore.open(path)
    await store.facts.put("s", "n", 1)
    path.read_bytes()
    assert locks(path) == {"": "free", "-shm": "held"}
    await store.close()


WRITER = """
import asyncio, pathlib, sqlite3, sys
from gateway.state.contract import CHAT, NOON, event, session
from gateway.state.records import PartDraft, Row
from gateway.state.store import SqliteStore
async def talk(store, chat):
    number = 0
    while True:
        number += 1
        name = f"{chat}-{number}"
        item = await store.inbox.accept(event(name), CHAT.key, NOON)
        print("accepted", name, flush=True)
        turn = await store.turns.begin(chat, CHAT, [item.id], [Row("user", name)], NOON)
        await store.turns.add(turn, [Row("assistant", "x" * 3000)], NOON)
        await store.turns.finish(turn, "answered", NOON, rows=[Row("assistant", name)], parts=[PartDraft(name)])
        print("finished", name, flush=True)
async def main():
    store = await SqliteStore.open(pathlib.Path(sys.argv[1]))
    for chat in "abcd":
        await store.sessions.open(session(chat + sys.argv[2], chat + sys.argv[2]))
    await asyncio.gather(*(talk(store, chat + sys.argv[2]) for chat in "abcd"))
asyncio.run(main())
"""


async def killed_rounds(path: Path, rounds: int) -> None:
    said: dict[str, set[str]] = {"accepted": set(), "finished": set()}
    chance = random.Random(rounds)
    for number in range(rounds):
        process = beside(WRITER, path, number)
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(chance.uniform(0, 0.15))
        process.send_signal(signal.SIGKILL)
        # From the same reader: it may hold the beginning of what comes next.
        with process:
            rest = process.stdout.read()
        for line in [first, *rest.splitlines(keepends=True)]:
            if not line.endswith("\n"):
                continue  # it died while it said this
            verb, _, name = line.rstrip().partition(" ")
            said[verb].add(name)
        assert_nothing_lost(path, said)
    assert len(said["finished"]) > rounds


def assert_nothing_lost(path: Path, said: dict[str, set[str]]) -> None:
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    events = {row[0].removeprefix("e") for row in connection.execute("SELECT event_id FROM inbox")}
    assert said["accepted"] <= events
    parts = {row[0] for row in connection.execute("SELECT text FROM outbox")}
    assert said["finished"] <= parts
    # Whole or not at all: a turn that ended has its rows, its part, and its event is done.
    halves = connection.execute(
        "SELECT turns.id FROM turns WHERE (state = 'answered') <> EXISTS"
        " (SELECT 1 FROM outbox WHERE source = 'turn:' || turns.id) OR (state = 'answered') <> EXISTS"
        " (SELECT 1 FROM inbox WHERE turn_id = turns.id AND state = 'done') OR (state = 'answered') <>"
        " (SELECT count(*) = 3 FROM messages WHERE turn_id = turns.id)"
    ).fetchall()
    assert halves == []
    connection.close()


async def test_a_death_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    await killed_rounds(tmp_path / "state.db", 5)


@pytest.mark.soak
async def test_twenty_deaths_lose_nothing(tmp_path: Path) -> None:
    await killed_rounds(tmp_path / "state.db", 20)
