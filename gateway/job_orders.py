"""What people and the assistant may order about jobs, put together: engine and schedule do not know each other.

Doing them is put together elsewhere; whoever does attends to the desk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from commands.authority import role_of
from commands.spec import Role
from gateway.clock import Clock
from gateway.config.own_zone import own_zone
from gateway.config.schema import Settings
from gateway.engine.arrival.earshot import owners_heard
from gateway.engine.arrival.session_key import access_rules, home_chats
from gateway.engine.gates.skill_gatekeeper import GatedSkills
from gateway.engine.house import Hosts
from gateway.engine.outgoing.delivery import Buttons, Delivery
from gateway.errors import ConfigurationError
from gateway.models.errors import ModelError
from gateway.schedule.admission import Premises
from gateway.schedule.desk import CronDesk, JobStore
from gateway.schedule.proposals import Asker, Proposals
from gateway.tools.cron_tool import cron_tool
from gateway.tools.tool import Tool
from platforms.messages import ChatRef


def cron_desk(
    store: JobStore,
    clock: Clock,
    settings: Callable[[], Settings],
    hosts: Hosts,
    skills: GatedSkills | None,
    *,
    asleep: bool = False,
) -> CronDesk:
    """What commands ask about jobs. `asleep`: unless somebody attends to the desk, nothing starts them."""

    def model(name: str) -> str:
        try:
            hosts.resolve(name)
        except (ConfigurationError, ModelError) as error:
            return str(error)
        return ""

    async def names() -> frozenset[str]:
        found = await asyncio.to_thread(skills.library.found) if skills is not None else None
        return frozenset(each.name for each in found.skills) if found is not None else frozenset()

    premises = Premises(
        zone=lambda: own_zone(settings()),
        model=model,
        skills=names,
        platforms=lambda: frozenset({"console", *settings().platforms}),
        home=lambda: next((chat.key for chat in home_chats(settings())), ""),
    )
    return CronDesk(store, clock, premises, asleep=asleep)


def cronjob(desk: CronDesk, store: JobStore, settings: Callable[[], Settings], delivery: Delivery) -> Tool:
    """The tool by which the assistant proposes jobs; its cards go out by `delivery`."""

    def role(speaker: str) -> Role:
        platform, _, person = speaker.partition(":")
        return role_of(platform, person, access_rules(settings()))

    async def post(chat: ChatRef, source: str, text: str, buttons: Buttons) -> None:
        await delivery.post(chat, source, text, buttons=buttons)

    desk.deliver_by(delivery.wake)

    def jobs_may() -> bool:
        return settings().jobs.may_create_jobs

    asker = Asker(role, owners_heard(settings), lambda: home_chats(settings()), jobs_may)
    return cron_tool(Proposals(desk, store, asker, post))
