"""`innkeeper backup`: made, listed, proven and put back at the shell."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from gateway.clock import SystemClock
from gateway.config.lock import ProfileLock
from tests.backup.house import COUNTS, TOKEN, contents, furnished
from tests.cli.shell import Shell
from tests.cli.test_sessions import ids


def test_from_one_home_into_another_profile(innkeeper: Shell) -> None:
    asyncio.run(furnished(innkeeper.home))
    made = innkeeper("backup", "create")
    assert made.exit_code == 0
    assert "Proven by unpacking it: 40 messages, 2 sessions, 3 entries of memory, 1 skill, 1 archived" in made.stdout
    assert "DISCORD_BOT_TOKEN, TELEGRAM_BOT_TOKEN" in made.stdout
    assert TOKEN not in made.stdout
    (row,) = innkeeper.json("backup", "list")
    assert {name: row["counts"][name] for name in COUNTS} == COUNTS
    assert row["secrets"] == [{"key": "platforms.telegram.token", "variable": "TELEGRAM_BOT_TOKEN"}]
    assert innkeeper("backup", "verify").exit_code == 0
    assert innkeeper.json("backup", "verify", row["name"])["ok"] is True
    assert innkeeper("profile", "create", "cat").exit_code == 0
    told = innkeeper("backup", "restore", row["file"], profile="cat")
    assert told.exit_code == 0
    assert "Put these into" in told.stdout
    cat = innkeeper.home / "profiles" / "cat"
    assert contents(cat) == contents(innkeeper.home)
    assert sorted(ids(Shell(cat, {"TELEGRAM_BOT_TOKEN": "1:x"}))) == sorted(ids(innkeeper))
    refused = innkeeper("config", "check", profile="cat")
    assert refused.exit_code == 2
    assert "${TELEGRAM_BOT_TOKEN} is not set" in refused.stderr


def test_a_profile_with_something_in_it_is_asked_for_twice(innkeeper: Shell) -> None:
    asyncio.run(furnished(innkeeper.home))
    name = innkeeper.json("backup", "create")["name"]
    refused = innkeeper("backup", "restore", name)
    assert (refused.exit_code, "--force" in refused.stderr) == (1, True)
    done = innkeeper.json("backup", "restore", name, "--force")
    assert Path(done["set_aside"], "state.db").exists()
    with ProfileLock(innkeeper.profile, SystemClock()):
        assert innkeeper("backup", "create").exit_code == 0
        assert innkeeper("backup", "restore", name, "--force").exit_code == 2


def test_old_ones_go(innkeeper: Shell) -> None:
    first = innkeeper.json("backup", "create")
    second = innkeeper.json("backup", "create", "--keep", "1")
    assert second["removed"] == [first["file"]]
    assert [each["name"] for each in innkeeper.json("backup", "list")] == [second["name"]]


def test_what_is_none(innkeeper: Shell) -> None:
    assert innkeeper.json("backup", "list") == []
    assert "innkeeper backup create" in innkeeper("backup", "list").stdout
    assert innkeeper("backup", "verify").exit_code == 1
    assert innkeeper("backup", "verify", "absent.zip").exit_code == 1
    assert innkeeper("backup", "create").exit_code == 0
    (path,) = innkeeper.home.glob("backups/*.zip")
    path.write_bytes(b"no backup")
    assert innkeeper("backup", "verify").exit_code == 1
    assert innkeeper("backup", "restore", str(path)).exit_code == 1
    (row,) = json.loads(innkeeper("backup", "list", "--json").stdout)
    assert "no backup" in row["fault"]
