"""Faults that stop what was being done, as opposed to outcomes that a person or a model must see."""

from __future__ import annotations


class InnkeeperError(Exception):
    """The root. `str(error)` says what went wrong and what to do, in a line that a person can act on."""


class ConfigurationError(InnkeeperError):
    """The settings cannot be used. `problems` holds one line each; the command line prints all and exits 2."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class ProfileLocked(InnkeeperError):
    """Another process owns the profile. `pid` is its process id."""

    def __init__(self, message: str, pid: int | None) -> None:
        super().__init__(message)
        self.pid = pid


class StaleEpoch(InnkeeperError):
    """Another turn took the session, or the event; whatever the late one still wanted to write changes nothing."""
