"""The sessions of a Hermes Agent database, of whatever version: which there are, where they were held, and by whom.

Old versions have fewer columns; what is not known stays unknown, and a session whose chat is not known is put where
no chat is, for the owner alone.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from gateway.importing.hermes_talk import COLUMNS, EARLIEST, Talk, moment, talk
from gateway.state.foreign import Fields, Foreign, Value
from platforms.messages import ChatRef

SESSIONS, MESSAGES = "sessions", "messages"
ELSEWHERE = "hermes"
"""The platform of chats that are none of ours."""

SHELLS = frozenset({"cli", "tui", "desktop", "local", "acp", "oneshot"})
ERRANDS = frozenset({"tool", "subagent", "delegate"})
"""Sources of what the assistant asked itself."""

_WANTED = (
    *("id", "source", "user_id", "session_key", "chat_id", "chat_type", "thread_id", "origin_json", "model"),
    *("model_config", "started_at", "ended_at", "title", "last_activity_at", "pinned"),
)
_GENERAL = "1"
"""The topic that every Telegram forum has; there it is the chat itself."""

_CHAT_CHARS = 200
"""Characters of what a chat or a topic can be called."""

_PLATFORM = re.compile(r"[^a-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Held:
    """A session there. `person` is who spoke, by the platform's id, where that is known; `group`, whether several
    may hear it. Times in seconds since the epoch."""

    id: str
    source: str
    chat: ChatRef
    person: str
    group: bool
    model: str | None
    title: str | None
    pinned: bool
    started: float
    ended: float | None
    errand: bool

    @property
    def name(self) -> str:
        """The id that it has here, the same each time."""
        digest = hashlib.sha256(f"{ELSEWHERE}\0{self.id}".encode("utf-8", "replace")).hexdigest()
        return f"{datetime.fromtimestamp(self.started, UTC):%Y%m%d}-{digest[:10]}"

    @property
    def job(self) -> bool:
        return self.source == "cron"


def missing(database: Foreign) -> str:
    """Why no session can be read there; empty when they can."""
    for table, needed in ((SESSIONS, {"id"}), (MESSAGES, {"session_id", "role", "content"})):
        if not database.has(table):
            return f"it has no table {table}"
        if lacking := needed - database.columns(table):
            return f"its table {table} has no column {', '.join(sorted(lacking))}"
    return ""


def held(database: Foreign, routes: Mapping[str, Mapping[str, Any]], unlisted: Iterable[Value] = ()) -> list[Held]:
    """All sessions, the oldest first. `routes` says where those were held of which the database does not; `unlisted`
    are sessions of which it has nothing but messages. Raises DatabaseFault."""
    known = {**_routed(database), **routes}
    listed = {str(each["id"]): each for each in database.rows(SESSIONS, _WANTED) if each["id"] not in (None, "")}
    blank: Fields = dict.fromkeys(_WANTED)
    for each in unlisted:
        if each not in (None, ""):
            listed.setdefault(str(each), {**blank, "id": each})
    found = [_held(each, known.get(name, {})) for name, each in listed.items()]
    return sorted(found, key=lambda each: (each.started, each.id))


def said(database: Foreign, session: Held) -> Talk:
    """What was said in it. Raises DatabaseFault."""
    rows = database.rows(MESSAGES, COLUMNS, "session_id", session.id)
    return talk(rows, session.started, session.model, job=session.job)


def _routed(database: Foreign) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for each in database.rows("gateway_routing", ("entry_json",)) if database.has("gateway_routing") else ():
        entry = _object(each["entry_json"])
        if entry.get("session_id") and isinstance(entry.get("origin"), dict):
            found[str(entry["session_id"])] = entry["origin"]
    return found


def _held(fields: Fields, route: Mapping[str, Any]) -> Held:
    origin = {**route, **_object(fields["origin_json"])}
    source = _PLATFORM.sub("-", str(fields["source"] or "").lower()).strip("-") or "unknown"
    chat, kind = _chat(fields, origin, source)
    started = moment(fields["started_at"], moment(fields["ended_at"], EARLIEST))
    ended = fields["ended_at"] or fields["last_activity_at"]
    config = _object(fields["model_config"])
    return Held(
        id=str(fields["id"]),
        source=source,
        chat=chat,
        person=_text(origin.get("user_id") or fields["user_id"]),
        group=kind not in ("dm", "private", ""),
        model=_text(fields["model"]) or None,
        title=" ".join(_text(fields["title"]).split())[:200] or None,
        pinned=bool(fields["pinned"]),
        started=started,
        ended=max(started, moment(ended, started)) if ended else None,
        errand=source in ERRANDS or bool(config.get("_delegate_from")),
    )


def _chat(fields: Fields, origin: Mapping[str, Any], source: str) -> tuple[ChatRef, str]:
    """Where it was held, and what kind of chat that is there."""
    if source in SHELLS:
        return ChatRef("console", ELSEWHERE), ""
    chat, thread = origin.get("chat_id") or fields["chat_id"], origin.get("thread_id") or fields["thread_id"]
    kind = _text(origin.get("chat_type") or fields["chat_type"])
    if not chat:
        chat, kind = _from_key(_text(fields["session_key"]), source)
    if not chat or source in ("cron", "unknown", "console"):
        return ChatRef(ELSEWHERE, source), kind
    where, topic = _text(chat), _text(thread) or None
    if not all(each.isprintable() and len(each) <= _CHAT_CHARS for each in (where, topic or "")):
        return ChatRef(ELSEWHERE, source), kind
    if source == "telegram" and topic == _GENERAL:
        topic = None
    if source == "discord":
        parent = _text(origin.get("parent_chat_id"))
        where, topic = (parent, topic or where) if parent and parent != where else (where, topic)
        topic = None if topic == where else topic
    return ChatRef(source, where, topic), kind


def _from_key(key: str, source: str) -> tuple[str, str]:
    """Chat and kind out of a key such as `agent:main:telegram:dm:111`; a longer one does not say what its parts
    are."""
    parts = key.split(":")
    if len(parts) == 5 and parts[2] == source:
        return parts[4], parts[3]
    return "", ""


def _object(written: Any) -> Mapping[str, Any]:
    try:
        found = json.loads(written) if isinstance(written, str) and written else None
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()
