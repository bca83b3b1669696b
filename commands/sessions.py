"""Commands about the conversation itself: /new, /stop, /retry, /resume, /title, /backlog.

What is stored of earlier ones is for archive.py.
"""

from __future__ import annotations

from commands.context import Context
from commands.pending_words import literal
from commands.ports import SessionView
from commands.reply import CommandReply
from commands.session_words import UNSEEN, count, gist, line, named, number, one, titled
from commands.spec import Argument, Arguments, CommandSpec
from platforms.messages import Button

OFFERED = 5
"""Sessions to go back to that are offered at a time."""

PAGE = "page"
NOTHING = "Nothing is running."


async def new(context: Context, arguments: Arguments) -> CommandReply:
    """The boundary. Says what was carried over, and how to get back."""
    conversation, key, chat = context.place
    title = titled(arguments.get("name"))
    opened = await conversation.new(key, title, chat, context.who, direct=context.direct)
    lines = [f"🆕 A fresh session{f' «{literal(title)}»' if title else ''}."]
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


async def resume(context: Context, arguments: Arguments) -> CommandReply:
    """Go on with an earlier session in this chat."""
    conversation, key, chat = context.place
    if arguments.get("id") in ("", PAGE):
        return await _choice(context, number(arguments.get("page"), 1))
    chosen = await one(context, arguments.get("id"))
    if isinstance(chosen, CommandReply):
        return chosen
    resumed = await conversation.resume(chosen.id, key, chat)
    lines = [
        each for each in await context.ports.archive.transcript(resumed.id) if each.role in ("user", "assistant")
    ]
    tail = "\n".join(f"> **{each.role}**: {gist(each.text)}" for each in lines[-2:])
    return CommandReply(f"↩️ Back in {named(resumed)} ({count(resumed.messages)}).\n{tail}".rstrip())


async def _choice(context: Context, page: int | None) -> CommandReply:
    """Earlier sessions as buttons, a page at a time."""
    conversation, key, _ = context.place
    if page is None:
        return CommandReply("page is a number, from 1 on.", ok=False)
    current = await conversation.current(key)
    wanted, offset = page * OFFERED + 1, 0
    rows: list[SessionView] = []
    while len(rows) < wanted:
        some = await context.ports.archive.recent(wanted, context.visible, offset)
        rows += [each for each in some if each.messages and (current is None or each.id != current.id)]
        offset += len(some)
        if len(some) < wanted:
            break
    shown = rows[(page - 1) * OFFERED : page * OFFERED]
    if not shown:
        return CommandReply("There is no earlier session to go back to.")
    buttons = [(Button(each.title[:40], f"/resume {each.id}"),) for each in shown]
    if len(rows) > page * OFFERED:
        buttons.append((Button("Older", f"/resume {PAGE} {page + 1}"),))
    return CommandReply("Which one?\n" + "\n".join(map(line, shown)), buttons=tuple(buttons))


async def title(context: Context, arguments: Arguments) -> CommandReply:
    """Name the session, or say its name."""
    conversation, key, _ = context.place
    current = await conversation.current(key)
    if current is None:
        return CommandReply("This session has not begun yet; say something first.")
    if not arguments.get("title"):
        return CommandReply(f"This session is called {named(current)}.")
    title = titled(arguments.get("title"))
    if not title:
        return CommandReply(UNSEEN, ok=False)
    await context.ports.archive.rename(current.id, title)
    return CommandReply(f"This session is now called «{literal(title)}».")


async def backlog(context: Context, arguments: Arguments) -> CommandReply:
    """The answer to the question about messages that came in while the process was down."""
    conversation, key, _ = context.place
    answer = arguments.get("choice") == "answer"
    count = await conversation.backlog(key, answer)
    if not count:
        return CommandReply("Nothing waits from before.")
    return CommandReply("") if answer else CommandReply(f"Put aside: {count}. They stay in the archive.")


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
        "resume", "go on with an earlier session", resume,
        (Argument("id", "session id, or its beginning"), Argument("page", f"after the word {PAGE}: which one")),
        shell=False,
    ),
    CommandSpec("title", "name this session", title, (Argument("title", "the new title", rest=True),), shell=False),
    CommandSpec(
        "backlog", "answer or put aside what came in while I was away", backlog,
        (Argument("choice", "what to do", required=True, choices=("answer", "drop")),), when="anytime", shell=False,
        hidden=True,
    ),
)  # fmt: skip
"""`role` is the default: whoever may talk may order these."""
