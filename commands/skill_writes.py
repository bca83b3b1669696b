"""The command /skills: what there is, reading one, putting away and bringing back, pins, the bundled ones. Deciding
what waits is `skill_pending`'s part, skills from elsewhere `skill_hub`'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from commands import skill_words as words
from commands.context import Context
from commands.pending_flow import NAMED
from commands.reply import CommandReply
from commands.skill_hub import ACTIONS as HUB
from commands.skill_pending import ACTIONS as PENDING
from commands.skill_pending import FLOW
from commands.skill_ports import Skills
from commands.skill_reach import author, with_skills
from commands.skill_shortcuts import collisions, named
from commands.spec import Action, Argument, Arguments, CommandSpec, Role
from memory.files import Unreadable
from memory.model import Author
from memory.skills.model import Skill, SkillOutcome
from memory.skills.usage import Tally

RECENT = 10


async def overview(context: Context, skills: Skills, arguments: Arguments) -> CommandReply:
    """The skills whose name or description has these words, or all; those that are broken; names that clash."""
    return await asyncio.to_thread(_overview, context, skills, arguments.get("words").casefold().split())


def _overview(context: Context, skills: Skills, wanted: list[str]) -> CommandReply:
    found, now = skills.library.found(), skills.now()
    try:
        tallies = skills.store.usage.all()
    except Unreadable:
        tallies = {}

    def fits(text: str) -> bool:
        return all(word in text.casefold() for word in wanted)

    shown = [each for each in found.skills if fits(f"{each.place} {each.description}")]
    broken = [each for each in found.broken if fits(each.name)]
    data = [words.as_data(each, tallies.get(each.name, Tally())) for each in shown]
    data += [words.broken_data(each) for each in broken]
    bound = len(shown) if context.surface == "shell" else words.LISTED
    lines = [words.line(each, tallies.get(each.name, Tally()), now) for each in shown[:bound]]
    if len(shown) > bound:
        lines.append(f"… and {len(shown) - bound} more: /skills list WORDS")
    wrong = [words.broken_line(each) for each in broken]
    lines += wrong if context.surface == "shell" else map(skills.library.without_folders, wrong)
    lines += [f"- ⚠️ {each}" for each in collisions(found, context.registry)]
    return CommandReply("\n".join(lines) or "There are no skills yet.", data=data)


async def show(context: Context, arguments: Arguments) -> CommandReply:
    """One that waits, by its id; else a skill, by its name."""
    wish, skills, pending = arguments.get("id"), context.ports.skills, context.ports.skill_pending
    waits: tuple[str, ...] | list[str] = ()
    if pending is not None and wish:
        waits = [each for each in await asyncio.to_thread(pending.resolver.pendings.ids) if each.startswith(wish)]
    if wish and not waits and skills is not None:
        found = named(wish, await asyncio.to_thread(skills.library.found))
        if found is not None or arguments.get("file"):
            asked = Arguments({"name": wish, "file": arguments.get("file")}, arguments.json)
            return await with_skills(view)(context, asked)
    if context.role < Role.OPERATOR:
        return CommandReply("What waits is for an operator of this bot.", ok=False)
    return await FLOW.at_the_gate(FLOW.show)(context, arguments)


async def view(context: Context, skills: Skills, arguments: Arguments) -> CommandReply:
    """A skill's text, or one of its files."""
    skill = await _one(skills, arguments.get("name"))
    if isinstance(skill, CommandReply):
        return skill

    def read() -> tuple[str, tuple[str, ...]]:
        return skills.library.view(skill.name, arguments.get("file")), skills.library.files(skill.name)

    text, files = await asyncio.to_thread(read)
    return words.viewed(skill, text, files, shell=context.surface == "shell")


async def history(context: Context, skills: Skills, arguments: Arguments) -> CommandReply:
    """The last changes, the newest first."""
    count = arguments.get("count") or str(RECENT)
    if not count.isdecimal() or not 0 < int(count) <= 1000:
        return CommandReply(f"count is a number from 1 to 1000, not {count!r}.", ok=False)
    deeds = await asyncio.to_thread(skills.store.history)
    gone = {each.undoes: each.id for each in deeds if each.undoes is not None}
    return words.history(deeds[: int(count)], gone, skills.now())


async def undo(context: Context, skills: Skills, arguments: Arguments) -> CommandReply:
    """Take back the change of that id, or the last one."""
    if done := await _done_already(context, skills):
        return done
    outcome = await asyncio.to_thread(skills.store.undo, author(context), arguments.get("id") or None)
    if context.ports.skill_pending is not None:
        await context.ports.skill_pending.settle()
    return words.taken_back(outcome)


async def archive(context: Context, skills: Skills, arguments: Arguments) -> CommandReply:
    """Put a skill away."""
    return await _moved(context, skills, arguments.get("name"), "📦 Put away", skills.caretaker.archive)


