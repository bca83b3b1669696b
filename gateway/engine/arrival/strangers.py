"""People whom no allowlist names: those who were let in with a code, and those who get one to ask with.

What a stranger writes is not kept, and neither is the code: it is in their chat, and in the store as a hash.
"""

from __future__ import annotations

import secrets

from commands.authority import CONSOLE
from gateway.engine import notices
from gateway.engine.arrival.session_key import invites
from gateway.engine.house import House
from gateway.state.connection import DatabaseFault
from gateway.state.records import Guest
from platforms.messages import ChatKind, Inbound

ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ"
"""Capitals without I, L and O, which are read as digits."""

LETTERS = 8
LONGEST_NAME = 40
MARKUP = frozenset("`*[]<>|\\")
"""A name chosen by a stranger is shown to the owner: it must not look like anything but a name."""


class Strangers:
    """Asked about those only who may not talk by the settings."""

    def __init__(self, house: House) -> None:
        self._house = house

    async def let_in(self, event: Inbound) -> bool:
        """Whether the speaker was let in with a code, which is for direct chats. The store is asked each time, since
        somebody else may have put them out a moment ago."""
        return _is_person(event) and await self._house.store.pairing.knows(event.chat.platform, event.sender.id)

    def may_ask(self, event: Inbound) -> bool:
        """Whether this is a person in a direct chat on a platform where nothing says who may talk."""
        return _is_person(event) and invites(event.chat.platform, self._house.settings())

    async def answer(self, event: Inbound) -> None:
        """Give a code, or say that there is one; at most once in ten minutes for each person."""
        try:
            await self._answer(event)
        except DatabaseFault as fault:
            self._house.report.warning("pairing.fault", why=str(fault))

    async def _answer(self, event: Inbound) -> None:
        pairing, delivery, sender = self._house.store.pairing, self._house.delivery, event.sender
        guest = Guest(event.chat.platform, sender.id, shown(sender.name), event.chat, self._house.clock.now())
        asked, code = await pairing.standing(guest), ""
        if asked in ("new", "open"):
            code = "".join(secrets.choice(ALPHABET) for _ in range(LETTERS))
            asked = await pairing.ask(guest, code)
        if asked == "new" and not await delivery.receipt(event.chat, notices.pairing_code(code)):
            await pairing.withdraw(guest.platform, guest.person)
        if asked == "open":
            await delivery.receipt(event.chat, notices.CODE_IS_OPEN)
        self._house.report.info("pairing.asked", chat=event.chat.key, sender=sender.id, came_to=asked)


def shown(name: str) -> str:
    """A stranger's name on one line, without what would be drawn as something else."""
    kept = "".join(each for each in " ".join(name.split()) if each.isprintable() and each not in MARKUP)
    return kept[:LONGEST_NAME].strip()


def _is_person(event: Inbound) -> bool:
    direct = event.kind is ChatKind.DIRECT and event.chat.platform != CONSOLE
    return direct and bool(event.sender.id) and not event.sender.is_bot
