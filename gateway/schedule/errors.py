"""The one fault of this room: what was written names no time that a job could run at."""

from __future__ import annotations

from gateway.errors import InnkeeperError


class UnclearTime(InnkeeperError):
    """What was written is wrong, past or could mean two things. `str(error)` says which, and what to write."""
