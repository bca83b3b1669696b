"""The dashboard begun: key, application and server, from what the house gives."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import tzinfo

from commands.dashboard_ports import DashboardTrouble
from gateway.clock import Clock
from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.engine.house import Report
from gateway.state.fingerprints import fingerprints, version
from gateway.state.store import SqliteStore
from gateway.web.app import Ground, application
from gateway.web.desk import Furniture, Running
from gateway.web.linking import public
from gateway.web.origins import Origins
from gateway.web.pages import Pages
from gateway.web.people import People
from gateway.web.pulse import Pulse
from gateway.web.secret import signing_key
from gateway.web.server import Server


async def opened(
    profile: Profile,
    settings: Callable[[], Settings],
    store: SqliteStore,
    clock: Clock,
    report: Report,
    furniture: Furniture,
    zone: Callable[[], tzinfo],
) -> Running:
    """Listening, once this returns. Raises DashboardTrouble."""
    now = settings()
    host, port, outside = now.dashboard.host, now.dashboard.port, public(now)
    try:
        key = await asyncio.to_thread(signing_key, profile.dashboard_key)
    except OSError as error:
        why = f"the key for logins cannot be kept as {profile.dashboard_key}: {error.strerror or error}"
        raise DashboardTrouble(why) from error
    database = store.database
    pages = Pages(furniture.ports, furniture.registry, clock, settings, zone, live=furniture.bus is not None)
    ground = Ground(
        people=People(settings, store.pairing),
        logins=store.logins,
        clock=clock,
        pulse=Pulse(profile, lambda: version(database), lambda: fingerprints(database), clock),
        report=report,
        key=key,
        origins=Origins(host, outside),
    )
    made = application(pages, ground)
    return Running(await Server.begin(made.asgi, host, port), made.live)
