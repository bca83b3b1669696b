"""The state of the fake Telegram: chats with their messages, the bot's queue of updates, its files and queries.

Owns ids and what a chat reads. Which calls change it, and with which words they are refused, is `methods`' matter.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.telegram.form import Upload
from tests.fakes.telegram.texts import within

Raw = dict[str, Any]

NOT_BY_DEFAULT = {"chat_member", "message_reaction", "message_reaction_count"}
"""Kinds of update that come only to those who ask for them."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One message of the bot as it reads at the end. `edits` counts how often it changed."""

    message_id: int
    text: str
    entities: tuple[Raw, ...] = ()
    buttons: tuple[tuple[str, ...], ...] = ()
    edits: int = 0
    thread: int | None = None
    reply_to: int | None = None
    quiet: bool = False
    file: Upload | None = None

    def formatted(self, kind: str) -> list[str]:
        """The parts of the text that have this format."""
        return [within(self.text, each) for each in self.entities if each["type"] == kind]


@dataclass(slots=True)
class Written:
    """One message of anybody: as the Bot API gives it, and what only the server knows."""

    raw: Raw
    by_bot: bool
    edits: int = 0
    quiet: bool = False
    file: Upload | None = None


@dataclass(slots=True)
class Chat:
    """One place. `topics` maps a thread id to its name; `barred` is the sentence with which 403 refuses the bot;
    `marked` are the bot's reactions, each as (message id, emoji), an empty one for those taken away."""

    raw: Raw
    topics: dict[int, str] = field(default_factory=dict)
    messages: dict[int, Written] = field(default_factory=dict)
    numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    barred: str = ""
    moved_to: int | None = None
    actions: list[tuple[str, int | None]] = field(default_factory=list)
    drafts: list[str] = field(default_factory=list)
    marked: list[tuple[int, str]] = field(default_factory=list)

    @property
    def id(self) -> int:
        return int(self.raw["id"])

    @property
    def forum(self) -> bool:
        return bool(self.raw.get("is_forum"))


@dataclass(slots=True)
class Query:
    """One button press, waiting for its answer."""

    asked_at: float
    answered: bool = False
    text: str = ""


class World:
    """Everything that the server remembers. `now` gives seconds since the epoch."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self.now = now
        self.chats: dict[int, Chat] = {}
        self.updates: list[Raw] = []
        self.again: list[Raw] = []
        self.delivered: list[Raw] = []
        self.allowed: list[str] = []
        self.queries: dict[str, Query] = {}
        self.files: dict[str, Upload] = {}
        self.commands: list[Raw] = []
        self.changed = asyncio.Condition()
        # Ids of updates, like those of people and chats, are larger than 32 bits hold.
        self._update_ids = itertools.count(5_000_000_001)
        self._query_ids = itertools.count(7_000_000_000_001)
        self._file_ids = itertools.count(1)

    def queue(self, kind: str, payload: Raw) -> Raw | None:
        """A new update for the bot, unless it did not ask for this kind."""
        if kind not in self.allowed if self.allowed else kind in NOT_BY_DEFAULT:
            return None
        return self.queue_raw({kind: payload})

    def queue_raw(self, fields: Raw) -> Raw:
        update = {"update_id": next(self._update_ids), **fields}
        self.updates.append(update)
        self.tell()
        return update

    def tell(self) -> None:
        """Wake whoever waits for a change."""
        asyncio.ensure_future(self._tell())  # noqa: RUF006 - it ends in the next pass of the loop

    async def _tell(self) -> None:
        async with self.changed:
            self.changed.notify_all()

    def confirm(self, offset: int) -> None:
        """Forget what the bot has: everything below the offset; a negative one counts from the end."""
        if offset < 0:
            self.updates = self.updates[offset:]
        elif offset:
            self.updates = [each for each in self.updates if each["update_id"] >= offset]

    def pending(self, limit: int) -> list[Raw]:
        """What is to be delivered now. An update that comes twice stands before the others."""
        answer, self.again = [*self.again, *self.updates][:limit], self.again[limit:]
        return answer

    def keep_file(self, upload: Upload) -> str:
        file_id = f"file-{next(self._file_ids)}"
        self.files[file_id] = upload
        return file_id

    def ask(self) -> str:
        """A new button press; its id."""
        query_id = str(next(self._query_ids))
        self.queries[query_id] = Query(self.now())
        return query_id

    def write(self, chat: Chat, fields: Raw, *, by_bot: bool = False, file: Upload | None = None) -> Written:
        """A new message in a chat."""
        number = next(chat.numbers)
        raw = {"message_id": number, "date": int(self.now()), "chat": chat.raw, **fields}
        written = chat.messages[number] = Written(raw, by_bot, file=file)
        self.tell()
        return written

    def seen(self, chat: Chat, thread: int | None = None) -> list[Seen]:
        """The bot's messages in a chat (in one topic of it), oldest first."""
        return [
            _seen(each)
            for each in chat.messages.values()
            if each.by_bot and (thread is None or each.raw.get("message_thread_id") == thread)
        ]


def _seen(written: Written) -> Seen:
    raw = written.raw
    rows = raw.get("reply_markup", {}).get("inline_keyboard", [])
    return Seen(
        raw["message_id"],
        str(raw.get("text", raw.get("caption", ""))),
        tuple(raw.get("entities") or raw.get("caption_entities") or ()),
        tuple(tuple(button["text"] for button in row) for row in rows),
        written.edits,
        raw.get("message_thread_id"),
        raw.get("reply_to_message", {}).get("message_id"),
        written.quiet,
        written.file,
    )
