"""A server as a child process: started in a group of its own, read line by line within bounds, and ended for good.

What the lines mean is link.py's matter. Of what the child writes to its standard error the last lines are kept, for
whoever asks why it ended; they are in no log.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gateway.tools.mcp.shelf import safe

LONGEST_LINE = 8 << 20
"""Bytes of one message; a server that sends more is ended."""

GRACE = 1.5
"""Seconds that a server gets to end by itself once its input is closed, and again once it was asked to."""

LAST_LINES = 5
LEASH = Path(__file__).with_name("leash.py")


class Flooded(Exception):
    """It sent a message that is too long."""


@dataclass
class Child:
    """A running server. `told` are the last lines of its standard error."""

    process: asyncio.subprocess.Process
    told: deque[str] = field(default_factory=lambda: deque(maxlen=LAST_LINES))

    async def lines(self) -> AsyncIterator[bytes]:
        """What it says, until it ends. Raises Flooded."""
        assert self.process.stdout is not None
        while True:
            try:
                line = await self.process.stdout.readuntil(b"\n")
            except asyncio.LimitOverrunError as error:
                raise Flooded(f"it sent a message of more than {LONGEST_LINE >> 20} MB") from error
            except asyncio.IncompleteReadError:
                return
            if line.strip():
                yield line

    async def send(self, line: bytes) -> None:
        """Raises OSError when it does not listen any more."""
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        await self.process.stdin.drain()

    @property
    def last_words(self) -> str:
        return " / ".join(self.told)


@asynccontextmanager
async def child(
    command: str, args: Sequence[str], environment: Mapping[str, str], folder: str | None
) -> AsyncIterator[Child]:
    """Start a server; at the end of the block it and everything that it started is ended. Raises OSError."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", str(LEASH), str(os.getpid()), command, *args),
        env=dict(environment),
        cwd=folder,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=LONGEST_LINE,
        start_new_session=True,
    )
    made = Child(process)
    listening = asyncio.ensure_future(_listen(made))
    try:
        yield made
    finally:
        try:
            await _end(process)
        finally:
            _signal(process, signal.SIGKILL)  # whatever it started, and also when nobody waits for us any more
            listening.cancel()
            if (transport := getattr(process, "_transport", None)) is not None:
                transport.close()  # whoever left the group may still hold its pipes
            await asyncio.wait([listening], timeout=GRACE)


async def _listen(made: Child) -> None:
    """Read the standard error, so that it never fills up."""
    assert made.process.stderr is not None
    rest = b""
    while piece := await made.process.stderr.read(1 << 16):
        *lines, rest = (rest + piece).split(b"\n")
        made.told.extend(filter(None, (safe(each.decode("utf-8", "replace")) for each in lines[-LAST_LINES:])))
        rest = rest[-4096:]


async def _end(process: asyncio.subprocess.Process) -> None:
    """Close its input, then ask, then insist."""
    if process.stdin is not None:
        process.stdin.close()
    for how in (None, signal.SIGTERM, signal.SIGKILL):
        if how is not None:
            _signal(process, how)
        waiting = asyncio.ensure_future(_gone(process))
        await asyncio.wait([waiting], timeout=GRACE)
        waiting.cancel()
        if process.returncode is not None:
            return


async def _gone(process: asyncio.subprocess.Process) -> None:
    """Not `wait`: that waits for whoever else holds the pipes, too."""
    while process.returncode is None:  # noqa: ASYNC110 - there is no event for it
        await asyncio.sleep(0.01)


def _signal(process: asyncio.subprocess.Process, how: signal.Signals) -> None:
    """To the whole group: its leader is the process itself."""
    try:
        os.killpg(process.pid, how)
    except (ProcessLookupError, PermissionError):
        return
