"""The command /cron, for what is done by itself at its time: to list, show, make, change, run and remove jobs.

An operator makes and changes them. Everybody sees those of the own chat; where only owners are heard, all are seen.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from commands import cron_grammar, cron_words
from commands.context import Context, NeedsChat
from commands.cron_grammar import Unclear
from commands.cron_ports import Cron, JobView, JobWish
from commands.pending_words import literal
from commands.reply import CommandReply
from commands.spec import Action, Argument, Arguments, CommandSpec, Handler, Role

OFF = CommandReply("There are no jobs here.", ok=False)
RUNS = 10
CHANGES = 10
ASLEEP = "⚠️ Jobs are done while the gateway runs, and it does not: "
TIMED = "A maintenance job can be given another time or zone, and nothing else: "
OVER = "Its time is over by now. Give it another one: "

CronHandler = Callable[[Context, Cron, Arguments], Awaitable[CommandReply]]


def with_cron(handler: CronHandler) -> Handler:
    """The handler, where there are jobs. What cannot be done is said."""

    async def handle(context: Context, arguments: Arguments) -> CommandReply:
        if context.ports.cron is None:
            return OFF
        try:
            return await handler(context, context.ports.cron, arguments)
        except (Unclear, LookupError) as error:
            return CommandReply(str(error), ok=False)

    return handle


async def overview(context: Context, cron: Cron, arguments: Arguments) -> CommandReply:
    """The jobs that may be seen here."""
    found, now = await cron.jobs(reach(context)), cron.now()
    data = [cron_words.job_data(each, now) for each in found]
    lines = [cron_words.listed(found, _here(context), now)] if found else []
    shell = _at_shell(context)
    if any(each.kind != "maintenance" for each in found):
        return CommandReply("\n".join(lines), data=data)
    text = "\n".join([f"There are no jobs here. {cron_grammar.how_to_add(shell=shell)}", *lines])
    return CommandReply(text, data=data, orders=(cron_grammar.adding(*cron_grammar.EXAMPLE, shell=shell),))


async def show(context: Context, cron: Cron, arguments: Arguments) -> CommandReply:
    """One job in full."""
    job, within = await _the(context, cron, arguments.get("job"), proposed=True), reach(context)
    if not job.proposed and within is not None and job.chat != within:
        raise LookupError(f"The job {job.id} was accepted already; it is another chat's.")
    text = cron_words.in_full(job, _here(context), cron.now())
    last = [cron_words.run_line(each, cron.now(), named=False) for each in await cron.runs(1, job, within)]
    return _job(context, cron, job, "\n".join([text, *(["Last run:", *last] if last else [])]))


async def add(context: Context, cron: Cron, arguments: Arguments) -> CommandReply:
    """A new job: its time, then what is to be done."""
    parts = _given(arguments) if _at_shell(context) else cron_grammar.added(arguments.get("wish"))
    if not parts.get("prompt"):
        raise Unclear(await _unparted(cron, parts.get("when", ""), shell=_at_shell(context)))
    wish = cron_grammar.wish(parts, _here(context))
    _may_target(context, wish)
    if wish.chat is None:
        wish = replace(wish, chat=cron.usual(_here(context)))
    job = await cron.add(wish, context.who)
    lines = ["⏰ It is noted.", cron_words.in_full(job, _here(context), cron.now())]
    start = _start(context)
    lines += [f"{ASLEEP}{start}"] if cron.asleep() else []
    return _job(context, cron, job, "\n".join(lines), start)


async def edit(context: Context, cron: Cron, arguments: Arguments) -> CommandReply:
    """Another time, another prompt or other options; what it was stays in its history."""
    if _at_shell(context):
        job, parts = await _the(context, cron, arguments.get("job")), _given(arguments)
    else:
        job, rest = await _meant(context, cron, arguments.get("change"))
        parts = cron_grammar.edited(rest)
    if not parts:
        raise Unclear(f"What is to be different? {cron_grammar.how_to_edit(shell=_at_shell(context))}")
    if job.kind == "maintenance" and not parts.keys() <= {"when", "zone"}:
        raise Unclear(TIMED + cron_grammar.editing(job.id, "daily at 4:00", shell=_at_shell(context)))
    wish = cron_grammar.wish(parts, _here(context))
    _may_target(context, wish)
    changed = _still(await cron.edit(job, wish, context.who), job)
    text = f"✏️ Changed.\n{cron_words.in_full(changed, _here(context), cron.now())}"
    return _job(context, cron, changed, f"{text}\nWhat it was is in {_order(job)}.", _order(job))


async def pause(context: Context, cron: Cron, arguments: Arguments) -> CommandReply:
    """No run by its schedule, until a date or until it is resumed."""
    if _at_shell(context):
        job, until = await _the(context, cron, arguments.get("job")), arguments.get("until")
    else:
        job, until = await _meant(context, cron, arguments.get("job_until"))
    changed = _still(await cron.pause(job, until, context.who), job)
    return _job(context, cron, changed, cron_words.listed([changed], _here(context), cron.now()))


async def resume(context: Context, cron: Cron, arguments: Arguments) -> CommandReply:
    """Go on after a pause; what was left out meanwhile is not done later."""
    job = await _the(context, cron, arguments.get("job"))
    changed = _still(await cron.resume(job, context.who), job)
    return _job(context, cron, changed, f"⏯ It goes on.\n{cron_words.listed([changed], _here(context), cron.now())}")


async def run(context: Context, cron: Cron, arguments: Arguments) -> CommandReply:
    """Once now, beside its schedule."""
    job = await _the(context, cron, arguments.get("job"))
    dry = bool(arguments.get("dry_run"))
    if dry and job.kind != "maintenance":
        raise Unclear("There is a dry run of maintenance only.")
    asked = await cron.run(job, context.who, dry=dry)
    name = f"**{job.id}** {literal(job.name)}"
    words: Mapping[str, str] = {
        "starts": f"▶️ {name} starts. What came of it: {_order(job)}",
        "soon": f"▶️ {name} is asked for; the gateway starts it in a moment. {_order(job)}",
        "asleep": f"🕓 {name} is asked for, and runs once the gateway does: {_start(context)}",
        "waits": f"{name} is only proposed: it waits for a yes. /cron show {job.id}",
        "gone": _gone(job),
    }
    orders = (_start(context) if asked == "asleep" else _order(job),)
    data = {"id": job.id, "run": asked}
    return CommandReply(words[asked], data=data, ok=asked not in ("waits", "gone"), orders=orders)


async def remove(context: Context, cron: Cron, arguments: Arguments) -> CommandReply:
    """Take it away; it can be brought back."""
    job = await _the(context, cron, arguments.get("job"))
    if job.kind == "maintenance":
        raise Unclear(f"A maintenance job cannot be removed, only paused: /cron pause {job.id}")
    gone = _still(await cron.remove(job, context.who), job)
    text = f"🗑 Removed: **{job.id}** {literal(job.name)}. A run that is under way ends, and its answer is not sent."
    return CommandReply(text, data=_data(cron, gone), buttons=cron_words.undo(job))


async def undo(context: Context, cron: Cron, arguments: Arguments) -> CommandReply:
    """Bring a removed job back, as it was."""
    named = arguments.get("job").lstrip("#")
    job = await cron.get(int(named)) if named.isascii() and named.isdigit() else None
    within = reach(context)
    if job is None or not job.removed or (within is not None and job.chat != within):
        raise LookupError(f"There is no removed job {arguments.get('job')!r} here; write the number that it had.")
    made = await cron.bring_back(job, context.who)
    text = f"↩️ It is back, as number {made.id}.\n{cron_words.in_full(made, _here(context), cron.now())}"
    return _job(context, cron, made, text)


async def history(context: Context, cron: Cron, arguments: Arguments) -> CommandReply:
    """What runs came to, and how a job was changed."""
    named, now, within = arguments.get("job"), cron.now(), reach(context)
    job = await _the(context, cron, named) if named else None
    runs = await cron.runs(RUNS if job is None else 2 * RUNS, job, within)
    lines = [cron_words.run_line(each, now, named=job is None) for each in runs] or ["No run yet."]
    if job is not None:
        changes = await cron.changes(job)
        lines += ["Changes:"] if changes else []
        lines += [cron_words.change_line(each, now) for each in changes[:CHANGES]]
    return CommandReply("\n".join(lines), data=[cron_words.run_data(each) for each in runs])


async def accept(context: Context, cron: Cron, arguments: Arguments) -> CommandReply:
    """Say yes to a job that the assistant proposed, as it was shown: a second number says which state that was."""
    named, _, version = arguments.get("job").strip().partition(" ")
    if not (named.lstrip("#").isdigit() and version.isdigit()):
        named, version = arguments.get("job"), ""
    job = await _the(context, cron, named, proposed=True)
    if not job.proposed:
        return CommandReply(f"**{job.id}** {literal(job.name)} was accepted already.", data=_data(cron, job))
    if version and version != str(job.version):
        text = f"It was changed since that card. Now it reads:\n{cron_words.in_full(job, _here(context), cron.now())}"
        return CommandReply(text, data=_data(cron, job), buttons=cron_words.card_buttons(job), ok=False)
    if not job.next_runs:
        raise Unclear(OVER + cron_grammar.editing(job.id, "tomorrow at 9:00", shell=_at_shell(context)))
    changed = _still(await cron.accept(job, context.who, _here(context)), job)
    text = f"✅ Accepted.\n{cron_words.in_full(changed, _here(context), cron.now())}"
    return _job(context, cron, changed, text)


async def decline(context: Context, cron: Cron, arguments: Arguments) -> CommandReply:
    """Say no to a job that the assistant proposed."""
    job = await _the(context, cron, arguments.get("job"), proposed=True)
    if not job.proposed:
        raise LookupError(f"{literal(job.name)} was accepted already. To take it away: /cron remove {job.id}")
    gone = _still(await cron.decline(job, context.who, _here(context)), job)
    text = f"❌ Declined: **{job.id}** {literal(job.name)} is not done."
    return CommandReply(text, data=_data(cron, gone), buttons=cron_words.undo(job))


async def _meant(context: Context, cron: Cron, text: str) -> tuple[JobView, str]:
    """The job that a line begins with, and what stands behind it: after a bar, or after its number or name."""
    head, rest = cron_grammar.cut(text)
    words = head.split()
    for count in range(len(words), 0, -1):
        job = await _find(context, cron, " ".join(words[:count]), exact=count < len(words))
        if job is not None:
            behind = " ".join(words[count:])
            return job, "\n".join(filter(None, (behind, rest)))
    return await _the(context, cron, head), rest


async def _the(context: Context, cron: Cron, named: str, *, proposed: bool = False) -> JobView:
    """The job of this name or number. `proposed`: in a home chat, also one that was wished for elsewhere."""
    if not named.strip():
        found = await cron.jobs(reach(context))
        hint = f"such as {found[0].id}; /cron lists them" if found else "and there is none here yet"
        raise Unclear(f"Which job? Write its number or its name, {hint}.")
    job = await _find(context, cron, named)
    if job is None and proposed and context.home and context.role >= Role.OPERATOR:
        job = await cron.find(named, None)
        job = job if job is not None and job.origin == "assistant" else None
    if job is None:
        raise LookupError(f"There is no job {named.strip()!r} here. /cron lists them.")
    return job


async def _find(context: Context, cron: Cron, named: str, *, exact: bool = False) -> JobView | None:
    job = await cron.find(named, reach(context))
    if job is None or not exact:
        return job
    return job if named.strip().lstrip("#").casefold() in (str(job.id), job.name.casefold()) else None


async def _unparted(cron: Cron, text: str, *, shell: bool) -> str:
    """What to write instead of a line without a bar."""
    words = text.split()
    for count in range(len(words) - 1, 0, -1):
        if await cron.names_a_time(" ".join(words[:count])):
            guess = cron_grammar.adding(" ".join(words[:count]), " ".join(words[count:]), shell=shell)
            how = "Put it in quotes" if shell else "Write a bar or a new line behind it"
            return f"Where does the time end? {how}:\n`{guess}`"
    return f"What is to be done then? {cron_grammar.how_to_add(shell=shell)}"


def _given(arguments: Arguments) -> dict[str, str]:
    """Arguments and options of the shell, by the names of the grammar."""
    names = ("when", "prompt", "name", "to", "skills", "model", "silent_unless", "budget")
    found = {name: value for name in names if (value := arguments.get(name).strip())}
    return {**found, **({"zone": zone} if (zone := arguments.get("tz")) else {})}


def _may_target(context: Context, wish: JobWish) -> None:
    """Another chat's memory and ears are not everybody's to order about."""
    if wish.chat is not None and wish.chat != _here(context) and context.role < Role.OWNER:
        raise LookupError(
            "Only an owner can send a job's answers to another chat. Write `to: here`, or leave it out."
        )


def reach(context: Context) -> str | None:
    """The key of the chat whose jobs may be seen; None is every job. Raises NeedsChat: jobs that belong to no chat
    are not everybody's."""
    if context.visible is None:
        return None
    if context.chat is None:
        raise NeedsChat("jobs are seen from a chat of yours, and none is known here")
    return _here(context)