async def restore(context: Context, skills: Skills, arguments: Arguments) -> CommandReply:
    """Bring back a skill that was put away; without a name, say which there are."""
    if not arguments.get("name"):
        places = await asyncio.to_thread(skills.store.archived)
        lines = [f"- `{each}`" for each in places]
        return CommandReply("\n".join(lines) or "Nothing is put away.", data=[{"place": each} for each in places])
    return await _moved(context, skills, arguments.get("name"), "♻️ Brought back", skills.caretaker.restore)


async def pin(context: Context, skills: Skills, arguments: Arguments) -> CommandReply:
    """The curator leaves it alone."""
    return await _pinned(skills, arguments.get("name"), True)


async def unpin(context: Context, skills: Skills, arguments: Arguments) -> CommandReply:
    """The curator judges it again."""
    return await _pinned(skills, arguments.get("name"), False)


async def opt_out(context: Context, skills: Skills, arguments: Arguments) -> CommandReply:
    """The bundled skills are not wanted here."""
    remove = bool(arguments.get("remove"))
    done = await asyncio.to_thread(lambda: skills.seeds.opt_out(author(context), remove=remove))
    lines = ["The skills that come with the program are no longer put here or brought up to date."]
    lines += [f"📦 Put away: {', '.join(done.removed)}."] if done.removed else []
    lines += [f"Changed here, and left: {', '.join(done.kept)}."] if done.kept else []
    lines += [f"⚠️ {name}: {why}" for name, why in (done.failed or {}).items()]
    away = "/skills opt-out --remove"
    if not remove:
        lines.append(f"Those that are here stay; {away} puts the unmodified ones away.")
    data = {"removed": list(done.removed), "kept": list(done.kept), "failed": dict(done.failed or {})}
    return CommandReply("\n".join(lines), data=data, ok=not done.failed, orders=(away,))


async def _one(skills: Skills, name: str) -> Skill | CommandReply:
    """The skill that is meant, or why there is none."""
    found = await asyncio.to_thread(skills.library.found)
    skill = named(name.removeprefix("/"), found)
    if isinstance(skill, Skill):
        return skill
    return CommandReply(skill.text if skill is not None else f"There is no skill {name}: /skills list", ok=False)


async def _moved(
    context: Context, skills: Skills, name: str, done: str, step: Callable[[str, Author], SkillOutcome]
) -> CommandReply:
    if before := await _done_already(context, skills):
        return before
    return words.told(done, await asyncio.to_thread(step, name.removeprefix("/"), author(context)))


async def _pinned(skills: Skills, name: str, pinned: bool) -> CommandReply:
    skill = await _one(skills, name)
    if isinstance(skill, CommandReply):
        return skill
    if not await asyncio.to_thread(skills.caretaker.pin, skill.name, pinned):
        return CommandReply(f"{skill.name} is in an external folder, which is only read.", ok=False)
    text = f"📌 {skill.name} is pinned: it is never put away by itself." if pinned else f"{skill.name} is not pinned."
    return CommandReply(text, data={"name": skill.name, "pinned": pinned})


async def _done_already(context: Context, skills: Skills) -> CommandReply | None:
    """What this very order did before its process died: it is told, and not done again."""
    if not context.item_id:
        return None
    mine = author(context)
    recent = await asyncio.to_thread(skills.store.history, RECENT)
    done = next((each for each in recent if (each.author.message, each.author.who) == (mine.message, mine.who)), None)
    return CommandReply(f"Done: {done.gist}.", data={"id": done.id, "result": "done"}) if done is not None else None


NAME = Argument("name", "which skill", required=True, suggested=True)
LOOK_FOR = Argument("words", "what to look for", rest=True, loose=True)
FILE = Argument("file", "one of its files")

OWN = (
    Action("list", "the skills that there are", with_skills(overview), (LOOK_FOR,)),
    Action("view", "a skill's text, or one of its files", with_skills(view), (NAME, FILE)),
    Action("history", "the last changes", with_skills(history), (Argument("count", "how many"),), Role.OPERATOR),
    Action("undo", "take back a change, or the last one", with_skills(undo),
           (Argument("id", "its id"),), Role.OPERATOR),
    Action("archive", "put a skill away", with_skills(archive), (NAME,), Role.OPERATOR),
    Action("restore", "bring back a skill that was put away", with_skills(restore),
           (Argument("name", "which one"),), Role.OPERATOR),
    Action("pin", "never put this skill away by itself", with_skills(pin), (NAME,), Role.OPERATOR),
    Action("unpin", "no longer pin this skill", with_skills(unpin), (NAME,), Role.OPERATOR),
    Action("opt-out", "do without the skills that come with the program", with_skills(opt_out),
           (Argument("remove", "put the unmodified ones away", flag=True),), Role.OWNER),
)  # fmt: skip

SHOW = Action("show", "one that waits, or a skill", show, (NAMED, FILE))

SPECS = (
    CommandSpec(
        "skills", "what there is to do by, what waits, and skills from elsewhere", with_skills(overview),
        actions=(*(SHOW if each.name == "show" else each for each in PENDING), *OWN, *HUB), when="anytime",
    ),
)  # fmt: skip
