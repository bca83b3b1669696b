"""How a Bot API server, or the network in front of it, lets a caller down."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Fault(Enum):
    """Faults of the network. Those that accept have carried out the call before they fail."""

    ACCEPT_AND_HANG = "carries the call out, never answers"
    HANG = "never answers, carries nothing out"
    RESET = "tears the connection down, carries nothing out"
    ACCEPT_AND_RESET = "carries the call out, tears the connection down"
    BAD_GATEWAY = "answers 502 with HTML, carries nothing out"
    ACCEPT_AND_BAD_GATEWAY = "carries the call out, answers 502 with HTML"
    CUT = "carries the call out, sends half of the answer and hangs up"

    @property
    def accepts(self) -> bool:
        return self in (Fault.ACCEPT_AND_HANG, Fault.ACCEPT_AND_RESET, Fault.ACCEPT_AND_BAD_GATEWAY, Fault.CUT)


@dataclass(frozen=True)
class Refusal(Exception):
    """An answer with `ok: false`, as the real server words it. Raised by methods, and queued as a fault."""

    code: int
    description: str
    parameters: dict[str, Any] = field(default_factory=dict)

    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = {"ok": False, "error_code": self.code, "description": self.description}
        return body | ({"parameters": self.parameters} if self.parameters else {})


def bad(description: str) -> Refusal:
    """400, in the real server's words."""
    return Refusal(400, f"Bad Request: {description}")


def flood(seconds: float) -> Refusal:
    """429. The real server speaks in whole seconds; a test has less time."""
    return Refusal(429, f"Too Many Requests: retry after {seconds:g}", {"retry_after": seconds})


def conflict() -> Refusal:
    """409, as when another process polls."""
    return Refusal(
        409,
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    )
