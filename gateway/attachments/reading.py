"""What is in a file: a picture to look at, a document to read, or a voice to listen to.

Goes by the bytes, not by the name. Looking into documents is extraction.py's, keeping files is cache.py's matter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from gateway.attachments.brought import Brought, Paper
from gateway.attachments.cache import FileCache
from gateway.attachments.extraction import Extractor, Unreadable
from gateway.attachments.pictures import Shape, shape_of
from gateway.attachments.wording import NO_EARS, heard, name_of, not_heard, size, told
from gateway.config.schema import Settings
from gateway.errors import ConfigurationError
from gateway.models.errors import ModelError
from gateway.state.records import KeptFile
from platforms.messages import Attachment

SHOWN_BYTES = 5_000_000
SHOWN_PIXELS = 8_000
"""The largest picture that model hosts take: bytes, and pixels of a side; Anthropic's limits are the narrowest."""


class Ears(Protocol):
    """A host that writes down what is said."""

    async def transcribe(self, data: bytes, name: str) -> str:
        """The words. Raises ModelError."""


class Reader:
    """`ears()` gives the host for voice messages, None when none is configured."""

    def __init__(
        self,
        cache: FileCache,
        extractor: Extractor,
        settings: Callable[[], Settings],
        ears: Callable[[], Ears | None] = lambda: None,
    ) -> None:
        self._cache = cache
        self._extractor = extractor
        self._settings = settings
        self._ears = ears

    def unread(self, file: Attachment) -> Brought | None:
        """What is to be said of a file that is not even worth fetching; None for any other."""
        if file.kind == "video":
            return Brought(told(file, "which cannot be watched here"))
        if file.kind == "voice" and isinstance(why := self._hearing(), str):
            return Brought(told(file, "which cannot be listened to here"), told=why, deaf=True)
        return None

    async def read(self, file: Attachment, data: bytes) -> Brought:
        """What the model and the person get of this file. Raises OSError when it cannot be kept."""
        if file.kind == "voice":
            return await self._listen(file, data)
        shape = shape_of(data)
        if shape is not None:
            return await self._look(replace(file, kind="picture"), data, shape)
        return await self._document(replace(file, kind="document"), data)

    async def _look(self, file: Attachment, data: bytes, shape: Shape) -> Brought:
        pixels = f"{shape.width}x{shape.height}" if shape.width and shape.height else ""
        if len(data) > SHOWN_BYTES or max(shape.width, shape.height) > SHOWN_PIXELS:
            bound = f"{size(SHOWN_BYTES)} and {SHOWN_PIXELS:,} pixels a side"
            return Brought(told(file, pixels, size(len(data)), f"too large to be looked at (at most {bound})"))
        path = await asyncio.to_thread(self._cache.keep, data, shape.media_type)
        kept = KeptFile("picture", name_of(file), shape.media_type, path)
        return Brought(told(file, pixels, size(len(data))), kept)

    async def _document(self, file: Attachment, data: bytes) -> Brought:
        name, bound = name_of(file), self._settings().attachments.max_text_chars
        path = await asyncio.to_thread(self._cache.keep, data, file.media_type)
        kept = KeptFile("document", name, file.media_type, path)
        try:
            text = await self._extractor.text(data, path, bound)
        except Unreadable as why:
            return Brought(told(file, size(len(data)), str(why)), kept)
        if not text.shown.strip():
            return Brought(told(file, size(len(data)), "without any text in it"), kept)
        return Brought(told(file, size(len(data))), kept, Paper(name, text.shown, text.left, text.more))

    def _hearing(self) -> Ears | str:
        """Who listens, or why nobody does."""
        try:
            return self._ears() or NO_EARS
        except ConfigurationError as error:
            return not_heard(str(error))

    async def _listen(self, file: Attachment, data: bytes) -> Brought:
        ears = self._hearing()
        if isinstance(ears, str):
            return Brought(told(file, "which cannot be listened to here"), told=ears, deaf=True)
        try:
            words = (await ears.transcribe(data, file.name)).strip()
        except ModelError as error:
            return Brought(told(file, "which could not be understood"), told=not_heard(str(error)), deaf=True)
        if not words:
            return Brought(told(file, "without words"), told=not_heard("no words were heard"), deaf=True)
        return Brought(spoken=words, told=heard(words))
