"""An archive and the tool that searches it, as a model has them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from gateway.state.records import Row, Session
from gateway.state.search import SqliteSearch
from gateway.state.search_protocols import Search
from gateway.state.search_records import FoundSession
from gateway.state.store import SqliteStore
from gateway.tools.search_answers import ANSWER_CHARS, WHOLE_CHARS
from gateway.tools.session_search import Onlooker, session_search_tool
from gateway.tools.tool import Tool, ToolContext, ToolResult
from platforms.messages import ChatRef
from tests.fakes.long_ago import LATE

NOON = 1_796_000_000.0
CHAT, GROUP = ChatRef("inprocess", "c1"), ChatRef("inprocess", "g1")


class Desk:
    """An archive and its tool; `visible` and `foreign` are what the house would say."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        self.visible: set[str] | None = None
        self.foreign: set[str] = set()
        self.tool = self._door(store.search)
        self.last: ToolResult | None = None

    def hurry(self) -> None:
        """From now on there is no time for more than a first look."""
        self.tool = self._door(SqliteSearch(self.store.database, LATE))

    def _door(self, search: Search) -> Tool:
        return session_search_tool(search, Onlooker(self._visible, self._foreign), lambda: NOON)

    async def _visible(self, context: ToolContext) -> set[str] | None:
        return self.visible

    async def _foreign(self, session: FoundSession) -> bool:
        return session.id in self.foreign

    async def had(
        self, name: str, *texts: str, chat: ChatRef = CHAT, at: float = NOON - 1000, marked: str = ""
    ) -> list[int]:
        """An ended session in which this was said by turns; the messages' ids."""
        session = Session(name, chat.key, chat, "prompt", "[]", f"about {name}", 0, False, at, at)
        await self.store.sessions.open(session)
        turn = await self.store.turns.begin(name, chat, [], [], at)
        rows = [
            Row("assistant" if number % 2 else "user", text, untrusted=marked) for number, text in enumerate(texts)
        ]
        ids = await self.store.turns.add(turn, rows, at)
        await self.store.turns.finish(turn, "answered", at)
        await self.store.sessions.close(name, "new", at)
        return ids

    async def ask(self, **arguments: Any) -> dict[str, Any]:
        context = ToolContext(CHAT, "here", 1, "inprocess:ada")
        self.last = await self.tool.run(arguments, context)
        answer: dict[str, Any] = json.loads(self.last.text)
        assert answer["success"] is self.last.ok
        return answer

    @property
    def text(self) -> str:
        """The last answer as it was sent."""
        return self.last.text if self.last is not None else ""

    async def follow(self, call: str) -> dict[str, Any]:
        """Make the call that an answer offers."""
        assert len(self.last.text if self.last else "") < ANSWER_CHARS + WHOLE_CHARS
        name, _, arguments = call[call.index("session_search {") :].partition(" ")
        assert name == "session_search"
        return await self.ask(**json.loads(arguments))


def texts(messages: Sequence[dict[str, Any]]) -> list[str]:
    return [each["text"] for each in messages]
