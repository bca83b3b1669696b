"""Which files a model may read on, by the settings and rows of the moment: the owner's folders, large outputs, and
documents that were sent in the session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path

from gateway.attachments.extraction import Extractor, Unreadable
from gateway.clock import SystemClock
from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.config.spilling import folder
from gateway.engine.arrival.remarks import unsaid
from gateway.engine.outgoing.outlet import opened, trusted
from gateway.state.protocols import Store
from gateway.state.records import Row
from gateway.tools.file_rules import NotShown, data_of
from gateway.tools.files import Shelves
from gateway.tools.tool import Tool

MACHINE = tuple(map(Path, ("/proc", "/sys", "/dev")))
"""What is no file although it looks like one: it shows the environment of processes, and devices."""

WHOLE = 5_000_000
"""Characters of a document that can be read on in."""


def spills(settings: Settings, more: Iterable[Tool]) -> bool:
    """Whether a session may be shown a part of what lies in a file: outputs of MCP servers, of further tools that do
    not bound their answers themselves, and what an outside memory recalls."""
    servers = any(each.enabled for each in settings.mcp_servers.values())
    return servers or settings.memory.provider is not None or any(each.spills for each in more)


def shelves(profile: Profile, settings: Callable[[], Settings], store: Store, now: Callable[[], float]) -> Shelves:
    """What the file tools are made with. The profile's folder and the home stay closed, and what is no file."""
    extractor = Extractor(SystemClock())

    async def sent(session: str, name: str) -> str | None:
        rows = await store.turns.messages(session)
        given = [each for row in rows if row.row.role == "user" for each in row.row.files]
        found = [each for each in given if each.kind == "document" and each.name == name]
        if not found:
            return None
        path = found[-1].path
        data = await asyncio.to_thread(lambda: data_of(Path(path).resolve()))
        try:
            return (await extractor.text(data, path, WHOLE)).shown
        except Unreadable as why:
            raise NotShown(f"{name} is a document {why}") from None

    async def told(session: str, turn: int, name: str) -> bool:
        rows = [*await store.turns.messages(session), *await store.turns.messages_of_turn(turn)]
        return any(name in _shown(each.row) for each in rows)

    return Shelves(
        roots=lambda: opened(settings()),
        closed=(profile.home, profile.folder, *MACHINE),
        spilled=lambda: folder(settings(), profile.cache),
        trusts=trusted(settings),
        sent=sent,
        told=told,
        now=now,
    )


def _shown(row: Row) -> str:
    """What of a row opens a file: what tools answered, and what the house noted. What people write themselves opens
    nothing, nor do words that they answer; where such words are what came of a call, the house brought them."""
    if row.role == "tool":
        return row.content
    return row.note if row.untrusted == "mcp" else unsaid(row.note)
