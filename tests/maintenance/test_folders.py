"""What goes from a profile's folders, and what stays: by its age, never by what a person put there."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gateway.attachments.cache import FileCache
from gateway.attachments.upkeep import Room, Upkeep
from gateway.config.paths import Profile
from gateway.config.profiles import create, prepare
from gateway.config.schema import Settings
from gateway.maintenance import caches, weights
from gateway.maintenance.caches import DAY, LEFT_DAYS, LOG_DAYS, SLOT_DAYS, SPILL_DAYS
from gateway.maintenance.weights import UNUSED_DAYS
from gateway.models.catalogue import CATALOGUE, DEFAULT_MODEL, entry_named
from gateway.state.job_records import JobSpec
from gateway.state.store import SqliteStore
from gateway.transcript import Usage
from tests.fakes.clock import FakeClock

NOW = 1_800_000_000.0
BIG = "qwen3-8b"


def made(path: Path, days: float, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (NOW - days * DAY,) * 2)
    return path


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    return prepare(Profile("default", tmp_path, tmp_path))


async def cleaned(profile: Profile, *, dry: bool = False) -> tuple[str, dict[str, int]]:
    async def nothing() -> frozenset[str]:
        return frozenset()

    clock = FakeClock(NOW)
    upkeep = Upkeep([Room(FileCache(profile.cache / "attachments"), nothing)], Settings, clock)
    report = await caches.clean_up(profile, upkeep, profile.cache / "spill", clock.now, dry=dry)
    return report.summary, dict(report.figures)


async def test_old_things_of_each_kind_go_and_young_ones_stay(profile: Profile) -> None:
    old = [
        made(profile.cache / "attachments" / "ab" / "c.png", 31),
        made(profile.cache / "slots" / "m-s.slot", SLOT_DAYS + 1),
        made(profile.logs / "gateway.log.2", LOG_DAYS + 1),
        made(profile.logs / "local-host.log.1", LOG_DAYS + 1),
        made(profile.cache / "spill" / f"{'a' * 24}.txt", SPILL_DAYS + 1),
    ]
    left = profile.cache / "hub" / "hub-x1"
    made(left / "archive", LEFT_DAYS + 1)
    os.utime(left, (NOW - (LEFT_DAYS + 1) * DAY,) * 2)
    young = [
        made(profile.cache / "attachments" / "ab" / "d.png", 29),
        made(profile.cache / "slots" / "m-t.slot", SLOT_DAYS - 1),
        made(profile.cache / "spill" / f"{'b' * 24}.txt", SPILL_DAYS - 1),
        made(profile.cache / "spill" / "a letter.txt", SPILL_DAYS + 1),
        made(profile.logs / "gateway.log.1", LOG_DAYS - 1),
        made(profile.logs / "gateway.log", LOG_DAYS + 100),
        made(profile.logs / "notes.log.1", LOG_DAYS + 100),
        made(profile.cache / "history", 1000),
        made(profile.cache / "import-hermes" / "left-out.md", 1000),
    ]
    words = "1 file of conversations, 1 saved state, 2 old logs, 1 leftover, 1 large text"
    assert (await cleaned(profile, dry=True))[0] == f"{words} would go, 0.0 MB"
    assert all(each.exists() for each in [*old, left])
    summary, figures = await cleaned(profile)
    assert summary == f"{words} went, 0.0 MB"
    assert figures == {"files": 1, "bytes": 24, "saved_states": 1, "old_logs": 2, "leftovers": 1, "large_texts": 1}
    assert not any(each.exists() for each in [*old, left])
    assert all(each.exists() for each in young)
    assert (await cleaned(profile))[0] == "nothing is old enough to go"


@asynccontextmanager
async def stored(profile: Profile) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open(profile.database)
    try:
        yield store
    finally:
        await store.close()


async def weighed(profile: Profile, store: SqliteStore, *, dry: bool = False) -> tuple[str, bool]:
    report = await weights.clean_up(profile, store, Settings(), lambda: NOW, dry=dry)
    return report.summary, report.tell


def weight(profile: Profile, name: str, days: float) -> Path:
    entry = entry_named(name)
    assert entry is not None
    return made(profile.models / entry.file, days)


async def test_a_model_that_nobody_uses_is_named_and_then_goes(profile: Profile) -> None:
    path = weight(profile, BIG, UNUSED_DAYS - 1)
    own, default = made(profile.models / "mine.gguf", 1000), weight(profile, DEFAULT_MODEL, 1000)
    async with stored(profile) as store:
        assert await weighed(profile, store) == (f"{BIG} (0 MB) is not in use, and not for 30 days yet", False)
        os.utime(path, (NOW - (UNUSED_DAYS + 1) * DAY,) * 2)
        dry = await weighed(profile, store, dry=True)
        assert dry[0].startswith(f"{BIG} (0 MB) would be deleted, not used for 30 days")
        assert path.exists()
        assert (await weighed(profile, store))[1], "the owner hears of it"
        assert not path.exists()
        assert (await weighed(profile, store))[0] == "all weights are in use, or none are there"
    assert own.exists()
    assert default.exists()


async def test_what_any_profile_names_stays(profile: Profile) -> None:
    other = create(profile.home, "work")
    other.config.write_text(f"model: {{provider: local, fallbacks: [local/{BIG}]}}\n")
    path = weight(profile, BIG, 1000)
    async with stored(profile) as store:
        await weighed(profile, store)
    assert path.exists()


async def test_what_a_chat_chose_a_job_asks_or_answered_lately_stays(profile: Profile) -> None:
    names = [each.name for each in CATALOGUE if each.name != DEFAULT_MODEL]
    paths = [weight(profile, name, 1000) for name in names]
    async with stored(profile) as store:
        await store.facts.put("telegram:111", "model", f"local/{names[0]}")
        await store.jobs.add(JobSpec("news", "prompt", "x", "UTC", model=f"local/{names[1]}"), "person", "", NOW)
        await store.usage.add("s1", "local", names[2], "chat", Usage(1, 0, 1), NOW - DAY)
        await store.usage.add("s1", "local", names[3], "chat", Usage(1, 0, 1), NOW - 40 * DAY)
        await weighed(profile, store)
    assert [each.exists() for each in paths] == [True, True, True, False]


async def test_settings_that_cannot_be_read_keep_everything(profile: Profile) -> None:
    other = create(profile.home, "work")
    other.config.unlink()
    other.config.mkdir()
    path = weight(profile, BIG, 1000)
    async with stored(profile) as store:
        with pytest.raises(OSError, match="config"):
            await weighed(profile, store)
    assert path.exists()


async def test_what_a_killed_download_left_goes_unless_one_is_at_work(profile: Profile) -> None:
    from filelock import FileLock

    left = made(profile.models / ".pull" / "half.whl", 0, "half of it")
    async with stored(profile) as store:
        with FileLock(profile.models / ".pull.lock"):
            await weighed(profile, store)
        assert left.exists()
        await weighed(profile, store, dry=True)
        assert left.exists()
        assert (await weighed(profile, store))[0] == "0 MB of a download that broke off went"
    assert not left.exists()
