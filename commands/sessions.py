"""Commands about the conversation itself: /new, /stop, /retry, /sessions, /resume, /title, /backlog."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from commands.context import Context
from commands.ports import SessionView
from commands.reply import CommandReply
from commands.spec import Action, Argument, Arguments, CommandSpec
from platforms.messages import Button

LISTED = 10
NOTHING = "Nothing is running."


async def new(context: Context, arguments: Arguments) -> CommandReply:
    """The boundary. Says what was carried over, and how to get back."""
    conversation, key, chat = context.place
    opened = await conversation.new(key, arguments.get("name"), chat, context.who, direct=context.direct)
    lines = [f"🆕 A fresh session{' «' + arguments.get('name') + '»' if arguments.get('name') else ''}."]
    lines.append(opened.carried)
    if opened.closed is not None:
        lines.append(f"Back to the last one: /resume {opened.closed.id}")
    if opened.waiting:
        lines.append(f"{opened.waiting} waiting message(s) are answered in it.")
    return CommandReply("\n".join(lines))


async def stop(context: Context, arguments: Arguments) -> CommandReply:
    """End the running turn and set aside what waits."""
    conversation, key, _ = context.place
    stopped = await conversation.stop(key, context.item_id)
    if not stopped.ran and not stopped.dropped:
        return CommandReply(NOTHING)
    words = "⏹ Stopped." if stopped.ran else "⏹"
    if stopped.dropped:
        words += " Set aside and not answered: " + ", ".join(f"«{each}»" for each in stopped.dropped)
    return CommandReply(words)


async def retry(context: Context, arguments: Arguments) -> CommandReply:
    """The stored reply again, or the turn again."""
    conversation, key, chat = context.place
    match await conversation.retry(key, chat, context.item_id):
        case "nothing":
            return CommandReply("There is nothing to try again in this session.")
        case "busy":
            return CommandReply("An answer is being written; ask for it again when it is there.", ok=False)
        case "sent":
            return CommandReply("")
        case "running":
            return CommandReply("", silent=True)


async def reanswer(context: Context, arguments: Arguments) -> CommandReply:
    """A message as it reads since the person changed it; the button of the line that says so."""
    conversation, key, _ = context.place
    number = arguments.get("number")
    sound = number.isdecimal() and len(number) <= 18
    if not sound or await conversation.reanswer(key, int(number)) == "nothing":
        return CommandReply("That was answered already, or is no longer there.", ok=False)
    return CommandReply("")


async def sessions(context: Context, arguments: Arguments) -> CommandReply:
    """The recent sessions that the asker may see."""
    found = await context.ports.archive.recent(LISTED, context.visible)
    if not found:
        return CommandReply("No sessions yet.", data=[])
    lines = [_line(each) for each in found]
    return CommandReply("\n".join(lines), data=[as_data(each) for each in found])


async def show(context: Context, arguments: Arguments) -> CommandReply:
    """One session's transcript."""
    found = await _one(context, arguments.get("id"))
    if isinstance(found, CommandReply):
        return found
    lines = await context.ports.archive.transcript(found.id)
    data = {**as_data(found), "transcript": [{"id": each.message_id, "role": each.role, "text": each.text,
                                              "time": _iso(each.time)} for each in lines]}  # fmt: skip
    text = "\n".join(f"**{each.role}**: {each.text}" for each in lines)
    return CommandReply(f"{_line(found)}\n\n{text}", data=data)


async def resume(context: Context, arguments: Arguments) -> CommandReply:
    """Go on with an earlier session in this chat."""
    conversation, key, chat = context.place
    if not arguments.get("id"):
        found = [each for each in await context.ports.archive.recent(LISTED, context.visible) if each.messages]
        current = await conversation.current(key)
        rows = [each for each in found if current is None or each.id != current.id]
        if not rows:
            return CommandReply("There is no earlier session to go back to.")
        buttons = tuple((Button(f"{each.title}"[:40], f"/resume {each.id}"),) for each in rows[:5])
        return CommandReply("Which one?\n" + "\n".join(_line(each) for each in rows), buttons=buttons)
    chosen = await _one(context, arguments.get("id"))
    if isinstance(chosen, CommandReply):
        return chosen
    resumed = await conversation.resume(chosen.id, key, chat)
    lines = [
        each for each in await context.ports.archive.transcript(resumed.id) if each.role in ("user", "assistant")
    ]
    tail = "\n".join(f"> **{each.role}**: {_gist(each.text)}" for each in lines[-2:])
    return CommandReply(f"↩️ Back in «{resumed.title}» ({resumed.messages} messages).\n{tail}".rstrip())


