"""Bytes from the network, within bounds: size, time, and where a server may lead on to. What they are is for others
to say."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from memory.skills.crate import ARCHIVE_BYTES, Rejected
from memory.skills.validate import shown

SECONDS = 120.0
"""Until a download is complete."""

INDEX_BYTES = 4 << 20
_REDIRECTS = 5

Progress = Callable[[str, int, int | None], None]
"""Hears what is being done, how much of it is done, and of how much (None for unknown): bytes of a download, percent
of git's work, skills of an update."""


def silent(what: str, done: int, total: int | None) -> None:
    """For who wants to hear nothing."""


async def download(
    address: str, to: Path, progress: Progress = silent, *, most: int = ARCHIVE_BYTES, seconds: float = SECONDS
) -> str:
    """Fetch what is at an http(s) address into a new file; its SHA-256, in hexadecimal. Raises `Rejected`."""
    import httpx  # a tenth of a second, not for those who install from a folder

    try:
        async with asyncio.timeout(seconds), httpx.AsyncClient(timeout=30, follow_redirects=False) as client:
            for _ in range(_REDIRECTS + 1):
                async with client.stream("GET", address, headers={"Accept-Encoding": "identity"}) as answer:
                    if answer.is_redirect:
                        address = _led_on(address, answer.headers.get("location", ""))
                        continue
                    return await _stored(answer, address, to, progress, most)
            raise Rejected(f"{shown(address)} leads on and on.")
    except TimeoutError:
        raise Rejected(f"{shown(address)} did not answer in full within {seconds:g} seconds.") from None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError) as error:
        raise Rejected(
            f"{shown(address)} cannot be fetched: {' '.join(str(error).split()) or 'no answer'}."
        ) from None


def _led_on(address: str, location: str) -> str:
    """Where a server leads on to: never from https to something less."""
    goal = urljoin(address, location)
    allowed = ("https",) if urlsplit(address).scheme == "https" else ("http", "https")
    if not location or urlsplit(goal).scheme not in allowed:
        raise Rejected(f"{shown(address)} leads on to {shown(location)}, which is not followed.")
    return goal


async def _stored(answer: object, address: str, to: Path, progress: Progress, most: int) -> str:
    import httpx

    assert isinstance(answer, httpx.Response)
    if answer.status_code != 200:
        raise Rejected(f"{shown(address)} cannot be fetched: the server answers {answer.status_code}.")
    if answer.headers.get("content-encoding", "identity").lower() != "identity":
        raise Rejected(f"{shown(address)} cannot be fetched: the server packs what it sends.")
    said = answer.headers.get("content-length", "")
    total = int(said) if said.isdecimal() else None
    if total is not None and total > most:
        raise Rejected(f"{shown(address)} has {total:,} bytes, at most {most:,} are fetched.")
    name = urlsplit(address).path.rpartition("/")[2] or address
    whole, done = hashlib.sha256(), 0
    with to.open("xb") as file:
        async for block in answer.aiter_raw():
            done += len(block)
            if done > most:
                raise Rejected(f"{shown(address)} has more than {most:,} bytes.")
            whole.update(block)
            file.write(block)
            progress(name, done, total)
    return whole.hexdigest()
