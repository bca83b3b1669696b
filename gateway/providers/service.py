"""What the outside memories that speak to a service have in common: names for subjects, text that a service takes,
and one translation of faults.

Owns no connection and knows no SDK; each provider hands in which errors its SDK raises and how to read them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from gateway.providers.places import plain
from memory.providers.protocol import Conversation, Exchange, ProviderContext, ProviderFault, Refused, Unreachable

MISREAD = (ValueError, TypeError, KeyError, AttributeError, IndexError)
"""What an SDK raises when an answer has a shape that it did not expect."""

_WAITING = frozenset({408, 425, 429})
_KEY = frozenset({401, 403})

Reading = Callable[[Exception], tuple[int, str]]
"""The HTTP status (0: there was no answer) and the service's words of an SDK's error."""


def missing(package: str, extra: str) -> Unreachable:
    """The fault of an SDK that is not installed."""
    return Unreachable(f"the package {package} is not installed: pip install 'innkeeper[{extra}]'")


def space(written: str, context: ProviderContext) -> str:
    """The name under which a profile keeps: as written in its settings, else one of its own."""
    return named(written) if written else f"innkeeper-{named(context.profile)}"


def named(text: str) -> str:
    """The text as a name of letters, digits, `-` and `_`; different texts give different names."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "-", text)[:64]
    if plain == text:
        return plain
    return f"{plain}-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:10]}"


def sound(text: str) -> str:
    """The text as every service takes it: no NUL, no half of a surrogate pair."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def pieces(text: str, longest: int) -> list[str]:
    """The text in pieces of at most so many characters, cut at a line's end or a blank where there is one."""
    rest, found = sound(text).strip(), []
    while len(rest) > longest:
        cut = max(rest.rfind("\n", longest // 2, longest), rest.rfind(" ", longest // 2, longest))
        cut = cut if cut > 0 else longest
        found.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return [*found, rest] if rest else found


def brief(text: str, most: int) -> str:
    """The first so many bytes of the text, in whole characters: for services that limit what is asked."""
    return sound(text).encode()[:most].decode("utf-8", "ignore").strip()


def asked_by(exchange: Exchange) -> str:
    """The person's words; in a room, with who said them."""
    if exchange.where.subject.startswith("rooms/") and exchange.speaker:
        return f"{exchange.speaker}: {exchange.asked}"
    return exchange.asked


def reference(context: ProviderContext, exchange: Exchange) -> str:
    """One name for the exchange, the same when it is handed over again, in all profiles and sessions."""
    return f"{context.profile}/{exchange.where.session}/{exchange.id}"


class Translation:
    """One service's faults, in the words of the house. `errors` are what its SDK raises for them."""

    def __init__(self, service: str, secrets: Sequence[str], errors: tuple[type[Exception], ...], reading: Reading):
        self._service = service
        self._secrets = tuple(secret for secret in secrets if secret)
        self._errors = errors
        self._reading = reading

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Whatever the SDK raises inside leaves as `Unreachable` or `Refused`."""
        try:
            yield
        except self._errors as error:
            status, words = self._reading(error)
            raise self.fault(status, words) from error
        except MISREAD as error:
            what = type(error).__name__
            raise Unreachable(f"{self._service} answers in a form that is not understood ({what})") from error

    def fault(self, status: int, words: str) -> ProviderFault:
        """The fault for an answer of this status; 0 when there was none."""
        told = self._clean(words)
        if status in _KEY:
            return Refused(f"{self._service} does not accept the key ({status}){told}")
        if status == 0:
            return Unreachable(f"{self._service} cannot be reached{told}")
        if status in _WAITING or status >= 500 or status < 400:
            what = "has too much to do" if status == 429 else "cannot answer now"
            return Unreachable(f"{self._service} {what} ({status}){told}")
        return Refused(f"{self._service} refuses this ({status}){told}")

    def _clean(self, words: str) -> str:
        told = plain(sound(words), *self._secrets)
        return f": {told}" if told else ""


def peer_of(where: Conversation) -> str:
    """The subject as a service's name for a person or a room."""
    return named(where.subject)
