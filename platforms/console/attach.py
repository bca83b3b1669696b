"""Files at the prompt: `/attach PATH [words]`, or a line that begins with the path of a file, as terminals paste it.

Owns reading such a line, and what a file's name says of its kind. Reading the file is the adapter's matter.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from platforms.messages import Attachment

ATTACH = "attach"
HELP = "give a file: /attach PATH [words]"
_COMMAND = re.compile(rf"/{ATTACH}(?:\s+|$)")
_PASTED = re.compile(r"(?:'|\"|file:/|~/|/[^\s/]+/|/\S*\\ )")
_QUOTED = {"'": re.compile(r"'([^']*)'"), '"': re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)}
_BARE = re.compile(r"(?:[^\s\\]|\\.)+", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SOUNDS = {".ogg": "audio/ogg", ".oga": "audio/ogg", ".opus": "audio/ogg", ".m4a": "audio/mp4", ".flac": "audio/flac"}


@dataclass(frozen=True, slots=True)
class Given:
    """A line that gives a file: its whole path, and the words beside it."""

    path: str
    words: str


class NoFile(Exception):
    """The line asks to give a file, and there is none; `str(error)` says why."""


def given(line: str, here: Path) -> Given | None:
    """The file that a typed line gives; None for any other line. Paths count from `here`. Raises NoFile."""
    line = line.strip()
    ordered = _COMMAND.match(line)
    if ordered is None:
        return _pasted(line, here) if _PASTED.match(line) else None
    rest = line[ordered.end() :]
    if not rest:
        raise NoFile(f"{HELP[0].upper()}{HELP[1:]}")
    found = next((each for each in _readings(rest, here) if Path(each.path).is_file()), None)
    if found is None:
        first = next(_readings(rest, here))
        raise NoFile(f"{first.path} is {'no file' if Path(first.path).exists() else 'not there'}")
    return found


def attachment(path: str) -> Attachment:
    """A file of this machine as a message carries it. One that is gone has the size 0."""
    file = Path(path)
    media_type = _SOUNDS.get(file.suffix.lower()) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    try:
        size = file.stat().st_size
    except OSError:
        size = 0
    match media_type.partition("/")[0]:
        case "image":
            return Attachment("picture", file.name, media_type, size, path)
        case "audio":
            return Attachment("voice", file.name, media_type, size, path)
        case "video":
            return Attachment("video", file.name, media_type, size, path)
        case _:
            return Attachment("document", file.name, media_type, size, path)


def _pasted(line: str, here: Path) -> Given | None:
    reading = next(_readings(line, here), None)
    return reading if reading is not None and Path(reading.path).is_file() else None


def _readings(text: str, here: Path) -> Iterator[Given]:
    """What a text may mean: the first word as a path, then, since people forget quotes, the first two and so on."""
    quoted = _QUOTED.get(text[:1])
    whole = (quoted or _BARE).match(text)
    if whole is None:
        whole, quoted = _BARE.match(text), None
    if whole is None:
        return
    path = whole[1] if quoted else _ESCAPED.sub(r"\1", whole[0])
    yield Given(_resolved(path, here), text[whole.end() :].strip())
    if quoted is None:
        for space in re.finditer(r"\s|$", text):
            yield Given(_resolved(text[: space.start()], here), text[space.start() :].strip())


def _resolved(path: str, here: Path) -> str:
    if path.startswith("file:"):
        path = unquote(urlsplit(path).path)
    try:
        return str(here / Path(path).expanduser())
    except RuntimeError:  # a `~name` that is nobody's
        return str(here / path)
