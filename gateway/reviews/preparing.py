"""A claimed review made ready: what it reads, what it may use, who it writes for, and on which model.

What the house lends for that is `Means`. Running what comes of it is the worker's matter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from gateway.agent.fingerprint import SENT
from gateway.config.schema import Settings
from gateway.models.client import HostInfo, ModelClient
from gateway.reviews.around import Site
from gateway.reviews.assisted_review import AssistedReview
from gateway.reviews.budget import answer_bound, input_budget, room
from gateway.reviews.material import Shown, material
from gateway.reviews.permitted import ReviewTools
from gateway.reviews.prompts import instruction
from gateway.reviews.review import Desk, Given, Review
from gateway.state.protocols import Store
from gateway.state.records import Session, StoredMessage
from gateway.state.review_records import QueuedReview
from gateway.tools.tool import ToolContext
from gateway.tools.toolset import Toolset
from platforms.messages import ChatKind

TURNS = 200
"""Turns that are asked who spoke in them, at most; the newest."""

PAGE = 1000
"""Rows that are read at a time."""


@dataclass(frozen=True, slots=True)
class Means:
    """What the house lends. `own` are the tools as a review has them, `parents` those of turns.

    `assisted(client, info)`: whether a model is helped with tools instead of being offered them. `shown(session,
    client, rows)`: what a turn makes of a conversation before it sends it. `live(session id)`: what stands in memory
    now, where that is not what the prompt says. `heard(session, context)`: why what is written has to wait for a yes,
    empty when those who were heard in the session are those who hear its chat now.
    """

    store: Store
    settings: Callable[[], Settings]
    own: Toolset
    parents: Toolset
    assisted: Callable[[ModelClient, HostInfo], Awaitable[bool]]
    shown: Callable[[Session, ModelClient, Sequence[StoredMessage]], Awaitable[Shown]]
    live: Callable[[str], Awaitable[str]]
    heard: Callable[[Session, ToolContext], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Ready:
    """A review that can be run. `prefix` is what its material says of the host's cache."""

    work: Review | AssistedReview
    prefix: str


async def ready(
    means: Means, review: QueuedReview, session: Session, site: Site, desk: Desk, *, short: bool = False
) -> Ready:
    """Read and put together what the review needs. `short`: as a digest, where the conversation does not fit."""
    store, chosen = means.store, means.settings().auxiliary.background_review
    rows = await _rows(store, session.id)
    compaction, _ = await store.turns.conversation(session.id, 0)
    info = await site.client.info()
    assisted = await means.assisted(site.client, info)
    context = await _context(store, review, session, rows)
    budget = input_budget(chosen.max_input_tokens, info.window)
    read = await asyncio.to_thread(  # it may be long, and chats are not to wait for it
        material,
        session,
        rows,
        compaction,
        review,
        same_model=site.same and not short,
        room=room(budget, info.window),
        shown=await means.shown(session, site.client, rows),
        assisted=assisted,
        sent=await store.facts.get(session.id, SENT),
        model=f"{site.client.host}/{site.client.model}",
    )
    held = await means.heard(session, context)
    read = replace(read, untrusted=read.untrusted or held)
    live = await means.live(session.id)
    offered = [each.name for each in read.offered]
    tools = ReviewTools(means.own, means.parents, chosen.extra_tools, kinds=review.kinds, offered=offered)
    given = Given(
        review=review,
        material=read,
        client=site.client,
        tools=tools,
        context=context,
        instruction=instruction(tools.kinds, focus=review.focus, live=live, fresh=read.fresh),
        budget=budget,
        effort=_effort(means.settings(), site),
        answer=answer_bound(info.window, local=info.local),
    )
    work = AssistedReview(desk, given, live=live) if assisted else Review(desk, given)
    return Ready(work, read.prefix)


def _effort(settings: Settings, site: Site) -> str | None:
    """The conversation's own model thinks as it does in the conversation; another one as configured for it."""
    if not site.same:
        return settings.auxiliary.background_review.reasoning_effort
    return settings.model.reasoning_effort if site.main else None


async def _rows(store: Store, session_id: str) -> list[StoredMessage]:
    """All of a session, a page at a time: others read from the store, too."""
    rows: list[StoredMessage] = []
    while page := await store.turns.messages(session_id, rows[-1].id if rows else 0, PAGE):
        rows += page
    return rows


async def _context(
    store: Store, review: QueuedReview, session: Session, rows: Sequence[StoredMessage]
) -> ToolContext:
    """Where the review writes: for the one person who spoke in what is reviewed, for nobody in particular where
    several did or nobody knows. Who spoke is known for as long as events are kept."""
    within = [each for each in rows if each.id <= review.upto and each.turn_id is not None]
    fresh = [each for each in within if each.id > review.after] or within
    turns = list(dict.fromkeys(each.turn_id for each in fresh))[-TURNS:]
    events = [[item.event for item in await store.inbox.of_turn(turn_id)] for turn_id in turns if turn_id is not None]
    heard = [each for each in events if each]
    said = [event for each in heard for event in each]
    direct = bool(said) and all(event.kind is ChatKind.DIRECT for event in said)
    speakers = {f"{event.chat.platform}:{event.sender.id}" for event in said}
    known = direct or len(heard) == len(events)
    speaker = next(iter(speakers)) if known and len(speakers) == 1 else ""
    return ToolContext(session.chat, session.id, 0, speaker, direct=direct)
