"""What commands about skills need of the house, as protocols; the application passes the implementations in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # what the quick commands of the shell do not pay for
    from memory.model import Author
    from memory.skills.apply import SkillStore
    from memory.skills.caretaker import Caretaker
    from memory.skills.curator import Rules
    from memory.skills.install import Offer, Result
    from memory.skills.library import Library
    from memory.skills.parcel import Inside
    from memory.skills.seeding import Seeds

Progress = Callable[[str, int, int | None], None]
"""Hears what is being done, how much of it is done, and of how much (None for unknown)."""


class HubEntry(Protocol):
    """A skill that an index names; the addresses of both read as text."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def source(self) -> object: ...
    @property
    def index(self) -> object: ...


class HubCatalogue(Protocol):
    """What indexes hold, and what is wrong with them, in sentences."""

    @property
    def entries(self) -> Sequence[HubEntry]: ...
    @property
    def troubles(self) -> Sequence[str]: ...


class HubSeen(Protocol):
    """What is at an address; of one skill, when it is clear which, what installing it would come to."""

    @property
    def inside(self) -> Inside: ...
    @property
    def offer(self) -> Offer | None: ...


class SkillHub(Protocol):
    """Skills from elsewhere. Everything raises `memory.skills.crate.Rejected` for what cannot be had, with the
    reason, and `memory.files.FileTrouble` where records cannot be read or written."""

    async def search(self, words: str, progress: Progress) -> HubCatalogue:
        """What the indexes hold that has all of these words; no words are everything."""

    async def inspect(self, place: str, name: str, progress: Progress) -> HubSeen: ...

    async def install(
        self,
        place: str,
        name: str = "",
        *,
        by: Author,
        agreed: Collection[str] = (),
        category: str = "",
        progress: Progress,
    ) -> Result:
        """`agreed` are the digests that a person said yes to, after a `Doubt`."""

    async def update(
        self, names: Sequence[str] = (), *, by: Author, agreed: Collection[str] = (), progress: Progress
    ) -> Sequence[Result]:
        """No names are all of them."""

    async def remove(self, name: str, *, by: Author) -> Result: ...


@dataclass(frozen=True, slots=True)
class Doubted:
    """An installation that stopped at a doubt, for a person to say yes to: these files, of that digest. With an empty
    `place` it is an update of the skill `name`."""

    digest: str
    place: str
    name: str
    category: str = ""


class Skills(Protocol):
    """The profile's skills. What is not a coroutine reads and writes files: to be called off the event loop."""

    @property
    def library(self) -> Library: ...

    @property
    def store(self) -> SkillStore: ...

    @property
    def seeds(self) -> Seeds: ...

    @property
    def caretaker(self) -> Caretaker: ...

    @property
    def hub(self) -> SkillHub | None:
        """None where nothing can be fetched."""

    def rules(self) -> Rules:
        """What the curator goes by now."""

    def now(self) -> float: ...

    async def doubt(self, doubted: Doubted) -> str:
        """Keep it until it is asked for; its short name, for a button."""

    async def doubted(self, name: str) -> Doubted | None:
        """What was kept under that name; None when it is too old."""
