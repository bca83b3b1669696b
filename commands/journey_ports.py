"""What commands about the journey need of the house, as protocols; the application passes the implementations in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from platforms.messages import ChatRef

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    from memory.journey.meant import Changed, Done, Unknown
    from memory.journey.model import Timeline
    from memory.model import Author


class Journey(Protocol):
    """What was learnt, and changing it by the ids of the timeline's nodes. Everything raises
    `memory.files.FileTrouble` where files cannot be read."""

    def at(self, chat: ChatRef | None, who: str, *, direct: bool) -> Journey | None:
        """The same for what this person (`platform:id`) may see and change in this chat: everything where nobody but
        owners is heard, elsewhere their own memory and no skills; None when that is nothing, or others would see it.
        No chat is the shell, which sees everything."""

    async def timeline(self, *, gone: bool = False) -> Timeline:
        """With `gone`, what was removed or put away is in it too."""

    async def text(self, name: str) -> str | Unknown:
        """What `edit` replaces: the whole entry, or the whole SKILL.md."""

    async def edit(self, name: str, text: str, by: Author, *, was: str | None = None) -> Changed | Unknown:
        """Another text for an entry, or another SKILL.md, by the same checks as any change by hand. `was` is the
        text that the person had before them: when it is another one by now, nothing is written."""

    async def delete(self, name: str, by: Author, *, was: str | None = None) -> Changed | Unknown:
        """Remove an entry, put a skill away. `was` as in `edit`."""

    async def undo(self, name: str, by: Author) -> Changed | Unknown:
        """Take back the change of that id, the last change of the node of that id, or for no id the last change."""

    async def done(self, by: Author) -> Done | None:
        """What this very order changed before its process died, if it did."""

    async def drawn(self, timeline: Timeline, numbered: Sequence[str]) -> bytes:
        """A picture of it (PNG); the nodes of these ids carry 1, 2, 3 and so on."""

    def zone(self) -> tzinfo:
        """Where dates are told."""
