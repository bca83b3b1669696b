"""`innkeeper doctor` on the profile's database."""

from __future__ import annotations

import asyncio
import sqlite3

from gateway.cli.doctor import Answer, Finding, all_checks, examine, patient
from gateway.state.store import SqliteStore
from gateway.state.versions import migrations
from tests.cli.shell import Shell


def database(shell: Shell) -> list[Finding]:
    who = patient(shell.invocation(), lambda address, headers: Answer(200))
    return [finding for name, finding in examine(who, all_checks()) if name == "database"]


async def made(shell: Shell) -> None:
    store = await SqliteStore.open(shell.profile.database)
    await store.close()


def test_a_profile_without_a_database_is_no_problem(innkeeper: Shell) -> None:
    assert [each.level for each in database(innkeeper)] == ["ok"]
    assert not innkeeper.profile.database.exists()


def test_a_database_in_order(innkeeper: Shell) -> None:
    asyncio.run(made(innkeeper))
    (found,) = database(innkeeper)
    assert found.level == "ok"
    assert found.text.endswith(f"MB, version {migrations()[-1][0]}")


def test_a_database_that_others_may_read(innkeeper: Shell) -> None:
    asyncio.run(made(innkeeper))
    innkeeper.profile.database.chmod(0o644)
    assert [each.level for each in database(innkeeper)] == ["ok", "warning"]
    assert database(innkeeper)[1].next_step.startswith("chmod 600")


def test_a_database_of_a_newer_innkeeper(innkeeper: Shell) -> None:
    asyncio.run(made(innkeeper))
    with sqlite3.connect(innkeeper.profile.database) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    (found,) = database(innkeeper)
    assert (found.level, found.next_step) == ("problem", "upgrade innkeeper")
    assert innkeeper("doctor").exit_code == 1


def test_a_database_that_is_behind(innkeeper: Shell) -> None:
    asyncio.run(made(innkeeper))
    with sqlite3.connect(innkeeper.profile.database) as connection:
        connection.execute("PRAGMA user_version = 0")
    connection.close()
    (found,) = database(innkeeper)
    assert found.level == "ok"
    assert "next start" in found.text


def test_something_else_in_its_place(innkeeper: Shell) -> None:
    path = innkeeper.profile.database
    path.write_bytes(b"something else" * 1000)
    path.chmod(0o600)
    (found,) = database(innkeeper)
    assert found.level == "problem"
    assert "not a database" in found.text
