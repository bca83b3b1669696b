"""What the doctor asks of the index that finds messages by their words, and does about it, also while the gateway
runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from gateway.state.search_protocols import Search
from gateway.state.search_records import SearchFault

ORDERED = "somebody asked for it"


class IndexCare(Protocol):
    """Looks at the index, and builds it anew while the gateway runs."""

    async def check(self) -> list[str]:
        """What is wrong with it, one line each; empty when nothing is."""

    async def rebuild(self, progress: Callable[[int], None]) -> None:
        """Build it anew beside the old one, which serves until the new one is whole; told how much is done."""


class SearchCare:
    """`IndexCare` of the store's own search."""

    def __init__(self, search: Search) -> None:
        self._search = search

    async def check(self) -> list[str]:
        lines = await self.known()
        try:
            missing = await self._search.check()
        except SearchFault as fault:
            return lines or [str(fault)]
        if missing:
            are = "messages of a sample are" if len(missing) > 1 else "message of a sample is"
            lines.append(f"{len(missing)} {are} not found by their own words")
        return lines

    async def known(self) -> list[str]:
        """What is known to be wrong, without a look at the index itself."""
        state = await self._search.state()
        lines = []
        if state.damaged:
            lines.append("it is damaged; the gateway builds another one, and what was said is whole")
        if state.failed:
            are = "messages are" if state.failed > 1 else "message is"
            lines.append(f"{state.failed} {are} not in it, and searched one by one")
        return lines

    async def rebuild(self, progress: Callable[[int], None]) -> None:
        await self._search.rebuild(ORDERED)
        done = 0
        while step := await self._search.index():  # the gateway, if it runs, takes some of the steps
            progress(done := done + step)
