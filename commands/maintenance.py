"""The command /maintenance: the jobs that the house has of itself, to list and to run by hand. When they run is
changed with /cron, where they are listed too."""

from __future__ import annotations

from typing import Any

from commands.context import Context, NeedsChat
from commands.maintenance_ports import Maintenance, Task, TaskRun
from commands.pending_words import age, literal, moment
from commands.reply import CommandReply
from commands.spec import Action, Argument, Arguments, CommandSpec, Role

_MARKS = {"done": "✅", "failed": "❌", "skipped": "⏭", "running": "⏳"}
_STANDING = {
    "on": "",
    "paused": "paused, and runs by hand",
    "removed": "removed, and runs by hand",
    "taken": "a job of yours has its name, so it runs by hand alone",
}


async def listed(context: Context, arguments: Arguments) -> CommandReply:
    """Every task with its time, its next run and what came of the last one."""
    port = _port(context)
    tasks, now = await port.tasks(), port.now()
    orders = ("/cron changes when", "/maintenance run NAME")
    lines = [f"What the house does by itself ({orders[0]}):"]
    for each in tasks:
        lines += [f"- **{each.name}**, {_when(each)}: {each.what}", *_last(each, now)]
    lines.append(f"By hand: {orders[1]} [--dry-run]")
    return CommandReply("\n".join(lines), data=[_row(each) for each in tasks], orders=orders)


async def run(context: Context, arguments: Arguments) -> CommandReply:
    """Do one now; a dry run only says what it would do."""
    try:
        name, came = await _port(context).run(arguments.get("name"), context.who, dry=bool(arguments.get("dry_run")))
    except LookupError as error:
        return CommandReply(str(error), ok=False)
    dry = " (a dry run: nothing was changed)" if came.dry else ""
    text = f"{_MARKS[came.state]} {name}{dry}: {literal(came.said)}"
    return CommandReply(text, data={"name": name, **_run(came)}, ok=came.state in ("done", "running"))


def _port(context: Context) -> Maintenance:
    if context.ports.maintenance is None:
        raise NeedsChat("this needs the gateway, or the shell: innkeeper maintenance list")
    return context.ports.maintenance


def _when(task: Task) -> str:
    told = [task.when, _STANDING[task.standing], "waits for an idle host" if task.heavy else ""]
    return ", ".join(each for each in told if each)


def _last(task: Task, now: float) -> list[str]:
    if task.last is None:
        return []
    when = f"{age(now - task.last.ended)} ago" if task.last.ended else "now"
    dry = ", dry" if task.last.dry else ""
    return [f"  {_MARKS[task.last.state]} {when}{dry}: {literal(task.last.said)}"]


def _row(task: Task) -> dict[str, Any]:
    return {
        "name": task.name,
        "what": task.what,
        "when": task.when,
        "next_run": task.next_run.isoformat() if task.next_run is not None else None,
        "standing": task.standing,
        "heavy": task.heavy,
        "deletes": task.deletes,
        "last": _run(task.last) if task.last is not None else None,
    }


def _run(came: TaskRun) -> dict[str, Any]:
    row: dict[str, Any] = {"result": came.state, "detail": came.said, "dry_run": came.dry}
    row["ended"] = moment(came.ended) if came.ended else None
    return row | ({"figures": dict(came.figures)} if came.figures else {})


SPECS = (
    CommandSpec(
        "maintenance", "what the house does by itself: backups, checks, cleaning up", listed, role=Role.OWNER,
        when="anytime",
        actions=(
            Action("list", "every task, its time, and what came of it", listed),
            Action("run", "do one now", run,
                   (Argument("name", "which one", required=True),
                    Argument("dry_run", "only say what would be done", flag=True))),
        ),
    ),
)  # fmt: skip
