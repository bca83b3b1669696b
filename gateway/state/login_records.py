"""Who is logged into the dashboard, and what the store offers for that. Times are seconds since the epoch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Invitation:
    """A link that was not used yet: whom it logs in (`platform:id`, or `shell`), and the chat in which they asked for
    it (`platform:chat`, empty for the shell)."""

    who: str
    chat: str


@dataclass(frozen=True, slots=True)
class Login:
    """Somebody who is logged in until `expires_at`. `role` is the number of the role that they had at the login."""

    id: str
    who: str
    chat: str
    role: int
    created_at: float
    expires_at: float


class Logins(Protocol):
    """Links and logins. Of a link only the hash is known here."""

    async def offer(self, hashed: str, invitation: Invitation, at: float, until: float) -> None:
        """Keep a link. What is too old goes."""

    async def offered(self, hashed: str, at: float) -> Invitation | None:
        """Whom this link logs in; None when it was used, is too old, or never was. Changes nothing."""

    async def take(self, hashed: str, at: float) -> Invitation | None:
        """Use the link up, in one step: of several who do so at once, one gets it."""

    async def begin(self, login: Login) -> None:
        """Somebody is logged in from now on."""

    async def standing(self, login_id: str, at: float) -> Login | None:
        """The login, unless it has ended."""

    async def end(self, login_id: str) -> bool:
        """Whether it stood until now."""

    async def end_all(self) -> int:
        """End every login, and take back every link; the number of logins."""
