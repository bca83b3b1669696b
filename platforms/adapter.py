"""The seam between a chat network and the engine: what every adapter offers, and what it can do.

An adapter turns updates into `Inbound` and awaits the sink. It never queues, authorises or parses commands.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from platforms.messages import Attachment, ChatRef, Inbound, Outbound, TurnSummary

Unit = Literal["utf16", "codepoint"]

Sink = Callable[[Inbound], Awaitable[None]]
"""Returns once the event is stored; only then may the platform be told that it arrived."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What the platform can do. The engine looks here and nowhere else.

    `limit` is the longest text of one message, in `unit`. `edit_seconds` is the pace at which a message may be
    edited without annoying the platform. `nonce_seconds` is how long the platform refuses a second message with
    the same nonce; 0 means it has no nonces. `finds` says whether `find` can look a sent part up again. `sends_files`
    is the size of the largest file that can be sent, `takes_files` of the largest that can be fetched, in bytes; 0
    means none. `reactions` says whether `react` shows anything. `pulse` is how many seconds of silence mean that the
    platform is deaf: one that is well gives a sign of life more often (see `Adapter.last_heard`); 0 where silence
    means nothing.
    """

    limit: int
    unit: Unit = "codepoint"
    edits: bool = True
    buttons: bool = True
    edit_seconds: float = 1.0
    group_edit_seconds: float = 0.0
    """The same in rooms with several people, when that is slower; 0 for no difference."""
    nonce_seconds: float = 0.0
    finds: bool = False
    sends_files: int = 0
    takes_files: int = 0
    reactions: bool = False
    pulse: float = 0.0


class Adapter(Protocol):
    """One connection to one platform. Every method but `run` may be called at any time after `run` started.

    `send`, `edit` and `delete` raise a `platforms.errors.DeliveryError` and nothing else. `typing` and `progress`
    swallow failures, but for `RetryAfter`, which concerns what comes after them.
    """

    @property
    def name(self) -> str:
        """The platform's name, as in `ChatRef.platform`."""

    @property
    def account(self) -> str:
        """The bot's own id there; part of the key under which events are remembered."""

    @property
    def capabilities(self) -> Capabilities: ...

    @property
    def last_heard(self) -> float | None:
        """When the platform was last heard of, in seconds since the epoch, on a platform that answers all the time
        while it is well; None where silence means nothing."""

    def attended(self, chat: ChatRef) -> bool:
        """Whether somebody sits before this chat right now and sees what comes, as at a terminal: then a write that
        waits for a yes may ask right there. False where nobody can know."""

    async def run(self, sink: Sink) -> None:
        """Receive until cancelled. Raises `platforms.errors.PlatformDown` when trying on is pointless."""

    async def send(self, message: Outbound) -> str:
        """Send one message and return the platform's id for it."""

    async def edit(self, message_id: str, message: Outbound) -> None:
        """Make an earlier message read like this one. "Not modified" is success."""

    async def delete(self, chat: ChatRef, message_id: str) -> None:
        """Take an earlier message back. A message that is gone already is success."""

    async def fetch(self, attachment: Attachment) -> bytes:
        """The bytes of a file that came with a message. Raises a DeliveryError: `Refused` when it is gone or larger
        than `Capabilities.takes_files`."""

    async def react(self, chat: ChatRef, message_id: str, mark: str) -> None:
        """Put a small sign (one emoji) on somebody's message; an empty `mark` takes ours away. Failures are
        swallowed."""

    async def typing(self, chat: ChatRef) -> None:
        """Show for a few seconds that an answer is coming. Failures are swallowed."""

    async def progress(self, chat: ChatRef, text: str) -> None:
        """Show a passing line (reading progress, a host that loads). Failures are swallowed; nothing is kept."""

    async def find(self, chat: ChatRef, nonce: str) -> str | None:
        """The id of the message that was sent with this nonce, from the chat's history; None when not there."""

    async def finished(self, chat: ChatRef, summary: TurnSummary) -> None:
        """Nothing more will be sent for the events in the summary. Called once for every event that was handled,
        commands and refusals included, after the last part was handed over. Platforms that have no use for it do
        nothing. Failures are swallowed."""

    async def close(self) -> None:
        """Let go of everything; called once, after `run` ended."""
