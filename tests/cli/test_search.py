"""Searching earlier conversations at the shell."""

from __future__ import annotations

import json
from pathlib import Path

from commands.context import Context
from commands.registry import built_in
from commands.search import search
from commands.spec import Arguments, Role
from gateway.state.search import SqliteSearch
from gateway.state.search_discovery import TAIL
from tests.cli.shell import Shell
from tests.cli.test_sessions import stored
from tests.fakes.guesthouse import guesthouse
from tests.fakes.long_ago import EVERYWHERE, LATE, long_ago
from tests.fakes.past import Talk


def test_a_search_for_people_and_for_programs(innkeeper: Shell) -> None:
    stored(
        innkeeper,
        Talk("boiler", 3, title="Boiler", say="the boiler, node.js and -v {turn}"),
        Talk("garden", 2, title="Garden", say="the garden and the boiler"),
    )
    for order in (("sessions", "search"), ("search",)):
        shown = innkeeper(*order, "boiler", "-garden").stdout
        assert "1. «Boiler» telegram:111" in shown
        assert "`" not in shown
        assert "Garden" not in shown
        found = innkeeper.json(*order, "node.js", "OR", '"the garden"', "--limit", "5")
        assert {each["session_id"] for each in found} == {"boiler", "garden"}
        (hit,) = innkeeper.json(*order, "--limit", "1", "from:me", "garden")
        assert list(hit)[:6] == ["session_id", "message_id", "role", "time", "chat", "snippet"]
        assert (hit["title"], hit["role"], hit["text"]) == ("Garden", "user", "the garden and the boiler")
    around = innkeeper.json("sessions", "around", "garden", str(hit["message_id"]))
    assert [each["text"] for each in around["messages"]] == ["the garden and the boiler", "answer 0 in garden"]
    assert "➡️ user: the garden" in innkeeper("sessions", "around", "gar", str(hit["message_id"])).stdout
    assert innkeeper("sessions", "around", "garden", "99").exit_code == 1


def test_what_begins_with_a_hyphen_is_a_word(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("s1", 3, say="call it with --verbose and -x"))
    assert innkeeper.json("search", "--verbose")[0]["session_id"] == "s1"
    assert innkeeper.json("search", "call", "-verbose") == []
    assert "Nothing was found." in innkeeper("search", "call", "-verbose").stdout


def test_pages(innkeeper: Shell) -> None:
    stored(innkeeper, *(Talk(f"s{number:02}", 30 - number, say="tea") for number in range(7)))
    shown = innkeeper("search", "tea", "--limit", "4").stdout
    beside = innkeeper("search", "tea", "--limit", "4", "--json").stderr
    _, said, page = shown.rpartition("There is more: the same with --more ")
    assert beside == f"{said}{page}"
    first = innkeeper.json("search", "tea", "--limit", "4")
    second = innkeeper.json("search", "tea", "--limit", "4", "--more", page.strip())
    assert len({each["session_id"] for each in [*first, *second]}) == 7
    assert innkeeper("search", "tea", "--limit", "4", "--more", page.strip(), "--json").stderr == ""


def test_that_not_everything_was_looked_at_is_told_to_programs_too(innkeeper: Shell) -> None:
    """Nothing of it is in the index yet, and it is too much to be looked at."""
    stored(innkeeper, Talk("old", 9, say="the boiler"), Talk("new", 1, turns=TAIL, say="the garden"))
    told = innkeeper("search", "boiler", "--json")
    assert (told.exit_code, json.loads(told.stdout)) == (1, [])
    assert "not in it yet" in told.stderr
    shown = innkeeper("search", "boiler")
    assert shown.exit_code == 1
    assert "Nothing was found" not in shown.stdout


async def test_a_search_that_stopped_before_the_end_is_no_answer(tmp_path: Path) -> None:
    async with guesthouse(tmp_path) as house:
        await long_ago(store := house.store)
        store.search = SqliteSearch(store.database, LATE)
        context = Context(Role.OWNER, "shell", house.engine.ports, built_in([]))
        told = await search(context, Arguments({"words": f'"{EVERYWHERE}"'}))
        assert (told.data, told.ok) == ([], False)
        for words in (told.text, told.aside):
            assert "There is more: the same with `--more " in words
            assert "stopped before the end" in words
            assert "Nothing" not in words


def test_a_question_that_asks_for_nothing(innkeeper: Shell) -> None:
    assert innkeeper("search").exit_code == 1
    shown = innkeeper("search", "''")
    assert (shown.exit_code, "nothing to search for" in shown.stdout) == (1, True)
    told = innkeeper("search", "''", "--json")
    assert (told.exit_code, "nothing to search for" in told.stderr) == (1, True)
    assert json.loads(told.stdout) == []
    assert innkeeper("search", "tea", "--limit", "none").exit_code == 1
    assert innkeeper("search", "tea", "--more", "next").exit_code == 1
