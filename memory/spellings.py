"""How a text that is to be gone may be spelled where it was kept, and whether a file or a value holds it.

What becomes of that is for whoever keeps it to say.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

BLOCK = 1 << 20
"""Bytes of a file that are looked at together."""


def spellings(text: str) -> set[str]:
    """A text as it stands by itself, and as it stands inside JSON, once and twice wrapped."""
    plain, ascii_only = json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1]
    wrapped = {
        json.dumps(each, ensure_ascii=ascii_too)[1:-1] for each in (plain, ascii_only) for ascii_too in (False, True)
    }
    return {text, plain, ascii_only, *wrapped}


class Sought:
    """Texts that are looked for, in every spelling. Without any, nothing holds them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = tuple(text for text in texts if text.strip())
        self._spelled = {each for text in self.texts for each in spellings(text)}
        lines = {each.replace("\n", "\r\n") for each in self._spelled}
        self._bytes = [each.encode("utf-8", "replace") for each in self._spelled | lines]
        self._overlap = max(map(len, self._bytes), default=1) - 1

    def said(self, text: str) -> bool:
        """Whether a text holds one."""
        return any(each in text for each in self._spelled)

    def within(self, data: bytes) -> bool:
        """Whether bytes hold one, as UTF-8."""
        return any(each in data for each in self._bytes)

    def among(self, value: object) -> bool:
        """Whether a string within plain data holds one; the names of fields are nobody's words."""
        return any(map(self.said, _strings(value)))

    def in_file(self, path: Path) -> bool:
        """Whether an ordinary file holds one, as UTF-8; not one that is not there any more. Raises OSError for what
        cannot be read, a link included."""
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return False
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise OSError(f"{path} is no ordinary file")
            before = b""
            while block := file.read(BLOCK):
                data = before + block
                if self.within(data):
                    return True
                before = data[len(data) - min(len(data), self._overlap) :]
        return False


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for each in value.values():
                yield from _strings(each)
        case list() | tuple():
            for each in value:
                yield from _strings(each)
