"""Taking over what is in a Hermes Agent home, through the doors that everything else uses.

Entries pass the scan, the limits and the gate; skills the guard; sessions go into the archive as ended ones, whole. A
second run finds what is there, and does not bring back what a person removed. A dry run only foresees.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, assert_never

from gateway.importing.carry_jobs import JobDoor, carry_jobs
from gateway.importing.hermes_home import HermesHome, Kept
from gateway.importing.hermes_sessions import MESSAGES, Held, held, missing, said
from gateway.importing.hermes_skills import Found, skills
from gateway.importing.plan import (
    SCOPE,
    Item,
    Outcome,
    Sessions,
    entry_note,
    foreseen,
    gist,
    left,
    settled,
    skill_note,
    unfit,
)
from gateway.state.connection import DatabaseFault
from gateway.state.foreign import Foreign, copied
from gateway.state.import_protocols import Imports, Past, session_note
from gateway.state.job_protocols import Jobs
from gateway.state.records import Session
from memory.files import FileTrouble
from memory.model import Action, Applied, Author, Draft, Operation, Origin, Refused, Staged, Target
from memory.operations import perform
from memory.skills.edits import plan_install
from memory.skills.install import Declined, Doubt, Installer, Origins
from memory.skills.install import Store as SkillDoor
from memory.skills.ledger import in_place, place_of
from memory.skills.library import Library
from memory.skills.model import SkillApplied, SkillRefused, SkillStaged, SkillUnchanged
from memory.skills.parcel import Parcel
from memory.skills.tree import Tree
from memory.store import Stores

BATCH = 1_000
"""Messages that are stored in one transaction, about; a session is never cut."""

PROMPT = (
    "You go on with a conversation that was held with another program, Hermes Agent. Its messages are below as they "
    "were said there. You have no tools here."
)
"""What a session begins with that somebody goes on with here: its own prompt spoke of another program's tools."""

Progress = Callable[[int, int], None]
"""Sessions that are done, and how many there are."""

Doubtful = Callable[[Draft], bool]
Check = Callable[[Draft], Refused | None]


@dataclass(frozen=True, slots=True)
class Doors:
    """Where things go. `doubtful` tells which entries a person should see first; `check` is the scan that the stores
    have, for foreseeing. `by_person`: groups have a session for each speaker. `scratch` is a folder for the copy;
    `jobs` reads times, and knows what jobs may name."""

    memory: Stores
    library: Library
    skills: SkillDoor
    installer: Installer
    check: Check
    doubtful: Doubtful
    by_person: bool
    scratch: Path
    jobs: JobDoor


async def carry(
    home: HermesHome,
    doors: Doors,
    imports: Imports | None,
    noted: Mapping[str, Any],
    progress: Progress,
    stop: Callable[[], bool],
    jobs: Jobs | None = None,
) -> Outcome:
    """Everything, in order; `imports` and `jobs` None is a dry run, `noted` what was taken over before. Raises
    `FileTrouble` where the house's own files cannot be read."""
    limits = {target: doors.memory.limit(target) for target in Target}
    outcome = Outcome(home, imports is None, limits=limits)
    for kept in home.memories:
        made = list(_entries(kept, doors, noted, dry=imports is None))
        outcome.items += [item for item, _ in made]
        notes = {name: value for _, note in made for name, value in note.items()}
        if imports is not None and notes:
            await imports.note(SCOPE, notes)
    for found in skills(home):
        item = _skill(found, doors, noted, dry=imports is None)
        outcome.items.append(item)
        if item.fate == "taken" and imports is not None and found.parcel is not None:
            await imports.note(SCOPE, {skill_note(found.name): found.parcel.digest})
    outcome.items += await carry_jobs(home.jobs, home.zone, doors.jobs, jobs, imports, noted)
    if home.database is not None:
        try:
            with copied(home.database, doors.scratch) as database:
                await _sessions(database, outcome, doors, imports, noted, progress, stop)
        except DatabaseFault as error:
            outcome.items.append(Item("database", str(home.database), "left", str(error)))
    return outcome


# Entries


