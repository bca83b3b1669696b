"""Texts that are too long to be held: written to a new file or the standard output as they come."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import click

from commands.reply import CommandReply


async def printed(pieces: AsyncIterator[str], output: str, about: Mapping[str, Any]) -> CommandReply:
    """Write every piece; what is left to say. A file must be a new one, and is for its owner alone; `about` is what
    programs are told of it besides."""
    if not output:
        terminal = sys.stdout.isatty()
        async for piece in pieces:
            click.echo(_harmless(piece) if terminal else piece, nl=False)
        return CommandReply("", pieces=pieces)
    path = Path(output)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return CommandReply(f"There is something at {path} already: name a new file.", ok=False)
    except OSError as error:
        return CommandReply(f"{path} cannot be written: {error.strerror}.", ok=False)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="\n") as file:
            async for piece in pieces:
                file.write(piece)
            size = file.tell()
    except OSError as error:
        _drop(path)
        return CommandReply(f"{path} could not be written: {error.strerror}.", ok=False)
    except BaseException:
        _drop(path)  # half a transcript looks like a whole one
        raise
    return CommandReply(f"Written: {path} ({size:,} bytes).", {"path": str(path), "bytes": size, **about})


def _drop(path: Path) -> None:
    path.unlink(missing_ok=True)


def _harmless(text: str) -> str:
    """The same without what would steer a terminal."""
    from platforms.console.render import printable

    return printable(text)
