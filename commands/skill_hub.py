"""Skills from elsewhere: /skills browse, search, inspect, install, update, remove. Owners only.

What the scan doubts is not installed before a person says yes to it: by the button below the doubts, or with `--yes`
and the digest that they name. A yes is good for exactly those files.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from commands.context import Context
from commands.pending_words import literal
from commands.reply import CommandReply
from commands.skill_ports import Doubted, HubCatalogue, HubSeen, SkillHub, Skills
from commands.skill_reach import author, with_skills
from commands.spec import Action, Argument, Arguments, Handler, Role
from memory.files import FileTrouble
from platforms.messages import Button

if TYPE_CHECKING:
    from memory.skills.install import Doubt, Offer, Result

SHOWN = 40
"""Entries of an index, or skills at an address, in a message."""

WHICH = "/skills inspect PLACE NAME"

NO_HUB = CommandReply("Nothing can be fetched here.", ok=False)

HubHandler = Callable[[Context, Skills, SkillHub, Arguments], Awaitable[CommandReply]]


def at_the_hub(handler: HubHandler) -> Handler:
    """The handler, where skills can be fetched; what cannot be had is told."""

    async def handle(context: Context, skills: Skills, arguments: Arguments) -> CommandReply:
        from memory.skills.crate import Rejected

        if skills.hub is None:
            return NO_HUB
        try:
            return await handler(context, skills, skills.hub, arguments)
        except (Rejected, FileTrouble) as error:
            data = {"name": arguments.get("name"), "result": "refused", "detail": str(error)}
            return CommandReply(f"⚠️ {error}", data=data, ok=False)

    return with_skills(handle)


async def search(context: Context, skills: Skills, hub: SkillHub, arguments: Arguments) -> CommandReply:
    """What the configured indexes hold that has all of these words."""
    return _catalogue(context, await hub.search(arguments.get("words"), context.progress), arguments.get("words"))


async def inspect(context: Context, skills: Skills, hub: SkillHub, arguments: Arguments) -> CommandReply:
    """What is at an address, and what installing it would come to."""
    place = arguments.get("place")
    return _seen(context, await hub.inspect(place, arguments.get("name"), context.progress), place)


async def install(context: Context, skills: Skills, hub: SkillHub, arguments: Arguments) -> CommandReply:
    """Put a skill in place."""
    doubted = Doubted("", arguments.get("place"), arguments.get("name"), arguments.get("category"))
    return await _install(context, skills, hub, doubted, _agreed(arguments))


async def update(context: Context, skills: Skills, hub: SkillHub, arguments: Arguments) -> CommandReply:
    """Fetch skills anew from where they came from; all of them when none is named."""
    return await _update(context, skills, hub, arguments.get("names").split(), _agreed(arguments))


async def agree(context: Context, skills: Skills, hub: SkillHub, arguments: Arguments) -> CommandReply:
    """The yes to what was doubted: the button's command."""
    doubted = await skills.doubted(arguments.get("doubt"))
    if doubted is None:
        return CommandReply("That was asked too long ago. Give the order anew.", ok=False)
    if not doubted.place:
        return await _update(context, skills, hub, [doubted.name], (doubted.digest,))
    return await _install(context, skills, hub, doubted, (doubted.digest,))


async def remove(context: Context, skills: Skills, hub: SkillHub, arguments: Arguments) -> CommandReply:
    """Put a skill from the hub away."""
    result = await hub.remove(arguments.get("name").removeprefix("/"), by=author(context))
    text, data, ok = _told(result, "📦 Put away")
    return CommandReply(text, data=data, ok=ok)


async def _install(
    context: Context, skills: Skills, hub: SkillHub, wish: Doubted, agreed: Sequence[str]
) -> CommandReply:
    result = await hub.install(
        wish.place,
        wish.name,
        by=author(context),
        agreed=agreed,
        category=wish.category,
        progress=context.progress,
    )
    text, data, ok = _told(result, "📥 Installed")
    rows, more = await _asked(context, skills, [result], wish)
    return CommandReply("\n".join([text, *more]), data=data, ok=ok, buttons=rows)


async def _update(
    context: Context, skills: Skills, hub: SkillHub, names: Sequence[str], agreed: Sequence[str]
) -> CommandReply:
    results = await hub.update(names, by=author(context), agreed=agreed, progress=context.progress)
    if not results:
        return CommandReply("No skill here is from the hub.", data=[])
    told = [_told(each, "📥 Brought up to date") for each in results]
    rows, more = await _asked(context, skills, results, None)
    text = "\n".join([*(each for each, _, _ in told), *more])
    return CommandReply(text, data=[data for _, data, _ in told], ok=all(ok for _, _, ok in told), buttons=rows)


async def _asked(
    context: Context, skills: Skills, results: Sequence[Result], wish: Doubted | None
) -> tuple[tuple[tuple[Button, ...], ...], list[str]]:
    """For each doubt, a button that says yes to it; at the shell, how to say that there. `wish` is what was to be
    installed; without one it was an update."""
    from memory.skills.install import Doubt

    doubts = [each for each in results if isinstance(each, Doubt)]
    if context.surface == "shell":
        return (), [f"If that is what you want, give the order again with --yes {each.digest}" for each in doubts]
    rows = []
    for each in doubts:
        place, category = (wish.place, wish.category) if wish is not None else ("", "")
        name = await skills.doubt(Doubted(each.digest, place, each.name, category))
        rows.append((Button(f"Take {each.name} all the same"[:60], f"/skills agree {name}"),))
    return tuple(rows), []


