"""What runs beside the engine for the sake of stored sessions: new ones get a title. What a title is, is titles.py's
matter; that old ones leave is a job of the house.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from gateway.engine.care.titles import TASK, TitleMaker
from gateway.engine.engine import Engine
from gateway.models.host_state import HostWatch
from gateway.models.registry import HostRegistry


def session_work(engine: Engine, hosts: HostRegistry) -> Mapping[str, Callable[[], Awaitable[None]]]:
    """What runs beside the engine for the sake of stored sessions, by a name for the log."""
    house = engine.house
    watch = HostWatch(hosts, house.clock, besides=TASK)
    return {"titles": TitleMaker(house, watch).run}
