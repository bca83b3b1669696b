"""The command /journey: what was learnt, over time; reading, editing, deleting and taking back by the ids of its
nodes. What somebody may see is the journey's own matter (`at`), drawing that of whoever implements the port.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from shlex import quote

from commands import journey_words as words
from commands.authority import CONSOLE
from commands.context import Composer, Context, NotComposed
from commands.journey_ports import Journey
from commands.reply import CommandReply, NamedBytes, NamedText
from commands.skill_reach import author
from commands.spec import Action, Argument, Arguments, CommandSpec, Handler, Role
from memory.files import FileTrouble
from memory.journey.meant import SKILL, Unknown, node_of
from memory.journey.model import Node
from memory.model import Author
from memory.skills.model import SkillTrouble
from platforms.messages import Button

NUMBERED = 5
"""Things in the list below a picture: as many as a message has rows of buttons."""

LISTED = 30
"""Things in a list that is meant for a chat."""

NO_JOURNEY = CommandReply("Memory is off here.", ok=False)
NOT_HERE = CommandReply("Others may read along here: ask me about that in a direct chat.", ok=False)
NOT_YOURS = CommandReply("What was learnt is for an owner of this bot.", ok=False)
KEEPS = "/remember TEXT"
NOTHING = f"Nothing was learnt yet. {KEEPS} keeps something, /learn makes a skill of what was worked out."

JourneyHandler = Callable[[Context, Journey, Arguments], Awaitable[CommandReply]]


def on_the_way(handler: JourneyHandler) -> Handler:
    """The handler with what this person may see; trouble with files is told."""

    async def handle(context: Context, arguments: Arguments) -> CommandReply:
        journey = context.ports.journey
        if journey is None:
            return NO_JOURNEY
        if context.chat is None and context.role < Role.OWNER:
            return NOT_YOURS
        seen = journey.at(context.chat, context.who, direct=context.direct)
        if seen is None:
            return NOT_YOURS if context.direct else NOT_HERE
        try:
            return await handler(context, seen, arguments)
        except (FileTrouble, SkillTrouble) as trouble:
            return CommandReply(f"⚠️ {trouble}", ok=False)

    return handle


async def show(context: Context, journey: Journey, arguments: Arguments) -> CommandReply:
    """Everything as text where somebody sits at a terminal; on messengers a picture, and the newest in words."""
    timeline = await journey.timeline(gone=bool(arguments.get("gone")))
    data, zone = words.whole(timeline), journey.zone()
    if not timeline.nodes:
        return CommandReply(NOTHING, data=data, orders=(KEEPS,))
    if context.chat is None or context.chat.platform == CONSOLE:
        lines = [words.line(each, zone) for each in timeline.nodes]
        return CommandReply(_bounded(lines, context, newest=True), data=data)
    newest = list(reversed(timeline.nodes))[:NUMBERED]
    drawn = await journey.drawn(timeline, [each.id for each in newest])
    lines = [words.line(each, zone, f"{number}.") for number, each in enumerate(newest, 1)]
    if (more := len(timeline.nodes) - len(newest)) > 0:
        lines.append(f"… and {more:,} older: /journey list")
    picture = NamedBytes("journey.png", drawn, "image/png")
    return CommandReply("\n".join(lines), data=data, buttons=words.rows(newest), picture=picture)


async def listed(context: Context, journey: Journey, arguments: Arguments) -> CommandReply:
    """What has all of these words, the newest first; with `gone`, also what was removed or put away."""
    timeline = await journey.timeline(gone=bool(arguments.get("gone")))
    wanted = arguments.get("words").casefold().split()
    found = [each for each in reversed(timeline.nodes) if _fits(each, wanted)]
    lines = [words.line(each, journey.zone()) for each in found]
    text = _bounded(lines, context, newest=False) or ("Nothing has these words." if wanted else NOTHING)
    return CommandReply(
        text, data=[words.as_data(each) for each in found], orders=(KEEPS,) if text == NOTHING else ()
    )


async def read(context: Context, journey: Journey, arguments: Arguments) -> CommandReply:
    """One thing, whole."""
    timeline = await journey.timeline(gone=True)
    node = node_of(timeline, arguments.get("id"))
    if isinstance(node, Unknown):
        return words.told(node)
    how = "edit" if context.compose is not None else "revise"
    rest = [Button("Edit", f"/journey {how} {node.id}"), Button("Delete", f"/journey delete {node.id}")]
    back = [Button("Bring back", f"/journey undo {node.id}")]
    buttons = back if node.state in ("removed", "archived") else rest
    fit = tuple(each for each in buttons if len(each.action) <= words.LONGEST_ACTION)
    text = words.in_full(node, timeline, journey.zone())
    return CommandReply(text, data=words.as_data(node), buttons=(fit,) if fit else ())


async def edit(context: Context, journey: Journey, arguments: Arguments) -> CommandReply:
    """Another text for it; without one, the person's own editor is opened where there is one."""
    name, text = arguments.get("id"), arguments.get("text")
    if not text.strip():
        if "text" in arguments.values:
            return CommandReply(f"⚠️ The new text is empty. /journey delete {name} removes it.", ok=False)
        return await (revise if context.compose is None else composed)(context, journey, arguments)
    reply = await _written(context, journey, name, text, arguments.get(WAS.name) or None)
    if reply.ok and context.compose is not None:
        await asyncio.to_thread(context.compose.let_go, _laid_aside(name))
    return reply


