"""Calls that were approved, made once each, and their results handed to the conversation that wished for them.

A call is marked as begun before it is made: one that a dead process left so is not made again, and its session is
told that nobody knows. A result comes as an event of the house's own, with a name that is stored once: it is answered
by one turn, whatever dies in between.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from commands.authority import CONSOLE
from gateway.engine.arrival.accept import Reception
from gateway.engine.arrival.remarks import HOUSE, too_late
from gateway.engine.engine import Engine
from gateway.engine.gates.call_desk import CallDesk
from gateway.engine.gates.remote_tools import RemoteTools
from gateway.engine.house import House
from gateway.engine.turns.worker import Workers
from gateway.models.schema_check import problems
from gateway.tools.mcp.results import fenced
from gateway.tools.mcp.shapes import RemoteTool
from gateway.tools.tool import Tool, ToolContext, ToolResult
from gateway.tools.toolset import Toolset
from gateway.transcript import ToolCall
from memory.files import FileTrouble
from memory.model import Origin
from memory.pending.call_model import PendingCall
from memory.pending.call_store import DecidedCalls
from memory.pending.outcomes import Decided
from platforms.messages import ChatKind, ChatRef, Inbound, Sender

LOOK = 2.0
"""Seconds between two looks at what other processes decided."""

EXTRA = 60.0
"""Seconds that a call may take beyond its own time: the server may have to be begun first."""

MADE = "[The call of {name} that was approved has been made.]"
NOT_MADE = "[The call of {name} that was approved came to no good end.]"
UNKNOWN = (
    "The gateway ended while this call was being made. Nobody knows whether it was carried out; it is not repeated."
)
OTHERS = "The tool takes other arguments by now than when it was asked about. Nothing was done."
GONE = "The tool is not there any more, or is denied. Nothing was done."


def calls_beside(engine: Engine, *, everywhere: bool) -> dict[str, Callable[[], Awaitable[None]]]:
    """What runs beside an engine for calls, by a name for the log; nothing where there are no servers. `everywhere`:
    it is the gateway's; a window's own engine, which may end at any moment, makes the console's calls alone."""
    remote = engine.house.remote
    if remote is None:
        return {}
    return {"calls": CallRuns(engine.house, remote, engine.workers, engine.reception, everywhere=everywhere).run}


