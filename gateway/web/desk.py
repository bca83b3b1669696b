"""What commands and the shell ask of the dashboard: to begin, links, everybody's logout.

Nothing of the web is imported before the first of these.

Owns whether the server runs. The house it shows comes with `furnish`, as the house is built before its ports.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commands.dashboard_ports import Dashboard, DashboardTrouble, Link
from commands.ports import Ports
from commands.registry import Registry
from gateway.clock import Clock
from gateway.config.own_zone import own_zone
from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.engine.house import Report
from gateway.events import Bus, Event, PartEnded, ReviewFinished, SessionClosed, TurnFinished, TurnStarted
from gateway.state.store import SqliteStore
from platforms.messages import ChatRef

if TYPE_CHECKING:
    from gateway.web.live import Live
    from gateway.web.server import Server

NEEDED = ("starlette", "uvicorn", "jinja2", "itsdangerous", "python_multipart")
MISSING = "the dashboard needs a few more packages: pip install 'innkeeper[web]'"


@dataclass(frozen=True, slots=True)
class Furniture:
    """What the pages show: the ports and commands of the house, and its bus where a gateway runs."""

    ports: Ports
    registry: Registry
    bus: Bus | None = None


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers, and what must end before it."""

    server: Server
    live: Live


class DashboardDesk:
    """`commands.dashboard_ports.Dashboard`."""

    def __init__(
        self, profile: Profile, settings: Callable[[], Settings], store: SqliteStore, clock: Clock, report: Report
    ) -> None:
        self._profile = profile
        self._settings = settings
        self._store = store
        self._clock = clock
        self._report = report
        self._furniture: Furniture | None = None
        self._running: Running | None = None
        self._closed = False
        self._opening = asyncio.Lock()

    def furnish(self, furniture: Furniture) -> None:
        """Once, when the house stands."""
        self._furniture = furniture
        if furniture.bus is not None:
            furniture.bus.subscribe(self._heard)

    async def start(self) -> str:
        return (await self._begun()).server.address

    def address(self) -> str:
        if outside := self._settings().dashboard.public_url:
            return outside.rstrip("/")
        return self._running.server.address if self._running is not None else ""

    async def link(self, who: str, chat: ChatRef | None) -> Link:
        from gateway.web.linking import invite

        running = await self._begun()
        return await invite(self._settings(), self._store, self._clock, who, chat, running.server.address)

    async def sign_out_all(self) -> int:
        count = await self._store.logins.end_all()
        if self._running is not None:
            self._running.live.end_all()
        return count

    async def close(self) -> None:
        """End the server, if it ever began; it begins no more."""
        self._closed = True
        async with self._opening:
            running, self._running = self._running, None
        if running is not None:
            await running.live.close()
            await running.server.end()

    async def _begun(self) -> Running:
        """The server; begun now, if it was not. Raises DashboardTrouble."""
        if not available():
            raise DashboardTrouble(MISSING)
        async with self._opening:
            if self._closed or self._furniture is None:
                raise DashboardTrouble("the gateway is closing")
            if self._running is None:
                self._running = await self._begin(self._furniture)
                self._report.info("dashboard.began", address=self._running.server.address)
            return self._running

    async def _begin(self, furniture: Furniture) -> Running:
        from gateway.web.opening import opened  # a third of a second, and it is seldom asked for

        return await opened(
            self._profile,
            self._settings,
            self._store,
            self._clock,
            self._report,
            furniture,
            lambda: own_zone(self._settings()),
        )

    def _heard(self, event: Event) -> None:
        """Whoever looks on sees at once what the gateway itself did."""
        if self._running is None:
            return
        match event:
            case TurnStarted() | TurnFinished() | SessionClosed():
                self._running.live.tell("sessions", "health")
            case ReviewFinished():
                self._running.live.tell("reviews", "pending", "memory", "skills")
            case PartEnded(delivered=False):
                self._running.live.tell("health")
            case _:
                pass


def furnished(dashboard: Dashboard | None, ports: Ports, registry: Registry, bus: Bus) -> DashboardDesk:
    """A house's own desk, which now knows what there is to show; whoever opened the house closes it."""
    assert isinstance(dashboard, DashboardDesk), "the house was furnished with it"
    dashboard.furnish(Furniture(ports, registry, bus))
    return dashboard


def available() -> bool:
    """Whether the packages of the extra `web` are here."""
    return all(importlib.util.find_spec(name) is not None for name in NEEDED)
