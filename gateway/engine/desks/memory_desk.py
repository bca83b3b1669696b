"""What commands ask about memory beyond the two files: why something was not remembered, and erasing traces."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace

from commands.ports import Traces
from gateway.agent.requests import Kind, recognise
from gateway.agent.scopes import OWNERS, ScopeOf
from gateway.engine.care.remains import Remains
from gateway.engine.sessions.session_notes import START, kept
from gateway.state.protocols import Store
from gateway.state.records import Session
from memory.files import FileTrouble
from memory.model import Target
from memory.shelf import Shelf
from memory.store import Stores
from platforms.messages import ChatRef

TOOL = "memory"


class MemoryDesk:
    """`commands.ports.Memory` on the stores and the archive."""

    def __init__(
        self, shelf: Shelf, remains: Remains, store: Store, forget: Callable[[str], object], scope: ScopeOf
    ) -> None:
        """`forget` erases what model hosts keep of a session."""
        self._shelf = shelf
        self._stores = shelf.own
        self._remains = remains
        self._store = store
        self._forget = forget
        self._scope = scope
        self._writings: set[asyncio.Event] = set()

    @property
    def stores(self) -> Stores:
        return self._stores

    def at(self, chat: ChatRef | None, who: str, *, direct: bool) -> MemoryDesk | None:
        if chat is None:
            return self
        scope = self._scope(chat, who, direct)
        if not scope.files or (scope != OWNERS and not direct):
            return None
        theirs = copy(self)  # what is being written is known to both
        theirs._stores = self._shelf.of(scope.files)
        return theirs

    @contextmanager
    def writing(self) -> Iterator[None]:
        done = asyncio.Event()
        self._writings.add(done)
        try:
            yield
        finally:
            self._writings.discard(done)
            done.set()

    async def settled(self) -> None:
        """Wait for the changes that are under way; each has its own deadline."""
        for each in list(self._writings):
            await each.wait()

    async def traces(self, texts: Sequence[str]) -> Traces:
        beside = await asyncio.to_thread(self._remains.found, texts)
        return replace(beside, messages=(await self._store.traces.find(texts)).messages)

    async def erase(self, texts: Sequence[str]) -> Traces:
        # The archive comes last: it holds the order, which is carried out once more when the process dies here.
        beside = await asyncio.to_thread(self._remains.erased, texts)
        touched = await self._store.traces.erase(texts)
        for session in touched.sessions:
            self._forget(session)
        return replace(beside, messages=touched.messages)

    async def cause(self, message: str | None) -> str:
        kind, _, number = (message or "").partition(":")
        if kind not in ("inbox", "turn") or not number.isdecimal() or len(number) > 18:
            return ""
        if kind == "inbox":
            item = await self._store.inbox.get(int(number))
            return item.event.text if item is not None else ""
        return await self._said(int(number))

    async def spot(self, message: str | None) -> tuple[str, int] | None:
        kind, _, number = (message or "").partition(":")
        if kind != "turn" or not number.isdecimal() or len(number) > 18:
            return None
        stored = await self._store.turns.messages_of_turn(int(number))
        said = next((each for each in stored if each.row.role == "user"), None)
        return (said.session_id, said.id) if said is not None else None

    async def wish(self, turn: int, key: str | None) -> str:
        stored = await self._store.turns.messages_of_turn(turn)
        session = await self._store.sessions.get(stored[0].session_id) if stored else None
        if session is None or session.session_key != key:
            return ""
        asked = recognise(await self._said(turn))
        return asked.about if asked is not None and asked.kind is not Kind.FORGET else ""

    async def _said(self, turn: int) -> str:
        stored = await self._store.turns.messages_of_turn(turn)
        return "\n".join(each.row.content for each in stored if each.row.role == "user" and each.row.content)

    async def ordered(self, item_id: int, key: str | None) -> str:
        item = await self._store.inbox.get(item_id)
        return item.event.text if item is not None and item.session_key == key else ""

    async def diagnosis(self, key: str | None) -> list[str]:
        """The causes in order, each with what holds; the last line is the next step."""
        on = self._stores.enabled
        lines = [await self._called(key), self._on(on)]
        lines += [f"⚠️ {each}" for each in await asyncio.to_thread(self._stores.problems)]
        held = await asyncio.to_thread(self._held)
        lines += [
            f"{self._stores.file(target)}: {self._stores.path(target)}{usage}" for target, (_, usage) in held.items()
        ]
        lines += await self._older(key, [(target, entry) for target, (each, _) in held.items() for entry in each])
        lines.append("Next step: /remember TEXT keeps it without a model; a stronger model (/model) calls for more.")
        return lines

    async def _called(self, key: str | None) -> str:
        """Whether this session's model asked for a write at all, and what it was told."""
        session = await self._store.sessions.current(key) if key else None
        if session is None:
            return "1. No session here: nothing was asked for."
        calls, refusals, staged = await self._calls(session)
        if not calls:
            return "1. No write was asked for in this session: the model never called the memory tool."
        count = await asyncio.to_thread(self._waiting, staged)
        waits = f" {count} {'waits' if count == 1 else 'wait'} for a yes: /memory pending." if count else ""
        if refusals:
            return f"1. {calls} writes were asked for, {len(refusals)} refused.{waits} The last: {refusals[-1]}"
        return f"1. {calls} writes were asked for in this session, none refused.{waits}"

    def _waiting(self, staged: set[str]) -> int:
        """How many of these writes nobody decided yet, in their own words or edited. Raises FileTrouble."""
        waiting = 0
        for name in staged:
            receipt = self._stores.receipt(name)
            while receipt is not None and receipt.result == "edited":
                receipt = self._stores.receipt(receipt.detail)
            waiting += receipt is None
        return waiting

    async def _calls(self, session: Session) -> tuple[int, list[str], set[str]]:
        """How many calls of the tool, the reasons of those that were refused, and the ids of what was put aside."""
        rows = [each.row for each in await self._store.turns.messages(session.id)]
        names = {call.id for row in rows for call in row.tool_calls if call.name == TOOL}
        refusals, staged = [], set()
        for row in rows:
            if row.role == "tool" and row.tool_call_id in names:
                try:
                    answer = json.loads(row.content)
                except ValueError:
                    continue
                if not answer.get("success"):
                    refusals.append(str(answer.get("error", "no reason given")))
                elif answer.get("staged"):
                    staged.add(str(answer.get("pending_id", "")))
        return len(names), refusals, staged

    def _on(self, on: Sequence[Target]) -> str:
        if len(on) == len(Target):
            return "2. Both stores are on."
        off = [target.value for target in Target if target not in self._shelf.own.enabled]
        if off:
            return f"2. Switched off: {', '.join(off)} (memory.memory_enabled, memory.user_profile_enabled)."
        return f"2. This chat has a file of its own for {', '.join(on)}, and no other (memory.scope)."

    def _held(self) -> dict[Target, tuple[Sequence[str], str]]:
        """The entries of the stores that are on, and how full each is; nothing of a file that cannot be read."""
        held: dict[Target, tuple[Sequence[str], str]] = {}
        for target in self._stores.enabled:
            try:
                held[target] = self._stores.entries(target), f", {self._stores.usage(target)}"
            except FileTrouble:
                held[target] = (), ""  # it is among the problems
        return held

    async def _older(self, key: str | None, entries: Sequence[tuple[Target, str]]) -> list[str]:
        session = await self._store.sessions.current(key) if key else None
        start = await self._store.facts.get(session.id, START) if session is not None else None
        if start is None:
            return []
        held = kept(start)
        later = sum(entry not in held.get(self._stores.file(target), []) for target, entry in entries)
        if not later:
            return ["3. Everything that is kept stands in this session's prompt."]
        what = "1 entry: it" if later == 1 else f"{later} entries: each"
        return [f"3. This session is older than {what} came as a note; /new puts what is kept into the prompt."]
