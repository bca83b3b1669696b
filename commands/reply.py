"""What a command answers: one text for people, the same as data for `--json`, buttons, and whether it worked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from platforms.messages import Button

Data = Mapping[str, Any] | Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class CommandReply:
    """`text` is Markdown; an empty one sends nothing. `data` is what `--json` prints: an array for lists, ids first.

    `ok` False makes the shell exit 1. `silent` says that the event is not settled by this reply: a turn answers it.
    """

    text: str
    data: Data | None = None
    buttons: tuple[tuple[Button, ...], ...] = ()
    ok: bool = True
    silent: bool = False
