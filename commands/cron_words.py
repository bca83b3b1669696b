"""How jobs and their runs are shown, to people and to programs, and the buttons below them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from commands.cron_ports import UNTIL_RESUMED, ChangeView, JobView, RunView
from commands.pending_words import age, fenced, literal, quoted, risk
from platforms.messages import Button

Rows = tuple[tuple[Button, ...], ...]

LISTED = 40
GIST = 80
OFTEN_SECONDS = 600
DAY = 86_400

_MADE = {"assistant": "proposed by the assistant", "import": "taken over from another program,"}
_STATES = {"waiting": "waits", "claimed": "runs", "silent": "done, nothing to say", "skipped": "left out"}
_DELIVERIES = {"failed": ", but its answer did not arrive", "withheld": ", its answer was withheld"}
_CHANGED = {"enabled": "accepted"}


def listed(jobs: Sequence[JobView], here: str, now: float) -> str:
    """Jobs as a list, each with its next runs; those whose time is over come later, maintenance last."""
    own = sorted((each for each in jobs if each.kind == "prompt"), key=lambda each: state(each, now) == "over")
    lines = [_line(each, here, now) for each in own[:LISTED]]
    if len(own) > LISTED:
        lines.append(f"… and {len(own) - LISTED} more")
    if upkeep := [each for each in jobs if each.kind == "maintenance"]:
        lines += ["Maintenance of this bot:", *(_upkeep(each, now) for each in upkeep)]
    return "\n".join(lines)


def in_full(job: JobView, here: str, now: float) -> str:
    """All that is known of a job as it stands."""
    lines = [f"**{job.id}** {literal(job.name)}: {_time(job)}", *_standing(job, now), *_next(job)]
    if job.kind == "maintenance":
        lines.append("Maintenance of this bot: only its time can be changed.")
    else:
        lines.append(_goes(job, here))
    named = {"skills": ", ".join(job.skills), "model": job.model, "silent unless": job.silent_unless}
    lines += [f"{name}: {quoted(value)}" for name, value in named.items() if value]
    if job.budget:
        lines.append(f"budget: {job.budget:,} tokens a run")
    made = " ".join(filter(None, (_MADE.get(job.origin, ""), f"ordered by {job.owner}" if job.owner else "")))
    if job.origin != "house" and made:
        lines.append(f"made {age(now - job.created)} ago, {made}" if now > job.created else made)
    lines += [f"⚠️ {each}" for each in warnings(job)]
    if job.prompt:
        lines.append(f"What it is to do:\n{fenced(job.prompt)}")
    return "\n".join(lines)


def card(job: JobView, asked_in: str) -> str:
    """What is shown with a proposal, for a yes or no. `asked_in`: the chat of the wish, empty where it is shown."""
    whence = f", as wished for in {asked_in}" if asked_in else ""
    shown_now = in_full(job, "" if asked_in else job.chat, job.created)
    return f"🔔 The assistant proposes a job{whence}. It runs only if you say yes.\n{shown_now}"


def card_buttons(job: JobView) -> Rows:
    """Yes to exactly what is shown, No, and the job as it then stands."""
    return (
        (
            Button("✅ Yes", f"/cron accept {job.id} {job.version}"),
            Button("❌ No", f"/cron decline {job.id}"),
            Button("🔎 Show", f"/cron show {job.id}"),
        ),
    )


def buttons(job: JobView, now: float) -> Rows:
    """What can be done with a job as it stands."""
    if job.proposed:
        return (card_buttons(job)[0][:2],)
    paused = job.paused_until > now
    row = [
        Button("▶️ Run now", f"/cron run {job.id}"),
        Button("⏯ Resume", f"/cron resume {job.id}") if paused else Button("⏸ Pause", f"/cron pause {job.id}"),
    ]
    if job.kind != "maintenance":
        row.append(Button("🗑 Remove", f"/cron remove {job.id}"))
    return (tuple(row),)


def undo(job: JobView) -> Rows:
    """Below what was removed."""
    return ((Button("↩️ Undo", f"/cron undo {job.id}"),),)


def run_line(run: RunView, now: float, *, named: bool) -> str:
    """One run in a history; `named`: with its job's name."""
    ended = run.state not in ("waiting", "claimed")
    when = f"{age(now - (run.ended if ended else run.scheduled))} ago"
    what = _STATES.get(run.state, run.state) + _DELIVERIES.get(run.delivery, "")
    if run.state == "claimed" and run.delivery == "owed":
        what = "its answer is on its way"
    notes = [
        "asked for by a person" if run.cause == "person" else "",
        "a dry run" if run.dry else "",
        f"{run.ended - run.started:.0f} s" if ended and run.started else "",
        f"{run.tokens:,} tokens" if run.tokens else "",
    ]
    head = f"{literal(run.job)}, " if named else ""
    why = f": {literal(run.why)}" if run.why else ""
    said = f"\n  {quoted(gist(run.answer))}" if run.answer else ""
    return f"- {head}{when}: {what}{why} ({', '.join(filter(None, notes)) or 'on time'}){said}"


