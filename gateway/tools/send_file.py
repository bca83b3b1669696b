"""The `send_file` tool: a model hands the person a file that it wrote, or one from the folders that the owner opened.

The bytes are kept in the profile's cache until they have arrived. How they get into the chat is delivery's matter.
"""

from __future__ import annotations

import asyncio
import json
import mimetypes
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gateway.models.client import ToolSchema
from gateway.state.records import KeptFile
from gateway.tools.tool import Tool, ToolContext, ToolResult
from platforms.messages import ChatRef, OutFile

NAME = "send_file"

_DESCRIPTION = (
    "Give the person a file. name is its file name; content is its text, for what is too long or too exact for a "
    "message. It is sent with your answer: do not repeat the text there."
)
_FROM_FOLDERS = " Or path, instead of content, for a file in one of these folders: {folders}."
_PLAIN = re.compile(r"[^\w.,+@ ()\[\]-]")
_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class Outlet:
    """Where files may go. `limit(chat)` is the size of the largest that can be sent there, in bytes, 0 for none;
    `trusts(speaker)` says whether a person may have files of the machine."""

    folder: Path
    limit: Callable[[ChatRef], int]
    roots: Callable[[], Sequence[Path]]
    trusts: Callable[[str], bool]

    def keep(self, name: str, data: bytes, media_type: str = "") -> OutFile:
        """Put bytes where delivery finds them; without a media type, the name says what they are. Raises OSError."""
        shown = plain_name(name)
        folder = self.folder / secrets.token_hex(8)
        folder.mkdir(parents=True, mode=0o700)
        path = folder / shown
        path.write_bytes(data)
        guessed = media_type or mimetypes.guess_type(shown)[0] or "application/octet-stream"
        return OutFile(shown, guessed, str(path))


def send_file_tool(outlet: Outlet) -> Tool:
    """The tool. Files wait in `outlet.folder`."""
    door = _Door(outlet)
    return Tool(_schema(outlet.roots()), door.run, toolset="files", spills=False)


def _schema(roots: Sequence[Path]) -> ToolSchema:
    properties: dict[str, Any] = {"name": {"type": "string"}, "content": {"type": "string"}}
    words = _DESCRIPTION
    if roots:
        properties["path"] = {"type": "string"}
        words += _FROM_FOLDERS.format(folders=", ".join(map(str, roots)))
    return ToolSchema(NAME, words, {"type": "object", "properties": properties, "required": ["name"]})


class _Door:
    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        limit = self._outlet.limit(context.chat)
        if not limit:
            return ToolResult.error("No file can be sent in this chat. Put the text into your answer.")
        content, path = arguments.get("content"), arguments.get("path")
        if isinstance(content, str) == isinstance(path, str):
            example = {"name": "notes.txt", "content": "the whole text"}
            return ToolResult.error("Give either content or path.", example=example)
        if isinstance(path, str) and not self._outlet.trusts(context.speaker):
            return ToolResult.error("This person may not have files of the machine. Only content can be sent.")
        given = content if isinstance(content, str) else Path(str(path))
        return await asyncio.to_thread(self._kept, str(arguments.get("name") or ""), given, limit)

    def _kept(self, name: str, given: str | Path, limit: int) -> ToolResult:
        try:
            data = given.encode("utf-8", "replace") if isinstance(given, str) else self._read(given, limit)
        except OSError as error:
            return ToolResult.error(f"the file cannot be read: {error.strerror or error}")
        if not data or len(data) > limit:
            what = "is empty" if not data else f"has {len(data):,} bytes, and at most {limit:,} can be sent here"
            return ToolResult.error(f"the file {what}")
        sent = self._outlet.keep(name or (given.name if isinstance(given, Path) else ""), data)
        file = KeptFile("picture" if sent.picture else "document", sent.name, sent.media_type, sent.path)
        said = {"success": True, "message": f"{sent.name} ({len(data):,} bytes) will be sent with your answer."}
        return ToolResult(json.dumps(said, ensure_ascii=False), files=(file,))

    def _read(self, path: Path, limit: int) -> bytes:
        """A file that really lies in one of the folders, links followed. Raises OSError."""
        roots = [root.resolve() for root in self._outlet.roots()]
        places = [path] if path.is_absolute() else [root / path for root in roots]
        for place in places:
            real = place.resolve()
            if real.is_file() and any(real.is_relative_to(root) for root in roots):
                with real.open("rb") as file:
                    return file.read(limit + 1)
        raise FileNotFoundError(2, f"there is no file {path} in the folders that are open to you")


def plain_name(name: str) -> str:
    """A file name without folders and odd signs."""
    bare = _PLAIN.sub("_", name.replace("\\", "/").rpartition("/")[2]).strip(" .")
    stem, dot, ending = bare.rpartition(".")
    if len(bare) > _LONGEST_NAME:
        bare = f"{stem[: _LONGEST_NAME - 12]}{dot}{ending[:11]}"
    return bare or "file.txt"
