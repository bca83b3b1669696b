"""The pictures of a request as hosts take them: in base64, read from where they lie.

The same file gives the same bytes in every request of a session, so that a host's cache stays warm. One that was
cleaned up meanwhile is left out: the words of its row still tell of it.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping
from pathlib import Path

from gateway.models.client import Message

Shown = Mapping[str, str]
"""Base64 by the path of a `Picture`; empty for a host that does not see."""


async def loaded(messages: tuple[Message, ...]) -> Shown:
    """What the pictures of these messages hold. Never raises."""
    paths = dict.fromkeys(picture.path for message in messages for picture in message.pictures)
    return await asyncio.to_thread(_read, tuple(paths)) if paths else {}


def _read(paths: tuple[str, ...]) -> Shown:
    found = {}
    for path in paths:
        try:
            found[path] = base64.b64encode(Path(path).read_bytes()).decode("ascii")
        except OSError:
            continue
    return found
