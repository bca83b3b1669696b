"""Homes of Hermes Agent as its versions leave them, built from nothing."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

NOON = 1_780_000_000.0
"""When the first thing was said there."""

EARLY = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT,
    system_prompt TEXT, parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, title TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id),
    role TEXT NOT NULL, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL);
"""

MIDDLE = """
CREATE TABLE schema_version (version INTEGER NOT NULL);
INSERT INTO schema_version VALUES (16);
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, session_key TEXT, chat_id TEXT,
    chat_type TEXT, thread_id TEXT, display_name TEXT, origin_json TEXT, model TEXT, model_config TEXT,
    parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, title TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
    content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, reasoning TEXT,
    active INTEGER NOT NULL DEFAULT 1);
CREATE INDEX by_session ON messages(session_id, timestamp);
"""

LATE = """
CREATE TABLE schema_version (version INTEGER NOT NULL);
INSERT INTO schema_version VALUES (30);
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, session_key TEXT, chat_id TEXT,
    chat_type TEXT, thread_id TEXT, display_name TEXT, origin_json TEXT, model TEXT, model_config TEXT,
    parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, title TEXT,
    last_activity_at REAL, archived INTEGER NOT NULL DEFAULT 0, pinned INTEGER NOT NULL DEFAULT 0);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
    content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, reasoning TEXT,
    observed INTEGER DEFAULT 0, _compressed_summary INTEGER NOT NULL DEFAULT 0, active INTEGER NOT NULL DEFAULT 1,
    compacted INTEGER NOT NULL DEFAULT 0, display_kind TEXT);
CREATE TABLE gateway_routing (scope TEXT, session_key TEXT, entry_json TEXT, updated_at REAL);
CREATE INDEX by_session ON messages(session_id, id);
"""

VERSIONS = {"early": EARLY, "middle": MIDDLE, "late": LATE}


def call(name: str = "terminal", arguments: str = '{"command": "ls"}', id: str = "call_1") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


class Hermes:
    """The home, made when something is first put into it."""

    def __init__(self, folder: Path, version: str = "late") -> None:
        self.folder = folder
        self.version = version
        self._open: sqlite3.Connection | None = None

    @property
    def database(self) -> Path:
        return self.folder / "state.db"

    def put(self, path: str, content: str | bytes) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def remembers(self, *entries: str, user: bool = False) -> None:
        self.put(f"memories/{'USER' if user else 'MEMORY'}.md", "\n§\n".join(entries))

    def skill(self, place: str, body: str = "Do it well.\n", name: str = "", **more: str) -> Path:
        """A skill at `skills/PLACE`; `more` are further files, with `__` for a slash."""
        name = name or place.rpartition("/")[2]
        text = f"---\nname: {name}\ndescription: How to {name}\nversion: 1.0.0\n---\n\n{body}"
        for path, content in more.items():
            self.put(f"skills/{place}/{path.replace('__', '/')}", content)
        return self.put(f"skills/{place}/SKILL.md", text).parent

    def shipped(self, *places: str) -> None:
        """Say of skills that they came with the program, as they are now."""
        self.put("skills/.bundled_manifest", "".join(f"{p.rpartition('/')[2]}:{self._md5(p)}\n" for p in places))

    def _md5(self, place: str) -> str:
        whole = hashlib.md5()
        folder = self.folder / "skills" / place
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                whole.update(str(file.relative_to(folder)).encode() + file.read_bytes())
        return whole.hexdigest()

    def session(self, id: str, source: str = "telegram", **fields: Any) -> None:
        given = {"id": id, "source": source, "started_at": NOON, **fields}
        self.write("sessions", given)

    def says(self, session: str, role: str, content: str | None = None, **fields: Any) -> None:
        given = {"session_id": session, "role": role, "content": content, "timestamp": NOON + 1, **fields}
        if isinstance(given.get("tool_calls"), list):
            given["tool_calls"] = json.dumps(given["tool_calls"])
        self.write("messages", given)

    def write(self, table: str, row: Mapping[str, Any]) -> None:
        self.rows(table, list(row), [tuple(row.values())])

    def rows(self, table: str, columns: list[str], rows: list[tuple[Any, ...]]) -> None:
        marks = ", ".join("?" * len(columns))
        query = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"
        if self._open is not None:
            self._open.executemany(query, rows)
            self._open.commit()
            return
        with closing(self._connected()) as db, db:
            db.executemany(query, rows)

    def _connected(self) -> sqlite3.Connection:
        self.folder.mkdir(parents=True, exist_ok=True)
        fresh = not self.database.exists()
        db = sqlite3.connect(self.database)
        if fresh:
            db.executescript(VERSIONS[self.version])
        return db

    def running(self) -> sqlite3.Connection:
        """Let the program run on its database: what is written from now on stays in the log."""
        self._open = self._connected()
        self._open.execute("PRAGMA journal_mode = WAL")
        self._open.execute("PRAGMA wal_autocheckpoint = 0")
        return self._open

    def tree(self) -> dict[str, tuple[bytes, int, int]]:
        """Every file with its bytes, its time of change and its rights."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            about = path.lstat()
            data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            found[str(path.relative_to(self.folder))] = (data, about.st_mtime_ns, about.st_mode)
        return found
