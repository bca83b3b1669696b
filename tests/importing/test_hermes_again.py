"""Sessions of Hermes Agent, imported again after something became of them here."""

from __future__ import annotations

from contextlib import closing

from tests.cli.shell import Shell
from tests.importing.hermes import NOON, Hermes
from tests.importing.test_hermes_sessions import listed, own, taken


def test_what_was_pruned_here_is_told_from_what_is_there(innkeeper: Shell, hermes: Hermes) -> None:
    for name in ("one", "two", "three"):
        hermes.session(name)
        hermes.says(name, "user", f"hello {name}")
    taken(innkeeper, hermes)
    kept = listed(innkeeper)[0]["id"]
    innkeeper("sessions", "pin", kept)
    gone = innkeeper.json("sessions", "prune", "--older-than", "1")
    assert len(gone["sessions"]) == 2
    for words in (("--dry-run",), ()):
        told = taken(innkeeper, hermes, *words)["sessions"]
        assert (told["taken"], told["there"], told["gone"]) == (0, 1, 2), words
    assert [each["id"] for each in listed(innkeeper)] == [kept]


def test_a_dry_run_foresees_what_people_removed_or_went_on_with(innkeeper: Shell, hermes: Hermes) -> None:
    for name in ("one", "two", "three"):
        hermes.session(name)
        hermes.says(name, "user", f"hello {name}")
    taken(innkeeper, hermes)
    first, second, _ = (each["id"] for each in listed(innkeeper))
    with closing(own(innkeeper)) as db, db:
        db.execute("UPDATE sessions SET epoch = 1 WHERE id = ?", (first,))
        db.execute("UPDATE sessions SET leaving = 1 WHERE id = ?", (second,))
    for name in ("one", "two", "three"):
        hermes.says(name, "user", "more", timestamp=NOON + 9)
    told = [taken(innkeeper, hermes, *words)["sessions"] for words in (("--dry-run",), ())]
    assert [(each["taken"], each["there"], each["gone"]) for each in told] == [(1, 0, 2)] * 2
