"""A window in the hands of a script: one thing is said at a time, and what comes is gathered until its end.

Owns the waiting for the end and `converse_piped`, a conversation from lines of a pipe. What is printed is final:
nothing is printed that an edit could still change.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from platforms.console import protocol
from platforms.console.attach import NoFile, given
from platforms.console.client import NoGateway, Window
from platforms.console.render import Choice, choices

LEAVING = ("/quit", "/exit")


@dataclass(frozen=True, slots=True)
class Answer:
    """What came for one event: the messages as they read at the end, oldest first, and the summary."""

    messages: tuple[protocol.Message, ...]
    done: protocol.Done


class Exchange:
    """Says one thing after the other through a window that nobody else reads."""

    def __init__(self, window: Window, on_progress: Callable[[str], None] | None = None) -> None:
        self._window = window
        self._events = window.events()
        self._on_progress = on_progress
        self._read: dict[str, protocol.Message] = {}

    async def say(self, text: str, files: Sequence[str] = ()) -> Answer:
        """Say `text` and wait for its end. Raises NoGateway when the window cannot go on."""
        return await self._until_done(await self._window.say(text, files))

    async def press(self, choice: Choice) -> Answer:
        """Take a button and wait for the end; as `say`."""
        return await self._until_done(await self._window.press(choice.button.action, choice.message_id))

    async def _until_done(self, event_id: str) -> Answer:
        new: dict[str, protocol.Message] = {}
        async for event in self._events:
            match event:
                case protocol.Message(message_id, text, buttons) | protocol.Edit(message_id, text, buttons):
                    new[message_id] = protocol.Message(message_id, text, buttons)
                case protocol.Delete(message_id):
                    new.pop(message_id, None)
                case protocol.Progress(text) if self._on_progress is not None:
                    self._on_progress(text)
                case protocol.Error(text, failed) if failed == event_id:
                    raise NoGateway(text)
                case protocol.Done(event_ids=event_ids) if event_id in event_ids:
                    changed = tuple(one for one in new.values() if self._read.get(one.id) != one)
                    self._read.update(new)
                    return Answer(changed, event)
                case _:
                    pass
        raise NoGateway("the window was closed")


async def converse_piped(window: Window, stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
    """Say each line of `stdin`, printing its whole answer before the next is said.

    Ends at the end of the input or at `/quit`, after the last answer. Buttons are printed as numbered choices, and
    a line that is a number or a label takes one. Returns 0, or 1 when the gateway is gone.
    """
    exchange = Exchange(window)
    offered: list[Choice] = []
    try:
        async for line in lines_of(stdin):
            text = line.rstrip("\r\n")
            if not text.strip():
                continue
            if text.strip() in LEAVING:
                break
            picked = next((one for one in offered if text in (str(one.number), one.button.label)), None)
            try:
                file = given(text, Path.cwd())
            except NoFile as error:
                write(stderr, f"{error}\n")
                continue
            words, files = (file.words, (file.path,)) if file is not None else (text, ())
            answer = await (exchange.press(picked) if picked else exchange.say(words, files))
            offered = []
            for message in answer.messages:
                write(stdout, f"{message.text}\n")
                offered = choices(message.buttons, message.id)
                for choice in offered:
                    write(stdout, f"[{choice.number}] {choice.button.label}\n")
    except NoGateway as error:
        write(stderr, f"{error}\n")
        return 1
    return 0


async def lines_of(stream: TextIO) -> AsyncIterator[str]:
    """The lines of a blocking stream, read in a thread that does not keep the process alive."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[str] = asyncio.Queue()

    def read() -> None:
        try:
            for line in iter(stream.readline, ""):
                loop.call_soon_threadsafe(queue.put_nowait, line)
            loop.call_soon_threadsafe(queue.put_nowait, "")
        except RuntimeError:
            pass  # the loop has been closed: nobody listens any more

    threading.Thread(target=read, name="console-stdin", daemon=True).start()
    while line := await queue.get():
        yield line


def write(stream: TextIO, text: str) -> None:
    """Write and flush. A lone surrogate, which no encoding takes, becomes a question mark."""
    stream.write(text.encode("utf-8", "replace").decode("utf-8"))
    stream.flush()
