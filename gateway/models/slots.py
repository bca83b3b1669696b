"""The state of the local server's one slot, kept in files so that a restart does not read every chat again.

Owns the files (one a session, in a bounded folder) and the knowledge of whose state the slot holds. Must be called
by whoever holds the turn at the host: a save or restore never overlaps a request.

Measured on llama.cpp: restoring replaces what the slot held without putting that into the server's cache in memory,
so nobody's state may be left in the slot alone when another's is restored. Saving and restoring take milliseconds
(20 MB for 900 tokens of the smallest model), reading those tokens again takes seconds.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from pathlib import Path
from typing import Protocol

from gateway.models.client import Reply, Request
from gateway.models.errors import HostDown

FOLDER_BYTES = 1 << 30
FOLDER_FILES = 64
SUFFIX = ".slot"
PART = ".part"


class SlotServer(Protocol):
    """A server with one slot. Save and restore say False when refused, and raise HostDown when it is unreachable."""

    async def healthy(self) -> bool: ...

    async def save_slot(self, filename: str) -> bool: ...

    async def restore_slot(self, filename: str) -> bool: ...


class Slots:
    """Whose state is in the slot, and whose is in a file."""

    def __init__(
        self, folder: Path, model: Path, *, max_bytes: int = FOLDER_BYTES, max_files: int = FOLDER_FILES
    ) -> None:
        self._folder = folder
        self._model = model
        self._max_bytes = max_bytes
        self._max_files = max_files
        self._holder: tuple[str, str] | None = None
        self._unsaved = False
        self._empty = True
        self._syncing: set[asyncio.Task[None]] = set()

    def emptied(self) -> None:
        """The server started anew: its slot and its cache in memory are empty."""
        self._holder = None
        self._unsaved = False
        self._empty = True
        for part in self._folder.glob("*" + PART):  # the server was killed while it wrote
            part.unlink(missing_ok=True)

    async def enter(self, server: SlotServer, request: Request) -> None:
        """Prepare the slot for a request: keep what another session has there, bring back this one's.

        Raises HostDown; nothing is lost then.
        """
        wanted = (request.session, request.task) if request.session is not None else None
        # Only a chat has a file of its own: a review goes on from its chat's and is not worth one.
        keeps = wanted is not None and request.task == "chat"
        if wanted is not None and wanted == self._holder:
            self._unsaved = keeps
            return
        if self._unsaved and self._holder is not None:
            await self._save(server, self._holder[0])
        source = self._source(request.session)
        if source is not None:
            self._holder, self._unsaved = None, False  # should this be broken off, nobody knows what the slot holds
            await self._restore(server, source)
        self._holder = wanted
        self._unsaved = keeps
        self._empty = False

    async def leave(self, server: SlotServer, request: Request, reply: Reply) -> None:
        """Keep the slot's state after a reply, before anybody sees it: a crash right after must still find it.

        A reply that calls tools is followed by another request at once, and is only kept when someone else cuts in.
        """
        if self._unsaved and self._holder is not None and reply.finish != "tool_calls":
            try:
                self._unsaved = not await self._save(server, self._holder[0])
            except HostDown:  # the reply is whole and counts; the next request finds the server gone
                return

    def forget(self, session: str) -> bool:
        """Erase what is kept of a session, for whatever model; says whether there was anything."""
        if self._holder is not None and self._holder[0] == session:
            self._unsaved = False
        files = list(self._folder.glob(f"*-{_session_mark(session)}{SUFFIX}"))
        for path in files:
            path.unlink(missing_ok=True)
        return bool(files)

    async def close(self) -> None:
        """Wait until what was saved has reached the disk."""
        if self._syncing:
            await asyncio.wait(self._syncing)

    def _path(self, session: str) -> Path:
        return self._folder / f"{self._model_mark()}-{_session_mark(session)}{SUFFIX}"

    def _model_mark(self) -> str:
        """Names the weights: the state of one model means nothing to another, even of the same shape."""
        size = self._model.stat().st_size if self._model.exists() else 0
        return _digest(f"{self._model.name}\0{size}")[:12]

    def _source(self, session: str | None) -> Path | None:
        """The file to restore: the session's own unless the slot holds its state already; in an empty slot the
        newest of any session, since all share the beginning of their prompt."""
        if session is not None and (self._holder is None or self._holder[0] != session or self._holder[1] != "chat"):
            own = self._path(session)
            if own.exists():
                return own
        if self._empty:
            files = self._files(self._model_mark())
            return files[-1] if files else None
        return None

    async def _restore(self, server: SlotServer, path: Path) -> None:
        """Bring a file back. One that is refused, or that ends the server (a cut-off one aborts llama.cpp), is
        deleted: it must not do that twice. One that met a dead server is kept."""
        if not await server.healthy():
            raise HostDown("the local model's process does not answer")
        try:
            restored = await server.restore_slot(path.name)
        except HostDown:
            _delete(path)
            raise
        if restored:
            os.utime(path)  # the folder is bounded by last use
        else:
            _delete(path)

    async def _save(self, server: SlotServer, session: str) -> bool:
        path = self._path(session)
        part = path.with_suffix(PART)
        if not await server.save_slot(part.name) or not part.exists():
            part.unlink(missing_ok=True)
            return False
        part.replace(path)
        # Nobody waits for the disk: after a power cut within this moment a chat is read again, or its file refused.
        task = asyncio.create_task(asyncio.to_thread(_sync, path))
        self._syncing.add(task)
        task.add_done_callback(self._syncing.discard)
        self._bound()
        return True

    def _files(self, mark: str = "") -> list[Path]:
        """Saved states, of one model or of all, least recently used first."""
        return sorted(self._folder.glob(f"{mark}*{SUFFIX}"), key=lambda path: path.stat().st_mtime)

    def _bound(self) -> None:
        """Remove the least recently used states beyond the limits; the newest always stays."""
        files = self._files()
        total = sum(path.stat().st_size for path in files)
        while len(files) > 1 and (total > self._max_bytes or len(files) > self._max_files):
            oldest = files.pop(0)
            total -= oldest.stat().st_size
            oldest.unlink(missing_ok=True)


def _delete(path: Path) -> None:
    path.unlink(missing_ok=True)


def _session_mark(session: str) -> str:
    return _digest(session)[:24]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _sync(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:  # bounded or forgotten meanwhile
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
