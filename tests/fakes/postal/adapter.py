"""The adapter of the platform `post`, as it runs in the gateway's process.

One connection carries events in and calls out. It outlives `run`, because sending goes on while the house closes.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from platforms.adapter import Capabilities, Sink
from platforms.errors import DeliveryError, NotSent, Refused, Uncertain
from platforms.manifest import AdapterContext
from platforms.messages import Attachment, ChatKind, ChatRef, Inbound, Outbound, Sender, TurnSummary

RECONNECT = 0.05
"""Seconds between two tries to reach the office."""


class PostAdapter:
    """See `platforms.adapter.Adapter`."""

    def __init__(self, context: AdapterContext) -> None:
        given = context.settings
        self._port = int(given["port"])
        self._capabilities = Capabilities(
            limit=given["limit"],
            buttons=False,
            edit_seconds=given["edit_seconds"],
            nonce_seconds=given["nonce_seconds"],
            finds=given["finds"],
        )
        self._events: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._calls = 0
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()

    @property
    def name(self) -> str:
        return "post"

    @property
    def account(self) -> str:
        return "inn"

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    @property
    def last_heard(self) -> float | None:
        return None

    async def run(self, sink: Sink) -> None:
        while True:
            try:
                await self._write({"op": "listen"})
            except OSError:
                await asyncio.sleep(RECONNECT)
                continue
            while (event := await self._events.get()) is not None:
                try:
                    await sink(_inbound(event))
                except Exception:
                    await asyncio.sleep(RECONNECT)
                    break  # not stored, so not acknowledged: the office is asked for it again
                try:
                    await self._write({"op": "ack", "event": event["event"]})
                except OSError:
                    break  # the office delivers it again, and the house knows it by then

    async def send(self, message: Outbound) -> str:
        return str(await self._call("send", message.chat, text=message.text, nonce=message.nonce))

    async def edit(self, message_id: str, message: Outbound) -> None:
        await self._call("edit", message.chat, message=message_id, text=message.text)

    async def delete(self, chat: ChatRef, message_id: str) -> None:
        await self._call("delete", chat, message=message_id)

    async def find(self, chat: ChatRef, nonce: str) -> str | None:
        if not self._capabilities.finds:
            return None
        found: str | None = await self._call("find", chat, nonce=nonce)
        return found

    async def fetch(self, attachment: Attachment) -> bytes:
        raise Refused("nothing but letters goes through this post")

    async def react(self, chat: ChatRef, message_id: str, mark: str) -> None:
        return

    async def typing(self, chat: ChatRef) -> None:
        return

    async def progress(self, chat: ChatRef, text: str) -> None:
        return

    async def finished(self, chat: ChatRef, summary: TurnSummary) -> None:
        return

    async def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait({self._reading})

    async def _call(self, op: str, chat: ChatRef, **fields: object) -> Any:
        """Ask the office and wait for its answer. Raises a DeliveryError."""
        self._calls += 1
        number = self._calls
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        try:
            await self._open()
        except OSError as error:
            raise NotSent(f"the office is closed: {error}") from error
        try:
            await self._write({"op": op, "call": number, "chat": chat.chat_id, **fields})
            return await answer
        except OSError as error:
            raise Uncertain(f"the connection broke: {error}") from error
        finally:
            del self._answers[number]

    async def _write(self, line: dict[str, object]) -> None:
        writer = await self._open()
        writer.write(json.dumps(line).encode() + b"\n")
        await writer.drain()

    async def _open(self) -> asyncio.StreamWriter:
        async with self._opening:
            if self._writer is None:
                reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
                self._reading = asyncio.ensure_future(self._read(reader))
            return self._writer

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while raw := await reader.readline():
                line = json.loads(raw)
                if "event" in line:
                    self._events.put_nowait(line)
                elif (answer := self._answers.get(line["call"])) is not None and not answer.done():
                    _settle(answer, line)
        except ConnectionError:
            pass
        self._writer = None
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(Uncertain("the office hung up"))
        self._events.put_nowait(None)


def _settle(answer: asyncio.Future[Any], line: dict[str, Any]) -> None:
    error: DeliveryError | None = Refused(line["error"]) if "error" in line else None
    if error is None:
        answer.set_result(line["result"])
    else:
        answer.set_exception(error)


def _inbound(event: dict[str, Any]) -> Inbound:
    return Inbound(
        account="inn",
        event_id=str(event["event"]),
        chat=ChatRef("post", event["chat"]),
        kind=ChatKind.DIRECT,
        sender=Sender(event["sender"], event["sender"].title()),
        text=event["text"],
        sent_at=event["at"],
        message_id=f"in-{event['event']}",
    )