def change_line(change: ChangeView, now: float) -> str:
    """One change in a job's history."""
    who = change.who or "the program itself"
    before = "".join(f"\n  {name} was {quoted(value) if value else 'not set'}" for name, value in change.before)
    return f"- {age(now - change.at)} ago: {_CHANGED.get(change.what, change.what)} by {who}{before}"


def gist(text: str) -> str:
    """The beginning of a text, on one line."""
    words = " ".join(text.split())
    return words if len(words) <= GIST else f"{words[: GIST - 1]}…"


def shown(moment: datetime) -> str:
    """A moment by the clock that it carries: `Tue 2026-12-01 9:00`."""
    return f"{moment:%a %Y-%m-%d} {moment.hour}:{moment:%M}"


def state(job: JobView, now: float) -> str:
    """In one word, for programs."""
    if job.proposed:
        return "proposed"
    if job.paused_until > now:
        return "paused"
    if job.problem:
        return "unreadable"
    return "active" if job.next_runs else "over"


def job_data(job: JobView, now: float) -> dict[str, Any]:
    """A job for `--json`."""
    paused = job.paused_until > now
    until = _iso(job.paused_until, job) if paused and job.paused_until != UNTIL_RESUMED else None
    return {
        "id": job.id,
        "next_runs": [each.isoformat(timespec="seconds") for each in job.next_runs],
        "name": job.name,
        "kind": job.kind,
        "state": state(job, now),
        "when": job.when,
        "zone": job.zone,
        "prompt": job.prompt,
        "skills": list(job.skills),
        "model": job.model,
        "chat": job.chat,
        "silent_unless": job.silent_unless,
        "budget": job.budget,
        "paused_until": until,
        "origin": job.origin,
        "owner": job.owner,
        "failures": job.failures,
        "flags": list(job.flags),
        "problem": job.problem,
        "created_at": _iso(job.created, job),
    }


def run_data(run: RunView) -> dict[str, Any]:
    """A run for `--json`."""
    return {
        "id": run.id,
        "job_id": run.job_id,
        "job": run.job,
        "state": run.state,
        "cause": run.cause,
        "scheduled": _iso(run.scheduled),
        "started": _iso(run.started) if run.started else None,
        "ended": _iso(run.ended) if run.ended else None,
        "delivery": run.delivery,
        "why": run.why,
        "answer": run.answer,
        "tokens": run.tokens,
        "dry": run.dry,
    }


def _line(job: JobView, here: str, now: float) -> str:
    goes = "" if job.chat == here else f" → {job.chat or 'no chat'}"
    lines = [f"- **{job.id}** {literal(job.name)}: {_time(job)}{goes}", *_standing(job, now), *_next(job)]
    return "\n  ".join(lines)


def _upkeep(job: JobView, now: float) -> str:
    first = [f"next {shown(each)}" for each in job.next_runs[:1]]
    return f"- **{job.id}** {literal(job.name)}: {'; '.join([_time(job), *_standing(job, now), *first])}"


def _time(job: JobView) -> str:
    return f"{job.when} ({job.zone})" if job.when else f"⚠️ its time cannot be read ({job.problem})"


def _standing(job: JobView, now: float) -> list[str]:
    """What keeps it from running, and what went wrong."""
    lines = []
    if job.proposed:
        lines.append("🔔 proposed: it waits for a yes")
    elif job.paused_until == UNTIL_RESUMED:
        lines.append("⏸ paused until it is resumed")
    elif job.paused_until > now:
        lines.append(f"⏸ paused until {shown(_local(job.paused_until, job))}")
    elif not job.next_runs and job.when:
        lines.append("its time is over")
    if job.failures:
        lines.append(f"⚠️ it failed {job.failures} times in a row" if job.failures > 1 else "⚠️ its last run failed")
    return lines


def _next(job: JobView) -> list[str]:
    runs = ", ".join(map(shown, job.next_runs))
    if not runs:
        return []
    return [f"{'it would run' if job.proposed else 'next'}: {runs}"]


def _goes(job: JobView, here: str) -> str:
    if not job.chat:
        return "its answers go to no chat: its history has them"
    return "its answers come here" if job.chat == here else f"its answers go to {job.chat}"


def warnings(job: JobView, mark: Callable[[str], str] = literal) -> list[str]:
    """What somebody has to know before they say yes to a job; `mark` is for what is quoted in it."""
    lines = [risk(each, mark) for each in job.flags]
    if len(job.next_runs) > 1:
        seconds = (job.next_runs[1] - job.next_runs[0]).total_seconds()
        if 0 < seconds < OFTEN_SECONDS:
            lines.append(f"it asks the model every {age(seconds)}: up to {DAY / seconds:,.0f} times a day")
    return lines


def _local(seconds: float, job: JobView) -> datetime:
    from zoneinfo import ZoneInfo

    try:
        zone: Any = ZoneInfo(job.zone)
    except (KeyError, ValueError, OSError):  # what cannot be read is shown all the same
        zone = UTC
    return datetime.fromtimestamp(seconds, zone)


def _iso(seconds: float, job: JobView | None = None) -> str:
    local = _local(seconds, job) if job is not None else datetime.fromtimestamp(seconds).astimezone()
    return local.isoformat(timespec="seconds")
