"""What commands about the dashboard need of the house."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from platforms.messages import ChatRef


class DashboardTrouble(Exception):
    """The dashboard cannot be opened; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Link:
    """A way in: it logs `who` in once, until `until` (seconds since the epoch)."""

    url: str
    who: str
    until: float


class Dashboard(Protocol):
    """The web pages. The server begins with the first of these calls that needs it."""

    async def start(self) -> str:
        """The address where it listens, without a way in. Raises DashboardTrouble."""

    def address(self) -> str:
        """Where pages can be read now, without a way in: the configured public address, else that of the server if it
        runs; empty for nowhere."""

    async def link(self, who: str, chat: ChatRef | None) -> Link:
        """A one-time link with the rights that this person (`platform:id`) has. `chat` is the direct chat in which
        they asked. Raises DashboardTrouble."""

    async def sign_out_all(self) -> int:
        """End every login and take back every link; the number of logins."""
