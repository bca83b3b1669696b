"""The line to a service, and the one translation of whatever goes wrong on it into the house's faults.

Knows no SDK: each provider hands in its client, which errors that one raises, and how to read them. What is said on
the line is the provider's matter; names and texts are places.py's and texts.py's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from gateway.providers.texts import plain, sound
from memory.providers.protocol import ProviderFault, Refused, Unreachable

Client = TypeVar("Client")

MISREAD = (ValueError, TypeError, KeyError, AttributeError, IndexError)
"""What an SDK raises when an answer has a shape that it did not expect."""

WAITING = frozenset({408, 425, 429})
"""Statuses that blame the moment, not what was asked."""

_KEY = "does not accept the key ({status}){why}"

Reading = Callable[[Exception], tuple[int, str]]
"""The HTTP status (0: there was no answer) and the service's words of an SDK's error."""


def missing(package: str, extra: str) -> Unreachable:
    """The fault of an SDK that is not installed."""
    return Unreachable(f"the package {package} is not installed: pip install 'innkeeper[{extra}]'")


def keyless(variable: str, provider: str) -> Refused:
    """The fault of a key that is needed and not there."""
    return Refused(f"the secret {variable} is missing: innkeeper memory setup {provider}")


@dataclass(frozen=True, slots=True)
class Words:
    """What a person reads of each kind of fault, behind the service's name: `{status}` is the answer's, `{why}` what
    was complained of (`: …`, or nothing), `{error}` the kind of an error, `{address}` the service's. `of` are those
    of single statuses, before `refused` and `troubled`."""

    away: str = "cannot be reached{why}"
    late: str = "cannot be reached{why}"
    misread: str = "answers in a form that is not understood ({error})"
    refused: str = "refuses this ({status}){why}"
    troubled: str = "cannot answer now ({status}){why}"
    of: Mapping[int, str] = field(
        default_factory=lambda: {401: _KEY, 403: _KEY, 429: "has too much to do ({status}){why}"}
    )


def words_of(variable: str, *, away: str, misread: str, busy: str) -> Words:
    """The words of a service with one key that is always needed: they name the variable that holds it."""
    return Words(
        away=away,
        late="did not answer in time",
        misread=misread,
        refused="answered {status}{why}",
        troubled="answered {status}{why}",
        of={
            **dict.fromkeys(range(200, 300), "answered what is no JSON"),
            401: f"refused the key in {variable}",
            **dict.fromkeys(WAITING, f"{busy} ({{status}})"),
        },
    )


@dataclass(frozen=True, slots=True)
class Translation:
    """One service's faults, in the words of the house. `errors` are what its SDK raises for them, read by `reading`;
    `late` those for an answer that took too long, `misread` those for one that was not understood."""

    service: str
    secrets: tuple[str, ...]
    errors: tuple[type[Exception], ...]
    reading: Reading
    late: tuple[type[Exception], ...] = ()
    misread: tuple[type[Exception], ...] = MISREAD
    address: str = ""
    words: Words = field(default_factory=Words)

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Whatever the SDK raises inside leaves as `Unreachable` or `Refused`."""
        try:
            yield
        except self.late as error:
            raise Unreachable(self._told(self.words.late, why=str(error))) from error
        except self.errors as error:
            raise self.fault(*self.reading(error)) from error
        except self.misread as error:
            raise Unreachable(self._told(self.words.misread, error=type(error).__name__)) from error

    def fault(self, status: int, why: str) -> ProviderFault:
        """The fault for an answer of this status; 0 when there was none."""
        if status == 0:
            return Unreachable(self._told(self.words.away, why=why))
        refused = 400 <= status < 500 and status not in WAITING
        words = self.words.of.get(status) or (self.words.refused if refused else self.words.troubled)
        return (Refused if refused else Unreachable)(self._told(words, status, why))

    def _told(self, words: str, status: int = 0, why: str = "", error: str = "") -> str:
        complaint = plain(sound(why), *self.secrets)
        why = f": {complaint}" if complaint else ""
        return f"{self.service} {words.format(status=status, why=why, error=error, address=self.address)}"


class Line(Generic[Client]):
    """The line to one service, open from its provider's start to its close: `with line() as client:`."""

    def __init__(self, service: str, closed: str = "was not started") -> None:
        self._closed = f"{service} {closed}"
        self._open: tuple[Client, Translation] | None = None

    @property
    def is_open(self) -> bool:
        return self._open is not None

    def open(self, client: Client, told: Translation) -> None:
        self._open = (client, told)

    def cut(self) -> Client | None:
        """Nobody is served from now on; the client, which the provider closes, if there was one."""
        client = self._open[0] if self._open else None
        self._open = None
        return client

    @contextmanager
    def __call__(self) -> Iterator[Client]:
        """The client; its errors leave as faults. Raises Unreachable when the line is not open."""
        if self._open is None:
            raise Unreachable(self._closed)
        client, told = self._open
        with told():
            yield client
