"""Commands about looking back: /reviews says what waits and what came of it, /refine looks back now.

What a review that was asked for came to is told when it ends, by the gateway's notices.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from commands.context import Context
from commands.pending_words import age, moment, quoted
from commands.reply import CommandReply
from commands.review_ports import EndedView, Price, QueuedView, ReviewedView, Reviews, YieldView
from commands.spec import Action, Argument, Arguments, CommandSpec, Handler, Role

OFF = CommandReply("There are no reviews here.", ok=False)
LISTED = 10
SHOWN = 20
DAYS = 30
MOST_DAYS = 3660
LONGEST_FOCUS = 500
"""Characters of what a person wants looked at."""

OUTCOMES: Mapping[str, str] = {
    "none": "nothing worth keeping",
    "memory": "memory",
    "skill": "skills",
    "memory+skill": "memory and skills",
    "error": "no result",
    "dropped": "given up",
}
_FATES: Mapping[str, tuple[str, str]] = {
    "kept": ("kept", "kept"),
    "waiting": ("waits", "wait"),
    "rejected": ("rejected", "rejected"),
    "undone": ("undone", "undone"),
}
_NOTHING: Mapping[str, str] = {
    "nothing said": "Nothing was said in this session yet.",
    "nothing to write": "This conversation has neither memory nor skills that could be written.",
}
_CAUSES: Mapping[str, str] = {
    "cadence": "it was due",
    "compaction": "before a summary",
    "boundary": "before the end of the session",
    "person": "asked for",
}

ReviewHandler = Callable[[Context, Reviews, Arguments], Awaitable[CommandReply]]


def with_reviews(handler: ReviewHandler) -> Handler:
    """The handler, where there are reviews."""

    async def handle(context: Context, arguments: Arguments) -> CommandReply:
        return OFF if context.ports.reviews is None else await handler(context, context.ports.reviews, arguments)

    return handle


async def overview(context: Context, reviews: Reviews, arguments: Arguments) -> CommandReply:
    """What waits and runs, and why; and what the last ones came to."""
    queue, ended = await reviews.queue(context.visible), await reviews.ended(LISTED, context.visible)
    now = reviews.now()
    lines = [_queued(each, now) for each in queue[:SHOWN]] or ["No review waits."]
    if len(queue) > SHOWN:
        lines.append(f"… and {len(queue) - SHOWN} more")
    if ended:
        lines += ["", "The last ones:", *(_ended(each, now) for each in ended)]
    data = [*map(_queued_data, queue), *map(_ended_data, ended)]
    return CommandReply("\n".join(lines), data=data)


async def report(context: Context, reviews: Reviews, arguments: Arguments) -> CommandReply:
    """Price and yield, model by model."""
    days = arguments.get("days") or str(DAYS)
    if not (days.isascii() and days.isdigit()) or not 0 < int(days) <= MOST_DAYS:
        return CommandReply(f"days is a number from 1 to {MOST_DAYS}, not {days!r}.", ok=False)
    found = await reviews.yields(int(days))
    if not found:
        return CommandReply(f"No review ended in the last {days} days.", data=[])
    lines = [f"Reviews of the last {days} days:", *map(_yield, found)]
    return CommandReply("\n".join(lines), data=list(map(_yield_data, found)))


async def refine(context: Context, reviews: Reviews, arguments: Arguments) -> CommandReply:
    """Look back at this conversation now; what came of it is told at the end."""
    focus = " ".join(arguments.get("focus").split())
    if len(focus) > LONGEST_FOCUS:
        return CommandReply(f"Say in at most {LONGEST_FOCUS} characters what to look at.", ok=False)
    if context.surface == "shell":
        return await _refine_stored(reviews, arguments.get("session"), focus)
    _, key, _ = context.place
    match await reviews.refine(key, focus):
        case "nothing said" | "nothing to write" as nothing:
            return CommandReply(_NOTHING[nothing], ok=False)
        case "follows":
            return CommandReply(
                "🔎 A review of this conversation runs already; yours follows it, and I tell what it finds."
            )
        case "starts":
            what = f", above all for {quoted(focus)}" if focus else ""
            return CommandReply(f"🔎 Looking back at this conversation{what}. I tell what I find.")


async def _refine_stored(reviews: Reviews, session: str, focus: str) -> CommandReply:
    """The same from the shell: for the last conversation at the console, or any other one by its id. It waits in the
    queue for the gateway, which tells in the conversation's chat what it found."""
    try:
        wished = await reviews.refine_stored(session.strip(), focus)
    except LookupError as error:
        return CommandReply(str(error), ok=False)
    if wished.asked in _NOTHING:
        return CommandReply(f"{_of(wished.of)}: {_NOTHING[wished.asked]}", ok=False)
    what = f", above all for {quoted(focus)}" if focus else ""
    if wished.asleep:
        when = "🕓 It waits for the gateway, which does not run (`innkeeper run`):"
    elif wished.asked == "follows":
        when = "🔎 A review of it runs already, and this one follows:"
    else:
        when = "🔎 The gateway begins in a moment:"
    text = f"{when} looking back at {_of(wished.of)}{what}. What comes of it: `innkeeper reviews`"
    state = "asleep" if wished.asleep else "follows" if wished.asked == "follows" else "soon"
    data = {"id": wished.id, "session": wished.of.session, "chat": wished.of.chat, "focus": focus, "state": state}
    return CommandReply(text, data=data)


