"""A small scripted house behind a console: it echoes, streams, asks and fails on request, and ends every turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from platforms.console.adapter import ConsoleAdapter
from platforms.errors import NotSent
from platforms.manifest import AdapterContext, HouseServices
from platforms.messages import Button, ChatRef, Inbound, Outbound, TurnSummary

APPROVAL = ((Button("Allow", "/memory approve 1a2b"), Button("Deny", "/memory reject 1a2b")),)
STORY = "# A story\n\nIt was **late**.\n\n```py\nprint('hello')\n```\n\nThe end, my friend."


class House:
    """Answers what it hears. `hold` keeps "slow" turns from ending until /stop or `release`."""

    def __init__(self, folder: Path, fail_first: int = 0) -> None:
        self.attached: list[ChatRef] = []
        self.adapter = ConsoleAdapter(
            AdapterContext(
                {}, "default", str(folder), HouseServices(on_attach=self.attached.append, now=lambda: 1000.0)
            )
        )
        self.heard: list[Inbound] = []
        self.running: dict[str, asyncio.Task[None]] = {}
        self.stop = asyncio.Event()
        self._known: set[str] = set()
        self._fail = fail_first

    async def hear(self, event: Inbound) -> None:
        """The sink: stores once, answers in a task of its own."""
        if self._fail:
            self._fail -= 1
            raise OSError("the disk is full")
        if event.event_id in self._known:
            return
        self._known.add(event.event_id)
        self.heard.append(event)
        self.running[event.event_id] = asyncio.create_task(self._answer(event))

    async def _answer(self, event: Inbound) -> None:
        outcome, reply = "answered", f"echo: {event.text}"
        try:
            match event.text:
                case "story":
                    reply = STORY
                    await self._stream(event.chat, reply)
                case "remember":
                    await self.adapter.send(Outbound(event.chat, "Save **tea**?", APPROVAL))
                case "slow":
                    await self.adapter.progress(event.chat, "reading 10 %")
                    await self.stop.wait()
                    outcome, reply = "stopped", "stopped."
                    await self.adapter.send(Outbound(event.chat, reply))
                case "/stop":
                    self.stop.set()
                    outcome, reply = "command", ""
                case "fail":
                    outcome, reply = "failed", "The model host is down."
                    await self.adapter.send(Outbound(event.chat, reply))
                case _:
                    await self.adapter.send(Outbound(event.chat, reply))
        except NotSent:
            pass  # the part would wait in the outbox
        usage = {"input": 12, "output": 3, "cost": None}
        notices = ("Memory updated",) if event.text == "notice" else ()
        await self.adapter.finished(event.chat, TurnSummary((event.event_id,), "s-1", reply, usage, notices, outcome))

    async def _stream(self, chat: ChatRef, text: str) -> None:
        message_id = await self.adapter.send(Outbound(chat, text[:5]))
        for end in range(10, len(text) + 5, 5):
            await self.adapter.edit(message_id, Outbound(chat, text[:end]))
            await asyncio.sleep(0.001)


@asynccontextmanager
async def open_house(folder: Path, fail_first: int = 0) -> AsyncIterator[House]:
    """A house whose socket takes windows for the length of the block."""
    house = House(folder, fail_first)
    running = asyncio.create_task(house.adapter.run(house.hear))
    opened = asyncio.create_task(house.adapter.opened.wait())
    try:
        await asyncio.wait({running, opened}, return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            running.result()
        yield house
    finally:
        tasks = [running, opened, *house.running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await house.adapter.close()
