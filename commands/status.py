"""Commands that tell: /status and /usage."""

from __future__ import annotations

from dataclasses import asdict

from commands.context import Context
from commands.ports import UsageView
from commands.reply import CommandReply
from commands.spec import Argument, Arguments, CommandSpec, Role


async def status(context: Context, arguments: Arguments) -> CommandReply:
    """The state of the house, and of this chat."""
    view = await context.ports.status.view(context.session_key)
    return CommandReply("\n".join(f"**{name}**: {words}" for name, words in view.lines), data=dict(view.data))


async def usage(context: Context, arguments: Arguments) -> CommandReply:
    """Tokens and money: of this session, and of the last days."""
    days = arguments.get("days") or "1"
    if not days.isdigit() or not 0 < int(days) <= 3660:
        return CommandReply(f"days is a number from 1 to 3660, not {days!r}.", ok=False)
    lines: list[str] = []
    if context.session_key is not None:
        lines += ["This session:", *_table(await context.ports.books.session(context.session_key)), ""]
    recent = await context.ports.books.since(int(days))
    lines += ["Today (UTC):" if days == "1" else f"The last {days} days:", *_table(recent)]
    return CommandReply("\n".join(lines), data=[asdict(each) for each in recent])


def _table(rows: list[UsageView]) -> list[str]:
    if not rows:
        return ["nothing yet"]
    return [
        f"- {each.task}, {each.host}/{each.model}: {each.calls} calls, {each.input:,} in ({_share(each)} cached), "
        f"{each.output:,} out" + (f", ${each.cost:.4f}" if each.cost is not None else "")
        for each in rows
    ]


def _share(each: UsageView) -> str:
    return f"{100 * each.cached // each.input} %" if each.input else "none"


SPECS = (
    CommandSpec("status", "how things stand", status, when="anytime"),
    CommandSpec(
        "usage", "tokens and cost", usage, (Argument("days", "how far back"),), role=Role.OPERATOR, when="anytime"
    ),
)
