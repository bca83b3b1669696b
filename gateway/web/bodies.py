"""What comes with a request, read whole and within bounds before anybody looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qs

from starlette.types import Message, Receive

MOST_BYTES = 512 * 1024
"""Of a request's body; the longest text that a page sends has a tenth of this."""

HEARD_OUT = 8 * MOST_BYTES
"""Bytes up to which what is too large gets an answer, and not only its end."""

MOST_FIELDS = 200


class TooLarge(Exception):
    """There is more of it than a page sends."""


class Gone(Exception):
    """Whoever asked went away in the middle."""


async def whole(receive: Receive, headers: Mapping[str, str]) -> bytes:
    """The body. Raises TooLarge, and Gone. What is too large is not kept, and heard out up to a bound: a connection
    that is closed on somebody who still writes is reset, and the answer lost."""
    said = headers.get("content-length", "")
    if said.isdigit() and int(said) > HEARD_OUT:
        raise TooLarge
    body, count = bytearray(), 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        piece = message.get("body", b"")
        count += len(piece)
        if count > HEARD_OUT:
            raise TooLarge
        if count <= MOST_BYTES:
            body += piece
        if not message.get("more_body", False):
            break
    if count > MOST_BYTES:
        raise TooLarge
    return bytes(body)


def again(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body once more, and what comes after it."""
    given = False

    async def replayed() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed


def field(body: bytes, headers: Mapping[str, str], name: str) -> str:
    """One field of a form; empty when it is not there, stands there twice, or this is no form of ours."""
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        return ""
    try:
        found = parse_qs(body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS).get(name, [])
    except ValueError:
        return ""
    return found[0] if len(found) == 1 else ""
