"""The cookie of somebody who is logged in, and the token in their forms: signed, and never trusted alone.

A cookie only names a login; whether that still stands, and with which rights, the server asks anew each time.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from itsdangerous import BadData, URLSafeTimedSerializer
from starlette.responses import Response

DAYS = 14
SECONDS = DAYS * 86400
"""How long a login lasts, at the longest."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a cookie says: the login's id and the person it was given to."""

    session: str
    who: str


class Cookies:
    """Signs and reads. `secure`: browsers send the cookie over https only."""

    def __init__(self, key: str, *, secure: bool) -> None:
        self._key = key.encode()
        self._signed = URLSafeTimedSerializer(key, salt="innkeeper.dashboard.session")
        self._secure = secure
        # Cookies know no ports: another profile on this machine must not overwrite ours.
        mark = hashlib.sha256(self._key + b"name").hexdigest()[:8]
        self.name = f"{'__Host-' if secure else ''}innkeeper-{mark}"

    def give(self, response: Response, ticket: Ticket) -> None:
        """Lax, not Strict: a link from a chat to a page arrives logged in. A request from elsewhere that changes
        something carries no cookie either way, and lacks the token and the origin besides."""
        value = self._signed.dumps({"s": ticket.session, "w": ticket.who})
        response.set_cookie(
            self.name, value, max_age=SECONDS, path="/", secure=self._secure, httponly=True, samesite="lax"
        )

    def take_back(self, response: Response) -> None:
        """The browser is to forget it."""
        response.delete_cookie(self.name, path="/", secure=self._secure, httponly=True, samesite="lax")

    def read(self, value: str) -> Ticket | None:
        """What a cookie says; None for one that we did not sign, or signed too long ago."""
        try:
            said = self._signed.loads(value, max_age=SECONDS)
        except BadData:
            return None
        match said:
            case {"s": str(session), "w": str(who)}:
                return Ticket(session, who)
        return None

    def csrf(self, session: str) -> str:
        """The token of a login's forms."""
        return hmac.new(self._key, f"csrf:{session}".encode(), hashlib.sha256).hexdigest()

    def genuine(self, session: str, token: str) -> bool:
        return hmac.compare_digest(self.csrf(session).encode(), token.encode("utf-8", "replace"))
