"""`innkeeper profile`: from making one to deleting it."""

from __future__ import annotations

import os

from gateway.config.lock import ProfileLock
from gateway.config.profiles import named
from tests.cli.shell import Shell


def test_a_profile_from_beginning_to_end(innkeeper: Shell) -> None:
    assert "profile use work" in innkeeper("profile", "create", "work").stdout
    assert innkeeper("profile", "path", "work").stdout == f"{innkeeper.home}/profiles/work\n"
    assert innkeeper("profile", "path").stdout == f"{innkeeper.home}\n"
    assert innkeeper("profile", "use", "work").exit_code == 0
    assert innkeeper("profile", "path").stdout == f"{innkeeper.home}/profiles/work\n"
    assert innkeeper("profile", "delete", "work", typed="n\n").exit_code == 1
    assert innkeeper("profile", "delete", "work", typed="y\n").exit_code == 0
    assert innkeeper("profile", "path").stdout == f"{innkeeper.home}\n"


def test_the_list_says_which_is_in_use_and_which_runs(innkeeper: Shell) -> None:
    innkeeper("profile", "create", "work")
    with ProfileLock(named(innkeeper.home, "work")):
        rows = innkeeper.json("profile", "list")
        shown = innkeeper("profile", "list").stdout
        refused = innkeeper("profile", "delete", "work", "--yes")
    home = str(innkeeper.home)
    assert rows == [
        {"name": "default", "folder": home, "active": True, "running": False, "pid": None},
        {"name": "work", "folder": f"{home}/profiles/work", "active": False, "running": True, "pid": os.getpid()},
    ]
    assert f"running, process {os.getpid()}" in shown
    assert refused.exit_code == 2
    assert "stop it first" in refused.stderr


def test_mistakes_are_wrong_usage(innkeeper: Shell) -> None:
    for words in (["create", "../up"], ["use", "nope"], ["delete", "default"], ["delete", "nope"], ["path", "nope"]):
        shown = innkeeper("profile", *words)
        assert (shown.exit_code, shown.stdout) == (2, ""), words
