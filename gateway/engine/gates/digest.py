"""The daily list of what waits for a yes, repeated in the operators' home chats with its age, once a day.

When is for whoever runs the house's jobs; the cards about what is new are in `cards`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from commands.pending_words import Shown, age, literal
from gateway.clock import Clock
from gateway.config.schema import Settings
from gateway.engine import notices
from gateway.engine.arrival.session_key import home_chats
from gateway.engine.gates.cards import Pile, quiet
from gateway.engine.outgoing.delivery import Buttons
from gateway.engine.sessions.boundary import zone
from gateway.state.protocols import Outbox
from gateway.state.records import PartDraft
from platforms.chunking import split
from platforms.messages import ChatRef

IN_A_DIGEST = 30
SAFE_CHARACTERS = 1900
"""Of one message, where the platform that will send it is not at hand: the least that any takes, and some air."""

QUIET = "these are quiet hours, so nobody is told"
HOMELESS = "no chat is set where operators are told (/sethome)"
TODAY = "today's list was sent already"


class Post(Protocol):
    """Stores a text for a chat under a name, once, and sees to it that it is sent."""

    async def __call__(self, chat: ChatRef, source: str, text: str, *, buttons: Buttons = ()) -> None: ...


@dataclass(frozen=True, slots=True)
class Digested:
    """What waits, in how many chats it was repeated (or would be), and why it was not."""

    waiting: int
    chats: int = 0
    withheld: str = ""


class Digest:
    """`post` as in `Delivery`; `outbox` knows what was sent."""

    def __init__(
        self,
        piles: Sequence[Pile[Any]],
        post: Post,
        outbox: Outbox,
        clock: Clock,
        settings: Callable[[], Settings],
    ) -> None:
        self._piles = piles
        self._post = post
        self._outbox = outbox
        self._clock = clock
        self._settings = settings

    async def send(self, *, dry: bool = False) -> Digested:
        """Repeat what still waits. With `dry`, nothing is sent. Raises FileTrouble, DatabaseFault."""
        lines: list[str] = []
        show: Buttons = ()
        count = 0
        for pile in self._piles:
            if waiting := await asyncio.to_thread(pile.pendings.waiting):
                lines += [notices.still_waiting(len(waiting), pile.kind), *self._repeated(waiting)]
                show += pile.show
                count += len(waiting)
        if not count:
            return Digested(0)
        chats = await self._untold()
        if why := self._withheld(chats):
            return Digested(count, 0, why)
        if not dry:
            for chat, source in chats:
                await self._post(chat, source, "\n".join(lines), buttons=show)
        return Digested(count, len(chats))

    async def _untold(self) -> list[tuple[ChatRef, str]]:
        """The home chats that had no list today, and the names of theirs."""
        day = datetime.fromtimestamp(self._clock.now(), zone(self._settings())).date().isoformat()
        named = [(chat, f"digest:{day}:{chat.key}") for chat in home_chats(self._settings())]
        return [(chat, source) for chat, source in named if not await self._outbox.of_source(source)]

    def _withheld(self, chats: Sequence[object]) -> str:
        if not home_chats(self._settings()):
            return HOMELESS
        if not chats:
            return TODAY
        return QUIET if quiet(self._settings(), self._clock.now()) else ""

    def _repeated(self, waiting: Sequence[Shown]) -> list[str]:
        now = self._clock.now()
        lines = [
            f"- `{each.id}`{' [auto]' if each.unattended else ''} {literal(each.gist)}, {age(now - each.created_at)}"
            for each in waiting[:IN_A_DIGEST]
        ]
        more = len(waiting) - IN_A_DIGEST
        return [*lines, f"- and {more} more"] if more > 0 else lines


class StoredPost:
    """`Post` where no platform is at hand: the gateway sends what is stored, when it runs."""

    def __init__(self, outbox: Outbox, clock: Clock) -> None:
        self._outbox = outbox
        self._clock = clock

    async def __call__(self, chat: ChatRef, source: str, text: str, *, buttons: Buttons = ()) -> None:
        parts = [PartDraft(each) for each in split(text, SAFE_CHARACTERS, "utf16") if each.strip()]
        parts[-1] = PartDraft(parts[-1].text, buttons)
        await self._outbox.put(chat, source, parts, self._clock.now())