class CallRuns:
    """`run()` beside the engine."""

    def __init__(
        self, house: House, remote: RemoteTools, workers: Workers, reception: Reception, *, everywhere: bool
    ) -> None:
        self._everywhere = everywhere
        self._house = house
        self._remote = remote
        self._desk: CallDesk = remote.desk
        self._workers = workers
        self._reception = reception
        self._running: dict[str, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Reach the servers, and attend to calls until cancelled; then what is being made is left as begun."""
        self._remote.servers.begin()
        try:
            await asyncio.to_thread(self._interrupted)
            while True:
                self._desk.rung.clear()
                await self.look()
                nap = asyncio.ensure_future(self._house.clock.sleep(LOOK))
                rung = asyncio.ensure_future(self._desk.rung.wait())
                await asyncio.wait([nap, rung], return_when=asyncio.FIRST_COMPLETED)
                nap.cancel()
                rung.cancel()
        finally:
            for task in self._running.values():
                task.cancel()

    async def look(self) -> None:
        """Begin with what was approved, and tell what has been made."""
        try:
            for name in await asyncio.to_thread(self._ready):
                if name not in self._running and name not in self._desk.asking:
                    task = self._running[name] = asyncio.ensure_future(self._carry_out(name))
                    task.add_done_callback(partial(self._over, name))
            for name in await asyncio.to_thread(self._ours, "done"):
                await self._tell(name)
        except (FileTrouble, OSError) as trouble:
            self._house.report.warning("calls.fault", why=str(trouble))

    def _over(self, name: str, task: asyncio.Task[None]) -> None:
        self._running.pop(name, None)
        if not task.cancelled() and (fault := task.exception()) is not None:
            self._house.report.warning("calls.fault", call=name, why=f"{type(fault).__name__}: {fault}")

    @property
    def _decided(self) -> DecidedCalls:
        return self._desk.resolver.calls.decided

    def _ready(self) -> list[str]:
        """What is to be made: only what stands in the receipts, so that nothing can be approved a second time."""
        if not (names := self._ours("json")):
            return []
        self._desk.resolver.mend()
        return [each for each in names if isinstance(self._desk.resolver.became(each), Decided)]

    def _ours(self, state: str) -> list[str]:
        """Those in this state that this engine attends to."""
        names = self._decided.ids(state)
        return [each for each in names if self._everywhere or self._decided.chat(each).startswith(f"{CONSOLE}:")]

    def _interrupted(self) -> None:
        for name in self._ours("running"):
            self._decided.end(name, UNKNOWN, ok=False)

    async def _carry_out(self, name: str) -> None:
        call = await asyncio.to_thread(self._decided.take, name)
        if call is None:
            return
        tool = self._remote.servers.find(call.offered)
        if tool is None or (tool.server, tool.tool) != (call.server, call.tool):
            result = ToolResult(fenced(call.tool, call.server, GONE, ok=False), ok=False)
        elif problems(call.arguments, tool.schema.parameters):
            result = ToolResult(fenced(call.tool, call.server, OTHERS, ok=False), ok=False)
        else:
            result = await self._result(tool, call)
        await asyncio.to_thread(self._decided.end, name, result.text, ok=result.ok)
        self._desk.rung.set()

    async def _result(self, tool: RemoteTool, call: PendingCall) -> ToolResult:
        """By a toolset of this tool alone: faults are answers there, and large texts are spilled."""

        async def run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
            return await self._remote.aside.carry_out(tool, arguments, context)

        seconds = self._remote.servers.rules(tool.server).timeout_s + EXTRA
        alone = Toolset([Tool(tool.schema, run, seconds=seconds)], spill=self._house.toolset.spill)
        author = call.author
        chat = ChatRef.parse(author.chat or "house:none")
        context = ToolContext(chat, author.session or "", 0, author.who or author.speaker, call.direct)
        return await alone.run(ToolCall(call.id, tool.name, json.dumps(call.arguments)), context)

    async def _tell(self, name: str) -> None:
        """To the session that wished for it, as an event; where that has ended, to its chat, as a notice."""
        ended = await asyncio.to_thread(self._decided.ended, name)
        if ended is None:
            self._house.report.warning("calls.lost", call=name)
            await asyncio.to_thread(self._decided.forget, name)
            return
        call, text, ok = ended
        session = await self._house.store.sessions.get(call.author.session or "")
        line = (MADE if ok else NOT_MADE).format(name=call.offered)
        if session is not None and session.ended_at is None:
            await self._hand_over(call, session.chat, session.session_key, line, text)
        elif call.author.chat is not None:
            await self._house.delivery.post(ChatRef.parse(call.author.chat), f"call:{name}", too_late(line, text))
        await asyncio.to_thread(self._decided.forget, name)

    async def _hand_over(self, call: PendingCall, chat: ChatRef, key: str, line: str, text: str) -> None:
        now, speaker = self._house.clock.now(), call.author.who or call.author.speaker
        platform, _, person = speaker.partition(":")
        event = Inbound(
            account=HOUSE,
            event_id=f"call:{call.id}:{call.created_at:.0f}@{call.author.session}",
            chat=chat,
            kind=ChatKind.DIRECT if call.direct else ChatKind.GROUP,
            sender=Sender(person if platform == chat.platform else ""),
            text=line,
            sent_at=now,
            quoted=text,
        )
        asked_by_nobody = call.author.origin is not Origin.FOREGROUND
        if not asked_by_nobody and not await self._reception.admits(event):
            self._house.report.info("calls.not_told", call=call.id, why="whoever asked may not talk here any more")
            return
        item = await self._house.store.inbox.accept(event, key, now)
        if item is not None and (step := self._reception.lead(item, again=True)) is not None:
            self._workers.spawn(step)
