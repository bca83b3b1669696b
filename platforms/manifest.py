"""What the house knows of a platform before its SDK is imported."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from platforms.messages import ChatRef, Inbound

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PlatformManifest:
    """One platform's entry in the register (entry-point group `innkeeper.platforms`).

    `adapter` is an import string `package.module:callable`; the callable takes an `AdapterContext` and returns an
    `Adapter`. `settings` is an import string of a pydantic model (`extra="forbid"`) for `platforms.<name>` in
    config.yaml, or None when the platform has no settings of its own. `token_variable` is the environment variable
    that stands in for a null `token`. `always_on` platforms need no token. `prompt_hint` is one line for the
    system prompt.
    """

    name: str
    adapter: str
    settings: str | None = None
    token_variable: str | None = None
    always_on: bool = False
    prompt_hint: str = ""


def _unheard(chat: ChatRef) -> None:
    return


async def _unmoved(old: ChatRef, new: ChatRef) -> None:
    return


async def _left_behind(event_id: str, why: str, raw: str) -> None:
    _LOG.error("an event was left behind: %s (%s)", event_id, why)


async def _no_idea(event: Inbound) -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True)
class MenuOption:
    """One thing that may be given with a command in a platform's menu; `choices` are all that it may be. One that is
    `suggested` is completed while it is typed, by `HouseServices.suggest`."""

    name: str
    help: str
    required: bool = False
    choices: tuple[str, ...] = ()
    suggested: bool = False


@dataclass(frozen=True, slots=True)
class MenuCommand:
    """A command for a platform's menu. What is chosen is said to the house as a command line: the name, the action's
    name, the options' values in their order."""

    name: str
    help: str
    options: tuple[MenuOption, ...] = ()
    actions: tuple[MenuCommand, ...] = ()


@dataclass(frozen=True, slots=True)
class HouseServices:
    """What an adapter may ask of the house; by itself each service does nothing.

    `on_attach(chat)` is called in the loop when somebody has begun to look at a chat, so that what waits is sent; it
    does not block. `moved(old, new)` is awaited before the platform is told that the news arrived; it may be called
    more than once for the same move. `bury(event_id, why, raw)` keeps an event that cannot be read, and tells the
    owner. `commands` are names with one line of help, for a menu; `menu` are the same with all that they take.
    `suggest(event)` gives what the event's text, a part of a value, may become: nothing for who may not talk here.
    `now()` is in seconds since the epoch.
    """

    on_attach: Callable[[ChatRef], None] = _unheard
    moved: Callable[[ChatRef, ChatRef], Awaitable[None]] = _unmoved
    bury: Callable[[str, str, str], Awaitable[None]] = _left_behind
    commands: Mapping[str, str] = field(default_factory=dict)
    menu: tuple[MenuCommand, ...] = ()
    suggest: Callable[[Inbound], Awaitable[Sequence[str]]] = _no_idea
    now: Callable[[], float] = time.time


@dataclass(frozen=True, slots=True)
class AdapterContext:
    """What an adapter gets from the house: its settings (validated), the profile's name and folder, and services."""

    settings: Mapping[str, Any]
    profile: str
    folder: str
    house: HouseServices = field(default_factory=HouseServices)
