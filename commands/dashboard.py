"""The command /dashboard: a one-time link to the web pages for whoever asks, in a direct chat only; and everybody's
logout."""

from __future__ import annotations

from commands.context import Context, NeedsChat
from commands.dashboard_ports import Dashboard, DashboardTrouble
from commands.reply import CommandReply
from commands.spec import Action, Arguments, CommandSpec, Role

OTHERS_READ = (
    "A link to the dashboard is for one person, and others read along here. Ask for it in a direct chat with me, or"
    " at the shell: innkeeper dashboard"
)


async def link(context: Context, arguments: Arguments) -> CommandReply:
    """A way in, with the rights of whoever asks."""
    dashboard = _port(context)
    if not context.direct or context.chat is None:
        return CommandReply(OTHERS_READ, ok=False)
    try:
        made = await dashboard.link(context.who, context.chat)
    except DashboardTrouble as trouble:
        return CommandReply(f"⚠️ {trouble}", ok=False)
    text = f"The dashboard, for you alone, once, within ten minutes:\n{made.url}"
    return CommandReply(text, data={"url": made.url, "who": made.who, "until": made.until})


async def start(context: Context, arguments: Arguments) -> CommandReply:
    """Begin listening; the answer is the address and nothing else."""
    try:
        return CommandReply(await _port(context).start())
    except DashboardTrouble as trouble:
        return CommandReply(str(trouble), ok=False)


async def sign_out(context: Context, arguments: Arguments) -> CommandReply:
    """Everybody, everywhere, at once."""
    count = await _port(context).sign_out_all()
    return CommandReply(f"{signed_out(count)} Links that were not used yet are void.", data={"ended": count})


def signed_out(count: int) -> str:
    """How many logins were ended, as a sentence."""
    return f"{count} login{'' if count == 1 else 's'} ended." if count else "Nobody was logged in."


def _port(context: Context) -> Dashboard:
    if context.ports.dashboard is None:
        raise NeedsChat("this needs a chat of a running gateway; at the shell: innkeeper dashboard")
    return context.ports.dashboard


SPECS = (
    CommandSpec("dashboard", "what waits, memory, sessions and jobs as web pages: a link for you alone", link,
                actions=(
                    Action("start", "say where the pages are served, and serve them", start),
                    Action("sign-out", "end every login to the pages", sign_out, role=Role.OWNER),
                ),
                role=Role.OPERATOR, when="anytime", shell=False),
)  # fmt: skip
