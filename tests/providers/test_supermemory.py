"""Supermemory by the suite of all outside memories, through its own client; its service's moods; its profile."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.providers.places import place
from gateway.providers.supermemory import KEY, Supermemory, SupermemorySettings, manifest
from memory.providers.contract import HERE, ProviderContract, Sample, fault_of, keep, recalled, started
from memory.providers.protocol import Conversation, Exchange, ProviderContext, Question, Refused, Unreachable, Write
from tests.fakes.supermemory_server import SupermemoryServer

OWNERS = place("", "owner", "default")


class Stage:
    manifest = manifest
    sample = Sample()

    def __init__(self, server: SupermemoryServer, folder: Path, key: str = "", **settings: object) -> None:
        self.server = server
        self.secrets = (key or server.key,)
        known = SupermemorySettings.model_validate({"base_url": server.root, **settings}).model_dump()
        self.provider = Supermemory(ProviderContext(known, {KEY: self.secrets[0]}, folder))

    async def settled(self) -> None:
        """The pretended service learns at once."""

    async def lose(self) -> bool:
        await self.server.close()
        return True


@pytest.fixture
async def server() -> AsyncIterator[SupermemoryServer]:
    async with SupermemoryServer() as running:
        assert isinstance(running, SupermemoryServer)
        yield running


@pytest.fixture
def stage(server: SupermemoryServer, tmp_path: Path) -> Stage:
    return Stage(server, tmp_path)


class TestSupermemory(ProviderContract):
    pass


@pytest.mark.parametrize(
    ("temper", "kind", "says"),
    [
        ("429", Unreachable, "too many requests"),
        ("503", Unreachable, "Supermemory answered 503: no, [secret], not today"),
        ("500", Unreachable, "Supermemory answered 500: no, [secret], not today"),
        ("402", Refused, "Supermemory answered 402: no, [secret], not today"),
        ("400", Refused, "Supermemory answered 400: no, [secret], not today"),
        ("garbage", Unreachable, "no JSON"),
        ("shapeless", Unreachable, "Supermemory answered"),
        ("resets", Unreachable, "cannot be reached"),
        ("leads away", Unreachable, "Supermemory answered"),
    ],
)
async def test_its_moods_in_words(stage: Stage, temper: str, kind: type[Exception], says: str) -> None:
    async with started(stage) as provider:
        stage.server.temper = temper
        before = len(stage.server.requests)
        fault = await fault_of(provider.prefetch(Question(HERE, "Where are the bees?")))
        assert type(fault) is kind
        assert says in str(fault)
        assert stage.server.key not in str(fault)
        assert "\n" not in str(fault)
        assert len(stage.server.requests) == before + 1  # trying again is the house's matter
        block = await fault_of(provider.prompt_block(HERE))
        assert type(block) is kind
        stage.server.temper = "good"
        await keep(stage)
        assert "Uppsala" in await recalled(stage)


async def test_a_wrong_key_is_refused_at_the_start_and_not_shown(server: SupermemoryServer, tmp_path: Path) -> None:
    stage = Stage(server, tmp_path, key="sm_wrong")
    fault = await fault_of(stage.provider.start())
    assert isinstance(fault, Refused)
    assert str(fault) == "Supermemory refused the key in SUPERMEMORY_API_KEY"
    await stage.provider.close()
    missing = Supermemory(ProviderContext(SupermemorySettings().model_dump(), {}, tmp_path))
    assert "memory setup supermemory" in str(await fault_of(missing.start()))


async def test_without_its_client_it_says_what_to_install(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "supermemory", None)
    fault = await fault_of(stage.provider.start())
    assert isinstance(fault, Unreachable)
    assert "pip install 'innkeeper[supermemory]'" in str(fault)


async def test_a_slow_service_is_left_when_the_house_gives_up(stage: Stage) -> None:
    async with started(stage) as provider:
        await keep(stage)
        stage.server.temper = "hangs"
        asking = asyncio.ensure_future(provider.prefetch(Question(HERE, "bees in Uppsala?")))
        request = await stage.server.arrived(3)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await asyncio.wait_for(request.done.wait(), 10)
        assert request.abandoned
        stage.server.temper = "good"
        assert "Uppsala" in await recalled(stage)


async def test_each_subject_has_a_namespace_of_its_own(stage: Stage) -> None:
    async with started(stage):
        for subject in ("owner", "people/telegram-222", "people/telegram_222", "rooms/Küche"):
            await keep(stage, Conversation(subject, "20261130-00000001"))
        assert len(stage.server.documents) == 4
        assert all(each.startswith("innkeeper-default-") for each in stage.server.documents)


async def test_a_turn_is_one_document_however_often_it_is_handed_over(stage: Stage) -> None:
    async with started(stage):
        await keep(stage)
        await keep(stage)
        (text,) = stage.server.documents[OWNERS].values()
        assert text == f"Person: {stage.sample.asked}\n\nAssistant: {stage.sample.answered}"


async def test_an_address_alone_is_kept_as_words_and_half_a_pair_is_no_fault(stage: Stage) -> None:
    async with started(stage) as provider:
        await provider.sync(Exchange("turn:1", HERE, "https://example.org/bees", "", 1_796_040_000.0))
        await provider.sync(Exchange("turn:2", HERE, "half a pair \ud83d of bees", "", 1_796_040_001.5))
        assert list(stage.server.documents[OWNERS].values()) == [
            "Person: https://example.org/bees",
            "Person: half a pair \ufffd of bees",
        ]


async def test_passages_can_be_left_out(server: SupermemoryServer, tmp_path: Path) -> None:
    for passages in (True, False):
        stage = Stage(server, tmp_path, passages=passages, namespace="shared")
        async with started(stage):
            await keep(stage)
            assert ("(passage)" in await recalled(stage)) is passages


async def test_lasting_facts_stand_in_the_prompt_unless_that_is_off(
    server: SupermemoryServer, tmp_path: Path
) -> None:
    server.static[OWNERS] = ["Prefers trains.", "Has a sister,\nAnnika."]
    for profile in (True, False):
        stage = Stage(server, tmp_path, profile=profile)
        async with started(stage) as provider:
            expected = "- Prefers trains.\n- Has a sister, Annika." if profile else ""
            assert await provider.prompt_block(HERE) == expected
            assert await provider.prompt_block(Conversation("people/bo", "s")) == ""


async def test_new_entries_of_the_built_in_memory_and_remembered_facts_are_kept(stage: Stage) -> None:
    async with started(stage) as provider:
        await provider.wrote(Write(HERE, "user", ("Likes tea.",), ("Likes tea.", "Prefers trains.")))
        (search, remember) = provider.tools()
        assert remember.writes
        await remember.run({"fact": "The spare key\nhangs in the shed."}, HERE)
        assert list(stage.server.documents[OWNERS].values()) == [
            "Kept in memory: Prefers trains.",
            "Kept in memory: The spare key hangs in the shed.",
        ]
        assert "in the shed." in await search.run({"query": "Where is the spare key?"}, HERE)
        assert await search.run({"query": "spare key"}, Conversation("people/bo", "s")) == ""
