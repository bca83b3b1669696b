"""How a pending change of skills is shown: gist, files, and the unified diff where there is room for it. Pure.

Cards, `/skills pending`, `/skills show` and replies to decisions use the same words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from commands.pending_words import card_of, fenced, head, literal, moment
from memory.pending.skill_model import SkillWrite
from memory.skills.diff import unified
from memory.skills.model import FileChange
from platforms.messages import Button

ROOM = 2400
"""Characters of all diffs in one message, so that it stays one on every platform but the narrowest."""

FILES = 12
"""Files of one write that are named in a list."""


def listed(write: SkillWrite, now: float) -> str:
    """The write in a list: its head and files."""
    return "\n".join([_head(write, now), *_files(write)])


def in_full(write: SkillWrite, now: float, room: int = ROOM) -> str:
    """What a person decides by; the diff when it has at most `room` characters, else how to see it."""
    diff = unified(write.draft)
    shown = fenced(diff) if len(diff) <= room else f"The diff is long: /skills diff {write.id}"
    return "\n".join([listed(write, now), shown])


def buttons(writes: Sequence[SkillWrite]) -> tuple[tuple[Button, ...], ...]:
    """Approve, Reject, Diff for each, and Later; numbered when there are several."""
    if len(writes) == 1:
        name = writes[0].id
        return (
            (Button("✅ Approve", f"/skills approve {name}"), Button("❌ Reject", f"/skills reject {name}")),
            (Button("📄 Diff", f"/skills diff {name}"), Button("🕓 Later", f"/skills later {name}")),
        )
    rows = [
        (
            Button(f"✅ {number}", f"/skills approve {each.id}"),
            Button(f"❌ {number}", f"/skills reject {each.id}"),
            Button(f"📄 {number}", f"/skills diff {each.id}"),
        )
        for number, each in enumerate(writes, 1)
    ]
    return (*rows, (Button("🕓 Later", "/skills later"),))


def card(writes: Sequence[SkillWrite], now: float) -> str:
    """One card about one or several writes."""
    room = ROOM // len(writes)
    return card_of("change", "changes", "of skills", [in_full(each, now, room) for each in writes])


def as_data(write: SkillWrite) -> dict[str, Any]:
    """A pending change for `--json`."""
    return {
        "id": write.id,
        "action": write.action,
        "skills": list(write.draft.names),
        "origin": write.author.origin.value,
        "gist": write.gist,
        "diff": unified(write.draft),
        "created_at": moment(write.created_at),
        "flags": list(write.flags),
    }


def _head(write: SkillWrite, now: float) -> str:
    return head(write, ", ".join(literal(f"skills/{each}") for each in write.draft.names), now)


def _files(write: SkillWrite) -> list[str]:
    """What becomes of each file, one line each."""
    gone = [f"- {literal(f'{each}/')} is put away, with {held(write, each)}" for each in write.draft.archives]
    inside = tuple(f"{folder}/" for folder in write.draft.archives)
    rest = [each for each in write.draft.changes if each.after is not None or not each.path.startswith(inside)]
    lines = gone + [f"- {literal(each.path)} {_fate(each)}" for each in rest]
    more = len(lines) - FILES
    return lines if more <= 0 else [*lines[:FILES], f"- and {more} more files"]


def held(write: SkillWrite, folder: str) -> str:
    """How many files a folder that is put away has."""
    count = sum(each.startswith(f"{folder}/") for each in write.draft.pins)
    return "one file" if count == 1 else f"{count} files"


def _fate(change: FileChange) -> str:
    if change.before is None:
        return f"is new ({len(change.after or b''):,} bytes)"
    return "is removed" if change.after is None else "changes"
