"""A server on loopback that hands out files and misbehaves when told to; git repositories; a hub over a shed."""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gateway.config.environment import process_environment
from gateway.providers.git import Git
from gateway.providers.hub import Hub
from memory.skills.install import Installer
from tests.fakes.loopback_http import Answering, LoopbackServer, Recorded
from tests.memory.skills.crates import Files, folder
from tests.memory.skills.shed import Shed


@dataclass
class Goods:
    """What is at a path. `goes_to` leads on; `hangs` never ends; `says` are headers that replace the true ones."""

    data: bytes = b""
    status: int = 200
    goes_to: str = ""
    hangs: bool = False
    says: dict[str, str] = field(default_factory=dict)


class Shop(LoopbackServer):
    """`goods` by path."""

    def __init__(self) -> None:
        super().__init__()
        self.goods: dict[str, Goods] = {}

    def put(self, path: str, data: bytes | str | object) -> str:
        """The address."""
        body = (
            data if isinstance(data, bytes) else data.encode() if isinstance(data, str) else json.dumps(data).encode()
        )
        self.goods[path] = Goods(body)
        return f"{self.root}{path}"

    async def handle(self, request: Recorded, answer: Answering) -> None:
        goods = self.goods.get(request.path, Goods(status=404))
        if goods.goes_to:
            await answer.whole(302, "", headers={"Location": goods.goes_to})
            return
        headers = {"Content-Length": str(len(goods.data)), **goods.says}
        lines = [f"HTTP/1.1 {goods.status} X", *(f"{name}: {value}" for name, value in headers.items() if value)]
        answer.reusable = False
        await answer._write("\r\n".join([*lines, "Connection: close"]).encode() + b"\r\n\r\n" + goods.data)
        if goods.hangs:
            await asyncio.Event().wait()


def entry(name: str, source: str, data: bytes | str, description: str = "Does things.") -> dict[str, str]:
    """A line of an index; `data` is an archive, or the digest of a skill's files."""
    sha256 = data if isinstance(data, str) else hashlib.sha256(data).hexdigest()
    return {"name": name, "description": description, "source": source, "sha256": sha256}


def git(at: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *words],
        cwd=at,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def repository(at: Path, content: Files) -> Path:
    """A git repository with one commit of these files."""
    folder(at, content)
    git(at, "init", "--quiet", "--initial-branch=main")
    commit(at, {})
    return at


def commit(at: Path, content: Files) -> str:
    folder(at, content)
    git(at, "add", "--all")
    git(at, "commit", "--quiet", "--message", "more")
    return git(at, "rev-parse", "HEAD")


class Desk:
    """A hub over a shed, and what its progress said."""

    def __init__(self, shed: Shed, cache: Path, indexes: Sequence[str] = (), seconds: float = 60) -> None:
        self.shed = shed
        self.cache = cache
        self.installer = Installer(shed.library, shed.store, lambda: shed.time)
        self.hub = Hub(self.installer, Git(process_environment(), seconds=seconds), cache, indexes)
        self.said: list[tuple[str, int, int | None]] = []

    def progress(self, what: str, done: int, total: int | None) -> None:
        self.said.append((what, done, total))
