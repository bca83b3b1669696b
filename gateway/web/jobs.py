"""The pages of jobs: what is done by itself at its time, the house's own jobs, and what runs came to.

Everything that is ordered goes through the commands /cron and /maintenance, and so does who may see and order what.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from commands.context import Context, NeedsChat
from commands.cron import ASLEEP, reach
from commands.cron_ports import UNTIL_RESUMED, ChangeView, Cron, JobView, RunView
from commands.cron_words import shown, state, warnings
from commands.maintenance_ports import Task
from commands.reply import CommandReply
from commands.spec import Role
from gateway.web.pages import Pages, needs

LIST = "/jobs"
RUNS, RUNS_OF_ONE, CHANGES = 20, 40, 20
NONE = "There are no jobs here."
GONE = "There is no such job here."

ACTIONS = ("pause", "resume", "run", "remove", "undo", "accept", "decline")

_OUTCOMES: Mapping[str, tuple[str, str]] = {
    "waiting": ("waits", ""),
    "claimed": ("runs", "warn"),
    "done": ("done", "good"),
    "silent": ("done, nothing to say", "good"),
    "failed": ("failed", "bad"),
    "skipped": ("left out", ""),
}
_ASKED: Mapping[str, str] = {
    "starts": "▶️ It starts. What came of it is listed here when it is done.",
    "soon": "▶️ It is asked for; the gateway starts it in a moment.",
    "asleep": "🕓 It is asked for, and runs once the gateway does.",
}
_DELIVERIES: Mapping[str, str] = {
    "owed": "its answer is on its way",
    "failed": "its answer did not arrive",
    "withheld": "its answer was withheld",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A job as a page shows it. `runs_at` are its next runs by its own clock, with their seconds since the epoch."""

    job: JobView
    state: str
    until: float | None
    runs_at: Sequence[tuple[str, float]]
    risks: Sequence[str]
    last: RunView | None = None


@dataclass(frozen=True, slots=True)
class Ran:
    """A run as a page shows it; `kind` colours `outcome`."""

    run: RunView
    outcome: str
    kind: str
    delivery: str


@dataclass(frozen=True, slots=True)
class Upkeep:
    """A job of the house. `job` is None where it is none any more, and runs by hand alone."""

    task: Task
    job: Shown | None


@dataclass(frozen=True, slots=True)
class Unread:
    """A pause that could not be ordered: of which job, until when it was to be, and why not."""

    job: int
    until: str
    why: str


def routes(pages: Pages) -> list[Route]:
    """Jobs, and what can be done with them."""
    return Jobs(pages).routes


