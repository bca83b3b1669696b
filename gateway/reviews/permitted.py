"""What a review may do: reading and writing memory and skills, reading files, and what the operator adds.

The list that the model sees is its parent's, so that the host's cache stays warm; the limits act when a tool is
called. Whether a write is made or waits is the gate's matter.
"""

from __future__ import annotations

from collections.abc import Collection

from gateway.state.review_records import ReviewKind
from gateway.tools import skill_guidance
from gateway.tools.files import NAMES as FILES
from gateway.tools.memory_guidance import NAME as MEMORY
from gateway.tools.send_file import NAME as SEND_FILE
from gateway.tools.tool import ToolContext, ToolResult
from gateway.tools.toolset import Toolset
from gateway.transcript import ToolCall

NEVER = frozenset({SEND_FILE, "send_message", "refine"})
"""Tools that reach a person, or would begin another review: no setting allows them. Names of plugins' tools, too."""


def writes(name: str) -> ReviewKind | None:
    """What a tool writes that reviews are about; None for one that does not."""
    if name == MEMORY:
        return "memory"
    return "skill" if name == skill_guidance.MANAGE else None


class ReviewTools:
    """`own` are the review's own tools, built with origin REVIEW; `parents` the house's toolset, of which those that
    read files, and `allowed` (`auxiliary.background_review.extra_tools`), may be used as well. `offered` are the
    names that the session offers: nothing else is ever run. A review of one kind does not write the other.
    """

    def __init__(
        self,
        own: Toolset,
        parents: Toolset,
        allowed: Collection[str] = (),
        *,
        kinds: Collection[ReviewKind],
        offered: Collection[str],
    ) -> None:
        self._own = own
        self._parents = parents
        here = frozenset(offered) - NEVER
        self._mine = here & {each.name for each in own.schemas}
        theirs = {each.name for each in parents.schemas} - self._mine
        self._files = here & FILES & theirs
        self._extra = here & (frozenset(allowed) | FILES) & theirs
        self._kinds = frozenset(kinds)

    @property
    def names(self) -> tuple[str, ...]:
        """What may be called, in order."""
        return tuple(sorted(name for name in self._mine | self._extra if self._fits(name)))

    @property
    def kinds(self) -> frozenset[ReviewKind]:
        """What may be written; empty where there is nothing that this review could bring."""
        return frozenset(kind for name in self.names if (kind := writes(name)) is not None)

    async def run(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """Run a call, or refuse it in words that name what is allowed."""
        if call.name in self.names:
            return await (self._own if call.name in self._mine else self._parents).run(call, context)
        why = "does not run in a review"
        if not self._fits(call.name):
            why = f"does not run in this review, which is about {' and '.join(sorted(self._kinds))} only"
        return ToolResult.error(f"{call.name} {why}. Nothing was done.", allowed=list(self.names))

    def reads(self, name: str) -> bool:
        """Whether this tool changes nothing, so that a call of it may be made again."""
        return name in self._files or (name in self._mine and writes(name) is None)

    def _fits(self, name: str) -> bool:
        kind = writes(name)
        return kind is None or kind in self._kinds
