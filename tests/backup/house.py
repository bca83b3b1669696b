"""A profile with something of everything, and backups of it as attackers would change them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gateway.backup.making import Made, create
from gateway.config.paths import Profile
from gateway.config.profiles import prepare
from gateway.state.store import SqliteStore
from tests.fakes.past import Talk, had
from tests.memory.skills.shed import skill

NOW = 1_800_000_000.0
TOKEN = "123456789:AAExampleExampleExampleExampleExample"
CONFIG = f"""\
# My house. The old token was {TOKEN}.
platforms:
  telegram:
    token: "{TOKEN}"   # from BotFather
    allowed_users: [111]
memory: {{write_approval: auto}}
"""
COUNTS = {"messages": 40, "sessions": 2, "entries": 3, "skills": 1, "archived_skills": 1, "pending": 1}


async def furnished(folder: Path, name: str = "default") -> Profile:
    """Two conversations, three entries, a skill and an archived one, a write that waits, settings with a secret."""
    profile = prepare(Profile(name, folder, folder))
    store = await SqliteStore.open(profile.database)
    await had(store, Talk("s1", 3, turns=10), Talk("s2", 1, turns=10))
    await store.close()
    texts = {
        "SOUL.md": "You are kind.\n",
        "AGENTS.md": "Answer in French.\n",
        "config.yaml": CONFIG,
        ".env": 'DISCORD_BOT_TOKEN="never-to-be-copied"\n',
        "memories/MEMORY.md": "The router is at .1\n§\nBackups run at night",
        "memories/USER.md": "Likes tea",
        "memories/journal.jsonl": '{"a": 1}\n',
        "skills/deploy/SKILL.md": skill("deploy"),
        "skills/deploy/scripts/run.sh": "#!/bin/sh\n",
        "skills/.archive/old/SKILL.md": skill("old"),
        "skills/.usage.json": "{}",
        "pending/memory/1f2e3d4c.json": '{"id": "1f2e3d4c"}',
        "logs/gateway.log": "a line\n",
        "cache/attachments/a.png": "a picture",
    }
    for path, text in texts.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (folder / "skills/deploy/scripts/run.sh").chmod(0o755)
    return profile


def backed_up(profile: Profile, now: float = NOW, **more: Any) -> Made:
    return create(profile, now, {"platforms.telegram.token": "TELEGRAM_BOT_TOKEN"}, **more)


def contents(folder: Path) -> dict[str, bytes]:
    """What a profile has of what belongs to a backup, but for the database."""
    files = [each for part in ("memories", "skills", "pending") for each in (folder / part).rglob("*")]
    files += [folder / each for each in ("SOUL.md", "AGENTS.md")]
    kept = [each for each in files if each.is_file() and not each.name.endswith(".lock")]
    return {each.relative_to(folder).as_posix(): each.read_bytes() for each in kept}


def forged(
    source: Path,
    target: Path,
    *,
    manifest: Callable[[dict[str, Any]], object] = lambda fields: None,
    members: Callable[[dict[str, bytes]], object] = lambda files: None,
    entry: Callable[[zipfile.ZipInfo], object] = lambda info: None,
) -> Path:
    """A copy of a backup with a changed manifest, other members, or other heads of them."""
    with zipfile.ZipFile(source) as archive:
        files = {each.filename: archive.read(each) for each in archive.infolist()}
    fields = json.loads(files.pop("manifest.json"))
    manifest(fields)
    members(files)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {"manifest.json": json.dumps(fields).encode(), **files}.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            entry(info)
            archive.writestr(info, data)
    return target
