"""`innkeeper ask`: one thing is said, its final answer printed, and the process ends with a code for scripts.

Owns the printing of the answer and what an interrupt means. Which chat is asked is the command line's concern.
"""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Sequence
from typing import TextIO

from platforms.console.client import NoGateway, Window
from platforms.console.exchange import Answer, Exchange, write
from platforms.console.render import printable

INTERRUPTED = 130
_PARTING = 3.0  # seconds that a stopped turn gets to end
_GOOD = ("answered", "command")


async def ask(
    window: Window,
    text: str,
    *,
    stdout: TextIO,
    stderr: TextIO,
    as_json: bool = False,
    files: Sequence[str] = (),
) -> int:
    """Say `text`, wait for the end and print the reply; with `as_json` `{session_id, reply, usage, notices}`.

    Notices and reading progress go to `stderr` (progress only to a terminal). Ctrl-C sends /stop and gives 130; a
    second one leaves at once. Otherwise 0, or 1 when there was no good end or the gateway is gone.
    """
    interrupts = _Interrupts()
    progress = _ProgressLine(stderr)
    answering = asyncio.create_task(Exchange(window, progress.show).say(text, files))
    try:
        await interrupts.race(answering)
        if not answering.done():
            await window.say("/stop")
            await interrupts.race(answering, _PARTING)
            return INTERRUPTED
        progress.clear()
        return _print(answering.result(), stdout, stderr, as_json)
    except NoGateway as error:
        progress.clear()
        write(stderr, f"{error}\n")
        return 1
    finally:
        answering.cancel()
        await asyncio.gather(answering, return_exceptions=True)
        interrupts.release()


def _print(answer: Answer, stdout: TextIO, stderr: TextIO, as_json: bool) -> int:
    done = answer.done
    reply = done.reply or "\n\n".join(message.text for message in answer.messages)
    if as_json:
        fields = {
            "session_id": done.session_id,
            "reply": reply,
            "usage": dict(done.usage),
            "notices": [*done.notices],
        }
        write(stdout, json.dumps(fields, ensure_ascii=False) + "\n")
    else:
        write(stdout, (printable(reply) if stdout.isatty() else reply) + "\n")
        for notice in done.notices:
            write(stderr, f"{printable(notice)}\n")
    return 0 if done.outcome in _GOOD else 1


class _Interrupts:
    """Ctrl-C as something to wait for."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._pressed = asyncio.Event()
        self._loop.add_signal_handler(signal.SIGINT, self._pressed.set)

    async def race(self, task: asyncio.Task[Answer], timeout: float | None = None) -> None:
        """Return when the task ends, at the next Ctrl-C, or after `timeout` seconds."""
        self._pressed.clear()
        pressed = asyncio.create_task(self._pressed.wait())
        await asyncio.wait({task, pressed}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        pressed.cancel()

    def release(self) -> None:
        self._loop.remove_signal_handler(signal.SIGINT)


class _ProgressLine:
    """One line of a terminal that is written over; nothing anywhere else."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown = False

    def show(self, text: str) -> None:
        if self._stream.isatty():
            write(self._stream, f"\r\x1b[K{printable(text)}")
            self._shown = True

    def clear(self) -> None:
        if self._shown:
            write(self._stream, "\r\x1b[K")
            self._shown = False
