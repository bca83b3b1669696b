"""Erasing a text from the database: it is gone from what was said, and everything else can still be read."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from gateway.state.codec import (
    dump_buttons,
    dump_calls,
    dump_event,
    dump_kept,
    load_buttons,
    load_calls,
    load_event,
    load_kept,
)
from gateway.state.contract_search import found, indexed, said
from gateway.state.records import KeptFile
from gateway.state.store import SqliteStore
from gateway.transcript import ToolCall
from platforms.messages import Attachment, Button, ChatKind, ChatRef, Inbound, Sender

CHAT = ChatRef("telegram", "1")
ARGUMENTS = {"target": "user", "action": "add", "content": "SAID", "operations": [{"old_text": "SAID"}], "n": 1}


def columns(said: str) -> dict[str, str]:
    """Every JSON column, full of one text."""
    files = (Attachment("document", f"{said}.pdf", "application/pdf", 10, "f1"),)
    event = Inbound("bot", "e1", CHAT, ChatKind.DIRECT, Sender("1", "Ada"), f"It is {said}.", 1.0, attachments=files)
    event = replace(event, quoted=f"Was it {said}?")
    raw = json.dumps(ARGUMENTS).replace("SAID", json.dumps(said)[1:-1])
    return {
        "body": dump_event(event),
        "tool_calls": dump_calls((ToolCall("call_1", "memory", raw),)) or "",
        "buttons": dump_buttons(((Button(f"Go on: {said}", "/resume ab12"),),)),
        "files": dump_kept((KeptFile("document", f"{said}.pdf", "application/pdf", "/cache/ab/cd.bin"),)),
        "value": json.dumps({"entries": {"user": [said], "memory": []}}),
    }


def keys(value: object) -> set[str]:
    """The names of all fields in JSON, and in the JSON within."""
    match value:
        case dict():
            return set(value) | {name for each in value.values() for name in keys(each)}
        case list():
            return {name for each in value for name in keys(each)}
        case str() if value.startswith("{"):
            return keys(json.loads(value))
        case _:
            return set()


KEYS = sorted({name for each in columns("x").values() for name in keys(json.loads(each))})
ESCAPED = ['say "hi"', "back\\slash", "two\nlines", "tab\there", "Grüße", "😀 face", "\\n", '\\"', "u00fc", "\\u00fc"]
LETTERS = ["a", "e", '"', "\\", "1", "[", "{", ":", ","]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open(tmp_path / "state.db")
    yield store
    await store.close()


async def filled(store: SqliteStore, said: str) -> None:
    given = columns(said)

    def fill(db: sqlite3.Connection) -> None:
        db.execute("PRAGMA defer_foreign_keys = ON")
        db.execute(
            "INSERT INTO sessions (id, session_key, chat, prompt, tools, started_at, active_at)"
            " VALUES ('s1', 'k', 'telegram:1', ?, '[]', 1, 1)",
            (f"Known: {said}",),
        )
        db.execute(
            "INSERT INTO messages (session_id, role, content, note, tool_calls, created_at, files)"
            " VALUES ('s1', 'assistant', ?, ?, ?, 1, ?)",
            (said, said, given["tool_calls"], given["files"]),
        )
        db.execute(
            "INSERT INTO outbox (chat, source, part, text, buttons, nonce, state, created_at)"
            " VALUES ('telegram:1', 'turn:1', 0, ?, ?, 'n', 'sent', 1)",
            (said, given["buttons"]),
        )
        db.execute(
            "INSERT INTO inbox (platform, account, event_id, session_key, body, sent_at, received_at, state)"
            " VALUES ('telegram', 'bot', 'e1', 'k', ?, 1, 1, 'done')",
            (given["body"],),
        )
        db.execute(
            "INSERT INTO dead_letters (platform, account, event_id, body, error, created_at)"
            " VALUES ('telegram', 'bot', 'e2', ?, 'x', 1)",
            (given["body"],),
        )
        db.execute("INSERT INTO facts VALUES ('s1', 'memory_start', ?)", (given["value"],))
        db.execute("INSERT INTO facts VALUES ('telegram:1', 'model', '\"openai/gpt\"')")

    await store.database.write(fill)


async def column(store: SqliteStore, name: str, table: str, where: str = "1") -> str:
    query = f"SELECT {name} FROM {table} WHERE {where}"
    return str(await store.database.read(lambda db: db.execute(query).fetchone()[0]))


@pytest.mark.parametrize("word", [*KEYS, *ESCAPED, *LETTERS, "mark", "chat", "memory", "telegram", "openai"])
async def test_a_text_is_erased_and_all_the_rest_can_be_read(store: SqliteStore, word: str) -> None:
    await filled(store, word)
    would = await store.traces.find([word])
    assert (would.messages, would.sessions) == (1, {"s1"})
    assert await store.traces.erase([word]) == would
    event = load_event(await column(store, "body", "inbox"))
    assert word not in f"{event.text} {event.quoted}".replace("[erased]", "")
    assert (event.chat, event.kind, event.sender, event.event_id) == (CHAT, ChatKind.DIRECT, Sender("1", "Ada"), "e1")
    assert event.attachments[0].kind == "document"
    (call,) = load_calls(await column(store, "tool_calls", "messages"))
    assert (call.id, call.name) == ("call_1", "memory")
    arguments = json.loads(call.arguments)
    assert keys(arguments) == keys(ARGUMENTS)
    assert (arguments["content"], arguments["n"]) == ("[erased]", 1)
    (kept,) = load_kept(await column(store, "files", "messages"))
    assert (kept.kind, kept.media_type, kept.path) == ("document", "application/pdf", "/cache/ab/cd.bin")
    assert kept.name.startswith("[erased]")
    ((button,),) = load_buttons(await column(store, "buttons", "outbox"))
    assert button.action == "/resume ab12"
    assert "[erased]" in button.label
    start = json.loads(await column(store, "value", "facts", "name = 'memory_start'"))
    assert start == {"entries": {"user": ["[erased]"], "memory": []}}
    assert keys(json.loads(await column(store, "body", "dead_letters"))) == keys(json.loads(columns("x")["body"]))
    assert await column(store, "value", "facts", "name = 'model'") == '"openai/gpt"'
    for name, table in (("content", "messages"), ("note", "messages"), ("text", "outbox")):
        assert await column(store, name, table) == "[erased]"


async def test_looking_changes_nothing_and_blanks_are_no_text(store: SqliteStore) -> None:
    await filled(store, "a secret")
    await store.traces.find(["a secret"])
    assert await column(store, "content", "messages") == "a secret"
    assert (await store.traces.erase(["", "  \n"])).messages == 0
    assert (await store.traces.find(["another"])).sessions == frozenset()


@pytest.mark.parametrize("apart", [True, False], ids=["one by one", "together"])
async def test_no_word_of_it_stays_in_the_searchs_index(tmp_path: Path, apart: bool) -> None:
    """What the index let go of stands in its older parts until they are written anew; so they are."""
    path = tmp_path / "state.db"
    store = await SqliteStore.open(path)
    for number, text in enumerate(("We talk of tea.", "The code is xyzzy7391.", "Noted: xyzzy7391.", "And of milk.")):
        await said(store, f"s{number}", [text])
        if apart:
            await indexed(store)
    await indexed(store)
    assert await found(store, "xyzzy7391") == ["s1", "s2"]
    await store.traces.erase(["xyzzy7391"])
    assert await found(store, "xyzzy7391") == []
    assert (await found(store, "tea"), await found(store, "milk"), await found(store, "noted")) == (
        ["s0"],
        ["s3"],
        ["s2"],
    )
    await store.close()
    assert b"xyzzy7391" not in path.read_bytes()
    assert not path.with_name("state.db-wal").exists()
