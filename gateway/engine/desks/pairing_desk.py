"""Letting people in who ask with a code, and putting them out again; beside a running gateway or without one."""

from __future__ import annotations

import math
from collections.abc import Callable

from commands.ports import GuestView
from gateway.engine import notices
from gateway.state.pairing import CODE_SECONDS
from gateway.state.protocols import Store
from gateway.state.records import Guest, PairingLocked, PartDraft, WrongCode
from platforms.messages import ChatRef


class PairingDesk:
    """`commands.ports.Pairing`. `wake` sees to it that what was stored for a chat is sent; without it the running
    gateway finds it by itself."""

    def __init__(self, store: Store, now: Callable[[], float], wake: Callable[[ChatRef], None] | None = None) -> None:
        self._store = store
        self._now = now
        self._wake = wake

    async def asking(self) -> list[GuestView]:
        return [_seen(each, CODE_SECONDS) for each in await self._store.pairing.asking(self._now())]

    async def guests(self) -> list[GuestView]:
        return [_seen(each) for each in await self._store.pairing.guests()]

    async def approve(self, code: str, who: str) -> GuestView:
        now = self._now()
        match await self._store.pairing.approve(_read(code), who, now):
            case PairingLocked(until):
                minutes = max(1, math.ceil((until - now) / 60))
                raise LookupError(f"Too many wrong codes: letting people in is locked for another {minutes} min.")
            case WrongCode(left):
                more = "1 more wrong code locks" if left == 1 else f"{left} more wrong codes lock"
                raise LookupError(
                    f"That is nobody's open code. A code holds for one hour, and once. ({more} this for an hour.)"
                )
            case Guest() as guest:
                await self._welcome(guest)
                return _seen(guest)

    async def revoke(self, guest_id: str) -> bool:
        platform, _, person = guest_id.partition(":")
        return await self._store.pairing.revoke(platform, person)

    async def _welcome(self, guest: Guest) -> None:
        """Tell the person in their chat, once a gateway runs."""
        source = f"pairing:{guest.id}:{guest.since:.3f}"
        await self._store.outbox.put(guest.chat, source, [PartDraft(notices.LET_IN)], guest.since)
        if self._wake is not None:
            self._wake(guest.chat)


def _read(code: str) -> str:
    """As it was given, whatever somebody made of it on the way."""
    return "".join(each for each in code.upper() if each.isalnum())


def _seen(guest: Guest, holds: float | None = None) -> GuestView:
    until = guest.since + holds if holds is not None else None
    return GuestView(guest.id, guest.name, guest.chat.key, guest.since, guest.who, until)
