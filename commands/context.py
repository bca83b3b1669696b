"""Where a command was given and by whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from commands.ports import Conversation, Ports
from commands.spec import Role
from platforms.messages import ChatRef

if TYPE_CHECKING:
    from pathlib import Path

    from commands.registry import Registry


class NeedsChat(Exception):
    """The command was given where there is no chat or no running gateway; the text says what to do."""


class NotComposed(Exception):
    """The person's editor could not be opened, or failed; the text says why, as the beginning of a sentence."""


class Composer(Protocol):
    """The person's own editor, and a place for what was written there and refused."""

    def edited(self, text: str) -> str | None:
        """The text as the person left it; None when it was not saved. Blocks until they are done. Raises
        NotComposed."""

    def keep(self, name: str, text: str) -> Path:
        """Lay a text aside, instead of the last one of that name. Raises OSError."""

    def let_go(self, name: str) -> None:
        """Take away what was laid aside under that name, if anything was."""


def unheard(what: str, done: int, total: int | None) -> None:
    """Progress that nobody wants to see."""


def in_words(what: str, done: int, total: int | None) -> str:
    """Progress on one line: `deploy.zip: 40 %`."""
    return f"{what}: {100 * done // total} %" if total else f"{what}: {done:,}"


@dataclass(frozen=True, slots=True)
class Context:
    """One command being carried out. `item_id` names the stored event behind it; 0 on the shell."""

    role: Role
    surface: Literal["chat", "shell", "web"]
    ports: Ports
    registry: Registry
    chat: ChatRef | None = None
    session_key: str | None = None
    direct: bool = True
    item_id: int = 0
    who: str = "shell"
    """The person, as `platform:id`."""
    pressed: str | None = None
    """The message whose button gave this command; None for a typed one."""
    said: str = ""
    """The order as it came."""
    home: bool = False
    """This chat is one of the operators' home chats."""
    owners_only: bool = False
    """Nobody but owners is heard in this chat."""
    progress: Callable[[str, int, int | None], None] = unheard
    """Shows for a moment what is being done, how much of it is done, and of how much (None for unknown)."""
    compose: Composer | None = None
    """The person's own editor. Where nobody has one at hand, there is none."""

    @property
    def place(self) -> tuple[Conversation, str, ChatRef]:
        """The conversation, its session key and its chat. Raises NeedsChat."""
        if self.ports.conversation is None or self.session_key is None or self.chat is None:
            raise NeedsChat("this needs a chat: start one with `innkeeper chat`")
        return self.ports.conversation, self.session_key, self.chat

    @property
    def visible(self) -> tuple[str, ...] | None:
        """The session keys that the asker may see: everything on the shell, and for an owner where nobody but owners
        hears the answer; elsewhere a chat sees itself."""
        if self.surface == "shell" or (self.role is Role.OWNER and (self.direct or self.owners_only)):
            return None
        return (self.session_key,) if self.session_key else ()
