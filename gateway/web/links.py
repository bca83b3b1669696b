"""One-time links: made for a person, known to the store by their hash only, used up by the first who takes one."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from gateway.clock import Clock
from gateway.state.login_records import Invitation, Logins

SECONDS = 600.0
"""How long a link holds."""

BYTES = 32
LONGEST = 100
"""Characters that a token can have at all."""


@dataclass(frozen=True, slots=True)
class Links:
    """Makes them and takes them."""

    logins: Logins
    clock: Clock

    async def make(self, who: str, chat: str) -> tuple[str, float]:
        """A token and the moment until which it holds."""
        token, now = secrets.token_urlsafe(BYTES), self.clock.now()
        await self.logins.offer(_hashed(token), Invitation(who, chat), now, now + SECONDS)
        return token, now + SECONDS

    async def look(self, token: str) -> Invitation | None:
        """Whom it would log in. A look uses nothing up: messengers fetch the links that they show."""
        return await self.logins.offered(_hashed(token), self.clock.now()) if len(token) <= LONGEST else None

    async def take(self, token: str) -> Invitation | None:
        """Use it up."""
        return await self.logins.take(_hashed(token), self.clock.now()) if len(token) <= LONGEST else None


def _hashed(token: str) -> str:
    """Plain is enough: nobody guesses 256 bits."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def path_of(token: str) -> str:
    """Where a link leads on the dashboard."""
    return f"/login/{token}"
