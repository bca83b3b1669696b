"""What a command answers: one text for people, the same as data for `--json`, buttons, and whether it worked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from platforms.messages import Button

Data = Mapping[str, Any] | Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class NamedText:
    """A text that is too long or too exact for a message; `name` is its file name."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class NamedBytes:
    """A picture or another file that is no text; `name` is its file name, `media_type` such as `image/png`."""

    name: str
    data: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class CommandReply:
    """`text` is Markdown; an empty one sends nothing. `data` is what `--json` prints: an array for lists, ids first;
    `aside`, what it says besides on the standard error.

    `ok` False makes the shell exit 1. `silent` says that the event is not settled by this reply: a turn answers it.
    """

    text: str
    data: Data | None = None
    buttons: tuple[tuple[Button, ...], ...] = ()
    ok: bool = True
    silent: bool = False
    file: NamedText | None = None
    """Sent along as a file; as text where no file can be sent. The shell prints it."""
    picture: NamedBytes | None = None
    """Sent before the text, shown as a picture where the chat can; left out where no file can be sent, and at the
    shell: the text says everything that matters."""
    pieces: AsyncIterator[str] | None = None
    """For the shell alone: a text that is too long to be held, as it comes. `output` names the new file that it goes
    to; empty is the standard output. `data` is about that file then, and not printed without one."""
    output: str = ""
    aside: str = ""
    orders: tuple[str, ...] = ()
    """Orders of the house in the text, each where it stands last: the shell shows them as they are typed there, and
    all that people wrote as it is. With `ok` False none need be named: such a text is the house's own."""
