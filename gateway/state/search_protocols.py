"""What the rest of the house asks of the archive. SQLite is the first implementation; see `contract_search`.

`visible` is what the asker may see: the keys of sessions, or None for everything. Nothing else is ever handed out,
nor counted; nor is, by keys, a session of which a part was held in another chat. A search finds messages of people
and of the assistant, not the results of tools.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import tzinfo
from typing import Protocol

from gateway.state.search_records import Found, IndexState, RecentSession, Stretch


class Search(Protocol):
    """Everything that was said, found again. All but `index` and `rebuild` change nothing, and never wait
    for who writes. Raises SearchFault when the index cannot be read, and DatabaseFault."""

    async def discover(
        self,
        query: str,
        *,
        now: float,
        visible: Collection[str] | None = None,
        exclude: str | None = None,
        limit: int = 5,
        more: str | None = None,
        zone: tzinfo | None = None,
        quick: bool = False,
    ) -> Found:
        """The sessions in which this was said, by their best message; `exclude` names one that is left out, `more`
        is what the page before said. Any text is a query; its days are those of `zone`, by default the machine's.
        A quick search rather says after a few milliseconds that it has not looked at everything than to go on without
        a hit; the page after it goes on."""

    async def scroll(
        self, session_id: str, around: int, window: int, *, visible: Collection[str] | None = None
    ) -> Stretch | None:
        """A message of a session and up to `window` messages on both sides; None when it is not there to be seen."""

    async def read(
        self, session_id: str, *, after: int = 0, limit: int = 20, visible: Collection[str] | None = None
    ) -> Stretch | None:
        """A session from its beginning, or from behind the message `after`; None when it is not there to be seen."""

    async def browse(
        self, *, limit: int = 10, visible: Collection[str] | None = None, exclude: str | None = None
    ) -> list[RecentSession]:
        """The sessions that were active last, the newest first."""

    async def index(self) -> int:
        """Take a few messages into the index, or do another small step of its upkeep; 0 when nothing is left to do.
        Messages are found before that, too; only faster afterwards."""

    async def state(self) -> IndexState:
        """How the index is doing."""

    async def check(self, sample: int = 200) -> list[int]:
        """Ids of messages that the index should find by their own words and does not, of a sample spread over all;
        empty when all is well. Raises SearchFault when it cannot be read at all."""

    async def rebuild(self, reason: str) -> None:
        """Have the index built anew beside the one that serves; `index` does it step by step."""
