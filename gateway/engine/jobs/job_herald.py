"""Tells the owner how runs of jobs ended: what failed, what was not delivered, and what maintenance has to say.

Whether there is something to tell is for the store and `gateway.schedule` to say; here are the words, and their way.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from commands.pending_words import literal
from gateway.engine.arrival.session_key import home_chats
from gateway.engine.gates.cards import quiet
from gateway.engine.house import House
from gateway.engine.networks.owner_chats import OwnerChats
from gateway.state.job_records import Job, JobRun

LONGEST = 1500
"""Characters of what maintenance says of itself."""


class JobHerald:
    """One for the engine."""

    def __init__(self, house: House, owners: OwnerChats, tell: Callable[[str, str], Awaitable[None]]) -> None:
        """`tell` takes the name of a notice and its text, and puts it into each home chat."""
        self._house = house
        self._owners = owners
        self._tell = tell

    def asleep(self, run: JobRun) -> bool:
        """Whether nobody is to be told of it at this hour. Who asked for a run waits for its end."""
        return run.cause != "person" and quiet(self._house.settings(), self._house.clock.now())

    async def tell(self, job: Job, run: JobRun, source: str) -> None:
        """In the home chats; where there are none, where an owner spoke last. Stored under `source`, once."""
        text = told(job, run)
        if home_chats(self._house.settings()):
            await self._tell(source, text)
        elif places := await self._owners.latest():
            await self._house.delivery.post(places[0], f"{source}:0", text)
        else:
            self._house.report.warning("job.nobody_told", job=job.name, run=run.id)


def told(job: Job, run: JobRun) -> str:
    """How a run ended, in words for the owner."""
    name = f"**{literal(job.name)}**"
    if run.went_well:
        said = run.answer if len(run.answer) <= LONGEST else f"{run.answer[:LONGEST]}…"
        return f"🗓️ {name}: {said}"
    times = f" ({job.failures} times in a row)" if job.failures > 1 else ""
    what = "ran, but its answer was not delivered" if run.state == "done" else "failed"
    return f"⚠️ The job {name} {what}{times}: {literal(run.error)}\n\n`/cron history {job.id}` shows its runs."
