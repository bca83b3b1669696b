"""What the tests of single reviews share: desks that keep, and desks that cut a review off wherever a test says."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gateway.models.client import Reply, ToolSchema
from gateway.reviews.course import Finding, Given
from gateway.reviews.material import Material, material
from gateway.reviews.permitted import ReviewTools
from gateway.reviews.prompts import instruction
from gateway.reviews.review import Review
from gateway.state.contract import CHAT, NOON, session
from gateway.state.records import Row, Session, StoredMessage
from gateway.state.review_records import QueuedReview, ReviewKind
from gateway.tools.memory_tool import memory_tool
from gateway.tools.skill_tools import skill_tools
from gateway.tools.tool import Tool, ToolContext, ToolResult
from gateway.tools.toolset import Toolset, dump_schemas
from gateway.transcript import Usage
from memory.model import Author, Draft, Origin, Refused, Staged
from memory.store import Decide
from tests.fakes.scripted_model import ScriptedModel
from tests.memory.shelf import Shelf
from tests.memory.skills.shed import Shed

BOTH: frozenset[ReviewKind] = frozenset(("memory", "skill"))
WHERE = ToolContext(CHAT, "s1", 0, "telegram:7")


class Died(BaseException):
    """The process ends here: nothing that follows is done."""


@dataclass
class Desk:
    """Keeps what a review gives it. At the moment `cut` it is `stopped` with a Died, or cancelled where `gently`;
    moments are counted before and after everything that it does."""

    cut: int | None = None
    gently: bool = False
    progress: str = ""
    spent_kept: Usage = field(default_factory=Usage)
    booked: list[Usage] = field(default_factory=list)
    moments: int = 0
    runner: asyncio.Task[Finding] | None = None
    left: int | None = None
    """Calls that the day's budget still has room for."""

    async def check(self) -> None:
        await self._moment()

    async def spent(self, reply: Reply) -> None:
        await self._moment()
        self.booked.append(reply.usage)
        await self._moment()

    async def keep(self, progress: str, spent: Usage) -> None:
        await self._moment()
        self.progress = progress
        self.spent_kept = self.spent_kept.plus(spent)
        await self._moment()

    async def _moment(self) -> None:
        at, self.moments = self.moments, self.moments + 1
        if at != self.cut:
            return
        if not self.gently:
            raise Died
        assert self.runner is not None
        self.runner.cancel()
        await asyncio.sleep(0)


def stored(*rows: Row, first: int = 1) -> list[StoredMessage]:
    """Rows of one session, numbered."""
    return [StoredMessage(number, "s1", number, row, NOON) for number, row in enumerate(rows, first)]


def talk(count: int, words: str = "We deploy on Fridays.") -> list[StoredMessage]:
    """So many rows: the person and the assistant by turns."""
    rows = [Row("user" if each % 2 == 0 else "assistant", f"{each}: {words}") for each in range(count)]
    return stored(*rows)


def queued(rows: Sequence[StoredMessage], kinds: frozenset[ReviewKind] = BOTH, after: int = 0) -> QueuedReview:
    return QueuedReview(12, "s1", kinds, "cadence", after, rows[-1].id if rows else 0, NOON, NOON, running=True)


@dataclass
class Inn:
    """Real memory and skills in a folder, a session that offers their tools, and what ran."""

    folder: Path
    decide: Decide | None = None
    more: Sequence[Tool] = ()
    ran: Counter[str] = field(default_factory=Counter)
    contexts: list[ToolContext] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.authors: list[Author] = []
        self.shelf = Shelf(self.folder, decide=self._judged)
        self.shed = Shed(self.folder)
        memory = memory_tool(self.shelf.stores, origin=Origin.REVIEW)
        assert memory is not None
        skills = skill_tools(self.shed.library, self.shed.store, lambda context: True, origin=Origin.REVIEW)
        self.own = Toolset([self._watched(each) for each in (memory, *skills)])
        self.parents = Toolset([self._watched(each) for each in self.more])
        schemas = {each.name: each for each in (*self.own.schemas, *self.parents.schemas)}
        self.schemas: tuple[ToolSchema, ...] = tuple(schemas[name] for name in sorted(schemas))
        self.session: Session = replace(session(), tools=dump_schemas(self.schemas))

    def _judged(self, draft: Draft, author: Author, file: str) -> Staged | Refused | None:
        self.authors.append(author)
        return None if self.decide is None else self.decide(draft, author, file)

    def _watched(self, tool: Tool) -> Tool:
        async def run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
            self.ran[f"{tool.name} {json.dumps(arguments, sort_keys=True)}"] += 1
            self.contexts.append(context)
            return await tool.run(arguments, context)

        return replace(tool, run=run)

    def read(self, rows: Sequence[StoredMessage] | None = None, **more: Any) -> Material:
        rows = talk(4) if rows is None else rows
        return material(self.session, rows, None, queued(rows), same_model=True, **more)

    def given(
        self,
        model: ScriptedModel,
        *,
        kinds: frozenset[ReviewKind] = BOTH,
        allowed: Collection[str] = (),
        made: Material | None = None,
        progress: str = "",
        **more: Any,
    ) -> Given:
        made = self.read() if made is None else made
        names = {each.name for each in made.offered}
        tools = ReviewTools(self.own, self.parents, allowed, kinds=kinds, offered=names)
        review = replace(queued(talk(4), kinds), progress=progress)
        return Given(review, made, model, tools, WHERE, instruction(kinds), **more)

    async def reviewed(self, model: ScriptedModel, desk: Desk | None = None, **more: Any) -> Finding:
        return await Review(desk or Desk(), self.given(model, **more)).run()


async def stretches(desk: Desk, review: Callable[[Desk, str], Any], cut: int) -> tuple[Finding, bool]:
    """Run a review, cut it off at a moment, and let the next process go on from what was kept. The finding, and
    whether it was cut off at all."""
    desk.cut, desk.moments = cut, 0
    desk.runner = asyncio.ensure_future(review(desk, desk.progress).run())
    try:
        return await desk.runner, False
    except (Died, asyncio.CancelledError):
        desk.cut = None
        return await review(desk, desk.progress).run(), True
