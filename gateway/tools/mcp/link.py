"""One connection to one server, by the `mcp` library; the only file that knows it, imported when a server is reached.

It lists tools, calls them, and says when the connection has ended. When that is tried again is server.py's matter.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import anyio
from httpx2 import HTTPError, Response
from mcp import Client, MCPError
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.message import SessionMessage
from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    Implementation,
    ResourceLink,
    TextContent,
    Tool,
    ToolListChangedNotification,
    jsonrpc_message_adapter,
)

from gateway.config.mcp import McpServer
from gateway.tools.mcp.child import Child, Flooded, child
from gateway.tools.mcp.shapes import Listed

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

PAGES = 50
"""Pages of a list of tools that are read."""

CLOSED = (-32000, "Connection closed")
"""How the library says that the connection has ended; servers use the number as well."""

REFUSALS = frozenset({401, 403, 404, 407, 429, *range(500, 600)})
"""What an address answers instead of serving; other codes are the protocol's own business."""


class Lost(Exception):
    """The connection ended, or could not be made; the text says why."""


class Refused(Exception):
    """The server did not carry out a call; the text is its reason."""


@dataclass(frozen=True, slots=True)
class Blob:
    """What a result holds beside text. `kind` says what it is: picture, sound, file."""

    kind: str
    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Said:
    """What a server answered to a call. `ok` False: it says that the call failed."""

    text: str
    blobs: tuple[Blob, ...] = ()
    ok: bool = True


@dataclass(frozen=True, slots=True)
class Ends:
    """What is heard of a connection: `lost` is set when it has ended, `changed` when its tools are others; `told` is
    the last refusal of an address, such as HTTP 401."""

    lost: asyncio.Event
    changed: asyncio.Event
    told: deque[str] = field(default_factory=lambda: deque(maxlen=1))


class Link:
    """An open connection."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def tools(self) -> tuple[Listed, ...]:
        """All tools that the server has. Raises Lost."""
        found: list[Listed] = []
        cursor: str | None = None
        for _ in range(PAGES):
            page = await _reached(self._client.list_tools(cursor=cursor))
            found += map(_listed, page.tools)
            cursor = page.next_cursor
            if cursor is None:
                break
        return tuple(found)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Said:
        """Raises Refused with the server's reason, and Lost."""
        return _said(await _reached(self._client.call_tool(tool, dict(arguments))))

    async def follow(self, changed: asyncio.Event) -> None:
        """Hear of changes where that has to be asked for. Returns when there is no more to be heard."""
        with suppress(ListenNotSupportedError, SubscriptionLost, MCPError, TimeoutError):
            async with self._client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    changed.set()


async def _reached(step: Any) -> Any:
    """The library's faults in our words."""
    try:
        return await step
    except MCPError as error:
        if (error.code, error.message) == CLOSED:
            raise Lost("the connection has ended") from error
        raise Refused(error.message) from error
    except (OSError, anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream) as error:
        raise Lost(f"{type(error).__name__}: {error}") from error
    except HTTPError as error:
        raise Lost(f"{type(error).__name__}: {error}") from error
    except (RuntimeError, ValueError, TypeError) as error:
        raise Refused(f"its answer could not be read: {error}") from error


@asynccontextmanager
async def linked(
    server: McpServer,
    environment: Mapping[str, str],
    folder: str | None,
    ends: Ends,
    born: Callable[[Child], object] = lambda child: None,
) -> AsyncIterator[Link]:
    """Connect. To be left in the task in which it was entered. `born` is handed the child process, if it is one.
    Raises what the library and the system raise."""

    async def heard(message: Any) -> None:
        if isinstance(message, ToolListChangedNotification):
            ends.changed.set()

    client = Client(
        _transport(server, environment, folder, ends, born),
        client_info=Implementation(name="innkeeper", version=version("innkeeper")),
        message_handler=heard,
        cache=None,
    )
    async with client:
        yield Link(client)


def _transport(
    server: McpServer, environment: Mapping[str, str], folder: str | None, ends: Ends, born: Callable[[Child], object]
) -> AbstractAsyncContextManager[Any]:
    if server.command is not None:
        return _piped(server.command, server.args, environment, folder, ends, born)
    assert server.url is not None, "the settings say one or the other"
    if server.transport == "sse":
        return sse_client(server.url, dict(server.headers), timeout=float(server.connect_timeout_s))
    return _posted(server, ends)


@asynccontextmanager
async def _posted(server: McpServer, ends: Ends) -> AsyncIterator[Any]:
    async def look(response: Response) -> None:
        if response.status_code in REFUSALS:
            ends.told.append(f"HTTP {response.status_code}")

    async with create_mcp_http_client(headers=dict(server.headers)) as http:
        http.event_hooks = {"response": [look]}
        async with streamable_http_client(str(server.url), http_client=http) as streams:
            yield streams


@asynccontextmanager
async def _piped(
    command: str,
    args: Sequence[str],
    environment: Mapping[str, str],
    folder: str | None,
    ends: Ends,
    born: Callable[[Child], object],
) -> AsyncIterator[Any]:
    """A child's lines as the streams that the library wants."""
    into, heard = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    said, out = anyio.create_memory_object_stream[SessionMessage](0)
    async with child(command, args, environment, folder) as process, into, heard, said, out:
        born(process)

        async def listen() -> None:
            async with into:
                with suppress(Flooded, anyio.BrokenResourceError, anyio.ClosedResourceError):
                    async for line in process.lines():
                        await into.send(_parsed(line))
            ends.lost.set()

        async def speak() -> None:
            with suppress(OSError, anyio.EndOfStream, anyio.ClosedResourceError):
                async for message in out:
                    dumped = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await process.send(dumped.encode() + b"\n")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listen)
            tasks.start_soon(speak)
            yield heard, said
            tasks.cancel_scope.cancel()


def _parsed(line: bytes) -> SessionMessage | Exception:
    """A line as a message; what is none is a fault for the library to pass over."""
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        return ValueError("the server sent a line that is no message")


def _listed(tool: Tool) -> Listed:
    hints = tool.annotations
    reads = hints is not None and hints.read_only_hint is True
    return Listed(tool.name, tool.description or tool.title or "", tool.input_schema, reads)


def _said(result: CallToolResult) -> Said:
    texts: list[str] = []
    blobs: list[Blob] = []
    for block in result.content:
        match block:
            case TextContent(text=text):
                texts.append(text)
            case ImageContent(data=data, mime_type=kind):
                blobs.append(Blob("picture", kind, _bytes(data)))
            case AudioContent(data=data, mime_type=kind):
                blobs.append(Blob("sound", kind, _bytes(data)))
            case ResourceLink(name=name, uri=uri):
                texts.append(f"[a resource: {name}, {uri}]")
            case EmbeddedResource(resource=BlobResourceContents(blob=data, mime_type=named)):
                blobs.append(Blob("file", named or "application/octet-stream", _bytes(data)))
            case EmbeddedResource(resource=resource):
                texts.append(getattr(resource, "text", ""))
    if not texts and not blobs and result.structured_content is not None:
        texts.append(json.dumps(result.structured_content, ensure_ascii=False))
    return Said("\n".join(texts), tuple(blobs), not result.is_error)


def _bytes(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=False)
    except (binascii.Error, ValueError):
        return b""
