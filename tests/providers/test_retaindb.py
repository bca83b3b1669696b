"""RetainDB by the suite of all outside memories, and how its service's moods read to a person."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.providers.retaindb import KEY, Retaindb, RetaindbSettings, manifest
from memory.providers.contract import HERE, ProviderContract, Sample, fault_of, keep, recalled, started
from memory.providers.protocol import Conversation, Exchange, ProviderContext, Question, Refused, Unreachable, Write
from tests.fakes.retaindb_server import RetaindbServer


class Stage:
    manifest = manifest
    sample = Sample()

    def __init__(self, server: RetaindbServer, folder: Path, key: str = "", **settings: object) -> None:
        self.server = server
        self.secrets = (key or server.key,)
        known = RetaindbSettings.model_validate({"base_url": server.root, **settings}).model_dump()
        self.provider = Retaindb(ProviderContext(known, {KEY: self.secrets[0]}, folder))

    async def settled(self) -> None:
        """What is pending is found, too."""

    async def lose(self) -> bool:
        await self.server.close()
        return True


@pytest.fixture
async def server() -> AsyncIterator[RetaindbServer]:
    async with RetaindbServer() as running:
        assert isinstance(running, RetaindbServer)
        yield running


@pytest.fixture
def stage(server: RetaindbServer, tmp_path: Path) -> Stage:
    return Stage(server, tmp_path)


class TestRetaindb(ProviderContract):
    pass


@pytest.mark.parametrize(
    ("temper", "kind", "says"),
    [
        ("429", Unreachable, "too many requests"),
        ("503", Unreachable, "RetainDB answered 503: no, [secret], not today"),
        ("403", Refused, "RetainDB answered 403: no, [secret], not today"),
        ("garbage", Unreachable, "no JSON"),
        ("shapeless", Unreachable, "no object"),
        ("resets", Unreachable, "cannot be reached"),
        ("leads away", Unreachable, "RetainDB answered 302"),
    ],
)
async def test_its_moods_in_words(stage: Stage, temper: str, kind: type[Exception], says: str) -> None:
    async with started(stage) as provider:
        stage.server.temper = temper
        fault = await fault_of(provider.prefetch(Question(HERE, "Where are the bees?")))
        assert type(fault) is kind
        assert says in str(fault)
        assert stage.server.key not in str(fault)
        stage.server.temper = "good"
        await keep(stage)
        assert "Uppsala" in await recalled(stage)


async def test_a_wrong_key_is_refused_at_the_start_and_not_shown(server: RetaindbServer, tmp_path: Path) -> None:
    stage = Stage(server, tmp_path, key="sk_test_wrong")
    fault = await fault_of(stage.provider.start())
    assert isinstance(fault, Refused)
    assert str(fault) == "RetainDB refused the key in RETAINDB_API_KEY"
    await stage.provider.close()
    missing = Retaindb(ProviderContext(RetaindbSettings().model_dump(), {}, tmp_path))
    assert "memory setup retaindb" in str(await fault_of(missing.start()))


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


async def test_each_subject_has_a_project_and_a_user_of_its_own(stage: Stage) -> None:
    async with started(stage):
        for subject in ("owner", "people/telegram-222", "people/telegram_222", "rooms/Küche"):
            await keep(stage, Conversation(subject, "20261130-00000001"))
        assert len({each.project for each in stage.server.kept}) == 4
        assert all(each.project == each.user for each in stage.server.kept)
        assert all(each.project.startswith("innkeeper-default-") for each in stage.server.kept)


async def test_a_turn_handed_over_again_is_kept_once(stage: Stage) -> None:
    async with started(stage):
        await keep(stage)
        await keep(stage)
        assert stage.server.jobs == 1


async def test_a_turn_that_read_from_outside_leaves_the_persons_words_alone(stage: Stage) -> None:
    async with started(stage) as provider:
        await provider.sync(Exchange("turn:1", HERE, "Read this page about bees.", "", 1_796_040_000.0))
        await provider.sync(Exchange("turn:2", HERE, "half a pair \ud83d of bees", "", 1_796_040_001.5))
        (first, second) = stage.server.kept
        assert (first.content, first.session) == ("Read this page about bees.", HERE.session)
        assert second.content.startswith("half a pair ")


async def test_new_entries_of_the_built_in_memory_and_remembered_facts_are_kept(stage: Stage) -> None:
    async with started(stage) as provider:
        await provider.wrote(Write(HERE, "user", ("Likes tea.",), ("Likes tea.", "Prefers trains.")))
        (_, remember) = provider.tools()
        assert remember.writes
        await remember.run({"fact": "The spare key\nhangs in the shed."}, HERE)
        assert [each.content for each in stage.server.kept] == ["Prefers trains.", "The spare key hangs in the shed."]
        (search, _) = provider.tools()
        assert await search.run({"query": "Where is the spare key?"}, HERE) == "- The spare key hangs in the shed."
        assert await search.run({"query": "spare key"}, Conversation("people/bo", "s")) == ""


async def test_what_another_user_says_is_dropped_whatever_the_service_returns(stage: Stage) -> None:
    from gateway.providers.retaindb import memory_in

    assert memory_in({"memory": {"content": "mine", "user_id": "me"}}, "me") == "mine"
    assert memory_in({"memory": {"content": "theirs", "user_id": "them"}}, "me") == ""
    assert memory_in({"content": "plain\nform"}, "me") == "plain form"
    assert [memory_in(each, "me") for each in (None, 7, "text", {}, {"memory": []}, {"memory": {"content": 7}})] == [
        ""
    ] * 6
