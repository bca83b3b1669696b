"""What the start says: which model answers, and what was set without effect; and what runs from then on."""

from __future__ import annotations

import asyncio
from pathlib import Path

from gateway.app import running
from gateway.config.load import load_settings
from gateway.config.paths import Profile
from gateway.config.profiles import prepare
from gateway.state.contract_search import found, said
from gateway.state.store import SqliteStore
from memory.skills.seeding import bundled
from tests.scenarios.telegram_inn import PATIENCE


async def test_the_first_start_brings_skills_and_broken_ones_are_said(tmp_path: Path) -> None:
    profile = prepare(Profile("default", tmp_path, tmp_path))
    broken = profile.skills / "torn" / "SKILL.md"
    broken.parent.mkdir(parents=True)
    broken.write_text("---\nname: torn\n---\nGo.\n")
    async with running(profile, load_settings(profile, {}), {}, only=()) as app:
        assert f"a skill is broken: {broken}:1: the description is missing, or no plain text." in str(app.lines)
        skills = app.engine.house.skills
        assert skills is not None
        assert [each.source for each in skills.library.found().skills] == ["bundled"] * len(bundled())
        assert {"skills_list", "skill_view", "skill_manage"} <= {
            each.name for each in app.engine.house.toolset.schemas
        }


async def test_an_outside_memory_that_is_not_installed_is_said_at_the_start(tmp_path: Path) -> None:
    profile = prepare(Profile("default", tmp_path, tmp_path))
    profile.config.write_text(
        "model: {base_url: 'http://127.0.0.1:1/v1', model: big}\nmemory: {provider: retaindb}\n"
    )
    async with running(profile, load_settings(profile, {}), {}, only=()) as app:
        assert "model: main/big" in app.lines
        why = "no outside memory named retaindb is installed: innkeeper memory providers"
        assert f"memory.provider: {why}" in app.lines


async def test_what_was_said_before_comes_into_the_search_while_the_house_is_open(tmp_path: Path) -> None:
    profile = prepare(Profile("default", tmp_path, tmp_path))
    store = await SqliteStore.open(profile.database)
    await said(store, "s1", [f"apple {number}" for number in range(200)])
    await store.close()
    async with running(profile, load_settings(profile, {}), {}, only=()) as app:
        search = app.engine.house.store.search
        async with asyncio.timeout(PATIENCE):
            while (await search.state()).waiting:
                await asyncio.sleep(0.01)
        assert await found(app.engine.house.store, "apple 17") == ["s1"]