def _at_shell(context: Context) -> bool:
    return context.surface == "shell"


def _order(job: JobView) -> str:
    """How its history is looked at."""
    return f"/cron history {job.id}"


def _start(context: Context) -> str:
    """How the gateway is started, which is done at the shell alone."""
    return "/run" if _at_shell(context) else "innkeeper run"


def _here(context: Context) -> str:
    return context.chat.key if context.chat is not None else ""


def _still(job: JobView | None, was: JobView) -> JobView:
    if job is None:
        raise LookupError(_gone(was))
    return job


def _gone(job: JobView) -> str:
    return f"{literal(job.name)} was removed meanwhile. /cron undo {job.id}"


def _data(cron: Cron, job: JobView) -> dict[str, Any]:
    return cron_words.job_data(job, cron.now())


def _job(context: Context, cron: Cron, job: JobView, text: str, *orders: str) -> CommandReply:
    """A reply about one job, with what can be done with it. `orders` are those in the text."""
    buttons = cron_words.buttons(job, cron.now()) if context.role >= Role.OPERATOR else ()
    return CommandReply(text, data=_data(cron, job), buttons=buttons, orders=orders)


JOB = Argument("job", "its number or its name", required=True, rest=True, loose=True)
ONE = Argument("job", "its number or its name", required=True)
OPTIONS = (
    Argument("tz", "the time zone, such as Europe/Berlin", option=True),
    Argument("to", "the chat that gets the answer, such as telegram:111, or none", option=True),
    Argument("name", "what it is called", option=True),
    Argument("skills", "skills that it is done by, with commas between them", option=True),
    Argument("model", "the model that is asked, as host/model", option=True),
    Argument("silent_unless", "what must hold for the answer to be sent", option=True),
    Argument("budget", "how many tokens a run may take", option=True),
)
AN_OPERATOR = Role.OPERATOR

