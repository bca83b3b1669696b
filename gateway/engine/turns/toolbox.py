"""What sessions of a house are offered: the tools of its own beside those of plugins, and prompts that fit them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gateway.agent.scopes import ScopeOf
from gateway.agent.skill_index import skill_block
from gateway.agent.snapshot import Opener, Opening
from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.config.spilling import folder, rules
from gateway.engine.arrival.earshot import owners_heard, reach, sight, strange, who
from gateway.engine.gates.gatekeeper import Memories
from gateway.engine.gates.skill_gatekeeper import GatedSkills
from gateway.engine.house import Open
from gateway.engine.sessions.boundary import zone
from gateway.engine.turns.shelves import shelves, spills
from gateway.state.protocols import Store
from gateway.tools.files import file_tools
from gateway.tools.memory_tool import Ask, memory_tool
from gateway.tools.session_search import Onlooker, session_search_tool
from gateway.tools.skill_tools import skill_tools
from gateway.tools.tool import Tool
from gateway.tools.toolset import More, Toolset
from memory.providers.spill import spill_output
from platforms.messages import ChatKind, Inbound


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools, and who makes prompts for them."""

    toolset: Toolset
    opener: Opener


def toolbox(
    profile: Profile,
    settings: Callable[[], Settings],
    memory: Memories,
    skills: GatedSkills,
    *,
    store: Store,
    now: Callable[[], float],
    scope: ScopeOf,
    ask: Ask,
    more: Sequence[Tool],
    trouble: Callable[[str], object],
    remote: More = tuple,
) -> Toolbox:
    """By the settings of this moment, which decide what is offered until the next start. `store` holds what can be
    searched, `ask` is asked about writes to memory that wait, `more` are further tools, `remote` gives those that
    come and go, `trouble` takes a line for each file that no prompt can have."""
    onlooker = Onlooker(sight(settings, store.sessions), strange(settings, store.facts), lambda: zone(settings()))
    own = [
        memory_tool(memory.shelf.own, ask=ask, reach=reach(memory.shelf, scope)),
        *skill_tools(skills.library, skills.store, owners_heard(settings)),
        session_search_tool(store.search, onlooker, now),
        *file_tools(shelves(profile, settings, store, now), spills=spills(settings(), more)),
    ]
    offered, disabled = [each for each in (*own, *more) if each is not None], settings().agent.disabled_toolsets
    toolset = Toolset(offered, disabled, spill=_spilling(profile, settings), more=remote)

    def listed() -> str:
        return skill_block(skills.library, skills.store.usage)

    return Toolbox(toolset, Opener(profile, memory.shelf, toolset, trouble, listed))


def _spilling(profile: Profile, settings: Callable[[], Settings]) -> Callable[[str], str]:
    """Puts large results into files, by the settings of that moment."""
    return lambda text: spill_output(text, rules(settings()), folder(settings(), profile.cache))


def openings(opener: Opener, scope: ScopeOf, hint: Callable[[str], str] = lambda platform: "") -> Open:
    """What sessions are opened with, by the event they begin with; `hint` has a line for each platform's prompts."""

    def opening(event: Inbound) -> Opening:
        here = scope(event.chat, who(event), event.kind is ChatKind.DIRECT)
        return opener.opening(here, hint=hint(event.chat.platform))

    return opening