def _entries(
    kept: Kept, doors: Doors, noted: Mapping[str, Any], *, dry: bool
) -> Iterator[tuple[Item, Mapping[str, str]]]:
    """What became of each, and what is to be noted of it."""
    target, stores = kept.target, doors.memory
    if kept.trouble:
        yield Item(target.value, str(kept.path), "left", kept.trouble, kept.text), {}
        return
    if dry:
        on = stores.limit(target) if target in stores.enabled else None
        now = stores.entries(target) if on is not None else ()
        for item in foreseen(target, kept.entries, now, on, noted, doors.check, doors.doubtful):
            yield item, {}
        return
    for entry in kept.entries:
        yield _entry(target, entry, doors, noted)


def _entry(target: Target, entry: str, doors: Doors, noted: Mapping[str, Any]) -> tuple[Item, Mapping[str, str]]:
    stores, name = doors.memory, entry_note(target, entry)
    now = stores.entries(target)
    if (item := settled(target, entry, now, noted)) is not None:
        # An entry that a person wrote here as well is theirs: were it removed, it should not come back either.
        return item, {name: "taken"} if name not in noted else {}
    outcome = stores.apply(target, [Operation(Action.ADD, entry)], _author(doors, target, entry, now))
    match outcome:
        case Applied():
            return Item(target.value, gist(entry), "taken"), {name: "taken"}
        case Staged(_, pending, message):
            return Item(target.value, gist(entry), "waits", message), {name: pending}
        case Refused():
            return left(target, entry, unfit(outcome, entry, now, stores.limit(target))), {}
        case _:
            return Item(target.value, gist(entry), "there"), {}


def _author(doors: Doors, target: Target, entry: str, now: tuple[str, ...]) -> Author:
    """Whoever is at the shell ordered all of it, unseen; what reads like an order is not theirs until they saw it."""
    operation = Operation(Action.ADD, entry)
    draft = perform(target, now, [operation], doors.memory.limit(target))
    seen = isinstance(draft, Refused) or not doors.doubtful(draft)
    return Author(Origin.OPERATOR, message=SCOPE, who="shell" if seen else "")


# Skills


def _skill(found: Found, doors: Doors, noted: Mapping[str, Any], *, dry: bool) -> Item:
    if found.shipped:
        return Item("skill", found.name, "skipped", "it came with Hermes Agent, and is as it was shipped")
    if found.parcel is None:
        return Item("skill", found.name, "left", found.why)
    offer = doors.installer.offer(found.parcel)
    if offer.current or _there(found.parcel, doors.library):
        return Item("skill", found.name, "there")
    if noted.get(skill_note(found.name)) == found.parcel.digest:
        return Item("skill", found.name, "gone", "it was taken over before, and was removed or changed since")
    if offer.obstacle:
        return Item("skill", found.name, "left", offer.obstacle)
    if offer.verdict == "dangerous":
        return Item("skill", found.name, "left", f"it is dangerous. {' '.join(offer.reasons)}")
    if offer.verdict == "doubtful":
        return Item("skill", found.name, "left", _doubts(offer.reasons, found.path))
    return Item("skill", found.name, "taken") if dry else _put(found, found.parcel, doors)


def _there(parcel: Parcel, library: Library) -> bool:
    place = place_of(library.found(), library.root, parcel.name)
    return place is not None and in_place(Tree(library.root), place) == parcel.digest


def _put(found: Found, parcel: Parcel, doors: Doors) -> Item:
    by = Author(Origin.OPERATOR, message=SCOPE, who="shell")
    if found.source:
        result = doors.installer.install(parcel, Origins(f"hermes:{found.source}"), by, category=found.category)
        if isinstance(result, Declined):
            return Item("skill", found.name, "left", result.why)
        if isinstance(result, Doubt):
            return Item("skill", found.name, "left", _doubts(result.reasons, found.path))
        return Item("skill", found.name, "taken", f"from {found.source}")
    try:
        tree = Tree(doors.library.root)
        draft = plan_install(doors.library.found(), tree, parcel.name, parcel.files, found.category)
    except FileTrouble as error:
        return Item("skill", found.name, "left", str(error))
    if isinstance(draft, SkillRefused):
        return Item("skill", found.name, "left", draft.message)
    done = doors.skills.carry_out(draft, by, "person")
    match done:
        case SkillApplied() | SkillUnchanged():
            return Item("skill", found.name, "taken")
        case SkillRefused() | SkillStaged():
            return Item("skill", found.name, "left", done.message)
        case _:
            assert_never(done)


