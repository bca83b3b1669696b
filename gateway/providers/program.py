"""Programs that outside memories run: each in a process group of its own, with an environment that is handed in, and
killed with all that it began when nobody waits any more. What they are told and answer is each provider's matter."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory.providers.protocol import Unreachable


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended, and what it wrote."""

    code: int
    out: str
    complained: str


async def ran(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> Ran:
    """Run a program to its end; it ends with the call, however that ends. Raises OSError when it cannot start."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=folder,
        env=dict(environment),
        start_new_session=True,
    )
    try:
        out, complained = await process.communicate()
    finally:
        await ended(process)
    return Ran(process.returncode or 0, out.decode("utf-8", "replace"), complained.decode("utf-8", "replace"))


async def ended(process: asyncio.subprocess.Process) -> None:
    """Kill what still runs of it, and let it go."""
    if process.returncode is None:
        killed(process)
        await asyncio.shield(process.wait())


def killed(process: asyncio.subprocess.Process) -> None:
    """The process and its group, unless it ended meanwhile."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def cannot_be_run(program: str, error: OSError) -> Unreachable:
    """The fault of a program that did not start."""
    return Unreachable(f"{program} cannot be run: {error.strerror}")
