"""Conversations that were had: stored as the engine stores them, some time ago."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from gateway.state.protocols import Store
from gateway.state.records import KeptFile, PartDraft, Row, Session
from gateway.transcript import ToolCall, Usage
from platforms.messages import ChatKind, ChatRef, Inbound, Sender

DAY = 86_400.0
CHAT = ChatRef("telegram", "111")


@dataclass(frozen=True)
class Talk:
    """One session: `turns` exchanges that ended `days` ago. None for `days` is one that goes on."""

    id: str
    days: float | None = None
    turns: int = 1
    chat: ChatRef = CHAT
    title: str | None = None
    pinned: bool = False
    say: str = "said {turn} in {id}"
    files: tuple[KeptFile, ...] = ()
    tool: bool = False
    sent: bool = True
    rows: Sequence[Row] = field(default=())
    tools: str = "[]"


async def had(store: Store, *talks: Talk, now: float | None = None) -> None:
    """Store them; the events are as old as the sessions."""
    today = time.time() if now is None else now
    for talk in talks:
        await _had(store, talk, today if talk.days is None else today - talk.days * DAY)


async def _had(store: Store, talk: Talk, at: float) -> None:
    key = talk.chat.key
    await store.sessions.open(
        Session(talk.id, key, talk.chat, f"prompt of {talk.id}", talk.tools, talk.title, 0, talk.pinned, at, at)
    )
    for number in range(talk.turns):
        text = talk.say.format(turn=number, id=talk.id)
        event = Inbound("bot", f"{talk.id}-{number}", talk.chat, ChatKind.DIRECT, Sender("111", "Ada"), text, at)
        item = await store.inbox.accept(event, key, at)
        assert item is not None
        turn = await store.turns.begin(talk.id, talk.chat, [item.id], [Row("user", text, files=talk.files)], at)
        called: list[Row] = []
        if talk.tool:
            call = ToolCall("c1", "memory", '{"action":"add","content":"<b> ``` sk-abcdefghijklmnopqrst"}')
            called = [
                Row("assistant", "", tool_calls=(call,), model="m"),
                Row("tool", '{"success": true}', tool_call_id="c1"),
            ]
        answer = Row("assistant", f"answer {number} in {talk.id}", model="m")
        parts = [PartDraft(answer.content)]
        await store.turns.finish(turn, "answered", at, rows=[*talk.rows, *called, answer], parts=parts)
        if talk.sent:
            for part in await store.outbox.of_source(f"turn:{turn.id}"):
                await store.outbox.mark(part.id, "sent", at, remote_id="r")
    await store.usage.add(talk.id, "h", "m", "chat", Usage(input=10, output=5, calls=1), at)
    if talk.days is not None:
        await store.sessions.close(talk.id, "new", at)
