"""Conversations of Hermes Agent in the archive: whole, where and when they were held, once, and never reviewed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gateway.state.records import StoredMessage
from gateway.state.store import SqliteStore
from tests.cli.shell import Shell
from tests.importing.hermes import NOON, Hermes, call


@pytest.fixture(params=["early", "middle", "late"])
def any_version(request: pytest.FixtureRequest, tmp_path: Path) -> Hermes:
    return Hermes(tmp_path / "hermes", request.param)


def taken(innkeeper: Shell, hermes: Hermes, *words: str) -> Any:
    result = innkeeper("import", "hermes", "--home", str(hermes.folder), "--json", *words)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def stored(innkeeper: Shell, session: str) -> list[StoredMessage]:
    async def read() -> list[StoredMessage]:
        store = await SqliteStore.open(innkeeper.profile.database)
        try:
            return await store.turns.messages(session)
        finally:
            await store.close()

    return asyncio.run(read())


def listed(innkeeper: Shell) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = innkeeper.json("sessions", "list")
    return found


def only(innkeeper: Shell) -> list[StoredMessage]:
    (session,) = listed(innkeeper)
    return stored(innkeeper, session["id"])


def test_a_conversation_of_any_version(innkeeper: Shell, any_version: Hermes) -> None:
    any_version.session("20260528_101010_ab12cd", "cli", title="Groceries", model="some-model")
    any_version.says("20260528_101010_ab12cd", "user", "What do we need?")
    any_version.says("20260528_101010_ab12cd", "assistant", None, tool_calls=[call()], timestamp=NOON + 2)
    any_version.says("20260528_101010_ab12cd", "tool", "milk", tool_call_id="call_1", timestamp=NOON + 3)
    any_version.says("20260528_101010_ab12cd", "assistant", "牛乳です。 Milk. 🥛", timestamp=NOON + 60)
    told = taken(innkeeper, any_version)
    assert (told["sessions"]["taken"], told["sessions"]["messages"], told["ok"]) == (1, 4, True)
    (session,) = listed(innkeeper)
    assert (session["title"], session["chat"], session["open"]) == ("Groceries", "console:hermes", False)
    assert session["end_reason"] == "imported from Hermes Agent"
    rows = stored(innkeeper, session["id"])
    assert [(each.row.role, each.row.content) for each in rows] == [
        ("user", "What do we need?"),
        ("assistant", ""),
        ("tool", "milk"),
        ("assistant", "牛乳です。 Milk. 🥛"),
    ]
    assert [each.created_at - NOON for each in rows] == [1, 2, 3, 60]
    assert rows[1].row.tool_calls[0].parsed() == {"command": "ls"}
    assert rows[2].row.tool_call_id == rows[1].row.tool_calls[0].id == "call_1"
    assert (rows[2].row.untrusted, rows[3].row.model) == ("import", "some-model")


def test_a_second_run_takes_nothing_twice_and_what_came_since(innkeeper: Shell, hermes: Hermes) -> None:
    hermes.session("one")
    hermes.says("one", "user", "hello")
    first = taken(innkeeper, hermes)["sessions"]
    before = [each.id for each in only(innkeeper)]
    second = taken(innkeeper, hermes)["sessions"]
    assert (first["taken"], second["taken"], second["there"]) == (1, 0, 1)
    assert [each.id for each in only(innkeeper)] == before
    hermes.says("one", "assistant", "hello to you", timestamp=NOON + 9)
    assert taken(innkeeper, hermes)["sessions"]["messages"] == 1
    assert [each.row.content for each in only(innkeeper)] == ["hello", "hello to you"]


def test_what_a_person_removed_or_went_on_with_stays_so(innkeeper: Shell, hermes: Hermes) -> None:
    for name in ("one", "two"):
        hermes.session(name)
        hermes.says(name, "user", f"hello {name}")
    taken(innkeeper, hermes)
    first, second = (each["id"] for each in listed(innkeeper))
    with closing(own(innkeeper)) as db, db:
        db.execute("UPDATE sessions SET epoch = 1 WHERE id = ?", (first,))
        db.execute("DELETE FROM messages WHERE session_id = ?", (second,))
        db.execute("DELETE FROM review_marks")
        db.execute("DELETE FROM sessions WHERE id = ?", (second,))
    for name in ("one", "two"):
        hermes.says(name, "user", "more", timestamp=NOON + 9)
    told = taken(innkeeper, hermes)["sessions"]
    assert (told["taken"], told["gone"]) == (0, 2)
    assert len(only(innkeeper)) == 1


@pytest.mark.parametrize(
    ("source", "fields", "chat"),
    [
        ("telegram", {"chat_id": "111", "chat_type": "dm"}, "telegram:111"),
        ("telegram", {"chat_id": "-100", "chat_type": "group", "thread_id": "7"}, "telegram:-100:7"),
        ("telegram", {"chat_id": "-100", "chat_type": "group", "thread_id": "1"}, "telegram:-100"),
        ("telegram", {"session_key": "agent:main:telegram:dm:222"}, "telegram:222"),
        ("telegram", {"session_key": "agent:main:telegram:group:-100:4", "user_id": "5"}, "hermes:telegram"),
        ("telegram", {"user_id": "333"}, "hermes:telegram"),
        ("discord", {"chat_id": "42", "chat_type": "channel"}, "discord:42"),
        ("discord", {"origin_json": '{"chat_id": "9", "parent_chat_id": "42", "thread_id": "9"}'}, "discord:42:9"),
        ("slack", {"chat_id": "C1", "thread_id": "1.2"}, "slack:C1:1.2"),
        ("tui", {"chat_id": "x"}, "console:hermes"),
        ("cron", {"chat_id": "111"}, "hermes:cron"),
        ("a:b #c", {}, "hermes:a-b-c"),
        ("console", {"chat_id": "mine"}, "hermes:console"),
        ("telegram", {"chat_id": "9" * 3000}, "hermes:telegram"),
        ("telegram", {"chat_id": "-100", "thread_id": "\x1b[2J"}, "hermes:telegram"),
    ],
)
def test_where_it_was_held(innkeeper: Shell, hermes: Hermes, source: str, fields: dict[str, str], chat: str) -> None:
    hermes.session("one", source, **fields)
    hermes.says("one", "user", "hello")
    taken(innkeeper, hermes)
    assert [each["chat"] for each in listed(innkeeper)] == [chat]


def test_old_versions_say_the_chat_elsewhere(innkeeper: Shell, tmp_path: Path) -> None:
    hermes = Hermes(tmp_path / "hermes", "early")
    hermes.session("one", user_id="5")
    hermes.says("one", "user", "hello")
    origin = {"platform": "telegram", "chat_id": "-100", "chat_type": "group", "user_id": "5"}
    hermes.put("sessions/sessions.json", json.dumps({"k": {"session_id": "one", "origin": origin}}))
    taken(innkeeper, hermes)
    assert [each["chat"] for each in listed(innkeeper)] == ["telegram:-100"]


def test_a_group_with_a_session_for_each_person(innkeeper: Shell, hermes: Hermes) -> None:
    innkeeper.profile.config.write_text("sessions: {group_scope: person}\n")
    hermes.session("one", chat_id="-100", chat_type="group", user_id="5")
    hermes.says("one", "user", "hello")
    taken(innkeeper, hermes)
    with closing(own(innkeeper)) as db:
        assert db.execute("SELECT session_key, chat FROM sessions").fetchall() == [
            ("telegram:-100#5", "telegram:-100")
        ]


def test_what_is_no_message_of_anybody_is_counted(innkeeper: Shell, hermes: Hermes) -> None:
    hermes.session("one")
    hermes.says("one", "session_meta", "{}")
    hermes.says("one", "user", "kept, though it was compacted", active=0, compacted=1)
    hermes.says("one", "user", "oops", active=0)
    hermes.says("one", "user", "[CONTEXT COMPACTION] earlier…", _compressed_summary=1)
    hermes.says("one", "user", "scaffolding", display_kind="hidden")
    hermes.says("one", "user", "Review the conversation above and consider saving to memory what matters.")
    hermes.says("one", "assistant", "Nothing to save.")
    hermes.says("one", "user", "  ")
    hermes.says("one", "user", "still here")
    left = taken(innkeeper, hermes)["sessions"]["messages_left"]
    assert left == {
        "a note of the program": 1,
        "taken back there": 1,
        "a summary of what is there in full": 1,
        "never shown to anybody": 1,
        "part of a review": 2,
        "empty": 1,
    }
    assert [each.row.content for each in only(innkeeper)] == ["kept, though it was compacted", "still here"]


@pytest.mark.parametrize(
    "written",
    [
        "no json",
        '{"name": "terminal"}',
        [call(arguments="[1]")],
        [call(arguments="{broken")],
        [call(name="two words")],
        [call(id="")],
        [call(), call(name="memory")],
        ["terminal"],
        [call(arguments='{"x": NaN}')],
    ],
)
def test_calls_that_could_not_be_replayed_become_text(innkeeper: Shell, hermes: Hermes, written: Any) -> None:
    hermes.session("one")
    hermes.says("one", "assistant", "I look.", tool_calls=written)
    hermes.says("one", "tool", "found it", tool_call_id="call_1", tool_name="terminal")
    taken(innkeeper, hermes)
    asked, answered = only(innkeeper)
    assert (asked.row.tool_calls, answered.row.role) == ((), "assistant")
    assert asked.row.content.startswith("I look.\n\n[Called ")
    assert answered.row.content == "[The tool terminal answered]\nfound it"


def test_contents_in_parts(innkeeper: Shell, hermes: Hermes) -> None:
    parts = [{"type": "text", "text": "what is this?"}, {"type": "image_url", "image_url": {"url": "data:…"}}]
    hermes.session("one")
    hermes.says("one", "user", "\0json:" + json.dumps(parts))
    hermes.says("one", "user", "\0json:broken")
    hermes.says("one", "user", "nul \0 inside")
    taken(innkeeper, hermes)
    assert [each.row.content for each in only(innkeeper)] == [
        "what is this?\n[picture]",
        "broken",
        "nul \ufffd inside",
    ]


def test_times_that_are_none(innkeeper: Shell, hermes: Hermes) -> None:
    hermes.session("one", started_at=NOON * 1000)
    hermes.says("one", "user", "no time", timestamp="soon")
    hermes.says("one", "user", "iso", timestamp="2026-06-01T00:00:00+00:00")
    hermes.says("one", "user", "garbage", timestamp=5e246)
    taken(innkeeper, hermes)
    assert [each.created_at for each in only(innkeeper)] == [NOON, 1780272000.0, 1780272000.0]
    (session,) = listed(innkeeper)
    assert session["started_at"] < session["active_at"]


def test_text_that_is_no_text_loses_nothing_else(innkeeper: Shell, hermes: Hermes) -> None:
    hermes.session("one")
    with closing(hermes.running()) as db, db:
        db.execute(
            "INSERT INTO messages (session_id, role, content, timestamp)"
            " VALUES ('one', 'user', CAST(x'63616666e9' AS TEXT), 1780000001)"
        )
        db.execute("INSERT INTO messages (session_id, role, content, timestamp) VALUES ('one', 'user', x'6869', 1)")
    taken(innkeeper, hermes)
    assert [each.row.content for each in only(innkeeper)] == ["caff\ufffd", "hi"]


def test_errands_jobs_and_sessions_that_nobody_lists(innkeeper: Shell, hermes: Hermes) -> None:
    hermes.session("errand", "subagent")
    hermes.session("other", model_config='{"_delegate_from": "one"}')
    hermes.session("job", "cron")
    hermes.session("quiet")
    for name in ("errand", "other", "job", "nobody lists it"):
        hermes.says(name, "user", name)
    told = taken(innkeeper, hermes)["sessions"]
    assert (told["taken"], told["errands"], told["empty"]) == (2, 2, 1)
    assert {each["chat"] for each in listed(innkeeper)} == {"hermes:cron", "hermes:unknown"}
    job = next(each["id"] for each in listed(innkeeper) if each["chat"] == "hermes:cron")
    assert [each.row.untrusted for each in stored(innkeeper, job)] == ["job"]


def test_no_review_looks_at_them(innkeeper: Shell, hermes: Hermes) -> None:
    hermes.session("one")
    for number in range(40):
        hermes.says("one", "user", "do it")
        hermes.says("one", "assistant", None, tool_calls=[call(id=f"c{number}")])
        hermes.says("one", "tool", "done", tool_call_id=f"c{number}")
    taken(innkeeper, hermes)
    (session,) = listed(innkeeper)

    async def ask() -> tuple[list[Any], Any]:
        store = await SqliteStore.open(innkeeper.profile.database)
        try:
            assert [each for each, _ in await store.reviews.unsettled(0)] == [session["id"]]
            standing = await store.reviews.standing(session["id"], ("memory", "skill"))
            offered = await store.reviews.offer(session["id"], ("memory", "skill"), "boundary", NOON)
            return [standing.counts, standing.unseen], offered
        finally:
            await store.close()

    (counts, unseen), offered = asyncio.run(ask())
    assert (counts, unseen, offered) == ({"memory": 0, "skill": 0}, frozenset(), None)


def test_a_dry_run_says_the_same_and_writes_nothing(innkeeper: Shell, hermes: Hermes) -> None:
    hermes.session("one", chat_id="111")
    hermes.says("one", "user", "hello")
    there = hermes.tree()
    dry = taken(innkeeper, hermes, "--dry-run")
    assert list(innkeeper.home.iterdir()) == []
    wet = taken(innkeeper, hermes)
    assert dry["sessions"] == wet["sessions"]
    before = _files(innkeeper)
    assert taken(innkeeper, hermes, "--dry-run")["sessions"]["there"] == 1
    assert _files(innkeeper) == before
    assert hermes.tree() == there


def test_beside_the_running_program_with_a_log(innkeeper: Shell, hermes: Hermes) -> None:
    hermes.session("one")
    with closing(hermes.running()):
        hermes.says("one", "user", "only in the log")
        there = hermes.tree()
        assert there["state.db-wal"][0]
        taken(innkeeper, hermes)
        assert hermes.tree() == there
    assert [each.row.content for each in only(innkeeper)] == ["only in the log"]
    assert not list(innkeeper.profile.cache.glob("theirs-*"))


def test_a_log_that_nobody_closed_is_read_and_stays(innkeeper: Shell, hermes: Hermes, tmp_path: Path) -> None:
    left = Hermes(tmp_path / "left")
    left.folder.mkdir()
    hermes.session("one")
    with closing(hermes.running()):
        hermes.says("one", "user", "before the power went")
        for each in ("state.db", "state.db-wal"):
            (left.folder / each).symlink_to(hermes.folder / each)
            data = (left.folder / each).resolve().read_bytes()
            (left.folder / each).unlink()
            left.put(each, data)
    there = left.tree()
    assert set(there) == {"state.db", "state.db-wal"}
    taken(innkeeper, left)
    assert left.tree() == there
    assert [each.row.content for each in only(innkeeper)] == ["before the power went"]


@pytest.mark.parametrize("broken", [b"", b"this is no database at all" * 100, b"SQLite format 3\0" + b"\7" * 5000])
def test_a_broken_database_stops_nothing_else(innkeeper: Shell, hermes: Hermes, broken: bytes) -> None:
    hermes.remembers("Ann drinks tea.")
    file = hermes.put("state.db", broken)
    result = innkeeper("import", "hermes", "--home", str(hermes.folder))
    assert result.exit_code == 1
    assert f"database “{file}”" in result.stdout
    assert "1 came over" in result.stdout
    assert (innkeeper.profile.memories / "MEMORY.md").read_text() == "Ann drinks tea."
    assert file.read_bytes() == broken


def test_a_database_that_is_damaged_inside(innkeeper: Shell, hermes: Hermes) -> None:
    for name in "abcdefgh":
        hermes.session(name, title=name)
    rows = [(name, "user", f"{number} " + "x" * 2000, NOON) for name in "abcdefgh" for number in range(40)]
    hermes.rows("messages", ["session_id", "role", "content", "timestamp"], rows)
    file = hermes.database
    data = bytearray(file.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 3 * 4096] = b"\xff" * 3 * 4096
    hermes.put("state.db", bytes(data))
    result = innkeeper("import", "hermes", "--home", str(hermes.folder), "--json")
    told = json.loads(result.stdout)
    lost = [each for each in told["items"] if each["result"] == "left"]
    assert lost
    assert told["sessions"]["taken"] > 0
    assert result.exit_code == 1
    assert "malformed" in lost[0]["why"] or "cannot be read" in lost[0]["why"]


def test_missing_tables_and_columns_are_named(innkeeper: Shell, hermes: Hermes) -> None:
    with closing(hermes.running()) as db, db:
        db.execute("DROP TABLE messages")
    told = innkeeper("import", "hermes", "--home", str(hermes.folder))
    assert told.exit_code == 1
    assert "it has no table messages" in told.stdout


def test_many_messages_in_whole_sessions(innkeeper: Shell, hermes: Hermes) -> None:
    hermes.session("s0")
    sessions = [(f"s{n}", "cli", NOON + n) for n in range(1, 40)]
    hermes.rows("sessions", ["id", "source", "started_at"], sessions)
    hermes.rows("messages", ["session_id", "role", "content", "timestamp"], list(_talk(40, 120)))
    told = taken(innkeeper, hermes)["sessions"]
    assert (told["taken"], told["messages"]) == (40, 4800)
    with closing(own(innkeeper)) as db:
        counts = db.execute("SELECT DISTINCT count(*) FROM messages GROUP BY session_id").fetchall()
    assert counts == [(120,)]


def test_going_on_with_one_is_asked_for_and_has_its_own_prompt(innkeeper: Shell, hermes: Hermes) -> None:
    hermes.session("one", "cli")
    hermes.says("one", "user", "hello")
    taken(innkeeper, hermes)
    with closing(own(innkeeper)) as db:
        prompt, tools, ended = db.execute("SELECT prompt, tools, ended_at FROM sessions").fetchone()
    assert "Hermes Agent" in prompt
    assert (tools, ended) == ("[]", NOON + 1)


def _talk(sessions: int, each: int) -> Iterator[tuple[str, str, str, float]]:
    for session in range(sessions):
        for number in range(each):
            yield f"s{session}", "user" if number % 2 == 0 else "assistant", f"word {number}", NOON + number


def own(innkeeper: Shell) -> Any:
    import sqlite3

    return sqlite3.connect(innkeeper.profile.database)


def _files(innkeeper: Shell) -> dict[str, bytes]:
    paths = [each for each in innkeeper.home.rglob("*") if each.is_file() and "state.db" not in each.name]
    return {str(each): each.read_bytes() for each in paths}
