"""The marks by which somebody who looks on notices a change: whatever a page shows moves the mark of its topic."""

from __future__ import annotations

from pathlib import Path

from gateway.state.contract import NOON
from gateway.state.contract_search import said
from gateway.state.fingerprints import fingerprints, version
from gateway.state.store import SqliteStore


async def test_each_change_moves_the_mark_of_its_topic_alone(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "state.db")
    try:
        before = await fingerprints(store.database)

        async def moved() -> set[str]:
            nonlocal before
            now = await fingerprints(store.database)
            different = {topic for topic in now if now[topic] != before[topic]}
            before = now
            return different

        assert await moved() == set()
        await said(store, "s1", ["Hello.", "Good evening."])
        assert await moved() == {"sessions"}
        await store.sessions.rename("s1", "Evening")
        assert await moved() == {"sessions"}
        await store.sessions.rename("s1", "Evenings")
        assert await moved() == {"sessions"}
        await store.sessions.pin("s1", True)
        assert await moved() == {"sessions"}
        await store.facts.put("a", "b", 1)
        assert await moved() == set()
        await store.inbox.bury_raw("telegram", "", "1", "{}", "unread", NOON)
        assert await moved() == {"health"}
    finally:
        await store.close()


async def test_the_version_moves_with_what_others_commit(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "state.db")
    other = await SqliteStore.open(tmp_path / "state.db")
    try:
        seen = await version(store.database)
        assert await version(store.database) == seen
        await store.facts.put("a", "b", 1)
        own = await version(store.database)
        assert own != seen
        await other.facts.put("a", "b", 2)
        assert await version(store.database) != own
    finally:
        await store.close()
        await other.close()
