"""The kinds of value that the gateway's own settings are made of, with the words that say what is allowed.

Kinds shared with platforms (allowlists, switches, addresses) are in platforms/settings.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import time
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, PlainValidator, ValidationInfo

from platforms.messages import ChatRef
from platforms.settings import ANYONE, Allowlist, Texts, described

Count = Annotated[int, Field(ge=0)]
"""A whole number, zero included."""
Positive = Annotated[int, Field(ge=1)]
"""A whole number from one up."""
Hour = Annotated[int, Field(ge=0, le=23)]
"""An hour of the day."""

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
"""How long a model may think, in the words that hosts use."""


def _folder(value: str) -> str:
    if not value.startswith(("/", "~/")) or not value.isprintable():
        raise ValueError(f"must be a folder with its whole path (/…) or in the home (~/…), not {described(value)}")
    return value


Folder = Annotated[str, AfterValidator(_folder)]
"""A folder, wherever the gateway was started."""


def _approval(value: object) -> object:
    if isinstance(value, bool) or value == "auto":
        return value
    raise ValueError(f"must be true, false or auto (without quotes), not {described(value)}")


Approval = Annotated[bool | Literal["auto"], BeforeValidator(_approval)]
"""The gate: false writes freely, true lets everything wait, auto waits where nobody watches."""

TrueFalseAuto = Approval
"""true, false, or auto for "find out"."""


def _notices(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if value in ("off", "on", "verbose"):
        return str(value)
    raise ValueError(f"must be off, on or verbose, not {described(value)}")


Notices = Annotated[Literal["off", "on", "verbose"], BeforeValidator(_notices)]
"""off, on or verbose; YAML's bare on and off arrive as true and false."""


@dataclass(frozen=True, slots=True)
class QuietHours:
    """A stretch of the day, in local time; it may cross midnight. The start belongs to it, the end does not."""

    start: time
    end: time

    def cover(self, moment: time) -> bool:
        if self.start <= self.end:
            return self.start <= moment < self.end
        return moment >= self.start or moment < self.end

    def __str__(self) -> str:
        return f"{self.start:%H:%M}-{self.end:%H:%M}"


def _quiet_hours(value: object) -> QuietHours | None:
    if value is None or isinstance(value, QuietHours):
        return value
    parts = value if isinstance(value, list) else re.split(r"\s*[-–]\s*", value) if isinstance(value, str) else []
    times = [moment for part in parts if (moment := _time(part)) is not None]
    if len(parts) != 2 or len(times) != 2 or times[0] == times[1]:
        raise ValueError(f"must be two times such as 22:30-07:00, or null, not {described(value)}")
    return QuietHours(*times)


def _time(text: object) -> time | None:
    match = re.fullmatch(r"\s*([01]?\d|2[0-3])(?::([0-5]\d))?\s*", str(text))
    return time(int(match[1]), int(match[2] or 0)) if match else None


Quiet = Annotated[
    QuietHours | None,
    PlainValidator(_quiet_hours),
    PlainSerializer(lambda hours: None if hours is None else str(hours)),
]
"""`22:30-07:00`, or nothing."""


def _zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"'{value}' is no time zone; write an IANA name such as Europe/Berlin, or null") from None
    return value


Zone = Annotated[str, AfterValidator(_zone)]
"""An IANA time zone that this machine knows."""


@dataclass(frozen=True, slots=True)
class Known:
    """Names that settings may refer to, handed to validation as its context; without it any name will do.

    `providers` are the predefined hosts, further kinds by plugins, and the names under `hosts`.
    `memory_providers` None means that they are not known here.
    """

    providers: frozenset[str]
    host_kinds: frozenset[str]
    platforms: frozenset[str]
    memory_providers: frozenset[str] | None = None


def closest(name: str, names: Iterable[str]) -> str:
    """`, did you mean NAME?` when one of the names is near, else nothing."""
    from rapidfuzz import fuzz, process  # only when something is wrong

    found = process.extractOne(name, sorted(names), scorer=fuzz.ratio, score_cutoff=65)
    return f", did you mean {found[0]}?" if found else ""


def _among(value: str, names: Iterable[str], what: str) -> str:
    allowed = sorted(names)
    if value not in allowed:
        advice = closest(value, allowed) or f"; allowed: {', '.join(allowed)}"
        raise ValueError(f"'{value}' is no {what}{advice}")
    return value


def _provider(value: str, info: ValidationInfo) -> str:
    known: Known | None = info.context
    return value if known is None else _among(value, {"auto", *known.providers}, "model host")


Provider = Annotated[str, AfterValidator(_provider)]
"""A predefined host, a name under `hosts`, or auto."""


def _host_kind(value: str, info: ValidationInfo) -> str:
    known: Known | None = info.context
    return value if known is None else _among(value, known.host_kinds, "kind of model host")


HostKind = Annotated[str, AfterValidator(_host_kind)]


def _host_name(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", value) or value == "auto":
        raise ValueError("a host's name is made of letters, digits, _ and -, and is not auto")
    return value


HostName = Annotated[str, AfterValidator(_host_name)]


def _mcp_name(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,30}", value):
        raise ValueError("an MCP server's name is made of letters, digits, _ and -, at most 31")
    return value


McpName = Annotated[str, AfterValidator(_mcp_name)]
"""The name of an MCP server, which begins the names of its tools."""


def _platform_name(value: str, info: ValidationInfo) -> str:
    known: Known | None = info.context
    return value if known is None else _among(value, known.platforms, "platform")


PlatformName = Annotated[str, AfterValidator(_platform_name)]


def _memory_provider(value: str, info: ValidationInfo) -> str:
    known: Known | None = info.context
    if known is None or known.memory_providers is None:
        return value
    return _among(value, known.memory_providers, "memory provider")


MemoryProvider = Annotated[str, AfterValidator(_memory_provider)]


def _references(value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    known: Known | None = info.context
    for item in value:
        if item == ANYONE:
            raise ValueError("'*' is not allowed here; name each one, such as telegram:111")
        try:
            reference = ChatRef.parse(item)
        except ValueError:
            raise ValueError(f"'{item}' must be written platform:id, such as telegram:111") from None
        if known is not None:
            _among(reference.platform, known.platforms, "platform")
    return value


References = Annotated[Allowlist, AfterValidator(_references)]
"""People or chats as `platform:id` (chats also `platform:id:thread`); never `*`."""


def _host_and_model(value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    known: Known | None = info.context
    for item in value:
        host, _, model = item.partition("/")
        if not host or not model:
            raise ValueError(f"'{item}' must be written host/model")
        if known is not None:
            _among(host, known.providers, "model host")
    return value


HostModels = Annotated[Texts, AfterValidator(_host_and_model)]
"""Models as `host/model`."""
