"""Reviews put together with the house that they look back at: engine and reviews do not know each other.

What `gateway.app` composes of them; nothing is decided here but who is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from gateway.agent.scopes import NOWHERE, OWNERS, Scope, ScopeOf
from gateway.clock import Clock
from gateway.config.schema import Settings
from gateway.engine.arrival.earshot import owners_heard
from gateway.engine.engine import Engine
from gateway.engine.gates.gatekeeper import Memories
from gateway.engine.gates.skill_gatekeeper import GatedSkills
from gateway.engine.house import House
from gateway.engine.sessions.session_notes import SessionNotes
from gateway.engine.turns.grades import assisted, grade_fact
from gateway.engine.turns.sight import Sight
from gateway.models.client import HostInfo, ModelClient
from gateway.reviews.around import Around, Hosts, Watch
from gateway.reviews.cadence import Cadence, Intervals
from gateway.reviews.ledger import Ledger
from gateway.reviews.material import Shown
from gateway.reviews.preparing import Means
from gateway.reviews.worker import ReviewWorker
from gateway.state.protocols import Store
from gateway.state.records import Session, StoredMessage
from gateway.tools import memory_guidance, skill_guidance
from gateway.tools.memory_tool import Reach, memory_tool
from gateway.tools.skill_tools import skill_tools
from gateway.tools.tool import ToolContext
from gateway.tools.toolset import Toolset
from memory.model import Origin

OTHER_EARS = "said before who can hear the chat changed"
"""What pending writes say of a conversation whose chat is heard by others now."""

AT_ONCE = 1000
"""Reviews that run at the same time, at most."""


def cadence(store: Store, clock: Clock, settings: Callable[[], Settings], toolset: Toolset) -> Cadence:
    """Who asks for reviews, by the settings of each moment; for what no tool could keep, nobody does."""
    offered = {each.name for each in toolset.schemas}

    def intervals() -> Intervals:
        now = settings()
        return Intervals(
            memory=now.memory.nudge_interval if memory_guidance.NAME in offered else 0,
            skill=now.skills.creation_nudge_interval if skill_guidance.MANAGE in offered else 0,
            enabled=now.auxiliary.background_review.enabled,
        )

    return Cadence(store.reviews, clock, intervals)


def reviewed(house: House) -> House:
    """The house, of which what is left behind is put down for a review."""
    return replace(house, looks_back=cadence(house.store, house.clock, house.settings, house.toolset))


def reviewing(engine: Engine, hosts: Hosts, watch: Watch) -> ReviewWorker:
    """What runs the reviews of this engine's house, to be run beside it. The house must be `reviewed`, and have
    memory and skills."""
    house = engine.house
    assert isinstance(house.looks_back, Cadence), "the house is reviewed"
    assert house.memories is not None, "the house was furnished with it"
    assert house.skills is not None, "the house was furnished with them"
    assert house.notes is not None, "they come with memory"
    notes = house.notes
    ears = Ears(notes, house.memories, house.scope)
    around = Around(house.store, hosts, watch, house.settings, house.clock)
    means = Means(
        store=house.store,
        settings=house.settings,
        own=_own_tools(house, house.memories, house.skills, ears),
        parents=house.toolset,
        assisted=lambda client, info: _assisted(house.store, client, info),
        shown=lambda session, client, rows: _shown(house.store, session, client, rows),
        live=lambda session_id: _live(notes, session_id),
        heard=ears.heard,
    )
    kept = Ledger(house.memories.shelf, house.memories.pendings, house.skills.store, house.skills.pendings)
    worker = ReviewWorker(means, house.looks_back, around, watch, kept, house.clock, house.bus, house.report)
    engine.reviews.attend(worker.waiting, worker.wake)
    return worker


class Ears:
    """For whom a review writes: for those who were heard in the conversation, not for those who hear its chat now.

    Where the two differ, what was said among owners alone may be kept in the owner's own files, once somebody says
    yes to it; anything else is not kept. What is found when a review begins holds until its end: people who come to
    be heard meanwhile were not there.
    """

    def __init__(self, notes: SessionNotes, memories: Memories, scope: ScopeOf) -> None:
        self._notes = notes
        self._shelf = memories.shelf
        self._scope = scope
        self._found: dict[str, Scope] = {}

    async def heard(self, session: Session, context: ToolContext) -> str:
        """See `Means.heard`. To be asked before the session's review writes."""
        now, then = self._scope(context.chat, context.speaker, context.direct), await self._notes.seal(session.id)
        same = then == now.seal
        self._found.pop(session.id, None)
        self._found[session.id] = now if same else OWNERS if then == OWNERS.seal else NOWHERE
        while len(self._found) > AT_ONCE:
            del self._found[next(iter(self._found))]
        return "" if same else OTHER_EARS

    def reach(self, context: ToolContext) -> Reach:
        """What the memory tool of reviews writes to."""
        here = self._found.get(context.session_id, NOWHERE)
        targets = [target for target in self._shelf.own.enabled if target in here.files]
        return Reach(self._shelf.of(here.files), targets, here.censored)


async def _assisted(store: Store, client: ModelClient, info: HostInfo) -> bool:
    grade = await store.facts.get(*grade_fact(f"{client.host}/{client.model}"))
    return assisted(grade, info.tools)


async def _shown(store: Store, session: Session, client: ModelClient, rows: Sequence[StoredMessage]) -> Shown:
    """As a turn sends it: without its pictures, where their host took none."""
    sight = Sight(store.facts, session.id, client)
    await sight.load(rows)
    return sight.shown


async def _live(notes: SessionNotes, session_id: str) -> str:
    news = await notes.unread(session_id)
    return "" if news is None else news[0]


def _own_tools(house: House, memories: Memories, skills: GatedSkills, ears: Ears) -> Toolset:
    """The tools as a review has them: with its own origin, and nobody to ask."""
    tools = [
        memory_tool(memories.shelf.own, origin=Origin.REVIEW, reach=ears.reach),
        *skill_tools(skills.library, skills.store, owners_heard(house.settings), origin=Origin.REVIEW),
    ]
    return Toolset([each for each in tools if each is not None], house.settings().agent.disabled_toolsets)
