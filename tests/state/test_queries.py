"""Every statement that the repositories run finds its rows by an index, however large the tables grow."""

from __future__ import annotations

import inspect
import re
import sqlite3
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

import gateway.state
from gateway.state import (
    contract,
    contract_jobs,
    contract_logins,
    contract_outbox,
    contract_pairing,
    contract_retention,
    contract_reviews,
    contract_search,
    contract_sessions,
    contract_turns,
)
from gateway.state.search_index import generations, note_failed, retry
from gateway.state.store import SqliteStore
from tests.fakes.inline_database import InlineDatabase

SUITES = [
    suite
    for module in (
        contract,
        contract_jobs,
        contract_logins,
        contract_outbox,
        contract_pairing,
        contract_retention,
        contract_reviews,
        contract_search,
        contract_sessions,
        contract_turns,
    )
    for name, suite in inspect.getmembers(module, inspect.isclass)
    if name.endswith("Contract")
]
SMALL = (
    "dead_letters",
    "jobs",
    "job_edits",
    "job_runs",
    "facts",
    "session_model_usage",
    "pairing_codes",
    "pairing_tries",
    "pairings",
    "review_queue",
    "dashboard_links",
    "dashboard_sessions",
)
"""Tables that hold few rows for good, and may be read from end to end."""

OF_THE_INDEX = ("search_generations", "search_gone", "search_failed", "search_chats", "search_times", "json_each")
"""The same, but they are kept up by the index, and not emptied by tests."""

WALKS = (
    "FROM sessions WHERE leaving = 0 AND 1 ORDER BY active_at DESC",  # ends at its limit
    "AND ended_at IS NULL ORDER BY active_at DESC",  # over what is open only, and ends at its limit
    "AND pinned = 1 ORDER BY active_at DESC",  # over what is pinned only, and ends at its limit
    "SELECT files FROM messages WHERE files <> ''",  # over what has files only
    "FROM review_results ORDER BY ended_at DESC",  # ends at its limit
    "SELECT DISTINCT chat FROM outbox",  # over what is queued only
    "SELECT file FROM outbox WHERE file <> ''",  # over what has a file only
    "SELECT DISTINCT session_key FROM inbox",  # over what is held only
    "FROM sessions WHERE leaving = 0 AND id IS NOT",  # ends at its limit
    " MATCH ",  # the index of words
    "FROM search_vocabulary_",  # its words, from one on
    "FROM inbox WHERE state = 'new'",  # over what is new only
    "FROM turns WHERE state = 'running'",  # over what runs only
    "UPDATE outbox SET state = 'queued' WHERE state = 'sending'",  # over what is being sent only
    "FROM sessions JOIN messages ON messages.session_id = sessions.id WHERE sessions.ended_at IS NULL",  # open ones
)
MOVES = re.compile(
    r"UPDATE (OR REPLACE )?\w+ SET (chat|session_key|scope) = |SELECT id, (session_key, active_at|body) FROM"
    r"|SELECT .* AND \(instr\(|SELECT .* FROM 'main'\.|SELECT 1 FROM sqlite_schema"
    r"|SELECT id, session_key, chat FROM sessions WHERE id NOT IN"
)
"""A chat moves once in its life, and rarely is a text erased everywhere, or a chat named that is not there: these may
look at every row. And what SQLite's index of words asks by itself is its own matter."""


@pytest.fixture
async def database() -> AsyncIterator[InlineDatabase]:
    database = InlineDatabase()
    yield database
    await database.close()


async def run_everything(database: InlineDatabase) -> None:
    """The whole suite of stores, on one database that is emptied between the tests."""
    store = SqliteStore(database)  # type: ignore[arg-type]
    tables = ["outbox", "messages", "compactions", "inbox", "turns", "sessions", "facts", "dead_letters"]
    tables += ["review_results", "review_writes"]
    for suite in SUITES:
        for name, test in inspect.getmembers(suite(), inspect.iscoroutinefunction):
            if name.startswith("test_"):
                for table in (*tables, *SMALL):
                    database.connection.execute(f"DELETE FROM {table}")
                await test(store)
    await database.write(in_trouble)


def in_trouble(db: sqlite3.Connection) -> None:
    """What no store is asked for: a message that cannot be indexed, and is tried again."""
    for each in generations(db):
        note_failed(db, each, 1, "it could not be read")
    retry(db)


async def test_every_statement_there_is_uses_an_index(database: InlineDatabase) -> None:
    await run_everything(database)
    all_are_seen(database.statements)
    seen = [each for each in database.statements if each.split()[0] in ("SELECT", "INSERT", "UPDATE", "DELETE")]
    assert len(seen) > 40
    scans = []
    newest = generations(database.connection)[-1].number
    for statement in (re.sub(r"(search_words|search_vocabulary)_\d+", rf"\1_{newest}", each) for each in seen):
        if re.fullmatch(r"DELETE FROM \w+", statement) or MOVES.match(statement):
            continue
        for step in database.plan(statement):
            scanned = re.match(r"SCAN (\w+)", step)
            if (
                scanned
                and scanned[1] not in (*SMALL, *OF_THE_INDEX)
                and not (any(each in statement for each in WALKS) and "INDEX" in step)
            ):
                scans.append(f"{step}: {statement[-250:]}")
    assert not scans, "\n" + "\n".join(scans)


def all_are_seen(statements: Sequence[str]) -> None:
    """The suite of stores runs whatever the repositories have."""
    seen = "\n".join(statements)
    folder = Path(inspect.getfile(gateway.state)).parent
    for path in folder.glob("*.py"):
        if path.name in ("connection.py", "database.py", "versions.py", "health.py"):
            continue
        if path.name == "fact_book.py":
            continue  # a small file of its own, none of the store's
        for verb, table in re.findall(r'"(INSERT INTO|INSERT OR REPLACE INTO|DELETE FROM) (\w+)', path.read_text()):
            assert f"{verb} {table}" in seen, f"{path.name}: {verb} {table}"


async def test_rows_are_sorted_by_no_temporary_tree_where_they_are_many(database: InlineDatabase) -> None:
    plans = {
        "messages of a session": "SELECT * FROM messages WHERE session_id = 's' AND id > 5 ORDER BY id",
        "queued parts": "SELECT * FROM outbox WHERE chat = 'c' AND state = 'queued' ORDER BY id",
        "the newest turn": "SELECT * FROM turns WHERE session_id = 's' ORDER BY id DESC LIMIT 1",
        "new events": "SELECT * FROM inbox WHERE state = 'new' ORDER BY id",
    }
    sorted_late = {name: plan for name, query in plans.items() if "TEMP" in str(plan := database.plan(query))}
    assert sorted_late == {}
