"""Text out of documents: plain text in any usual encoding here, everything that needs a library in a process apart.

Which documents have text is decided by their bytes. Fencing it for the model is wording.py's matter.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO

from gateway.attachments.paper import SECONDS, Read, Unreadable, clipped
from gateway.clock import Clock

SAMPLE = 65_536
"""Bytes from which an encoding is guessed."""

AT_A_TIME = 2
"""Processes that look into documents at the same time: each may take a gigabyte, and anybody may send many."""

ANSWER = 64_000_000
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe\x00\x00", "utf-32"), (b"\x00\x00\xfe\xff", "utf-32"))
_MARKS_OF_16 = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_PAGE = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.{0,2000}?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
UNKNOWN = "whose kind cannot be read here"

__all__ = ["Extracted", "Extractor", "Unreadable", "decoded"]


@dataclass(frozen=True, slots=True)
class Extracted:
    """A document's text as far as it is shown; `left` characters of it are not, and `more` says in words where else
    it goes on, if it does."""

    shown: str
    left: int = 0
    more: str = ""


class Extractor:
    """`text(...)` for one document at a time or several; `command` starts the process apart."""

    def __init__(self, clock: Clock, command: Sequence[str] | None = None) -> None:
        self._clock = clock
        self._command = tuple(command or (sys.executable, "-m", "gateway.attachments.paper"))
        self._places = asyncio.Semaphore(AT_A_TIME)

    async def text(self, data: bytes, path: str, limit: int) -> Extracted:
        """At most `limit` characters of a document whose bytes lie at `path`, too. Raises Unreadable."""
        kind = await asyncio.to_thread(kind_of, data)
        if kind == "text":
            return Extracted(*await asyncio.to_thread(_plain, data, limit))
        if kind is None:
            raise Unreadable(UNKNOWN)
        text = await asyncio.to_thread(decoded, data) if kind == "html" else ""
        async with self._places:
            return await self._apart(kind, path, limit, (text or "").encode("utf-8", "replace"))

    async def _apart(self, kind: str, path: str, limit: int, given: bytes) -> Extracted:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            *(kind, str(limit), path),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={"PYTHONIOENCODING": "utf-8"},
        )
        reading = asyncio.ensure_future(process.communicate(given))
        late = asyncio.ensure_future(self._clock.sleep(2.0 * SECONDS))
        try:
            await asyncio.wait({reading, late}, return_when=asyncio.FIRST_COMPLETED)
            answer = reading.result()[0] if reading.done() else b""
        finally:
            late.cancel()
            if process.returncode is None:
                process.kill()
                await asyncio.wait({reading})
        return _answered(answer)


def _answered(answer: bytes) -> Extracted:
    """What the process said. One that said nothing broke on the file, or was ended for the time that it took."""
    try:
        said = json.loads(answer[:ANSWER])
    except ValueError:
        raise Unreadable("which is damaged, or takes too long to be read") from None
    if "error" in said:
        raise Unreadable(said["error"])
    return Extracted(said["text"], said["left"], said["more"])


def kind_of(data: bytes) -> str | None:
    """`text`, `html`, `pdf` or `docx`; None for what has no text that could be read here."""
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(b"PK\x03\x04"):
        return "docx" if _holds(data, "word/document.xml") else None
    if _PAGE.match(data[:8192]):
        return "html"
    return "text" if decoded(data[:SAMPLE]) is not None else None


def _holds(data: bytes, member: str) -> bool:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return member in archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return False


def _plain(data: bytes, limit: int) -> Read:
    text = decoded(data)
    if text is None:
        raise Unreadable(UNKNOWN)
    return clipped("\n".join(text.splitlines()), limit)


def decoded(data: bytes) -> str | None:
    """The text that these bytes are, in whatever usual encoding; None when they are no text."""
    encoding = next((name for mark, name in (*_MARKS, *_MARKS_OF_16) if data.startswith(mark)), None)
    text = _read(data, encoding or "utf-8", whole=encoding is None)
    if text is None and encoding is None:
        guess = _guessed(data)
        text = _read(data, guess, whole=False) if guess is not None else None
    if text is None or len(_CONTROLS.findall(text[:SAMPLE])) > len(text[:SAMPLE]) // 200:
        return None
    return text


def _read(data: bytes, encoding: str, *, whole: bool) -> str | None:
    """The bytes in this encoding; `whole` wants every one of them right, but for a character cut off at the end."""
    try:
        return data.decode(encoding, "strict" if whole else "replace")
    except UnicodeDecodeError as error:
        cut_off = whole and error.end == len(data) and len(data) - error.start < 4
        return data[: error.start].decode(encoding) if cut_off else None


def _guessed(data: bytes) -> str | None:
    from charset_normalizer import from_bytes

    best = from_bytes(data[:SAMPLE]).best()
    return best.encoding if best is not None else None
