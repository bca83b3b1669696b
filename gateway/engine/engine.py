"""The engine put together: one front door, one way out, and an orderly start and end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from commands.host_ports import HostStates
from commands.ports import Ports, Status
from commands.registry import Registry
from commands.skill_ports import SkillHub
from commands.skill_shortcuts import Shortcuts
from gateway.agent.scopes import room_file
from gateway.engine.arrival.accept import Reception
from gateway.engine.arrival.backlog import Backlog
from gateway.engine.arrival.orders import Orders
from gateway.engine.arrival.recovery import recover
from gateway.engine.care.retention import StoredRetention
from gateway.engine.desks.desks import ChatConversation, ChosenModels, StoredBooks
from gateway.engine.desks.journey_desk import JourneyDesk
from gateway.engine.desks.memory_desk import MemoryDesk
from gateway.engine.desks.pairing_desk import PairingDesk
from gateway.engine.desks.reviews_desk import ReviewsDesk
from gateway.engine.desks.skills_desk import SkillsDesk
from gateway.engine.gates.review_notices import ReviewNotices
from gateway.engine.house import House
from gateway.engine.jobs.job_herald import JobHerald
from gateway.engine.jobs.job_places import JobPlaces
from gateway.engine.jobs.job_turns import JobTurns
from gateway.engine.networks.owner_chats import OwnerChats
from gateway.engine.networks.supervisor import PlatformState, Supervisor
from gateway.engine.networks.watch import Watch
from gateway.engine.sessions.archive import StoredArchive
from gateway.engine.sessions.boundary import Boundary, zone
from gateway.engine.sessions.finder import StoredFinder
from gateway.engine.turns.signs import Signs
from gateway.engine.turns.skill_calls import SkillCalls
from gateway.engine.turns.worker import Workers
from memory.files import FileTrouble
from platforms.adapter import Adapter
from platforms.messages import ChatRef


class Engine:
    """`await start(adapters)`, then events flow until `await stop()`. The house's store is not closed here."""

    def __init__(
        self,
        house: House,
        registry: Registry,
        status: Callable[[Engine], Status],
        known_models: Callable[[], Sequence[str]] = tuple,
        hub: SkillHub | None = None,
        hosts: HostStates | None = None,
    ) -> None:
        self.house = house
        boundary, backlog = Boundary(house), Backlog(house)
        self._orders = Orders(house, registry)
        self.shortcuts = Shortcuts(registry, house.skills.library if house.skills is not None else None)
        """Which messages call up skills."""
        owner_chats = OwnerChats(house.store.facts)
        places, calls = JobPlaces(house, owner_chats), SkillCalls(house, self.shortcuts)
        self.workers = Workers(house, boundary, self._orders, calls, places)
        self.job_turns = JobTurns(house, self.workers, places)
        """Holds what jobs ask for; whoever runs jobs calls it."""
        self.job_herald = JobHerald(house, owner_chats, self.workers.tell_owner)
        self._backlog = backlog
        self.reception = Reception(house, self.workers, self._orders, backlog, self.shortcuts)
        self._supervisor = Supervisor(house, self.reception, owner_chats)
        self.watch = Watch(house, lambda: self.platforms, owner_chats)
        """Tells the owner of platforms that do not work; whoever opens the engine runs it beside."""
        settle = [each.settle for each in (house.pending, house.skill_pending) if each is not None]
        self.reviews = ReviewsDesk(house.store, house.clock, settle)
        """Answers what commands ask about reviews; whoever starts reviews attends to it."""
        self.retention = StoredRetention.of(house)
        """Old sessions leave by it, when ordered and daily."""
        self.review_notices = ReviewNotices(house, settle)
        """Tells what reviews wrote; to be run beside, like the watch."""
        house.delivery.moved = self.move
        house.bus.subscribe(Signs(house, self.workers.spawn, self.workers.tell))
        memory, edits = _memory_desk(house), self.reception.edits
        settled = memory.settled if memory is not None else None
        self._orders.ports = Ports(
            archive=StoredArchive(house.store, house.mask),
            books=StoredBooks(house.store, house.clock),
            status=status(self),
            models=ChosenModels(house.store.facts, house.hosts, known_models),
            conversation=ChatConversation(house, boundary, self.workers, backlog, settled, edits=edits),
            memory=memory,
            pending=house.pending,
            skill_pending=house.skill_pending,
            skills=SkillsDesk.of(house, hub),
            homes=house.homes,
            pairing=PairingDesk(house.store, house.clock.now, house.delivery.wake),
            reviews=self.reviews,
            retention=self.retention,
            cron=house.cron,
            maintenance=house.maintenance,
            journey=JourneyDesk.of(house),
            hosts=hosts,
            dashboard=house.dashboard,
            tools=house.remote,
            call_pending=house.remote.desk if house.remote is not None else None,
            finder=StoredFinder(house.store, house.clock.now, lambda: zone(house.settings())),
        )

    @property
    def ports(self) -> Ports:
        """What commands reach the house by; the shell and the web use the same."""
        assert self._orders.ports is not None
        return self._orders.ports

    @property
    def platforms(self) -> Mapping[str, PlatformState]:
        """How each platform is doing."""
        return self._supervisor.states

    async def move(self, old: ChatRef, new: ChatRef) -> None:
        """A chat has a new id: its sessions, what waits for it, its facts, its memory and its mailboxes go along."""
        await self.house.store.sessions.move_chat(old, new)
        self.workers.moved(old, new)
        if self.house.memories is not None:
            try:
                await asyncio.to_thread(self.house.memories.shelf.renamed, room_file(old), room_file(new))
            except FileTrouble as trouble:
                self.house.report.warning("memory.not_moved", chat=new.key, why=str(trouble))

    async def start(self, adapters: Sequence[Adapter], absent: Mapping[str, str] | None = None) -> None:
        """Take up what was left, then listen. `absent` are platforms that are wanted and could not be built, and
        why."""
        self._supervisor.miss(absent or {})
        await recover(self.house, self.workers, self.reception, self._backlog)
        for adapter in adapters:
            self._supervisor.start(adapter)

    async def stop(self) -> None:
        """Listen no more, give running turns their time, hand over what is ready. What is left waits in the store."""
        await self._supervisor.stop_listening()
        await self.workers.close(self.house.settings().gateway.drain_seconds)
        if self.house.intake is not None:
            await self.house.intake.close()
        await self.house.delivery.close()
        await self.workers.told()


def _memory_desk(house: House) -> MemoryDesk | None:
    if house.memories is None:
        return None
    return MemoryDesk(house.memories.shelf, house.memories.remains, house.store, house.hosts.forget, house.scope)
