"""Which bytes are a picture that models can look at, and how large it is. Pure; names are not believed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

PNG, JPEG, GIF, WEBP = "image/png", "image/jpeg", "image/gif", "image/webp"
_SIZES_OF_JPEG = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""Segments that state the size of the picture."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A picture's kind, and its width and height in pixels; 0 where the file does not say."""

    media_type: str
    width: int = 0
    height: int = 0


def shape_of(data: bytes) -> Shape | None:
    """The shape of a PNG, JPEG, GIF or WebP picture by its first bytes; None for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return Shape(PNG, _big(data[16:20]), _big(data[20:24]))
    if data.startswith((b"GIF87a", b"GIF89a")):
        return Shape(GIF, _little(data[6:8]), _little(data[8:10]))
    if data.startswith(b"\xff\xd8\xff"):
        return Shape(JPEG, *_jpeg(data))
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return Shape(WEBP, *_webp(data))
    return None


def _jpeg(data: bytes) -> tuple[int, int]:
    for kind, at in _segments(data):
        if kind in _SIZES_OF_JPEG:
            return _big(data[at + 7 : at + 9]), _big(data[at + 5 : at + 7])
    return 0, 0


def _segments(data: bytes) -> Iterator[tuple[int, int]]:
    """The kind of each segment of a JPEG, and where it begins."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        kind, length = data[at + 1], _big(data[at + 2 : at + 4])
        if kind == 0xFF:  # fill bytes may stand before a segment
            at += 1
            continue
        yield kind, at
        if kind == 0xDA or length < 2:
            return
        at += 2 + length


def _webp(data: bytes) -> tuple[int, int]:
    match data[12:16]:
        case b"VP8X":
            return 1 + _little(data[24:27]), 1 + _little(data[27:30])
        case b"VP8L":
            bits = _little(data[21:25])
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8 ":
            return _little(data[26:28]) & 0x3FFF, _little(data[28:30]) & 0x3FFF
        case _:
            return 0, 0


def _big(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")
