"""Jobs that the assistant proposes: kept so that they cannot run, and shown to somebody who may say yes.

That is whoever wished for it, if they are an operator; otherwise the operators are asked in their home chats. The
buttons end in the handlers of /cron.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from commands import cron_words
from commands.cron_ports import JobView, JobWish
from commands.spec import Role
from gateway.schedule.desk import FLAGS, CronDesk, JobStore
from gateway.state.job_records import Job
from gateway.tools.tool import ToolContext
from platforms.messages import Button, ChatRef

OPEN_HERE, OPEN_AT_ALL = 3, 20
"""Proposals that may wait for a yes, of one chat and of all."""

DAYS = 7
"""A proposal that nobody answered for so long is given up when there are new ones."""

FROM_A_JOB = "job"
LISTED = 50

Post = Callable[[ChatRef, str, str, tuple[tuple[Button, ...], ...]], Awaitable[None]]
"""Sends a text with buttons to a chat, under a source that is posted once."""


@dataclass(frozen=True, slots=True)
class Asker:
    """What the house knows of who asks. `role(speaker)`; `everything(context)`: whether only owners are heard where a
    call comes from; `homes()`: the operators' home chats; `jobs_may()`: whether a job may propose another one."""

    role: Callable[[str], Role]
    everything: Callable[[ToolContext], bool]
    homes: Callable[[], Sequence[ChatRef]]
    jobs_may: Callable[[], bool] = lambda: False


class Proposals:
    """`gateway.tools.cron_tool.Proposing`."""

    def __init__(self, desk: CronDesk, store: JobStore, asker: Asker, post: Post) -> None:
        self._desk = desk
        self._store = store
        self._asker = asker
        self._post = post

    async def seen(self, context: ToolContext) -> Sequence[Mapping[str, Any]]:
        chat = None if self._asker.everything(context) else context.chat.key
        now = self._desk.now()
        return [_told(each, now) for each in (await self._desk.jobs(chat))[:LISTED]]

    async def propose(self, wish: JobWish, context: ToolContext) -> Mapping[str, Any]:
        of_a_job = context.untrusted == FROM_A_JOB or context.origin is not None
        if context.message or (of_a_job and not self._asker.jobs_may()):
            raise LookupError("Only a conversation with a person can propose jobs; nothing was proposed.")
        places = self._places(context)
        wish = replace(wish, chat=self._desk.usual(context.chat.key))
        if (same := await self._same(wish)) is not None:
            if same.proposed:  # whoever kept it may have died before it was shown
                await self._show(same, places, context.chat)
            return _answer(same, "It was proposed already, and waits for a yes." if same.proposed else "It is there.")
        await self._make_room(wish.chat or "")
        job = await self._desk.make(wish, "assistant", context.speaker, enabled=False)
        if context.untrusted:
            await self._store.facts.put(FLAGS, str(job.id), [f"untrusted:{context.untrusted}"])
            job = await self._desk.get(job.id) or job
        await self._show(job, places, context.chat)
        elsewhere = context.chat not in places
        who = "an operator, who was asked in another chat, says" if elsewhere else "the person presses"
        return _answer(job, f"Nothing runs until {who} Yes on the card. Say so in a few words, and do not try again.")

    async def _show(self, job: JobView, places: Sequence[ChatRef], wished_in: ChatRef) -> None:
        text = cron_words.card(job, "" if wished_in in places else wished_in.key)
        for place in places:
            await self._post(place, f"job-proposal:{job.id}:{place.key}", text, cron_words.card_buttons(job))

    def _places(self, context: ToolContext) -> Sequence[ChatRef]:
        """Where somebody is asked. Raises LookupError when there is nobody."""
        if self._asker.role(context.speaker) >= Role.OPERATOR:
            return (context.chat,)
        if homes := self._asker.homes():
            return homes
        raise LookupError("Only an operator can have jobs here, and there is no chat to ask one in.")

    async def _same(self, wish: JobWish) -> JobView | None:
        """A job that does this here, at the same time. Small models say things twice."""
        wanted = " ".join((wish.prompt or "").split()).casefold()
        for job in await self._desk.jobs(wish.chat or ""):
            if " ".join(job.prompt.split()).casefold() == wanted and await self._desk.same_time(job, wish.when or ""):
                return job
        return None

    async def _make_room(self, chat: str) -> None:
        """Give up what nobody answered for long. Raises LookupError when too many wait all the same."""
        waiting = [each for each in await self._store.jobs.all() if not each.enabled and each.origin == "assistant"]
        for job in [each for each in waiting if self._old(each)]:
            await self._store.jobs.remove(job.id, "", self._desk.now())
            waiting.remove(job)
        here = [each for each in waiting if each.spec.chat_key == chat]
        if len(here) >= OPEN_HERE or len(waiting) >= OPEN_AT_ALL:
            count = len(here) if len(here) >= OPEN_HERE else len(waiting)
            raise LookupError(f"{count} proposals wait for a yes already: they have to be answered first, see /cron.")

    def _old(self, job: Job) -> bool:
        return self._desk.now() - job.created_at > DAYS * 86_400


def _answer(job: JobView, message: str) -> Mapping[str, Any]:
    return {"proposed": job.proposed, **_named(job), "message": message}


def _told(job: JobView, now: float) -> Mapping[str, Any]:
    return {**_named(job), "state": cron_words.state(job, now), "prompt": cron_words.gist(job.prompt)}


def _named(job: JobView) -> dict[str, Any]:
    runs = [cron_words.shown(each) for each in job.next_runs]
    return {"id": job.id, "name": job.name, "when": job.when, "zone": job.zone, "next_runs": runs}
