"""What the gateway itself says at the end of a turn about memory and skills: a receipt when the person asked for
something, else a notice of what was written. From the journals and what waits, so that a turn which a crash cut in
two says the same.

The wording is in `gateway.agent.receipts`, who asked for what in `gateway.agent.requests`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gateway.agent.conversation import INTERRUPTED, tool_answers
from gateway.agent.receipts import Happened, Receipt, Waiting, joined, notice, receipt
from gateway.agent.requests import Request, recognise
from gateway.agent.skill_receipts import SkillsHappened, skill_notice, skill_receipt
from gateway.attachments.wording import own_words
from gateway.engine import notices
from gateway.engine.arrival.session_key import home_chats
from gateway.engine.house import House
from gateway.engine.turns.grades import FALSE_CLAIMS
from gateway.engine.turns.skill_epilogue import skills_called, skills_happened
from gateway.models.claims import claims_saving
from gateway.state.connection import DatabaseFault
from gateway.state.records import Row, Turn
from memory.files import FileTrouble

TOOL = "memory"


@dataclass(frozen=True, slots=True)
class Ending:
    """A turn that is about to end: its rows, its reply, whether others read along, and whether its session has the
    memory tool."""

    turn: Turn
    rows: Sequence[Row]
    reply: str
    model: str
    group: bool
    offered: bool


async def epilogue(house: House, end: Ending) -> Receipt | None:
    """The lines with their buttons; None when there is nothing to say."""
    asked = recognise(own_words(end.rows))
    try:
        skills = await _of_skills(house, end)
        memory = await _of_memory(house, end, asked, elsewhere=asked is not None and skills.may_answer(asked.kind))
    except FileTrouble as fault:
        house.report.warning("epilogue.fault", turn=end.turn.id, why=str(fault))
        return Receipt(notices.saving_unknown(str(fault)), (), saved=False) if asked is not None else None
    return joined(_skills_worded(house, end, skills, asked=asked is not None), memory)


async def _of_memory(house: House, end: Ending, asked: Request | None, *, elsewhere: bool) -> Receipt | None:
    """`elsewhere`: what the person asked to have kept may be in a skill. Raises FileTrouble."""
    used = any(call.name == TOOL for row in end.rows for call in row.tool_calls)
    if house.memories is None or not (asked or used):
        return None
    if not end.offered:
        return Receipt(notices.NO_MEMORY_HERE, (), saved=False) if asked is not None and not elsewhere else None
    happened = await asyncio.to_thread(_happened, house, end)
    said = _worded(house, end, asked, happened)
    nothing = not (happened.applied or happened.waiting or happened.refused or happened.already)
    return replace(said, text=notices.ONLY_A_SKILL) if said is not None and elsewhere and nothing else said


async def _of_skills(house: House, end: Ending) -> SkillsHappened:
    """Raises FileTrouble."""
    if house.skills is None or not skills_called(end.rows):
        return SkillsHappened()
    return await asyncio.to_thread(skills_happened, house.skills, end.turn, end.rows)


def _skills_worded(house: House, end: Ending, happened: SkillsHappened, *, asked: bool) -> Receipt | None:
    settings = house.settings()
    level = settings.display.notices_on(end.turn.chat.platform)
    said = skill_receipt(happened, level) if asked else skill_notice(happened, level)
    if said is None and happened.waiting and not home_chats(settings):
        said = Receipt(notices.waits(len(happened.waiting), "skills"), notices.SHOW_SKILLS, saved=False)
    return replace(said, buttons=()) if said is not None and end.group else said


async def count_claim(house: House, end: Ending) -> None:
    """When the reply claims a save that did not happen, count it for its model. Nobody waits for this: the turn's end
    is stored already."""
    if house.memories is None or not end.offered or not claims_saving(end.reply):
        return
    try:
        happened = await asyncio.to_thread(_happened, house, end)
        elsewhere = (await _of_skills(house, end)).anything
        if not (elsewhere or happened.applied or happened.waiting or happened.already):
            await house.store.facts.count(f"model:{end.model}", FALSE_CLAIMS)
    except (FileTrouble, DatabaseFault) as fault:
        house.report.warning("epilogue.uncounted", turn=end.turn.id, why=str(fault))


def _worded(house: House, end: Ending, asked: Request | None, happened: Happened) -> Receipt | None:
    """A receipt for who asked; else a notice. Where others read along, neither shows an entry nor has buttons."""
    settings = house.settings()
    if asked is not None:
        return receipt(asked, happened, end.turn.id, alone=not end.group)
    level = settings.display.notices_on(end.turn.chat.platform)
    said = notice(happened, "on" if level == "verbose" and end.group else level)
    if said is None and happened.waiting and not home_chats(settings):
        said = Receipt(notices.waits(len(happened.waiting)), notices.SHOW, saved=False)  # nobody else would tell
    return replace(said, buttons=()) if said is not None and end.group else said


def _happened(house: House, end: Ending) -> Happened:
    """What the turn did to memory. Raises FileTrouble."""
    assert house.memories is not None, "asked only where there is memory"
    message = f"turn:{end.turn.id}"
    refused, already, staged = _answers(end.rows)
    applied = [each for each in house.memories.shelf.made(message) if each.undone_by is None]
    if applied and any(row.content == INTERRUPTED for row in end.rows):
        already = []  # after a crash a model may ask once more for what was done
    waiting = [
        Waiting(each.id, each.target, each.gist)
        for each in house.memories.pendings.waiting()
        if each.author.message == message or each.id in staged  # an equal wish may have waited before
    ]
    return Happened(applied, waiting, refused, already)


def _answers(rows: Sequence[Row]) -> tuple[list[str], list[str], set[str]]:
    """What the memory tool refused, and what it found to be so already, as the model was told; and the ids of what
    was put aside."""
    refused: list[str] = []
    already: list[str] = []
    staged: set[str] = set()
    for answer in tool_answers(rows, TOOL):
        if not answer.get("success"):
            refused.append(str(answer.get("error", "")))
        elif answer.get("staged"):
            staged.add(str(answer.get("pending_id", "")))
        elif not str(answer.get("message", "")).startswith("Saved"):
            already.append(str(answer.get("message", "")))
    return refused, already, staged
