"""Years of learning, put into a profile before the house opens: entries with their journal, as stores leave them."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from gateway.config.paths import Profile
from memory.entries import serialise

ROOM = {"memory": {"memory_char_limit": 9_000_000, "user_char_limit": 9_000_000}}
"""Settings under which a sky of any size has room."""

BEGAN = datetime(2021, 3, 1, tzinfo=UTC).timestamp()
YEARS = 5 * 365 * 86400

WHO = ("Ada", "Grace", "Kenji", "The team", "The bakery", "Mira")
DOES = ("likes", "asked about", "keeps", "prefers", "never wants", "always checks", "plans")
WHAT = (
    "green tea",
    "deploys",
    "the garden",
    "Kyoto",
    "invoices",
    "the cat",
    "backups",
    "chess",
    "rye bread",
    "sailing",
)


def galaxy(count: int) -> Callable[[Profile], object]:
    """For `dashboard_stage(before=…)`: that many entries over five years, two of three about the world, one of three
    about people, some changed since; most of them from sessions of a few entries each."""

    def fill(profile: Profile) -> None:
        dice = random.Random(count)
        files: dict[str, list[str]] = {"MEMORY.md": [], "USER.md": []}
        lines: list[str] = []
        moments = sorted(BEGAN + dice.random() * YEARS for _ in range(count))
        for number, at in enumerate(moments):
            file, target = ("USER.md", "user") if dice.random() < 1 / 3 else ("MEMORY.md", "memory")
            text = f"{dice.choice(WHO)} {dice.choice(DOES)} {dice.choice(WHAT)} (no. {number})."
            before = f"{text} At first." if dice.random() < 0.1 else None
            lines += _change(f"{number:07x}a", at, target, file, None, before or text, session=number // 4)
            if before is not None:
                lines += _change(f"{number:07x}b", at + 3600, target, file, before, text, session=number // 4)
            files[file].append(text)
        folder = profile.memories
        folder.mkdir(parents=True, exist_ok=True)
        for file, entries in files.items():
            (folder / file).write_text(serialise(entries) + "\n", encoding="utf-8")
        (folder / "journal.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")

    return fill


def _change(
    name: str, at: float, target: str, file: str, before: str | None, after: str, *, session: int
) -> list[str]:
    """The two lines that a change leaves."""
    action = "add" if before is None else "patch"
    begun: dict[str, Any] = {
        "id": name,
        "state": "begun",
        "time": datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds"),
        "target": target,
        "file": file,
        "origin": "foreground",
        "session": f"session-{session}",
        "message": f"turn:{session}",
        "who": "telegram:111",
        "hash_before": hashlib.sha256(f"{name} before".encode()).hexdigest(),
        "hash_after": hashlib.sha256(name.encode()).hexdigest(),
        "changes": [{"action": action, "at": session, "before": before, "after": after}],
    }
    return [json.dumps(begun), json.dumps({"id": name, "state": "done"})]