def _queued(each: QueuedView, now: float) -> str:
    state = "runs" if each.running else "waits"
    tried = ", ".join(f"{what} {_times(count)}" for what, count in each.tries.items() if count)
    why = "" if each.running and each.why == "it runs" else f": {each.why}"
    so_far = f" ({tried} so far)" if tried else ""
    head = f"{_of(each.of)}: {_kinds(each.kinds)}, {_CAUSES.get(each.cause, each.cause)}"
    return f"- {head}; asked for {_ago(now - each.since)}, {state}{why}{so_far}"


def _ended(each: EndedView, now: float) -> str:
    became = f" ({fates})" if (fates := _fates(each.writes)) else ""
    reason = f": {each.reason}" if each.reason else ""
    price = f"; {_price(each.price)}" if each.price.calls else ""
    words = OUTCOMES.get(each.outcome, each.outcome)
    return f"- {_of(each.of)}, {_ago(now - each.ended)}: {words}{became}{reason}{price}"


def _yield(each: YieldView) -> str:
    count = sum(each.outcomes.values())
    came = ", ".join(f"{number} {OUTCOMES.get(name, name)}" for name, number in each.outcomes.items())
    kept = each.writes.get("kept", 0)
    worth = f", {(each.price.input + each.price.output) // kept:,} tokens a write that was kept" if kept else ""
    writes = _fates(each.writes) or "none"
    head = f"**{_model(each.host, each.model)}**: {count} {'review' if count == 1 else 'reviews'} ({came})"
    return f"- {head}; {_price(each.price)}; writes: {writes}{worth}"


def _of(of: ReviewedView) -> str:
    return f"`{of.session}` {quoted(of.title)}" if of.title else f"`{of.session}` (gone)"


def _kinds(kinds: Sequence[str]) -> str:
    names = {"memory": "memory", "skill": "skills"}
    return " and ".join(names.get(each, each) for each in kinds)


def _fates(writes: Mapping[str, int]) -> str:
    return ", ".join(
        f"{count} {words[count != 1]}" for name, words in _FATES.items() if (count := writes.get(name, 0))
    )


def _price(price: Price) -> str:
    calls = f"{price.calls} {'call' if price.calls == 1 else 'calls'}"
    share = f" ({100 * price.cached // price.input} % cached)" if price.input else ""
    money = f", ${price.cost:.4f}" if price.cost is not None else ""
    return f"{calls}, {price.input:,} in{share}, {price.output:,} out, {price.seconds:.0f} s{money}"


def _model(host: str, model: str) -> str:
    return f"{host}/{model}" if host or model else "no model asked"


def _ago(seconds: float) -> str:
    return f"{age(seconds)} ago"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _queued_data(each: QueuedView) -> dict[str, Any]:
    return {
        "id": each.id,
        "state": "running" if each.running else "waiting",
        "session": each.of.session,
        "chat": each.of.chat,
        "kinds": list(each.kinds),
        "cause": each.cause,
        "since": moment(each.since),
        "why": each.why,
        **each.tries,
    }


def _ended_data(each: EndedView) -> dict[str, Any]:
    return {
        "id": each.id,
        "state": "ended",
        "session": each.of.session,
        "chat": each.of.chat,
        "kinds": list(each.kinds),
        "cause": each.cause,
        "outcome": each.outcome,
        "reason": each.reason,
        "ended": moment(each.ended),
        "host": each.host,
        "model": each.model,
        **_price_data(each.price),
        "writes": {name: each.writes.get(name, 0) for name in _FATES},
    }


def _yield_data(each: YieldView) -> dict[str, Any]:
    return {
        "host": each.host,
        "model": each.model,
        "reviews": sum(each.outcomes.values()),
        "outcomes": dict(each.outcomes),
        **_price_data(each.price),
        "writes": {name: each.writes.get(name, 0) for name in _FATES},
    }


def _price_data(price: Price) -> dict[str, Any]:
    return {
        "calls": price.calls,
        "input": price.input,
        "cached": price.cached,
        "output": price.output,
        "seconds": round(price.seconds, 1),
        "cost": price.cost,
    }


SPECS = (
    CommandSpec(
        "reviews", "what waits to be looked back at, and what came of it", with_reviews(overview), role=Role.OPERATOR,
        when="anytime",
        actions=(
            Action("list", "what waits, and the last results", with_reviews(overview)),
            Action("report", "price and yield, model by model", with_reviews(report),
                   (Argument("days", "how far back"),)),
        ),
    ),
    CommandSpec(
        "refine", "look back at this conversation now for what is worth keeping", with_reviews(refine),
        (
            Argument("focus", "what to look at above all", rest=True, loose=True),
            Argument("session", "which conversation, by its id; otherwise the last one at the console", option=True),
        ),
        role=Role.OPERATOR, when="anytime",
    ),
)  # fmt: skip
