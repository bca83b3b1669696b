"""The server of the platform `post`: what people wrote and what they were sent, whatever becomes of the gateway.

Owns delivery until acknowledgement, nonces and the record of every message. Its answers can be late, so that a
gateway can die between a message that arrived and the news of it.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Letter:
    """One message of the bot as it reads now; `number` is its place among all messages of the network."""

    number: int
    text: str
    nonce: str | None
    at: float
    edits: int = 0

    @property
    def message_id(self) -> str:
        return f"m{self.number}"


@dataclass(slots=True)
class Box:
    """What one chat shows, in order; `tries` counts the sends of each nonce, refused repetitions included."""

    letters: dict[str, Letter] = field(default_factory=dict)
    tries: dict[str, int] = field(default_factory=dict)


class PostOffice:
    """`async with` it. `nonce_seconds` is how long a nonce is refused a second time; 0: never. A message has one to
    `limit` code points.

    `noticed` is told `listening`, `delivered`, `acknowledged`, `sent`, `receipt` and `edited` as they happen.
    `answer_after` gives the seconds before the next answer, `again_after` those after which the next event comes a
    second time, acknowledged or not; None: it does not.
    """

    def __init__(
        self,
        noticed: Callable[[str], None] = lambda what: None,
        *,
        nonce_seconds: float = 0.0,
        limit: int = 120,
        answer_after: Callable[[], float] = lambda: 0.0,
        again_after: Callable[[], float | None] = lambda: None,
    ) -> None:
        self.boxes: dict[str, Box] = {}
        self.port = 0
        self.waiting: dict[int, dict[str, Any]] = {}
        """Events that nobody acknowledged yet, by number."""
        self._noticed = noticed
        self._nonce_seconds = nonce_seconds
        self._limit = limit
        self._answer_after = answer_after
        self._again_after = again_after
        self._numbers = itertools.count(1)
        self._events = itertools.count(1)
        self._server: asyncio.Server | None = None
        self._listener: asyncio.StreamWriter | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> PostOffice:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def box(self, chat: str) -> Box:
        return self.boxes.setdefault(chat, Box())

    def post(self, chat: str, text: str, sender: str = "ada") -> int:
        """A person writes; delivered now, or once somebody listens. The event's number."""
        number = next(self._events)
        event = {"event": number, "chat": chat, "sender": sender, "text": text, "at": time.time()}
        self.waiting[number] = event
        if self._listener is not None:
            self._deliver(event)
        return number

    def _deliver(self, event: dict[str, Any]) -> None:
        assert self._listener is not None
        _say(self._listener, event)
        self._noticed("delivered")
        if (seconds := self._again_after()) is not None:
            self._later(self._say_after(self._listener, event, seconds))

    async def _say_after(self, writer: asyncio.StreamWriter, line: dict[str, Any], seconds: float) -> None:
        await asyncio.sleep(seconds)
        _say(writer, line)

    def _later(self, step: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(step)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while raw := await reader.readline():
                self._take(json.loads(raw), writer)
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            if self._listener is writer:
                self._listener = None
            writer.close()
            self._tasks.discard(task)

    def _take(self, line: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        match line["op"]:
            case "listen":
                self._listener = writer
                self._noticed("listening")
                for event in list(self.waiting.values()):
                    self._deliver(event)
            case "ack":
                self.waiting.pop(line["event"], None)
                self._noticed("acknowledged")
            case _:
                answer = {"call": line["call"], **self._carry_out(line)}
                self._later(self._say_after(writer, answer, self._answer_after()))

    def _carry_out(self, line: dict[str, Any]) -> dict[str, Any]:
        box = self.box(line["chat"])
        match line["op"]:
            case "send" | "edit" if not 0 < len(line["text"]) <= self._limit:
                return {"error": f"a message has 1 to {self._limit} characters"}
            case "send":
                return {"result": self._send(box, line["text"], line["nonce"])}
            case "edit" if (letter := box.letters.get(line["message"])) is not None:
                letter.text = line["text"]
                letter.edits += 1
                self._noticed("edited")
                return {"result": None}
            case "delete":
                box.letters.pop(line["message"], None)
                return {"result": None}
            case "find":
                return {"result": _named(box, line["nonce"])}
            case _:
                return {"error": "there is no such message"}

    def _send(self, box: Box, text: str, nonce: str | None) -> str:
        if nonce is not None:
            box.tries[nonce] = box.tries.get(nonce, 0) + 1
            known = _named(box, nonce)
            if known is not None and time.time() - box.letters[known].at <= self._nonce_seconds:
                return known
        letter = Letter(next(self._numbers), text, nonce, time.time())
        box.letters[letter.message_id] = letter
        self._noticed("sent" if nonce is not None else "receipt")
        return letter.message_id


def _named(box: Box, nonce: str) -> str | None:
    """The newest message that was sent with this nonce."""
    found = [each.message_id for each in box.letters.values() if each.nonce == nonce]
    return found[-1] if found else None


def _say(writer: asyncio.StreamWriter, line: dict[str, Any]) -> None:
    if not writer.is_closing():
        writer.write(json.dumps(line).encode() + b"\n")
