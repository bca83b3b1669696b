"""What commands about the tools of MCP servers need of the house."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from commands.ports import Gatehouse
from memory.pending.call_model import PendingCall
from memory.pending.call_resolve import CallResolver, Ordered


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool of a server: `name` as models call it, `tool` as the server does; `rule` is ask, allow, deny or auto."""

    name: str
    tool: str
    about: str
    rule: str
    reads: bool
    offered: bool


@dataclass(frozen=True, slots=True)
class ServerView:
    """A server: `where` it is reached, its `state` in a word and how it is doing in `words`."""

    name: str
    where: str
    state: str
    words: str
    tools: Sequence[ToolView]
    problems: Sequence[str] = ()


class Tools(Protocol):
    """The servers that are configured."""

    def views(self) -> Sequence[ServerView]:
        """May read files: for a thread."""

    def problems(self) -> Sequence[str]:
        """What cannot be offered, in lines."""

    async def put_rule(self, server: str, tool: str, rule: str) -> str:
        """Set what holds for a tool in config.yaml and in force; the empty string, or why that could not be."""


class CallPending(Gatehouse[PendingCall, Ordered], Protocol):
    """Calls that wait for a yes."""

    @property
    def resolver(self) -> CallResolver: ...

    async def allow_here(self, call: PendingCall) -> None:
        """The same tool may be called without asking, for as long as the session of this call lasts."""