async def title(context: Context, arguments: Arguments) -> CommandReply:
    """Name the session, or say its name."""
    conversation, key, _ = context.place
    current = await conversation.current(key)
    if current is None:
        return CommandReply("This session has not begun yet; say something first.")
    if not arguments.get("title"):
        return CommandReply(f"This session is called «{current.title}».")
    await context.ports.archive.rename(current.id, arguments.get("title"))
    return CommandReply(f"This session is now called «{arguments.get('title')}».")


async def backlog(context: Context, arguments: Arguments) -> CommandReply:
    """The answer to the question about messages that came in while the process was down."""
    conversation, key, _ = context.place
    answer = arguments.get("choice") == "answer"
    count = await conversation.backlog(key, answer)
    if not count:
        return CommandReply("Nothing waits from before.")
    return CommandReply("") if answer else CommandReply(f"Put aside: {count}. They stay in the archive.")


async def _one(context: Context, prefix: str) -> SessionView | CommandReply:
    """The one session that a prefix names, or the reply that says why there is none."""
    found = await context.ports.archive.find(prefix, context.visible)
    if not found:
        return CommandReply(f"There is no session {prefix!r} here. /sessions lists them.", ok=False)
    if len(found) > 1:
        return CommandReply(f"{prefix!r} fits several:\n" + "\n".join(_line(each) for each in found[:5]), ok=False)
    return found[0]


def as_data(each: SessionView) -> dict[str, Any]:
    """A session for `--json`."""
    return {
        "id": each.id,
        "chat": each.chat,
        "title": each.title,
        "messages": each.messages,
        "started_at": _iso(each.started_at),
        "active_at": _iso(each.active_at),
        "open": each.open,
        "end_reason": each.end_reason,
    }


def _line(each: SessionView) -> str:
    state = "open" if each.open else f"ended: {each.end_reason}"
    when = datetime.fromtimestamp(each.active_at).astimezone()
    return f"`{each.id}` «{each.title}» {each.chat}, {each.messages} messages, {when:%Y-%m-%d %H:%M}, {state}"


def _gist(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 160 else flat[:159] + "…"


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment).astimezone().isoformat(timespec="seconds")


SPECS = (
    CommandSpec(
        "new", "start a fresh session; what was learnt stays", new, (Argument("name", "its title", rest=True),),
        aliases=("reset",), when="anytime", shell=False,
    ),
    CommandSpec("stop", "end the running answer and set aside what waits", stop, when="anytime", shell=False),
    CommandSpec("retry", "send the last reply again, or answer again", retry, shell=False),
    CommandSpec(
        "reanswer", "answer a message as it reads since it was changed", reanswer,
        (Argument("number", "the number on the button", required=True),), when="anytime", shell=False, hidden=True,
    ),
    CommandSpec(
        "sessions", "list recent sessions", sessions, when="anytime",
        actions=(
            Action("list", "recent sessions", sessions),
            Action("show", "one session's transcript", show, (Argument("id", "session id", required=True),)),
        ),
    ),
    CommandSpec("resume", "go on with an earlier session", resume, (Argument("id", "session id"),), shell=False),
    CommandSpec("title", "name this session", title, (Argument("title", "the new title", rest=True),), shell=False),
    CommandSpec(
        "backlog", "answer or put aside what came in while I was away", backlog,
        (Argument("choice", "what to do", required=True, choices=("answer", "drop")),), when="anytime", shell=False,
        hidden=True,
    ),
)  # fmt: skip
"""`role` is the default: whoever may talk may order these."""
