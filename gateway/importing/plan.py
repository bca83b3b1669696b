"""What comes over, what does not, and why: the words for it, and foreseeing it. Pure but for the checks handed in.

Doing it belongs to `carry`, which tells its outcomes in the same words.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from gateway.importing.hermes_home import HermesHome
from gateway.importing.hermes_jobs import Job
from memory.entries import tidy
from memory.model import Action, Draft, Operation, Reason, Refused, Target
from memory.operations import perform
from memory.usage import usage

SCOPE = "import:hermes"
"""Under which it is noted what was taken over."""

Fate = Literal["taken", "waits", "there", "gone", "skipped", "left"]
"""It comes over; it waits for a yes; it is there already; it was taken over before, and a person removed or changed
it since; it is not meant to come; it could not come."""

Kind = Literal["memory", "user", "skill", "job", "session", "database"]

GIST = 70


@dataclass(frozen=True, slots=True)
class Item:
    """What becomes of one thing. `text` is all of it, where it would be lost from sight otherwise."""

    kind: Kind
    name: str
    fate: Fate
    why: str = ""
    text: str = ""


@dataclass(slots=True)
class Sessions:
    """Counts: sessions that came, their messages, those that are there, that were removed or gone on with here since,
    that hold nothing, and the assistant's own errands. `left` has messages that were not taken, by the reason;
    `platforms` the sessions that came, by where they were held. `stopped`: somebody asked to stop before the end."""

    taken: int = 0
    messages: int = 0
    there: int = 0
    gone: int = 0
    empty: int = 0
    errands: int = 0
    stopped: bool = False
    left: Counter[str] = field(default_factory=Counter)
    platforms: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Outcome:
    """Everything that there is to report."""

    home: HermesHome
    dry: bool
    items: list[Item] = field(default_factory=list)
    sessions: Sessions = field(default_factory=Sessions)
    limits: Mapping[Target, int] = field(default_factory=dict)
    """The characters of memory that are allowed here."""

    left_out: str = ""
    """Where what was left out can be read."""

    @property
    def ok(self) -> bool:
        """Whether everything could be read, and nobody stopped it."""
        return not self.sessions.stopped and not any(each.kind in ("database", "session") for each in self.items)


def entry_note(target: Target, entry: str) -> str:
    """The name under which an entry is noted."""
    return f"{target.value}:{hashlib.sha256(tidy(entry).encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def skill_note(name: str) -> str:
    """The name under which a skill is noted; the note is the digest of its files."""
    return f"skill:{name}"


def settled(target: Target, entry: str, now: Sequence[str], noted: Mapping[str, Any]) -> Item | None:
    """What is to be said of an entry for which there is nothing to do; None when there is."""
    if tidy(entry) in now:
        return Item(target.value, gist(entry), "there")
    if (note := noted.get(entry_note(target, entry))) is None:
        return None
    if note == "taken":
        return Item(target.value, gist(entry), "gone", "it was taken over before, and was removed or changed since")
    return Item(target.value, gist(entry), "there", f"it was put forward before, as {note}")


def foreseen(
    target: Target,
    entries: Iterable[str],
    now: Sequence[str],
    limit: int | None,
    noted: Mapping[str, Any],
    check: Callable[[Draft], Refused | None],
    held: Callable[[Draft], bool],
) -> list[Item]:
    """What would become of entries, one after the other. `limit` in characters, None for a store that is off; `held`
    tells whether a write would wait for a yes."""
    items, there = [], tuple(now)
    for entry in entries:
        if (item := settled(target, entry, there, noted)) is not None:
            items.append(item)
            continue
        if limit is None:
            items.append(left(target, entry, f"the store {target.value} is switched off"))
            continue
        draft = perform(target, there, [Operation(Action.ADD, entry)], limit)
        refused = draft if isinstance(draft, Refused) else check(draft)
        if refused is not None or isinstance(draft, Refused):
            assert refused is not None, "a refused draft is its own refusal"
            items.append(left(target, entry, unfit(refused, entry, there, limit)))
        elif held(draft):
            items.append(Item(target.value, gist(entry), "waits", "it reads like an order to the assistant"))
        else:
            items.append(Item(target.value, gist(entry), "taken"))
            there = draft.after
    return items


def left(target: Target, entry: str, why: str) -> Item:
    """An entry that could not come."""
    return Item(target.value, gist(entry), "left", why, entry)


def unfit(refused: Refused, entry: str, now: Sequence[str], limit: int) -> str:
    """Why an entry was refused, in words for people: those of the store speak to a model."""
    if refused.reason is not Reason.OVER_LIMIT:
        return refused.message
    size = usage(now, limit)
    return f"it does not fit: it has {len(entry):,} characters, and {size.fraction} are used"


def gist(text: str) -> str:
    """The first words, on one line."""
    flat = " ".join(text[: 4 * GIST].split())
    return flat if len(flat) <= GIST else flat[: GIST - 1] + "…"


def left_out(items: Iterable[Item]) -> str:
    """What was left out, as a file for people: each with the reason, and entries in full. Empty for nothing."""
    pieces = [
        f"## {each.kind}: {each.name}\n\n{each.why}\n" + (f"\n{_fenced(each.text)}\n" if each.text else "")
        for each in items
        if each.fate == "left"
    ]
    if not pieces:
        return ""
    head = "# Left out\n\nWhat was not taken over from Hermes Agent, and why. It is still where it was.\n"
    return "\n".join([head, *pieces])


def _fenced(text: str) -> str:
    """A text as it is, whatever signs it holds."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def as_data(outcome: Outcome) -> dict[str, Any]:
    """The report for programs."""
    home, sessions = outcome.home, outcome.sessions
    return {
        "home": str(home.folder),
        "dry_run": outcome.dry,
        "ok": outcome.ok,
        "items": [
            {"kind": each.kind, "name": each.name, "result": each.fate, "why": each.why or None}
            for each in outcome.items
        ],
        "sessions": {
            "taken": sessions.taken,
            "messages": sessions.messages,
            "there": sessions.there,
            "gone": sessions.gone,
            "empty": sessions.empty,
            "errands": sessions.errands,
            "stopped": sessions.stopped,
            "messages_left": dict(sessions.left),
            "platforms": dict(sessions.platforms),
        },
        "jobs": [_job(each) for each in home.jobs],
        "persona": str(home.persona) if home.persona is not None else None,
        "profiles": [str(each) for each in home.profiles],
        "external_dirs": list(home.external),
        "remarks": list(home.remarks),
        "left_out": outcome.left_out or None,
    }


def _job(job: Job) -> dict[str, Any]:
    return {"name": job.name, "when": job.when, "prompt": job.prompt, "paused": job.paused}
