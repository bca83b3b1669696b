"""Commands that find what was said before: /search, pages of it, and what was said around a hit."""

from __future__ import annotations

from typing import Any

from commands.context import Context
from commands.parse import Order, parse
from commands.pending_words import literal
from commands.reply import CommandReply
from commands.search_ports import FoundView, HitView, SaidView, SearchTrouble
from commands.session_words import as_data, count, iso, line, moment, named, number, one, said
from commands.spec import Action, Argument, Arguments, CommandSpec
from platforms.messages import Button

HITS, MOST_HITS = 5, 50
"""Sessions on a page, and at most at the shell. As many buttons stand in a row on every platform."""

PAGES = 40
"""Pages of one search that a chat turns."""

NEAR = 3
"""Messages on both sides of one that is shown."""

ACTION = 64
"""Bytes of a button's action."""

NARROWER = "rarer words, `before:` or `after:` narrow it down"
NOWHERE = "The archive cannot be searched from here."


async def search(context: Context, arguments: Arguments) -> CommandReply:
    """What was said before, by its words, as far as the asker may see it."""
    if not arguments.get("words"):
        return CommandReply("Say what to look for: /search WORDS. /search \"two words\" -without before:2026-11 too.",
                            ok=False)  # fmt: skip
    limit = number(arguments.get("limit"), HITS, MOST_HITS)
    if limit is None:
        return CommandReply(f"limit is a number from 1 to {MOST_HITS}.", ok=False)
    return await _page(context, arguments.get("words"), context.item_id, 1, limit, arguments.get("more") or None)


async def turned(context: Context, arguments: Arguments) -> CommandReply:
    """A further page of an earlier search in this chat; the button below one."""
    finder, asked = context.ports.finder, number(arguments.get("asked"), 0, 999_999_999)
    page = number(arguments.get("page"), 0, PAGES)
    if finder is None or not asked or not page:
        return CommandReply(NOWHERE if finder is None else "There is no such page.", ok=False)
    order = parse(await finder.asked(asked, context.session_key), context.registry)
    handler = (order.action or order.spec).handler if isinstance(order, Order) else None
    if not isinstance(order, Order) or handler is not search:
        return CommandReply("That search is too long ago. Search again.", ok=False)
    words = order.arguments.get("words")
    return await _page(context, words, asked, page, HITS, None)


async def _page(context: Context, words: str, asked: int, page: int, limit: int, more: str | None) -> CommandReply:
    finder = context.ports.finder
    if finder is None:
        return CommandReply(NOWHERE, ok=False)
    try:
        found = await finder.find(words, context.visible, limit=limit, more=more)
        for _ in range(page - 1):
            if found.more is None:
                return CommandReply("There is nothing further.")
            found = await finder.find(words, context.visible, limit=limit, more=found.more)
    except SearchTrouble as trouble:
        return CommandReply(f"⚠️ {trouble}", ok=False)
    data, further = [_hit_data(each) for each in found.hits], bool(more) or page > 1
    if context.surface == "shell":
        said = "\n".join(_besides(found, shell=True))
        listed = _listed(found, further, shell=True)
        unsure = bool(found.note) or found.bounded  # an empty list is then no "nothing was found"
        return CommandReply(listed, data, aside=said, ok=bool(found.hits) or not unsure)
    return CommandReply(_listed(found, further), data, buttons=await _buttons(context, found, asked, page))


def _hit_data(each: HitView) -> dict[str, Any]:
    return {
        "session_id": each.session.id,
        "message_id": each.message.id,
        "role": each.message.role,
        "time": iso(each.message.time),
        "chat": each.session.chat,
        "snippet": each.snippet,
        "title": each.session.title,
        "matches": each.matches,
        "text": each.message.text,
    }


def _listed(found: FoundView, further: bool, *, shell: bool = False) -> str:
    """A page for people; `further`: there was one before it."""
    lines = [_hit(place, each, shell=shell) for place, each in enumerate(found.hits, 1)]
    if not lines and not found.note and not found.bounded:
        lines = ["Nothing further was found." if further else "Nothing was found."]
    return "\n".join([*lines, *_besides(found, shell=shell)])


def _besides(found: FoundView, *, shell: bool) -> list[str]:
    """What is to be said of a search, its hits aside."""
    lines = [f"⚠️ {found.note}"] if found.note else []
    if found.bounded and found.hits:
        lines.append(f"Older messages were not looked at: {NARROWER}.")
    elif found.bounded and found.more is not None:
        lines.append(
            f"The search stopped before the end, and has found nothing so far: go on with it, or {NARROWER}."
        )
    if shell and found.more is not None:
        lines.append(f"There is more: the same with `--more {found.more}`")
    return lines


