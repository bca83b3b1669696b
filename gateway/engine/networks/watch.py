"""A platform that is deaf, off or cannot send is reported where the owner can read it: on another one, once, and once
more when it is back.

Owns what was told and when. How a platform is doing is the supervisor's judgement, and `/status` says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from gateway.clock import Clock
from gateway.config.schema import Settings
from gateway.engine import notices
from gateway.engine.arrival.session_key import home_chats
from gateway.engine.desks.status import HEARD
from gateway.engine.house import House
from gateway.engine.networks.owner_chats import OwnerChats
from gateway.engine.networks.supervisor import PlatformState
from gateway.engine.outgoing.delivery import Delivery
from gateway.engine.sessions.boundary import zone
from gateway.state.connection import DatabaseFault
from gateway.state.protocols import Facts
from platforms.adapter import Adapter
from platforms.messages import ChatRef

LOOK = 10.0
"""Seconds between two looks."""

GRACE, STEADY = 120.0, 60.0
"""Seconds that a trouble must last before it is told, and that a platform must be well before it counts as back. Both
double with every report of the last hours, so that one that comes and goes does not fill the chat."""

REMEMBERED, DEEPEST = 6 * 3600.0, 5
"""Seconds for which a report is remembered, and how many of them count."""

HEARD_EVERY = 300.0
"""Seconds between two notes of when a platform was last heard, for the case that the next start finds it silent."""

_TROUBLE = "trouble"


@dataclass(slots=True)
class Case:
    """A platform that is not well, or was not lately. Times are in seconds since the epoch. `told` are the keys of
    the chats that know; `overdue` says that nobody could be told."""

    since: float
    told: list[str] = field(default_factory=list)
    overdue: bool = False
    well_since: float | None = None


class Watch:
    """`run()` beside the engine. `states` gives every platform that should be there."""

    def __init__(self, house: House, states: Callable[[], Mapping[str, PlatformState]], owners: OwnerChats) -> None:
        self._report = house.report
        self._facts: Facts = house.store.facts
        self._delivery: Delivery = house.delivery
        self._adapters: Mapping[str, Adapter] = house.adapters
        self._clock: Clock = house.clock
        self._settings: Callable[[], Settings] = house.settings
        self._states = states
        self._owners = owners
        self._cases: dict[str, Case] = {}
        self._reports: dict[str, list[float]] = {}
        self._heard: dict[str, float] = {}
        self._loaded = False

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            try:
                await self.look()
            except DatabaseFault:  # delivery meets and reports the same fault
                pass
            await self._clock.sleep(LOOK)

    async def look(self) -> None:
        """See how everybody is, and tell what is due. Raises DatabaseFault."""
        if not self._loaded:
            await self._load()
        await self._owners.save()
        states = self._states()
        well = {name for name, state in states.items() if state.up}
        for name, state in states.items():
            await self._note_heard(name)
            if state.up:
                await self._see_well(name)
            else:
                await self._see_trouble(name, state, well)

    async def _see_trouble(self, name: str, state: PlatformState, well: Collection[str]) -> None:
        now = self._clock.now()
        case = self._cases.setdefault(name, Case(now))
        case.well_since = None
        if case.told or (not state.final and now - case.since < self._patience(name, GRACE)):
            return
        why = state.why or state.words
        places = await self._places(name, well)
        if not places:
            if not case.overdue:
                self._report.error("platform.trouble", platform=name, why=why, told="nobody: no other chat is known")
            case.overdue = True
            return
        self._report.error("platform.trouble", platform=name, why=why, told=[each.key for each in places])
        self._reports.setdefault(name, []).append(now)
        case.told, case.overdue = [each.key for each in places], False
        await self._keep(name, case)
        await self._tell(
            case.told, f"trouble:{name}:{now:.0f}", notices.platform_trouble(name, why, self._last(name))
        )

    async def _see_well(self, name: str) -> None:
        now, case = self._clock.now(), self._cases.get(name)
        if case is None:
            return
        if case.well_since is None:
            case.well_since = now
        if now - case.well_since < self._patience(name, STEADY):
            return
        del self._cases[name]
        if not (case.told or case.overdue):
            return
        # Nobody heard of it while it lasted: then its own home chats do, now that they can.
        here = [each.key for each in home_chats(self._settings()) if each.platform == name]
        text = notices.platform_back(name, self._moment(case.since), self._moment(case.well_since))
        self._report.info("platform.back", platform=name)
        await self._keep(name, None)
        await self._tell(case.told or here, f"back:{name}:{now:.0f}", text)

    async def _tell(self, chats: Iterable[str], source: str, text: str) -> None:
        for key in chats:
            await self._delivery.post(ChatRef.parse(key), f"{source}:{key}", text)

    async def _places(self, name: str, well: Collection[str]) -> list[ChatRef]:
        """Where the owner reads it: home chats on platforms that are well, else the chat in which they spoke last,
        else a terminal before which somebody sits."""

        def elsewhere(chats: Iterable[ChatRef]) -> list[ChatRef]:
            return [each for each in chats if each.platform != name and each.platform in well]

        if homes := elsewhere(home_chats(self._settings())):
            return homes
        watched = [each for each in elsewhere(self._delivery.chats) if self._adapters[each.platform].attended(each)]
        spoke = elsewhere(await self._owners.latest())
        # A chat network reaches people wherever they are, a terminal only who sits before it.
        reached = [each for each in spoke if each in watched or self._network(each)]
        return reached[:1] or watched or spoke[:1]

    def _network(self, chat: ChatRef) -> bool:
        adapter = self._adapters.get(chat.platform)
        return adapter is not None and adapter.capabilities.pulse > 0

    def _patience(self, name: str, seconds: float) -> float:
        now = self._clock.now()
        recent = [each for each in self._reports.get(name, []) if now - each < REMEMBERED]
        self._reports[name] = recent
        return seconds * float(2 ** min(len(recent), DEEPEST))

    def _last(self, name: str) -> str:
        adapter = self._adapters.get(name)
        last = adapter.last_heard if adapter is not None else None
        signs = (last, self._heard.get(name), self._delivery.reach.sent_at(name))
        known = [each for each in signs if each is not None]
        return f"It was last heard {self._moment(max(known))}." if known else "It was never heard."

    def _moment(self, at: float) -> str:
        """As on a clock; with the day when that is not today."""
        where = zone(self._settings())
        then, now = (datetime.fromtimestamp(each, where).astimezone(where) for each in (at, self._clock.now()))
        return f"{then:%H:%M}" if then.date() == now.date() else f"{then:%Y-%m-%d %H:%M}"

    async def _note_heard(self, name: str) -> None:
        adapter = self._adapters.get(name)
        last = adapter.last_heard if adapter is not None else None
        if last is not None and last - self._heard.get(name, 0.0) >= HEARD_EVERY:
            self._heard[name] = last
            await self._facts.put(f"platform:{name}", HEARD, last)

    async def _keep(self, name: str, case: Case | None) -> None:
        kept: dict[str, Any] = {"reports": self._reports.get(name, [])}
        kept["case"] = asdict(case) if case is not None else None
        await self._facts.put(f"platform:{name}", _TROUBLE, kept)

    async def _load(self) -> None:
        """What was told before the start. A case that nobody was told of begins anew."""
        for scope, kept in (await self._facts.everywhere(_TROUBLE)).items():
            name = scope.removeprefix("platform:")
            self._reports[name] = list(kept["reports"])
            if kept["case"] is not None:
                self._cases[name] = Case(**kept["case"] | {"well_since": None})
        for scope, at in (await self._facts.everywhere(HEARD)).items():
            self._heard.setdefault(scope.removeprefix("platform:"), at)
        self._loaded = True
