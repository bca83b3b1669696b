"""What the tests of the database share: counters in a table of their own, and other processes on the same file."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from gateway.state.database import Database, Work

DEADLINE = 60


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[Database]:
    """A database with an empty table `numbers (name, value)`."""
    database = Database(path)
    await database.open()
    try:
        await database.write(
            lambda db: db.execute("CREATE TABLE IF NOT EXISTS numbers (name TEXT PRIMARY KEY, value INTEGER) STRICT")
        )
        yield database
    finally:
        await database.close()


def adding(name: str, value: int = 1) -> Work[int]:
    """Adds to a number; the new number."""

    def work(db: sqlite3.Connection) -> int:
        db.execute(
            "INSERT INTO numbers VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value + ?", (name, value, value)
        )
        return int(db.execute("SELECT value FROM numbers WHERE name = ?", (name,)).fetchone()[0])

    return work


def numbers(db: sqlite3.Connection) -> dict[str, int]:
    return {row[0]: row[1] for row in db.execute("SELECT name, value FROM numbers")}


def beside(script: str, *arguments: object) -> subprocess.Popen[str]:
    """Another Python process that runs a script; its standard output can be read line by line."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    )


def told(process: subprocess.Popen[str]) -> Any:
    """What the process prints last, as JSON, once it has ended well."""
    output, _ = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0, output
    return json.loads(output.splitlines()[-1])
