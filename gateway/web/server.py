"""The dashboard's server within somebody else's loop: it takes no signals, writes no log of requests, and says
nothing of itself. Owns the socket and the server's end."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp

from commands.dashboard_ports import DashboardTrouble

GRACE = 3
"""Seconds that answers under way get when the server ends."""

BACKLOG = 64
CONNECTIONS = 200
HEAD = 16 * 1024
"""Bytes of a request's head."""

IDLE = 15
"""Seconds that a connection may wait for its next request."""

BEAT = 1.0
"""Seconds between two looks at the time that answers bear."""


class _Server(uvicorn.Server):
    """Leaves signals to the process, and waits for its end instead of asking ten times a second."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ending = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def main_loop(self) -> None:
        while not self.ending.is_set():
            await self.on_tick(0)
            try:
                async with asyncio.timeout(BEAT):
                    await self.ending.wait()
            except TimeoutError:
                pass


class Server:
    """Serves an application on one address. `await Server.begin(...)`, then `await end()`."""

    def __init__(self, server: _Server, task: asyncio.Task[None], address: str) -> None:
        self._server = server
        self._task = task
        self.address = address
        """`http://127.0.0.1:8765`"""

    @classmethod
    async def begin(cls, app: ASGIApp, host: str, port: int) -> Server:
        """Returns once it answers. Raises DashboardTrouble when it cannot listen there."""
        bound = _bound(host, port)
        config = uvicorn.Config(
            app,
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="error",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            backlog=BACKLOG,
            limit_concurrency=CONNECTIONS,
            timeout_keep_alive=IDLE,
            timeout_graceful_shutdown=GRACE,
            h11_max_incomplete_event_size=HEAD,
        )
        server = _Server(config)
        task = asyncio.ensure_future(server.serve(sockets=[bound]))
        while not server.started:
            if task.done():
                bound.close()
                await task
                raise DashboardTrouble("the dashboard's server ended as soon as it began")
            await asyncio.sleep(0.005)
        name, number = bound.getsockname()[:2]
        return cls(server, task, f"http://{_spelt(host, name)}:{number}")

    async def end(self) -> None:
        """Listen no more, let answers under way finish, and close every connection."""
        self._server.ending.set()
        await self._task

    async def ended(self) -> None:
        """Until it has ended."""
        await asyncio.wait([self._task])


def _spelt(host: str, bound: str) -> str:
    """The address in a link: a name that means every address is one on this machine."""
    name = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)
    return f"[{name}]" if ":" in name and not name.startswith("[") else name or bound


def _bound(host: str, port: int) -> socket.socket:
    """A socket that listens on this address. Raises DashboardTrouble."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
    except OSError as error:
        raise DashboardTrouble(f"dashboard.host: {host} is no address of this machine: {error.strerror}") from error
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(BACKLOG)  # now: of two that begin at once, both are bound, and one cannot listen
        bound.setblocking(False)
    except OSError as error:
        bound.close()
        raise DashboardTrouble(
            f"the dashboard cannot listen on {host} port {port}: {(error.strerror or str(error)).lower()}. Set"
            " another one: innkeeper config set dashboard.port 8766 (0 takes a free one), and restart"
        ) from error
    return bound