class Jobs:
    """The handlers of these pages."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    @property
    def routes(self) -> list[Route]:
        return [
            Route(LIST, self.listed, methods=["GET"]),
            Route(f"{LIST}/{{id:int}}", self.show, methods=["GET"]),
            Route(f"{LIST}/{{id:int}}/{{action}}", needs(Role.OPERATOR)(self.order), methods=["POST"]),
            Route("/maintenance/{name}/run", needs(Role.OWNER)(self.maintain), methods=["POST"]),
        ]

    async def listed(self, request: Request) -> Response:
        """Every job that this person may see, the house's own, and the latest runs."""
        return await self._listed(request)

    async def _listed(self, request: Request, unread: Unread | None = None) -> Response:
        context, cron, within = await self._within(request)
        if cron is None:
            return self._pages.render(request, "jobs_none.html", why=within)
        found = await cron.jobs(within)
        runs = await cron.runs(RUNS, None, within)
        last = {each.job_id: each for each in reversed(runs)}
        now = cron.now()
        own = sorted(
            (_shown(each, now, last.get(each.id)) for each in found if each.kind == "prompt"),
            key=lambda each: (each.state != "proposed", each.state == "over"),
        )
        upkeep = await self._upkeep(context, [each for each in found if each.kind == "maintenance"], now)
        return self._pages.render(
            request, "jobs_list.html", 422 if unread else 200, jobs=own, upkeep=upkeep,
            runs=[_ran(each) for each in runs], asleep=ASLEEP if cron.asleep() else "", unread=unread, here=LIST,
            at=LIST if unread else "",
        )  # fmt: skip

    async def _upkeep(self, context: Context, jobs: Sequence[JobView], now: float) -> list[Upkeep]:
        """The house's own jobs: an owner's to see, as in chats."""
        port = context.ports.maintenance
        if port is None or context.role < Role.OWNER:
            return []
        named = {each.name: each for each in jobs}
        return [
            Upkeep(task, _shown(named[task.name], now) if task.name in named else None) for task in await port.tasks()
        ]

    async def show(self, request: Request) -> Response:
        """One job in full, with its runs and changes. A removed one can be brought back."""
        return await self._one(request)

    async def _one(self, request: Request, unread: Unread | None = None) -> Response:
        _, cron, within = await self._within(request)
        if cron is None:
            raise HTTPException(404, within or NONE)
        job = await self._job(cron, request.path_params["id"], within)
        changes: Sequence[ChangeView] = (await cron.changes(job))[:CHANGES]
        runs = [_ran(each) for each in await cron.runs(RUNS_OF_ONE, job, within)]
        return self._pages.render(
            request, "jobs_one.html", 422 if unread else 200, runs=runs, changes=changes, unread=unread,
            each=_shown(job, cron.now(), runs[0].run if runs else None), asleep=ASLEEP if cron.asleep() else "",
            at=f"{LIST}/{job.id}" if unread else "",
        )  # fmt: skip

    async def order(self, request: Request) -> Response:
        """Pause, resume, run, remove, bring back, accept or decline one."""
        action, named = request.path_params["action"], request.path_params["id"]
        if action not in ACTIONS:
            raise HTTPException(404, GONE)
        form = await request.form()
        words = str(named)
        if action == "accept" and (version := str(form.get("version", ""))):
            words = f"{named} {version}"
        if action == "pause":
            until = " ".join(str(form.get("until", "")).split())
            reply = await self._pages.order(
                request, "cron", "pause", job_until=f"{named} until {until}" if until else words
            )
            if until and not reply.ok:
                shown_on = self._listed if form.get("back") == LIST else self._one
                return await shown_on(request, Unread(named, until, reply.text))
            reply = CommandReply("⏸ Paused.", reply.data) if reply.ok else reply
        elif action == "run":
            reply = await self._run(request, named, str(form.get("dry_run", "")))
        else:
            reply = await self._pages.order(request, "cron", action, job=words)
        to = f"{LIST}/{named}" if form.get("back") != LIST or action == "remove" else LIST
        if action == "undo" and reply.ok and isinstance(reply.data, Mapping):
            to = f"{LIST}/{reply.data['id']}"
        return self._pages.back(request, to, _brief(reply))

    async def _run(self, request: Request, job: int, dry: str) -> CommandReply:
        reply = await self._pages.order(request, "cron", "run", job=str(job), dry_run="yes" if dry == "yes" else "")
        asked = str(reply.data.get("run")) if isinstance(reply.data, Mapping) else ""
        return CommandReply(_ASKED[asked], reply.data) if asked in _ASKED else reply

    async def maintain(self, request: Request) -> Response:
        """Do one of the house's own jobs now. Where a gateway runs, it does it and nobody waits here."""
        form, name = await request.form(), request.path_params["name"]
        dry = "yes" if form.get("dry_run") == "yes" else ""
        cron = self._pages.ports.cron
        job = await cron.find(name, None) if cron is not None and not cron.asleep() else None
        if job is not None and job.kind == "maintenance" and job.name == name:
            reply = await self._run(request, job.id, dry)
        else:
            reply = await self._pages.order(request, "maintenance", "run", name=name, dry_run=dry)
        return self._pages.back(request, LIST, _brief(reply))

    async def _within(self, request: Request) -> tuple[Context, Cron | None, str | None]:
        """The port, and the chat whose jobs may be seen (None: every job); without a port, why there is none."""
        context = self._pages.context(request)
        cron = context.ports.cron
        try:
            within = reach(context)
        except NeedsChat:
            return context, None, "Jobs are seen from a chat of yours, and none is known here."
        return (context, cron, within) if cron is not None else (context, None, NONE)

    async def _job(self, cron: Cron, job_id: int, within: str | None) -> JobView:
        job = await cron.get(job_id)
        if job is None or (within is not None and job.chat != within):
            raise HTTPException(404, GONE)
        return job


def _shown(job: JobView, now: float, last: RunView | None = None) -> Shown:
    until = job.paused_until if now < job.paused_until < UNTIL_RESUMED else None
    runs_at = [(shown(each), each.timestamp()) for each in job.next_runs]
    return Shown(job, "removed" if job.removed else state(job, now), until, runs_at, warnings(job, str), last)


def _ran(run: RunView) -> Ran:
    outcome, kind = _OUTCOMES.get(run.state, (run.state, ""))
    delivery = _DELIVERIES.get(run.delivery, "")
    return Ran(run, outcome, "bad" if run.delivery == "failed" else kind, delivery)


def _brief(reply: CommandReply) -> str | CommandReply:
    """The first line: the page shows the rest."""
    return CommandReply(reply.text.partition("\n")[0], reply.data, ok=reply.ok)
