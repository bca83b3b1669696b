"""What servers offered last, kept in the profile's cache: after a restart the same tools are offered at once. And how
they stood, for commands that reach none.

A file a server for each. One that was made for another command or address is not used, and a broken one is none.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from gateway.config.mcp import McpServer
from gateway.tools.mcp.shapes import Listed
from memory.files import FileTrouble, read, write_atomic

FOLDER = "mcp"
"""The folder in the profile's cache."""


STANDING = "standing"
"""The folder in there for how servers stood."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a gateway saw a server: `ready` or `down`, why, and since when, in seconds since the epoch."""

    state: Literal["ready", "down"]
    why: str
    since: float


class KnownTools:
    """`folder` is in the profile's cache. Touches the disk: for a thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, name: str, server: McpServer) -> tuple[Listed, ...] | None:
        """What this server listed last; None when that is not known."""
        held = self._held(name, server)
        return held[0] if held is not None else None

    def wrote(self, name: str, server: McpServer) -> frozenset[str]:
        """Its tools, those that are gone included, that once did not say that they only read."""
        held = self._held(name, server)
        return held[1] if held is not None else frozenset()

    def _held(self, name: str, server: McpServer) -> tuple[tuple[Listed, ...], frozenset[str]] | None:
        try:
            held = json.loads(read(self._path(name)) or "null")
            if held is None or held["server"] != mark(server):
                return None
            listed = tuple(_listed(each) for each in held["tools"])
            return listed, writers(listed) | frozenset(map(str, held.get("wrote", ())))
        except (FileTrouble, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def keep(self, name: str, server: McpServer, tools: Sequence[Listed], wrote: Iterable[str] = ()) -> None:
        """`wrote` are tools as in `wrote()`. Raises FileTrouble."""
        listed = [
            {"name": each.name, "description": each.description, "parameters": each.parameters, "reads": each.reads}
            for each in tools
        ]
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        gone = sorted({*wrote} - {each.name for each in tools})
        text = json.dumps({"server": mark(server), "tools": listed, "wrote": gone}, ensure_ascii=True, indent=1)
        write_atomic(self._path(name), text)

    def stood(self, name: str, server: McpServer, standing: Standing) -> None:
        """Keep how it stands from now on. Raises FileTrouble."""
        folder = self._folder / STANDING
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = json.dumps({"server": mark(server), **asdict(standing)}, ensure_ascii=True)
        write_atomic(folder / f"{name}.json", text)

    def standing(self, name: str, server: McpServer) -> Standing | None:
        """How it stood last; None when that is not known."""
        try:
            held = json.loads(read(self._folder / STANDING / f"{name}.json") or "null")
            if held is None or held["server"] != mark(server) or held["state"] not in ("ready", "down"):
                return None
            return Standing(held["state"], str(held["why"]), float(held["since"]))
        except (FileTrouble, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"


def mark(server: McpServer) -> str:
    """A name for what is started or called; it gives no secret away."""
    reached = json.dumps([server.command, server.args, server.url, server.cwd], sort_keys=True, default=list)
    return hashlib.sha256(reached.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _listed(held: Any) -> Listed:
    name, parameters = held["name"], held["parameters"]
    if not isinstance(name, str) or not isinstance(parameters, dict):
        raise TypeError("no tool")
    return Listed(name, str(held["description"]), parameters, held["reads"] is True)


def writers(listed: Iterable[Listed]) -> frozenset[str]:
    """Those that do not say that they only read."""
    return frozenset(each.name for each in listed if not each.reads)


def pinned(wrote: Collection[str], now: Sequence[Listed]) -> tuple[Listed, ...]:
    """The list of now. A tool that once did not say that it only reads is not believed when it says so later."""
    return tuple(replace(each, reads=False) if each.name in wrote else each for each in now)


def safe(text: str, longest: int = 200) -> str:
    """What a server said, for a line of a log or of /status."""
    return re.sub(r"\s+", " ", "".join(each if each.isprintable() else " " for each in text)).strip()[:longest]
