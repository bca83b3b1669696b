"""An MCP server over HTTP, made with the protocol's own library: `python mcp_http.py TRANSPORT PORT KEY`.

TRANSPORT is `http` or `sse`; without `Authorization: Bearer KEY` it answers 401.
"""

from __future__ import annotations

import sys
from typing import Any

import uvicorn
from mcp.server import MCPServer
from mcp_types import ToolAnnotations

READS = ToolAnnotations(read_only_hint=True)


def app(transport: str) -> Any:
    server = MCPServer("teller")

    @server.tool(annotations=READS)
    def add(a: int, b: int) -> int:
        """Adds two numbers."""
        return a + b

    return server.sse_app() if transport == "sse" else server.streamable_http_app()


def guarded(inner: Any, key: str) -> Any:
    async def guard(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and dict(scope["headers"]).get(b"authorization") != f"Bearer {key}".encode():
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b"no"})
            return
        await inner(scope, receive, send)

    return guard


if __name__ == "__main__":
    uvicorn.run(guarded(app(sys.argv[1]), sys.argv[3]), port=int(sys.argv[2]), log_level="error")