def _hit(place: int, each: HitView, *, shell: bool) -> str:
    who = "🗣" if each.message.role == "user" else "🤖"
    more = f", {count(each.matches)}" if each.matches > 1 else ""
    where = f" `{each.session.id}` at `{each.message.id}`" if shell else ""
    head = f"{place}. {named(each.session)} {each.session.chat}, {moment(each.message.time)}{more}{where}"
    return f"{head}\n   {who} {_marked(each.snippet)}"


def _marked(snippet: str) -> str:
    """A snippet on one line, with what was found in bold; to the letter where it has markup of its own."""
    parts = " ".join(snippet.split()).split("**")
    plain = len(parts) % 2 == 1 and all(literal(part) == part for part in parts)
    return "**".join(parts) if plain else literal("".join(parts))


async def _buttons(context: Context, found: FoundView, asked: int, page: int) -> tuple[tuple[Button, ...], ...]:
    """A row that shows what was said around each hit, one that goes on with its session, and the next page."""
    conversation, key = context.ports.conversation, context.session_key
    current = await conversation.current(key) if conversation is not None and key is not None else None
    here = current.id if current is not None else None
    around, back = [], []
    for place, each in enumerate(found.hits, 1):
        around.append(Button(f"🔎 {place}", f"/sessions around {each.session.id} {each.message.id}"))
        if conversation is not None and each.session.id != here:
            back.append(Button(f"↩️ {place}", f"/resume {each.session.id}"))
    goes_on = found.more is not None and asked and page < PAGES
    more = [Button("More", f"/search_page {asked} {page + 1}")] if goes_on else []
    rows = (tuple(each for each in row if len(each.action.encode()) <= ACTION) for row in (around, back, more))
    return tuple(row for row in rows if row)


async def around(context: Context, arguments: Arguments) -> CommandReply:
    """What was said around a message that was found."""
    finder, message_id = context.ports.finder, number(arguments.get("message"), 0, 999_999_999)
    if finder is None:
        return CommandReply(NOWHERE, ok=False)
    session = await one(context, arguments.get("id"))
    if isinstance(session, CommandReply):
        return session
    try:
        found = await finder.around(session.id, message_id or 0, NEAR, context.visible)
    except SearchTrouble as trouble:
        return CommandReply(f"⚠️ {trouble}", ok=False)
    if found is None:
        return CommandReply(f"There is no message {arguments.get('message')!r} in that session.", ok=False)
    told = "\n".join(_told(context, each, each.id == message_id) for each in found.messages)
    ends = ((found.earlier, "Earlier", found.messages[0]), (found.later, "Later", found.messages[-1]))
    row = [Button(label, f"/sessions around {session.id} {end.id}") for there, label, end in ends if there]
    row += [Button("Resume", f"/resume {session.id}")] if context.surface == "chat" else []
    fitting = tuple(each for each in row if len(each.action.encode()) <= ACTION)
    data = {**as_data(session), "messages": [
        {"id": each.id, "role": each.role, "time": iso(each.time), "text": each.text} for each in found.messages
    ]}  # fmt: skip
    return CommandReply(f"{line(session)}\n\n{told}", data=data, buttons=(fitting,) if fitting else ())


def _told(context: Context, each: SaidView, found: bool) -> str:
    return ("➡️ " if found else "") + said(each.role, each.text, shortened=context.surface == "chat")


WORDS = Argument("words", "what to look for", rest=True, loose=True)
LIMIT = Argument("limit", f"sessions on a page; {HITS} otherwise", option=True)
MORE = Argument("more", "what the page before said", option=True)

ACTIONS = (
    Action("search", "find what was said, by its words", search, (WORDS, LIMIT, MORE)),
    Action("around", "what was said around a message", around,
           (Argument("id", "session id, or its beginning", required=True),
            Argument("message", "the message's number", required=True))),
)  # fmt: skip
"""For the command `/sessions`."""

SPECS = (
    CommandSpec("search", "find what was said before", search, (WORDS, LIMIT, MORE), when="anytime"),
    CommandSpec(
        "search_page", "a further page of a search", turned,
        (Argument("asked", "the number on the button", required=True),
         Argument("page", "which one", required=True)), when="anytime", shell=False, hidden=True,
    ),
)  # fmt: skip
"""`role` is the default: whoever may talk may order these, and finds what `Context.visible` lets them see."""
