"""Commands about stored sessions: listing, showing, taking away, naming, pinning, and letting old ones go."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from commands import search
from commands.context import Context
from commands.pending_words import literal
from commands.ports import SessionView
from commands.reply import CommandReply, NamedText
from commands.session_ports import Pruned
from commands.session_words import UNSEEN, amount, as_data, count, iso, line, named, number, one, said, titled
from commands.spec import Action, Argument, Arguments, CommandSpec, Role
from commands.transcripts import FORMATS, told
from platforms.messages import Button

LISTED = 10
READ = 20
"""Messages of a transcript on one page in a chat."""

AS_FILE = 1_000_000
"""Characters of an export that a chat is given; longer ones are for the shell."""

NAMED = 10
"""Sessions that are named in what pruning says."""

WORTH = 0.25
"""The share of the file that holds nothing, from which on giving it back to the disk is worth the work."""


async def sessions(context: Context, arguments: Arguments) -> CommandReply:
    """The recent sessions that the asker may see, a page at a time."""
    page, size = number(arguments.get("page"), 1), number(arguments.get("limit"), LISTED, 10_000)
    if page is None or size is None:
        return CommandReply("page and limit are numbers, from 1 on.", ok=False)
    some = await context.ports.archive.recent(size + 1, context.visible, (page - 1) * size)
    found, more = some[:size], len(some) > size
    data = [as_data(each) for each in found]
    if not found:
        return CommandReply("No sessions yet." if page == 1 else "There are no older ones.", data=data)
    buttons = ((Button("Older", f"/sessions list {page + 1}"),),) if more and size == LISTED else ()
    return CommandReply("\n".join(map(line, found)), data=data, buttons=buttons)


async def show(context: Context, arguments: Arguments) -> CommandReply:
    """One session's transcript; in a chat, its last messages, and earlier ones page by page."""
    found, page = await one(context, arguments.get("id")), number(arguments.get("page"), 1)
    if isinstance(found, CommandReply):
        return found
    if page is None:
        return CommandReply("page is a number, from 1 on.", ok=False)
    lines = await context.ports.archive.transcript(found.id)
    whole = context.surface == "shell" and not arguments.get("page")
    shown = lines if whole else lines[max(0, len(lines) - page * READ) : max(0, len(lines) - (page - 1) * READ)]
    data = {**as_data(found), "transcript": [{"id": each.message_id, "role": each.role, "text": each.text,
                                              "time": iso(each.time)} for each in shown]}  # fmt: skip
    chat = context.surface == "chat"
    text = "\n".join(said(each.role, each.text, shortened=chat) for each in shown) or "Nothing more."
    earlier = not whole and len(lines) > page * READ
    buttons = ((Button("Earlier", f"/sessions show {found.id} {page + 1}"),),) if earlier else ()
    return CommandReply(f"{line(found)}\n\n{text}", data=data, buttons=buttons)


async def export(context: Context, arguments: Arguments) -> CommandReply:
    """Whole transcripts, tool calls included: to a file or the standard output at the shell, as a file in a chat."""
    asked, everything = arguments.get("format"), bool(arguments.get("all"))
    kind = asked or ("jsonl" if arguments.json else "md")
    if everything == bool(arguments.get("id")):
        return CommandReply("Name a session, or say --all.", ok=False)
    if arguments.json and kind != "jsonl" and not arguments.get("output"):
        words = "--json prints JSON Lines: leave --format away, or name a file for the Markdown with --output."
        return CommandReply(words, ok=False)
    chosen = await _all(context) if everything else await one(context, arguments.get("id"))
    if isinstance(chosen, CommandReply):
        return chosen
    wanted = [chosen] if isinstance(chosen, SessionView) else chosen
    pieces = _pieces(context, wanted, kind)
    if context.surface == "shell":
        data = {"format": kind, "sessions": [each.id for each in wanted]}
        return CommandReply("", data, pieces=pieces, output=arguments.get("output"))
    name = f"{wanted[0].id if len(wanted) == 1 else 'sessions'}.{kind}"
    parts, length = [], 0
    async for piece in pieces:
        parts.append(piece)
        if (length := length + len(piece)) > AS_FILE:
            words = f"innkeeper sessions export {'--all' if everything else wanted[0].id} --output {name}"
            return CommandReply(f"That is too long for a chat. At the shell: `{words}`", ok=False)
    if not parts:
        return CommandReply("No sessions yet.")
    return CommandReply(line(wanted[0]) if len(wanted) == 1 else "", file=NamedText(name, "".join(parts)))


async def _pieces(context: Context, wanted: Sequence[SessionView], kind: str) -> AsyncIterator[str]:
    for place, each in enumerate(wanted):
        if (head := await context.ports.archive.head(each.id)) is None:
            continue
        if place and kind == "md":
            yield "\n---\n\n"
        async for piece in told(head, context.ports.archive.entries(each.id), kind):
            yield piece


async def _all(context: Context) -> list[SessionView]:
    """Every session that the asker may see, the oldest first."""
    found: list[SessionView] = []
    while some := await context.ports.archive.recent(500, context.visible, len(found)):
        found += some
    return list({each.id: each for each in reversed(found)}.values())


