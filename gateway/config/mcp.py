"""The sections of config.yaml about MCP servers: how each is reached, and what of it is offered.

What becomes of a call is `gateway.tools.mcp`'s and the engine's matter.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from gateway.config.values import Count, Positive
from platforms.settings import Section, Texts, Truth, WebAddress

CallApproval = Literal["auto", "ask", "allow", "deny"]
"""ask lets a call wait for a yes, allow carries it out, deny offers no such tool; auto believes a tool that says of
itself that it only reads, where nobody but owners is heard, and asks otherwise."""


class McpServer(Section):
    """One MCP server that gives tools: a command to start, or an address to call."""

    command: str | None = None
    """The program to start."""
    args: Texts = Field((), repr=False)
    """Its arguments."""
    env: dict[str, str] = Field(default_factory=dict, repr=False)
    """Its variables; of this process it gets PATH, HOME and LANG alone."""
    cwd: str | None = None
    """The folder that it works in; null means the home folder."""
    url: WebAddress | None = None
    """The server's address, instead of a command."""
    headers: dict[str, str] = Field(default_factory=dict, repr=False)
    """HTTP headers for the address, such as Authorization."""
    transport: Literal["auto", "http", "sse"] = "auto"
    """How the address is spoken to: http (streamable, also auto), or sse for older servers."""
    timeout_s: Positive = 60
    """Seconds that one call may take."""
    connect_timeout_s: Positive = 30
    """Seconds until the server must be ready."""
    enabled: Truth = True
    """false keeps the entry and leaves the server alone."""
    tools: dict[Literal["allow", "deny"], Texts] = Field(default_factory=dict)
    """Which of its tools are offered, such as {allow: [search]} or {deny: [delete]}; empty offers all."""
    approval: CallApproval = "auto"
    """Whether calls wait for a yes: ask, allow, deny, or auto (reading is free where only owners are heard)."""
    approvals: dict[str, CallApproval] = Field(default_factory=dict)
    """The same by tool, such as {git_commit: ask}."""

    @model_validator(mode="after")
    def _one_way_in(self) -> Self:
        if (self.command is None) == (self.url is None):
            raise ValueError("needs either command or url")
        return self

    def offers(self, tool: str) -> bool:
        """Whether one of its tools is offered at all."""
        allowed = self.tools.get("allow", ())
        return tool not in self.tools.get("deny", ()) and (not allowed or tool in allowed)

    def rule(self, tool: str) -> CallApproval:
        """What holds for calls of one of its tools."""
        return self.approvals.get(tool, self.approval)


class Mcp(Section):
    """The tools of all MCP servers together."""

    deferred_chars: Count = 20_000
    """Characters of their schemas above which only a search for tools is offered; 0 does so always."""
    max_tools: Positive = 200
    """Tools that one server may have; the rest is left out."""
