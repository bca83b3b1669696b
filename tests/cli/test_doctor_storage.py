"""`innkeeper doctor --db`: examined to the last page, copied, made smaller."""

from __future__ import annotations

import json
import sqlite3
import stat
from pathlib import Path

from gateway.clock import SystemClock
from gateway.config.lock import ProfileLock
from tests.cli.shell import Shell
from tests.cli.test_sessions import ids, stored
from tests.fakes.past import Talk


def test_there_may_be_none_yet(innkeeper: Shell) -> None:
    assert innkeeper("doctor", "--db").exit_code == 0
    assert innkeeper("doctor", "--db", "--backup", str(innkeeper.home / "b")).exit_code == 0
    assert not innkeeper.profile.database.exists()


def test_sizes_by_table(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("s1", 3, turns=20))
    told = innkeeper("doctor", "--db")
    assert told.exit_code == 0
    assert told.stdout.startswith("table ")
    assert "every page is whole" in told.stdout
    data = json.loads(innkeeper("doctor", "--db", "--json").stdout)
    rows = {each["name"]: each for each in data["tables"]}
    assert rows["messages"]["rows"] == 40
    assert rows["messages"]["bytes"] > 0
    assert sum(each["bytes"] for each in data["tables"]) <= data["bytes"]
    assert all(each["level"] != "problem" for each in data["findings"])


def test_an_index_that_lost_messages_is_no_index_that_fits(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("s1", 3, turns=20))
    assert "fits what is stored" in innkeeper("doctor", "--db", "--rebuild").stdout
    with sqlite3.connect(innkeeper.profile.database) as connection:
        (number,) = connection.execute("SELECT number FROM search_generations").fetchone()
        emptied = f"INSERT INTO search_words_{number} (search_words_{number}) VALUES ('delete-all')"
        connection.execute(emptied)
    connection.close()
    told = innkeeper("doctor", "--db")
    assert told.exit_code == 1
    assert "40 messages of a sample are not found by their own words" in " ".join(told.stdout.split())
    assert "innkeeper doctor --db --rebuild" in told.stdout
    assert "fits what is stored" in innkeeper("doctor", "--db", "--rebuild").stdout
    assert innkeeper("doctor", "--db").exit_code == 0
    assert len(innkeeper.json("sessions", "search", "said")) == 1


def test_a_file_that_is_no_database_is_named_and_left_alone(innkeeper: Shell) -> None:
    path = innkeeper.profile.database
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("no database " * 1000)
    for order in ((), ("--rebuild",), ("--compact",), ("--backup", str(innkeeper.home / "copy.db"))):
        told = innkeeper("doctor", "--db", *order)
        assert told.exit_code == 1
        assert f"{path} is not a database: move it away" in told.stdout + told.stderr, order
        assert path.read_text() == "no database " * 1000
    (found,) = json.loads(innkeeper("doctor", "--db", "--json").stdout)["findings"]
    assert found["level"] == "problem"


def test_rows_that_refer_to_nothing_are_named(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("s1", 3))
    with sqlite3.connect(innkeeper.profile.database) as connection:
        connection.execute("DELETE FROM sessions")
    connection.close()
    told = innkeeper("doctor", "--db")
    assert told.exit_code == 1
    assert "refers to a row of sessions that is not there" in told.stdout


def test_damage_is_found(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("s1", 3, turns=400))
    path = innkeeper.profile.database
    data = bytearray(path.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 4096] = b"\x07" * 4096
    path.write_bytes(data)
    told = innkeeper("doctor", "--db")
    assert told.exit_code == 1
    assert "damaged" in told.stdout + told.stderr
    target = innkeeper.home / "copy.db"
    assert innkeeper("doctor", "--db", "--backup", str(target)).exit_code == 1
    assert not target.exists()
    assert [each for each in innkeeper.home.iterdir() if each.name.endswith(".part")] == []


def test_a_copy_is_whole_and_private(innkeeper: Shell, tmp_path: Path) -> None:
    stored(innkeeper, Talk("s1", 3, turns=50))
    target = tmp_path / "copy.db"
    told = innkeeper("doctor", "--db", "--backup", str(target))
    assert (told.exit_code, f"copied to {target}" in told.stdout) == (0, True)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(("copy", ".copy"))] == ["copy.db"]
    other = Shell(tmp_path / "other")
    other.home.mkdir(mode=0o700)
    target.rename(other.profile.database)
    assert ids(other) == ["s1"]
    assert other("doctor", "--db").exit_code == 0


def test_a_copy_never_takes_the_place_of_anything(innkeeper: Shell, tmp_path: Path) -> None:
    stored(innkeeper, Talk("s1", 3))
    target = tmp_path / "copy.db"
    target.write_text("mine")
    for each in (target, innkeeper.profile.database):
        assert innkeeper("doctor", "--db", "--backup", str(each)).exit_code == 2
    assert target.read_text() == "mine"
    assert ids(innkeeper) == ["s1"]
    assert innkeeper("doctor", "--db", "--backup", str(tmp_path / "none" / "x")).exit_code == 1


def test_it_is_not_made_smaller_while_the_gateway_runs(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("s1", 3))
    with ProfileLock(innkeeper.profile, SystemClock()):
        told = innkeeper("doctor", "--db", "--compact")
        assert told.exit_code == 2
        assert innkeeper("doctor", "--db").exit_code == 0
        assert innkeeper("doctor", "--db", "--backup", str(innkeeper.home / "copy.db")).exit_code == 0
    assert innkeeper("doctor", "--db", "--compact").exit_code == 0


def test_one_wish_at_a_time(innkeeper: Shell) -> None:
    assert innkeeper("doctor", "--compact").exit_code == 2
    assert innkeeper("doctor", "--db", "--compact", "--rebuild").exit_code == 2


def test_the_index_is_checked_and_built_anew(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("s1", 3, turns=200))
    assert "the search index fits what is stored" in innkeeper("doctor", "--db").stdout

    def generations() -> list[tuple[int, str]]:
        with sqlite3.connect(innkeeper.profile.database) as connection:
            found = connection.execute("SELECT number, state FROM search_generations").fetchall()
        connection.close()
        return found

    (before,) = generations()
    assert innkeeper("doctor", "--db", "--rebuild").exit_code == 0
    (after,) = generations()
    assert (after[1], after[0] > before[0]) == ("serving", True)
    with sqlite3.connect(innkeeper.profile.database) as connection:
        connection.execute("UPDATE search_generations SET state = 'damaged'")
    connection.close()
    told = innkeeper("doctor", "--db")
    assert (told.exit_code, "innkeeper doctor --db --rebuild" in told.stdout) == (1, True)
    assert innkeeper("doctor", "--db", "--rebuild").exit_code == 0
    assert innkeeper("doctor", "--db").exit_code == 0