async def prune(context: Context, arguments: Arguments) -> CommandReply:
    """Let old sessions go, or say which would."""
    retention = context.ports.retention
    if retention is None:
        return CommandReply("Sessions cannot be let go from here.", ok=False)
    if context.visible is not None:  # it names sessions of every chat
        return CommandReply("Not here, where others would read along.", ok=False)
    typed = arguments.get("older_than")
    days = number(typed, 0, 100_000) or (retention.days if not typed else None)
    if days is None:
        words = "older-than is a number of days, from 1 on." if typed else (
            "Say how old: `innkeeper sessions prune --older-than DAYS`, or set sessions.retention_days."
        )  # fmt: skip
        return CommandReply(words, ok=False)
    dry = bool(arguments.get("dry_run"))
    done = await retention.prune(days, dry=dry, progress=context.progress)
    data = {
        "dry_run": dry,
        "older_than_days": days,
        "sessions": [as_data(each) for each in done.sessions],
        "kept": [{"id": each.id, "why": why} for each, why in done.kept],
        "messages": done.messages,
        "bytes": done.bytes,
        "files": done.files,
        "database_bytes": done.size,
        "free_bytes": done.free,
    }
    return CommandReply("\n".join(_pruned(done, days, dry)), data=data)


def _pruned(done: Pruned, days: int, dry: bool) -> list[str]:
    """What pruning did or would do, and how the room comes back."""
    old = f"ended more than {days} day{'' if days == 1 else 's'} ago"
    many = len(done.sessions)
    if not many:
        lines = [f"Nothing to let go: no session that may go {old}."]
    else:
        what = f"{many:,} session{'' if many == 1 else 's'} that {old}: {count(done.messages)}"
        files = f" and {done.files} file{'' if done.files == 1 else 's'}" if done.files else ""
        lines = [f"{'These would go' if dry else 'Gone'}: {what}, {amount(done.bytes)} of text{files}."]
        lines += [f"- {line(each)}" for each in done.sessions[:NAMED]]
        lines += [f"- and {many - NAMED:,} more"] if many > NAMED else []
    lines += [f"Stays: `{each.id}` {named(each)}, since {why}." for each, why in done.kept[:NAMED]]
    lines += [f"And {len(done.kept) - NAMED:,} more stay."] if len(done.kept) > NAMED else []
    free = done.free + (done.bytes if dry else 0)
    if many:
        lines.append(
            f"The database keeps its size of {amount(done.size)}; about {amount(free)} of it are free"
            f"{' then' if dry else ''}, and are filled first."
        )
    if done.size and free >= WORTH * done.size:
        lines.append("To give them back to the disk: stop the gateway, then `innkeeper doctor --db --compact`.")
    return lines


async def pin(context: Context, arguments: Arguments) -> CommandReply:
    """Keep a session whatever its age."""
    return await _pinned(context, arguments, True)


async def unpin(context: Context, arguments: Arguments) -> CommandReply:
    """Let a session leave with the others."""
    return await _pinned(context, arguments, False)


async def _pinned(context: Context, arguments: Arguments, pinned: bool) -> CommandReply:
    found = await _meant(context, arguments.get("id"))
    if isinstance(found, CommandReply):
        return found
    await context.ports.archive.pin(found.id, pinned)
    words = "stays, whatever its age" if pinned else "may leave the archive when it is old"
    return CommandReply(f"{'📌 ' if pinned else ''}{named(found)} {words}.", data=_id(found, pinned=pinned))


async def entitle(context: Context, arguments: Arguments) -> CommandReply:
    """Name any session that the asker may see."""
    found = await one(context, arguments.get("id"))
    if isinstance(found, CommandReply):
        return found
    title = titled(arguments.get("title"))
    if not title:
        return CommandReply(UNSEEN, ok=False)
    await context.ports.archive.rename(found.id, title)
    return CommandReply(f"`{found.id}` is now called «{literal(title)}».", data=_id(found, title=title))


def _id(found: SessionView, **more: object) -> dict[str, object]:
    return {"id": found.id, **more}


async def _meant(context: Context, prefix: str) -> SessionView | CommandReply:
    """The session that was named, else the chat's own."""
    if prefix:
        return await one(context, prefix)
    if context.ports.conversation is None or context.session_key is None:
        return CommandReply("Name a session: `innkeeper sessions list` has them.", ok=False)
    current = await context.ports.conversation.current(context.session_key)
    return current or CommandReply("This session has not begun yet; say something first.", ok=False)


ID = Argument("id", "session id, or its beginning", required=True)
THIS = Argument("id", "session id; this one otherwise")
OLDER = Argument("page", "which page; 1 is the newest")

SPECS = (
    CommandSpec(
        "sessions", "earlier conversations, to list, show, search, export, name, pin and prune", sessions,
        when="anytime", actions=(
            Action("list", "recent sessions", sessions,
                   (OLDER, Argument("limit", "sessions on a page", option=True))),
            Action("show", "one session's transcript", show, (ID, OLDER)),
            *search.ACTIONS,
            Action("export", "whole transcripts, as Markdown or JSON Lines", export,
                   (Argument("id", "session id, or its beginning"),
                    Argument("all", "every session", flag=True),
                    Argument("format", "md (default) or jsonl", choices=FORMATS, option=True),
                    Argument("output", "a new file; the standard output otherwise", option=True))),
            Action("prune", "delete sessions that ended long ago", prune,
                   (Argument("older_than", "days; otherwise sessions.retention_days", option=True),
                    Argument("dry_run", "only say what would go", flag=True)), role=Role.OWNER),
            Action("pin", "keep a session whatever its age", pin, (THIS,)),
            Action("unpin", "let it leave with the others", unpin, (THIS,)),
            Action("title", "name a session", entitle,
                   (ID, Argument("title", "the new title", required=True, rest=True))),
        ),
    ),
)  # fmt: skip
"""`role` is the default: whoever may talk may order these, and sees what `Context.visible` lets them."""