def _doubts(reasons: tuple[str, ...], path: Path) -> str:
    order = shlex.join(["innkeeper", "skills", "install", str(path)])
    return f"the scan is not sure about it: {' '.join(reasons)} To take it all the same: {order}"


# Sessions


async def _sessions(
    database: Foreign,
    outcome: Outcome,
    doors: Doors,
    imports: Imports | None,
    noted: Mapping[str, Any],
    progress: Progress,
    stop: Callable[[], bool],
) -> None:
    if why := missing(database):
        raise DatabaseFault(f"no session could be read: {why}")
    newest: dict[str, int] = {}
    try:
        database.sorted_by(MESSAGES, "session_id")
        newest = {str(name): number for name, number in database.newest(MESSAGES, "session_id").items()}
    except DatabaseFault as error:  # what can be read of it is read, if slowly
        outcome.items.append(Item("database", str(outcome.home.database), "left", f"not all of it: {error}"))
    found = held(database, outcome.home.routes, newest)
    tally, batch = outcome.sessions, list[Past]()
    for number, each in enumerate(found, 1):
        if stop():
            tally.stopped = True
            break
        try:
            past = _past(database, each, newest.get(each.id), noted.get(session_note(each.id)), doors, tally)
        except DatabaseFault as error:
            outcome.items.append(Item("session", each.title or each.id, "left", str(error)))
            continue
        if past is not None:
            batch.append(past)
        if sum(map(_weight, batch)) >= BATCH:
            await _store(batch, imports, tally)
            batch = []
        progress(number, len(found))
    await _store(batch, imports, tally)


def _weight(past: Past) -> int:
    """Its messages; long ones count as several."""
    return sum(1 + len(row.content) // 4_000 for row, _ in past.rows)


async def _store(batch: list[Past], imports: Imports | None, tally: Sessions) -> None:
    if not batch:
        return
    if imports is None:
        stored = {past.source: len(past.rows) for past in batch}
    else:
        stored = await imports.add(SCOPE, batch)
    for past in batch:
        if past.source not in stored:
            tally.gone += 1
            continue
        tally.taken += 1
        tally.messages += stored[past.source]
        tally.platforms[past.session.chat.platform] += 1


def _past(
    database: Foreign, each: Held, newest: int | None, note: Mapping[str, Any] | None, doors: Doors, tally: Sessions
) -> Past | None:
    """The session as it is to be stored, or None when there is nothing to store; counted either way."""
    if each.errand:
        tally.errands += 1
        return None
    gone = note.get("gone", "") if note is not None else ""
    if gone == "removed":
        tally.gone += 1
        return None
    if note is not None and newest is not None and newest <= note["upto"]:
        tally.there += 1
        return None
    talk = said(database, each)
    tally.left.update(talk.left)
    fresh = [one for one in talk.said if note is None or one.number > note["upto"]]
    if not fresh:
        tally.there += note is not None
        tally.empty += note is None
        return None
    if gone:
        tally.gone += 1
        return None
    active = max(each.started, *(one.at for one in talk.said))
    key = f"{each.chat.key}#{each.person}" if doors.by_person and each.group and each.person else each.chat.key
    session = Session(
        id=each.name,
        session_key=key,
        chat=each.chat,
        prompt=PROMPT,
        tools="[]",
        title=each.title,
        epoch=0,
        pinned=each.pinned,
        started_at=each.started,
        active_at=active,
        ended_at=max(active, each.ended or active),
        end_reason="imported from Hermes Agent",
    )
    return Past(each.id, session, tuple((one.row, one.at) for one in fresh), talk.last)