SPECS = (
    CommandSpec(
        "cron", "what is done by itself at its time: jobs to list, make, change, run and remove", with_cron(overview),
        when="anytime",
        actions=(
            Action("list", "the jobs, and when each runs next", with_cron(overview)),
            Action("show", "one job in full", with_cron(show), (JOB,)),
            Action("add", "a new job, such as: weekdays at 9am | summarise my unread notes", with_cron(add),
                   (Argument("wish", "weekdays at 9am | summarise my unread notes", rest=True,
                             shown="WHEN | [name|to|zone|skills|model|silent unless|budget: … |] PROMPT"),),
                   role=AN_OPERATOR,
                   shell=(Argument("when", "such as: weekdays at 9am", required=True),
                          Argument("prompt", "what is to be done", required=True, rest=True, loose=True), *OPTIONS)),
            Action("edit", "another time, prompt or option, such as: 3 | weekdays at 10am", with_cron(edit),
                   (Argument("change", "3 | weekdays at 10am", rest=True,
                             shown="JOB | [when|prompt|name|to|zone|…:] VALUE"),),
                   role=AN_OPERATOR,
                   shell=(ONE, Argument("when", "another time", option=True),
                          Argument("prompt", "another prompt", option=True), *OPTIONS)),
            Action("pause", "no runs, until a date or until it is resumed", with_cron(pause),
                   (Argument("job_until", "3 until 2026-12-24", rest=True, shown="JOB [until DATE]"),),
                   role=AN_OPERATOR,
                   shell=(ONE, Argument("until", "a date or moment", rest=True, loose=True))),
            Action("resume", "go on after a pause", with_cron(resume), (JOB,), role=AN_OPERATOR),
            Action("run", "do it now", with_cron(run),
                   (JOB, Argument("dry_run", "maintenance: only say what would be done", flag=True)),
                   role=AN_OPERATOR),
            Action("remove", "take a job away", with_cron(remove), (JOB,), role=AN_OPERATOR),
            Action("undo", "bring a removed job back", with_cron(undo), (ONE,), role=AN_OPERATOR),
            Action("history", "what runs came to, and how a job was changed", with_cron(history),
                   (Argument("job", "its number or its name", rest=True, loose=True),)),
            Action("accept", "yes to a job that the assistant proposed", with_cron(accept), (JOB,), role=AN_OPERATOR),
            Action("decline", "no to a job that the assistant proposed", with_cron(decline), (JOB,),
                   role=AN_OPERATOR),
        ),
    ),
)  # fmt: skip
