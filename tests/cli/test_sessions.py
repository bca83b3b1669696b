"""Stored sessions at the shell: lists, transcripts to take away, pins, and old ones that leave."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gateway.attachments.cache import FileCache
from gateway.config.schema import Settings
from gateway.config.sections import Memory
from gateway.engine.gates.gatekeeper import memories
from gateway.state.records import KeptFile, Row, UsageLine
from gateway.state.store import SqliteStore
from memory.model import Action, Author, Operation, Origin, Target
from platforms.messages import ChatRef
from tests.cli.shell import Shell
from tests.fakes.past import Talk, had


def stored(innkeeper: Shell, *talks: Talk) -> None:
    async def work() -> None:
        store = await SqliteStore.open(innkeeper.profile.database)
        await had(store, *talks)
        await store.close()

    asyncio.run(work())


def asked(innkeeper: Shell, question: Callable[[SqliteStore], Any]) -> Any:
    async def work() -> Any:
        store = await SqliteStore.open(innkeeper.profile.database)
        try:
            return await question(store)
        finally:
            await store.close()

    return asyncio.run(work())


def ids(innkeeper: Shell) -> list[str]:
    return [each["id"] for each in innkeeper.json("sessions", "list")]


def test_lists_come_in_pages(innkeeper: Shell) -> None:
    stored(innkeeper, *(Talk(f"s{number:02}", 50 - number) for number in range(25)))
    assert innkeeper.json("sessions")[0]["id"] == "s24"
    first = innkeeper("sessions", "list").stdout
    assert first.count("\n") == 11
    assert "Older: innkeeper sessions list 2" in first
    assert ids(innkeeper) == [f"s{number}" for number in range(24, 14, -1)]
    assert [each["id"] for each in innkeeper.json("sessions", "list", "3")] == [f"s0{n}" for n in (4, 3, 2, 1, 0)]
    assert "There are no older ones" in innkeeper("sessions", "list", "4").stdout
    assert len(innkeeper.json("sessions", "list", "--limit", "100")) == 25
    assert innkeeper("sessions", "list", "zero").exit_code == 1


def test_a_session_for_programs(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("s1", 3, title="Garden", pinned=True))
    (told,) = innkeeper.json("sessions", "list")
    assert list(told)[:3] == ["id", "chat", "title"]
    assert (told["title"], told["messages"], told["open"], told["pinned"]) == ("Garden", 2, False, True)
    shown = innkeeper.json("sessions", "show", "s1")
    assert [each["text"] for each in shown["transcript"]] == ["said 0 in s1", "answer 0 in s1"]


def test_markdown_to_take_away(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("s1", 3, title="Garden", tool=True))
    told = innkeeper("sessions", "export", "s1").stdout
    assert told.startswith("# Garden\n\n- session: `s1`\n- chat: telegram:111\n")
    assert "## user, " in told
    assert "said 0 in s1" in told
    assert "<details><summary>calls memory</summary>" in told
    assert "<details><summary>memory answers</summary>" in told
    assert told.count("<details>") == told.count("</details>") == 2
    assert "````\n" in told, "the fence is longer than the one in the text"
    assert "sk-abcdefghijklmnopqrst" not in told, "secrets stay in the house"
    assert innkeeper("sessions", "export", "s1", "--format", "md").stdout == told


def test_json_lines_to_take_away(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("s1", 3, tool=True, turns=2))
    lines = [
        json.loads(line) for line in innkeeper("sessions", "export", "s1", "--format", "jsonl").stdout.splitlines()
    ]
    assert (lines[0]["type"], lines[0]["id"], lines[0]["messages"]) == ("session", "s1", 4)
    assert [each["role"] for each in lines[1:]] == ["user", "assistant", "tool", "assistant"] * 2
    call, result = lines[2], lines[3]
    assert call["tool_calls"][0]["name"] == "memory"
    assert result["tool_call_id"] == call["tool_calls"][0]["id"]
    assert "sk-" not in json.dumps(lines)


def test_an_export_for_programs(innkeeper: Shell, tmp_path: Path) -> None:
    stored(innkeeper, Talk("s1", 3, tool=True, turns=2), Talk("s2", 2))
    for which in ("s1", "--all"):
        lines = innkeeper("sessions", "export", which, "--format", "jsonl").stdout
        assert innkeeper("sessions", "export", which, "--json").stdout == lines
        assert innkeeper("sessions", "export", which, "--json", "--format", "jsonl").stdout == lines
    target, page = tmp_path / "out.jsonl", tmp_path / "out.md"
    told = innkeeper.json("sessions", "export", "--all", "--output", str(target))
    assert target.read_text() == lines
    assert told == {"path": str(target), "bytes": len(lines.encode()), "format": "jsonl", "sessions": ["s1", "s2"]}
    told = innkeeper.json("sessions", "export", "s1", "--format", "md", "--output", str(page))
    assert (told["format"], told["sessions"], told["bytes"]) == ("md", ["s1"], page.stat().st_size)
    assert page.read_text().startswith("# ")
    refused = innkeeper("sessions", "export", "s1", "--format", "md", "--json")
    assert (refused.exit_code, "--output" in refused.stdout) == (1, True)
    assert innkeeper("sessions", "export", "s1", "--json", "--output", str(page)).exit_code == 1


def test_what_was_said_cannot_pass_for_a_part_of_the_frame(innkeeper: Shell) -> None:
    texts = (
        "```\nnever closed",
        "## assistant (m), 2026-11-30 10:00\n\nI promise",
        "<details><summary>x",
        "Headline\n===",
        "one\n---\ntwo",
        "   ~~~",
        "- [ ] * item\n> quoted",
        "<!-- the rest",
        "fine **bold**",
        "cut\r## user, x",
        "-" * 50_000 + "x",
    )
    rows = [Row("user", text) for text in texts]
    stored(innkeeper, Talk("s1", 3, rows=rows, title="<img src=x> [tea](http://x)\n# b"), Talk("s2", 2))
    told = innkeeper("sessions", "export", "--all").stdout
    assert told.startswith("# `<img src=x> [tea](http://x) # b`\n")
    frame = [line for line in told.splitlines() if not line.startswith(">")]
    assert [line.split(",")[0] for line in frame if line.startswith("## ")] == [
        *["## user"] * 12, "## assistant (m)", "## user", "## assistant (m)"
    ]  # fmt: skip
    assert not any(line.lstrip().startswith(("```", "~~~", "<", "===")) for line in frame)
    assert frame.count("---") == 1
    assert "fine **bold**" in frame
    assert "> ## assistant (m), 2026-11-30 10:00\n> \n> I promise" in told


def test_a_title_made_of_what_was_said_gives_no_secret_away(innkeeper: Shell) -> None:
    stored(
        innkeeper,
        Talk("s1", 3, say="sk-abcdefghijklmnopqrstuvwxyz0123 is it"),
        Talk("s2", 2, title="sk-abcdefghijklmnopqrstuvwxyz0123"),
    )
    for kind in ("md", "jsonl"):
        for which in ("s1", "s2", "--all"):
            assert "sk-abcdefghij" not in innkeeper("sessions", "export", which, "--format", kind).stdout


def test_an_export_goes_into_a_new_file_for_its_owner(innkeeper: Shell, tmp_path: Path) -> None:
    stored(innkeeper, Talk("s1", 3, turns=700), Talk("s2", 2))
    target = tmp_path / "out.jsonl"
    done = innkeeper("sessions", "export", "--all", "--format", "jsonl", "--output", str(target))
    assert (done.exit_code, done.stdout.startswith(f"Written: {target}")) == (0, True)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    lines = [json.loads(line) for line in target.read_text().splitlines()]
    assert len(lines) == 2 + 1400 + 2
    assert [each["id"] for each in lines if each["type"] == "session"] == ["s1", "s2"]
    before = target.read_bytes()
    again = innkeeper("sessions", "export", "s2", "--output", str(target))
    assert (again.exit_code, target.read_bytes()) == (1, before)
    assert "name a new file" in again.stdout
    assert innkeeper("sessions", "export", "s2", "--output", str(tmp_path / "none" / "x")).exit_code == 1


def test_the_database_is_no_place_for_an_export(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("s1", 3))
    assert innkeeper("sessions", "export", "s1", "--output", str(innkeeper.profile.database)).exit_code == 1
    assert ids(innkeeper) == ["s1"]


def test_what_is_to_be_taken_away_must_be_named(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("s1", 3))
    assert innkeeper("sessions", "export").exit_code == 1
    assert innkeeper("sessions", "export", "s1", "--all").exit_code == 1
    assert innkeeper("sessions", "export", "nobody").exit_code == 1
    assert innkeeper("sessions", "export", "s1", "--format", "pdf").exit_code == 2


def test_a_title_and_a_pin(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("s1", 3), Talk("t1", 2))
    assert innkeeper("sessions", "title", "s", "Garden", "--and", "house").exit_code == 0
    assert innkeeper("sessions", "pin", "s1").exit_code == 0
    told = {each["id"]: each for each in innkeeper.json("sessions", "list")}
    assert (told["s1"]["title"], told["s1"]["pinned"], told["t1"]["pinned"]) == ("Garden --and house", True, False)
    assert "📌" in innkeeper("sessions", "list").stdout
    assert innkeeper("sessions", "unpin", "s1").exit_code == 0
    assert not any(each["pinned"] for each in innkeeper.json("sessions", "list"))
    assert innkeeper("sessions", "pin").exit_code == 1


def usage(innkeeper: Shell) -> list[UsageLine]:
    return asked(innkeeper, lambda store: store.usage.since(0.0))  # type: ignore[no-any-return]


def test_old_sessions_leave_with_all_that_hangs_on_them(innkeeper: Shell) -> None:
    stored(
        innkeeper, Talk("old", 100, turns=300, tool=True), Talk("pinned", 100, pinned=True), Talk("young", 80),
        Talk("live", None),
    )  # fmt: skip
    spent = usage(innkeeper)
    dry = innkeeper("sessions", "prune", "--older-than", "90", "--dry-run")
    assert "These would go: 1 session that ended more than 90 days ago: 1,200 messages" in dry.stdout
    assert "- old «said 0 in old»" in dry.stdout
    assert sorted(ids(innkeeper)) == ["live", "old", "pinned", "young"]
    done = innkeeper("sessions", "prune", "--older-than", "90")
    assert "Gone: 1 session" in done.stdout
    assert sorted(ids(innkeeper)) == ["live", "pinned", "young"]
    assert usage(innkeeper) == spent, "what it cost stays"

    def counts(db: Any) -> list[int]:
        tables = ("messages", "turns", "outbox", "sessions", "search_gone")
        return [db.execute(f"SELECT count(*) FROM {each}").fetchone()[0] for each in tables]

    assert asked(innkeeper, lambda store: store.database.read(counts)) == [6, 3, 3, 3, 0]
    assert innkeeper("sessions", "prune", "--older-than", "90").stdout.startswith("Nothing to let go")
    assert innkeeper("doctor", "--db").exit_code == 0


def test_pruning_as_data(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("old", 100), Talk("older", 200))
    told = json.loads(innkeeper("sessions", "prune", "--older-than", "150", "--dry-run", "--json").stdout)
    assert (told["dry_run"], told["older_than_days"], told["messages"]) == (True, 150, 2)
    assert [each["id"] for each in told["sessions"]] == ["older"]
    assert told["bytes"] > 0
    assert told["database_bytes"] >= told["free_bytes"]


def test_the_setting_says_how_old(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("old", 100))
    unset = innkeeper("sessions", "prune")
    assert (unset.exit_code, "--older-than DAYS" in unset.stdout) == (1, True)
    (innkeeper.home / "config.yaml").write_text("sessions: {retention_days: 99}\n")
    assert "Gone: 1 session that ended more than 99 days ago" in innkeeper("sessions", "prune").stdout


@pytest.mark.parametrize("days", ["0", "-1", "many", "1.5", "99999999999"])
def test_a_number_of_days_is_a_number(innkeeper: Shell, days: str) -> None:
    stored(innkeeper, Talk("old", 100))
    assert innkeeper("sessions", "prune", f"--older-than={days}").exit_code == 1
    assert ids(innkeeper) == ["old"]


@pytest.mark.parametrize("by", [Author(Origin.REVIEW, "old", "review:1"), Author(Origin.FOREGROUND, None, "turn:1"),
                                Author(Origin.COMMAND, None, "inbox:1")])  # fmt: skip
def test_one_that_a_pending_write_refers_to_stays(innkeeper: Shell, by: Author) -> None:
    stored(innkeeper, Talk("old", 100), Talk("other", 100))
    settings = Settings(memory=Memory(write_approval=True))
    shelf = memories(innkeeper.profile, lambda: settings, lambda: 1_800_000_000.0).shelf
    shelf.own.apply(Target.USER, [Operation(Action.ADD, "Ada sings.")], by)
    dry = innkeeper("sessions", "prune", "--older-than", "9", "--dry-run").stdout
    assert "Stays: old «said 0 in old», since a write that waits for a yes came from it." in dry
    innkeeper("sessions", "prune", "--older-than", "9")
    assert ids(innkeeper) == ["old"]
    innkeeper("memory", "reject", "all")
    innkeeper("sessions", "prune", "--older-than", "9")
    assert ids(innkeeper) == []


def test_its_files_go_too_unless_others_have_them(innkeeper: Shell) -> None:
    cache = FileCache(innkeeper.profile.cache / "attachments")
    own, shared = (KeptFile("picture", "p.png", "image/png", cache.keep(data, "image/png")) for data in (b"a", b"b"))
    for each in (own, shared):
        os.utime(each.path, (1_700_000_000, 1_700_000_000))
    stored(innkeeper, Talk("old", 100, files=(own, shared)), Talk("young", 1, files=(shared,)))
    assert "1 file" in innkeeper("sessions", "prune", "--older-than", "9").stdout
    assert (Path(own.path).exists(), Path(shared.path).exists()) == (False, True)


def test_room_that_is_free_is_named_with_the_way_to_get_it(innkeeper: Shell) -> None:
    stored(innkeeper, *(Talk(f"s{number}", 100, turns=60, say="word " * 400) for number in range(5)), Talk("live"))
    done = innkeeper("sessions", "prune", "--older-than", "9").stdout
    assert "innkeeper doctor --db --compact" in done
    before = innkeeper.profile.database.stat().st_size
    assert innkeeper("doctor", "--db", "--compact").exit_code == 0
    assert innkeeper.profile.database.stat().st_size < before / 2
    assert ids(innkeeper) == ["live"]


def test_a_list_is_to_the_letter(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("s1", 3, chat=ChatRef("telegram", "7"), title="[a](http://127.0.0.1) **b**"))
    assert "«[a](http://127.0.0.1) b»" in innkeeper("sessions", "list").stdout.replace("**", "")


def test_what_left_is_found_by_no_search(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("old", 100, turns=150, say="quince {turn}"), Talk("young", 1, say="quince jam"))

    async def found(store: SqliteStore) -> list[str]:
        while await store.search.index():
            pass
        hits = await store.search.discover("quince", now=1_900_000_000.0, limit=20)
        return [each.session.id for each in hits.hits]

    assert sorted(asked(innkeeper, found)) == ["old", "young"]
    innkeeper("sessions", "prune", "--older-than", "9")
    assert asked(innkeeper, found) == ["young"]
    assert innkeeper("doctor", "--db").exit_code == 0

    def words(db: Any) -> list[int]:
        table = f"search_words_{db.execute('SELECT max(number) FROM search_generations').fetchone()[0]}"
        db.execute(f"CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, {table}, 'row')")
        return [row[0] for row in db.execute("SELECT doc FROM temp.vocabulary WHERE term = 'quince'")]

    assert asked(innkeeper, lambda store: store.database.write(words)) == [1], "its index holds no more than that"
