"""What a platform is to the player: places to talk in, hands that type and tap, and eyes that read.

A stage does with its platform what a person does, and reads as a person reads: text without markup, code as code,
files as bytes. What its platform has no way of doing it declares, with the reason; nothing else may differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol


class Place(StrEnum):
    """Where people talk. Nobody else is in `HOME`; others read along in `ROOM`; `TOPIC` is a chat of its own beside
    others, however the platform calls it."""

    HOME = "home"
    TOPIC = "topic"
    ROOM = "room"


class Ability(StrEnum):
    """What not every platform can do."""

    ROOMS = "speak where others read along"
    EDIT = "edit what was said"


@dataclass(frozen=True, slots=True)
class File:
    """A file as it arrived."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Shown:
    """One message of the bot as a person reads it. `fixed` are the parts of the text that are set in type of one
    width; `buttons` are labels in reading order; `units` is its length as the platform counts it."""

    id: str
    text: str
    fixed: tuple[str, ...] = ()
    buttons: tuple[str, ...] = ()
    files: tuple[File, ...] = ()
    units: int = 0

    @property
    def line(self) -> str:
        """The message on one line, whatever was a line of its own, with the names of its files behind it."""
        return " ".join([*self.text.split(), *(f"📎 {file.name}" for file in self.files)])


class Stage(Protocol):
    """One platform with a person on it, who owns the bot."""

    name: str
    limit: int
    """The longest message, in the platform's unit."""
    lacks: Mapping[Ability, str]
    """What cannot be done here, and why not."""
    asks_at_once: bool
    """Whether the person is known to sit there, so that a write that waits is asked about within the turn."""
    owner: str
    """The person, as in `access.owners`."""
    homes: Sequence[str]
    """For `access.home_chats`."""

    def settings(self) -> dict[str, Any]:
        """The platform's section of config.yaml."""

    def enter(self, folder: Path) -> AbstractAsyncContextManager[None]:
        """The gateway of this profile folder runs: go in, and leave before it ends."""

    async def says(self, text: str, where: Place, named: bool) -> None:
        """Write a message; `named` speaks to the bot by its name, where that makes a difference."""

    async def edits(self, old: str, new: str) -> None:
        """Change the person's message that reads `old`."""

    async def presses(self, label: str) -> None:
        """Take the newest button with this label at home."""

    async def gives_picture(self, name: str, data: bytes, words: str) -> None:
        """Send a picture with words under it."""

    def sees(self, where: Place) -> list[Shown]:
        """The bot's messages in one place as they read now, oldest first."""

    def glimpses(self, where: Place) -> str:
        """All that stands there at this moment, previews that pass included."""

    def loose_ends(self) -> list[str]:
        """What the person still waits for: taps and orders that the platform shows as not answered."""
