"""How Discord, or the network in front of it, lets a caller down, and the words with which it refuses."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

GATEWAY_CODES = (4000, 4001, 4002, 4003, 4004, 4005, 4007, 4008, 4009, 4010, 4011, 4012, 4013, 4014)
"""Every code with which the gateway is documented to close."""

ABNORMAL = 1006
"""No close frame at all: the connection is torn down."""


class Fault(Enum):
    """Faults of the network. Those that accept have carried out the call before they fail."""

    HANG = "never answers, carries nothing out"
    ACCEPT_AND_HANG = "carries the call out, never answers"
    RESET = "tears the connection down, carries nothing out"
    ACCEPT_AND_RESET = "carries the call out, tears the connection down"
    BAD_GATEWAY = "answers 502 with HTML, carries nothing out; discord.py sleeps and tries again by itself"
    ACCEPT_AND_BAD_GATEWAY = "carries the call out, answers 502 with HTML"
    UNAVAILABLE = "answers 503 with HTML, carries nothing out; discord.py raises at once"
    ACCEPT_AND_UNAVAILABLE = "carries the call out, answers 503 with HTML"
    HTML = "answers 200 with a page of HTML, as a captive portal does; carries nothing out"
    BANNED = "answers 429 without `Via`, with HTML, as the shield in front does; carries nothing out"
    CUT = "carries the call out, sends half of the answer and hangs up"

    @property
    def accepts(self) -> bool:
        return self in (
            *(Fault.ACCEPT_AND_HANG, Fault.ACCEPT_AND_RESET, Fault.ACCEPT_AND_BAD_GATEWAY),
            *(Fault.ACCEPT_AND_UNAVAILABLE, Fault.CUT),
        )


@dataclass(frozen=True)
class Refusal(Exception):
    """An error as the API words it. Raised by operations, and queued as a fault."""

    status: int
    code: int
    message: str
    errors: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)

    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = {"message": self.message, "code": self.code} | self.more
        return body | ({"errors": self.errors} if self.errors else {})


def rate_limited(seconds: float, scope: str = "user") -> Refusal:
    """429. `scope` is user (this route), shared, or global (every route)."""
    everywhere = scope == "global"
    headers = {"Retry-After": f"{seconds:.0f}", "X-RateLimit-Scope": scope}
    if everywhere:
        headers["X-RateLimit-Global"] = "true"
    more = {"retry_after": seconds, "global": everywhere}
    return Refusal(429, 0, "You are being rate limited.", headers=headers, more=more)


def failed() -> Refusal:
    """500, in JSON; discord.py sleeps and tries again by itself."""
    return Refusal(500, 0, "500: Internal Server Error")


def invalid(path: str, code: str, words: str) -> Refusal:
    """400 with 50035: one field of the form is wrong. `path` has dots, as in `options.0.name`."""
    errors: dict[str, Any] = {"_errors": [{"code": code, "message": words}]}
    for step in reversed(path.split(".")):
        errors = {step: errors}
    return Refusal(400, 50035, "Invalid Form Body", errors)


def too_long(path: str, longest: int) -> Refusal:
    return invalid(path, "BASE_TYPE_MAX_LENGTH", f"Must be {longest} or fewer in length.")


def bad_length(path: str, longest: int) -> Refusal:
    return invalid(path, "BASE_TYPE_BAD_LENGTH", f"Must be between 1 and {longest} in length.")


def unknown(what: str) -> Refusal:
    """404 for something that is not there."""
    codes = {
        "Channel": 10003,
        "Guild": 10004,
        "Message": 10008,
        "User": 10013,
        "Emoji": 10014,
        "Webhook": 10015,
        "Interaction": 10062,
        "Application Command": 10063,
        "Application": 10002,
    }
    return Refusal(404, codes[what], f"Unknown {what}" if what != "Interaction" else "Unknown interaction")


def missing_access() -> Refusal:
    return Refusal(403, 50001, "Missing Access")


def missing_permissions() -> Refusal:
    return Refusal(403, 50013, "Missing Permissions")


def cannot_write_to_user() -> Refusal:
    return Refusal(403, 50007, "Cannot send messages to this user")