def _agreed(arguments: Arguments) -> tuple[str, ...]:
    return tuple(arguments.get("yes").replace(",", " ").split())


def _told(result: Result, done: str) -> tuple[str, dict[str, Any], bool]:
    """What became of one skill: in words, as data, and whether it went well."""
    from memory.skills.install import Declined, Done, Doubt, Same

    name = literal(result.name or "?")
    match result:
        case Done(notes=notes):
            words = " ".join([f"{done}: {name}.", *notes])
            return words, _data(result.name, "done", " ".join(notes)), True
        case Same():
            return f"{name} is here as it is there.", _data(result.name, "unchanged", ""), True
        case Doubt():
            return _doubts(result), _data(result.name, "doubtful", " ".join(result.reasons), result.digest), False
        case Declined(why=why):
            return f"⚠️ {name}: {why}", _data(result.name, "refused", why), False


def _doubts(doubt: Doubt) -> str:
    reasons = "\n".join(f"- {literal(each)}" for each in doubt.reasons)
    return f"🤔 The scan of {literal(doubt.name)} is not sure. Nothing was installed.\n{reasons}"


def _data(name: str, result: str, detail: str, digest: str = "") -> dict[str, Any]:
    return {"name": name, "result": result, "detail": detail, "digest": digest or None}


def _catalogue(context: Context, found: HubCatalogue, words: str) -> CommandReply:
    bound = len(found.entries) if context.surface == "shell" else SHOWN
    lines = [f"- {literal(each.name)}: {literal(each.description)} ({each.index})" for each in found.entries[:bound]]
    if len(found.entries) > bound:
        lines.append(f"… and {len(found.entries) - bound} more: /skills search WORDS")
    if not lines:
        lines.append(f"No index has a skill with {words!r}." if words else "The indexes are empty.")
    lines += [f"⚠️ {literal(each)}" for each in found.troubles[:SHOWN]]
    data = [
        {
            "name": each.name,
            "description": each.description,
            "source": str(each.source),
            "index": str(each.index),
        }
        for each in found.entries
    ]
    return CommandReply("\n".join(lines), data=data)


def _seen(context: Context, seen: HubSeen, place: str) -> CommandReply:
    lines = [f"- {literal(each.name)}, in {literal(each.place or '.')}" for each in seen.inside.skills[:SHOWN]]
    lines += [f"- ⚠️ {literal(each.place or '.')}: {literal(each.why)}" for each in seen.inside.unfit[:SHOWN]]
    data: dict[str, Any] = {
        "place": place,
        "skills": [each.name for each in seen.inside.skills],
        "unfit": [{"place": each.place, "why": each.why} for each in seen.inside.unfit],
        "offer": None,
    }
    if seen.offer is None:
        lines.insert(0, f"It holds {len(seen.inside.skills)} skills; say which: {WHICH}")
        return CommandReply("\n".join(lines), data=data, orders=(WHICH,))
    data["offer"] = _offer_data(seen.offer)
    return CommandReply("\n".join([*_offer(seen.offer), *(lines if len(lines) > 1 else [])]), data=data)


def _offer(offer: Offer) -> list[str]:
    parcel = offer.parcel
    size = sum(len(each) for each in parcel.files.values())
    files = ", ".join(literal(each) for each in sorted(parcel.files)[:12])
    lines = [
        f"{literal(parcel.name)}: {literal(parcel.description)}",
        f"{len(parcel.files)} files, {size:,} bytes: {files}",
        f"Digest: {parcel.digest}",
        f"The scan says: {offer.verdict}.",
        *(f"- {literal(each)}" for each in offer.reasons),
        *(f"Not taken: {literal(each)}" for each in parcel.left[:12]),
    ]
    if offer.obstacle:
        lines.append(f"It cannot be installed: {offer.obstacle}")
    elif offer.current:
        lines.append("Exactly this is installed.")
    return lines


def _offer_data(offer: Offer) -> dict[str, Any]:
    return {
        "name": offer.parcel.name,
        "description": offer.parcel.description,
        "files": sorted(offer.parcel.files),
        "digest": offer.parcel.digest,
        "verdict": offer.verdict,
        "reasons": list(offer.reasons),
        "obstacle": offer.obstacle or None,
        "installed": offer.current,
    }


PLACE = Argument("place", "a folder, an archive, a git address, or a name in an index", required=True)
ONE = Argument("name", "which skill of those that are there")
WORDS = Argument("words", "what to look for", required=True, rest=True, loose=True)
YES = Argument("yes", "the digest that a doubt named", option=True)
CATEGORY = Argument("category", "the folder for it among the skills", option=True)

ACTIONS = (
    Action("browse", "skills that the indexes name", at_the_hub(search), role=Role.OWNER),
    Action("search", "skills that the indexes name, by words", at_the_hub(search), (WORDS,), Role.OWNER),
    Action("inspect", "look at a skill before it is installed", at_the_hub(inspect), (PLACE, ONE), Role.OWNER),
    Action("install", "put a skill from elsewhere in place", at_the_hub(install), (PLACE, ONE, CATEGORY, YES),
           Role.OWNER),
    Action("agree", "take what the scan was not sure about", at_the_hub(agree),
           (Argument("doubt", "the doubt on the button", required=True),), Role.OWNER),
    Action("update", "bring skills from elsewhere up to date", at_the_hub(update),
           (Argument("names", "which ones; all when none is named", rest=True), YES), Role.OWNER),
    Action("remove", "put a skill from elsewhere away", at_the_hub(remove),
           (Argument("name", "which skill", required=True, suggested=True),), Role.OWNER),
)  # fmt: skip
"""For the command `/skills`."""
