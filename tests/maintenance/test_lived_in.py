"""A night in a home that was lived in: every task says what it did, foretold it, and the backup opens with all of it.

The same with 100,000 messages is `python -m tests.bench maintenance`.
"""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.cli.shell import Shell
from tests.maintenance.home import PENDING, STALE, lived_in, restored, worked


def home_in(folder: Path) -> Shell:
    folder.mkdir(mode=0o700)
    return asyncio.run(lived_in(folder, 2_000))


def test_a_night(tmp_path: Path) -> None:
    shell = home_in(tmp_path / "home")
    done = worked(shell)
    assert {each.came["result"] for each in done.values()} == {"done"}, done
    assert done["pending-digest"].dry["figures"] == {"waiting": PENDING, "chats": 1}
    assert done["pending-digest"].came["figures"] == {"waiting": PENDING, "chats": 1}
    assert done["curator-check"].came["figures"] == {"skills": STALE, "stale": STALE, "overdue": 0}
    left = done["retention"].came["figures"]
    assert left["messages"] > 0
    assert {key: done["retention"].dry["figures"][key] for key in ("sessions", "messages")} == {
        key: left[key] for key in ("sessions", "messages")
    }
    assert done["database-check"].came["figures"]["not_found"] == 0
    backup = done["backup"].came["figures"]
    assert backup["messages"] == 2_000 - left["messages"]
    assert (backup["pending"], backup["skills"], backup["jobs"]) == (PENDING, STALE, len(done))
    counts = restored(shell, tmp_path / "other")
    assert {name: backup[name] for name in counts} == counts
    with closing(sqlite3.connect(tmp_path / "other" / "state.db")) as database:
        assert database.execute("SELECT count(*) FROM messages").fetchone()[0] == counts["messages"]


def test_the_list_of_many_that_wait_fits_every_platform(tmp_path: Path) -> None:
    """At the shell no platform is at hand that knows its limit: the gateway sends what was stored there."""
    shell = home_in(tmp_path / "home")
    assert shell.json("maintenance", "run", "pending-digest")["figures"]["chats"] == 1
    again = shell.json("maintenance", "run", "pending-digest")
    assert again["detail"] == f"{PENDING} writes wait for a yes; today's list was sent already"
    with closing(sqlite3.connect(shell.profile.database)) as database:
        parts = database.execute("SELECT text, buttons FROM outbox WHERE source LIKE 'digest:%' ORDER BY part")
        texts, buttons = zip(*parts, strict=True)
    assert all(len(each) <= 1900 for each in texts)
    assert "and 10 more" in texts[-1]
    assert "/memory pending" in buttons[-1]