async def composed(context: Context, journey: Journey, arguments: Arguments) -> CommandReply:
    """Its text in the person's own editor. What they wrote there is kept until it is written, or waits."""
    name, editor = arguments.get("id"), context.compose
    assert editor is not None, "it is asked for where there is one"
    was = await journey.text(name)
    if isinstance(was, Unknown):
        return words.told(was)
    try:
        text = await asyncio.to_thread(editor.edited, was)
    except NotComposed as why:
        return CommandReply(f"⚠️ {why}. Nothing was changed. Give the text: /journey edit {name} TEXT", ok=False)
    if text is None or text.strip() in ("", was.strip()):
        return CommandReply("Nothing was changed.", data={"id": "", "result": "unchanged"})
    advice, back = await asyncio.to_thread(_kept, editor, name, text)
    try:
        reply = await _written(context, journey, name, text, was)
    except (FileTrouble, SkillTrouble) as trouble:
        reply = CommandReply(f"⚠️ {trouble}", ok=False)
    if not reply.ok:
        return replace(reply, text=f"{reply.text}\n{advice}", file=back)
    await asyncio.to_thread(editor.let_go, _laid_aside(name))
    return reply


def _kept(editor: Composer, name: str, text: str) -> tuple[str, NamedText | None]:
    """Lay a text aside; what to tell of it if it is refused. Where no file can be made, it is given back whole."""
    try:
        path = editor.keep(_laid_aside(name), text)
    except OSError as error:
        why = error.strerror or error
        return f"What you wrote could not be put into a file ({why}); here it is:", NamedText(f"{name}.md", text)
    again = f'/journey edit {name} "$(cat {quote(str(path))})"'
    return f"What you wrote is in {path}. Change it there, then: {again}", None


def _laid_aside(name: str) -> str:
    return f"journey-{name.removeprefix(SKILL)}"


async def _written(context: Context, journey: Journey, name: str, text: str, was: str | None) -> CommandReply:
    by = await _by(context)
    if (done := await _already(journey, by)) is not None:
        return done
    with _writing(context):
        return words.told(await journey.edit(name, text, by, was=was))


async def revise(context: Context, journey: Journey, arguments: Arguments) -> CommandReply:
    """How to edit it."""
    text = await journey.text(arguments.get("id"))
    return words.told(text) if isinstance(text, Unknown) else words.how_to_edit(arguments.get("id"), text)


async def delete(context: Context, journey: Journey, arguments: Arguments) -> CommandReply:
    """Remove an entry, put a skill away."""
    was: str | None = arguments.get(WAS.name) or None
    by = await _by(context)
    if (done := await _already(journey, by)) is not None:
        return done
    with _writing(context):
        return words.told(await journey.delete(arguments.get("id"), by, was=was))


async def undo(context: Context, journey: Journey, arguments: Arguments) -> CommandReply:
    """Take back the last change, that of something, or the one of that id."""
    by = await _by(context)
    if (done := await _already(journey, by)) is not None:
        return done
    with _writing(context):
        reply = words.told(await journey.undo(arguments.get("id"), by), undo=True)
    for gate in (context.ports.pending, context.ports.skill_pending):
        if gate is not None:
            await gate.settle()
    return reply


async def _already(journey: Journey, by: Author) -> CommandReply | None:
    """What this very order did before its process died: it is told, and not done again."""
    done = await journey.done(by)
    return CommandReply(f"Done: {done.gist}", data={"id": done.id, "result": "done"}) if done is not None else None


async def _by(context: Context) -> Author:
    conversation, key = context.ports.conversation, context.session_key
    current = await conversation.current(key) if conversation is not None and key is not None else None
    return replace(author(context), session=current.id if current is not None else None)


def _writing(context: Context) -> AbstractContextManager[None]:
    return context.ports.memory.writing() if context.ports.memory is not None else nullcontext()


def _fits(node: Node, wanted: Sequence[str]) -> bool:
    text = f"{node.id} {node.kind} {node.title} {node.text}".casefold()
    return all(word in text for word in wanted)


def _bounded(lines: Sequence[str], context: Context, *, newest: bool) -> str:
    """Lines for a terminal as they are, for a chat as many as can be read; with `newest`, the last ones."""
    if context.surface == "shell" or len(lines) <= LISTED:
        return "\n".join(lines)
    rest = f"… and {len(lines) - LISTED:,} older: /journey list WORDS finds them"
    return "\n".join([rest, *lines[-LISTED:]] if newest else [*lines[:LISTED], rest])


NAME = Argument("id", "which one, by its id", required=True)
WAS = Argument("was", "the text that was shown: if it is another one by now, nothing is written")

ACTIONS = (
    Action("list", "what was learnt, the newest first", on_the_way(listed),
           (Argument("words", "what to look for", rest=True, loose=True),
            Argument("gone", "what was removed or put away, too", flag=True))),
    Action("show", "one thing, whole", on_the_way(read), (NAME,)),
    Action("edit", "put another text in its place", on_the_way(edit),
           (NAME, Argument("text", "the new text", rest=True)), web=(WAS,)),
    Action("revise", "how to edit it", on_the_way(revise), (NAME,)),
    Action("delete", "remove an entry, put a skill away", on_the_way(delete), (NAME,), web=(WAS,)),
    Action("undo", "take back a change, or the last one", on_the_way(undo),
           (Argument("id", "the change, or what was changed"),)),
)  # fmt: skip

SPECS = (
    CommandSpec(
        "journey", "what was learnt, over time", on_the_way(show), actions=ACTIONS, when="anytime",
        aliases=("learning", "memory-graph"),
    ),
)  # fmt: skip
