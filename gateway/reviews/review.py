"""A review by a model that calls tools: ask what is worth keeping, run what it calls, until it is done or must stop.

When it may run, on which host, and what the house does with the finding belongs to the worker.
"""

from __future__ import annotations

from gateway.models.client import Reply
from gateway.models.errors import ContextTooLong
from gateway.reviews.course import CALLS, Course, Desk, Finding, Given, outcome_of
from gateway.reviews.progress import Ended
from gateway.transcript import Message

__all__ = ["CALLS", "MISFIRES", "SAME", "Desk", "Finding", "Given", "Review", "outcome_of"]

MISFIRES = 3
"""So often what looked like a call, and was none, is handed back."""

SAME = 3
"""So often in a row may the same calls be made."""


class Review:
    """One review, from its kept progress on; `run` it once."""

    def __init__(self, desk: Desk, given: Given) -> None:
        self._given = given
        self._course = Course(desk, given, given.instruction)

    async def run(self) -> Finding:
        """Raises ModelError (what was found is kept), StaleEpoch, BudgetSpent. A cancellation ends the request on the
        wire at once; a write that has begun is finished and noted first. ContextTooLong comes out only when not even
        the first call fits the window: a digest may."""
        course = self._course
        if course.at.ended is not None:
            return course.finding()
        if not self._given.tools.kinds:
            return await course.end(Ended("nothing that it could write is offered in this conversation"))
        while True:
            await course.run_open_calls()
            if why := course.hindered():
                return await course.end(Ended(why, bad=True))
            try:
                reply = await course.ask()
            except ContextTooLong as error:
                if not course.at.calls:
                    raise
                return await course.end(Ended(str(error), bad=True))
            if (ended := await self._took(reply)) is not None:
                return ended

    async def _took(self, reply: Reply) -> Finding | None:
        """The finding, when the reply was the last."""
        course = self._course
        if reply.tool_calls and not self._stuck(reply):
            await course.took(reply, [Message("assistant", reply.text, tool_calls=reply.tool_calls)])
            return None
        if not reply.tool_calls and reply.misfires and course.at.misfires < MISFIRES:
            await course.took(reply, _handed_back(reply), misfired=True)
            return None
        await course.took(reply, ended=_ended(reply))
        return course.finding()

    def _stuck(self, reply: Reply) -> bool:
        """Whether the same calls, to the letter, were made again and again, with nothing else between."""
        rounds = [each.tool_calls for each in self._course.at.talk if each.role != "tool"][1 - SAME :]
        wanted = [(call.name, call.arguments) for call in reply.tool_calls]
        same = [[(call.name, call.arguments) for call in each] == wanted for each in rounds]
        return len(same) == SAME - 1 and all(same)


def _handed_back(reply: Reply) -> list[Message]:
    said = [Message("assistant", reply.text)] if reply.text.strip() else []
    return [*said, Message("user", "[Innkeeper] No tool was run. " + " ".join(reply.misfires))]


def _ended(reply: Reply) -> Ended:
    said = reply.text.strip()
    if reply.tool_calls:
        return Ended("the model made the same calls again and again", bad=True, said=said)
    if reply.misfires:
        return Ended("the model called for tools that there are not, or called them wrongly", bad=True, said=said)
    if reply.finish == "repetition":
        return Ended("the model began to repeat itself", bad=True, said=said)
    if reply.finish == "length":
        return Ended("the answer was cut at the model's length limit", bad=True, said=said)
    return Ended(said=said) if said else Ended("the model gave no answer", bad=True)
