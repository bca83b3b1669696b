"""RetainDB by the suite of outside memories with a service, and how its service's moods read to a person."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from gateway.providers.retaindb import manifest, memory_in
from memory.providers.contract import HERE, fault_of, keep, started
from memory.providers.protocol import Conversation, Refused, Unreachable, Write
from tests.fakes.memory_service import KEY
from tests.fakes.retaindb_server import RetaindbServer
from tests.providers.services import ServiceContract, ServiceStage

Stage = ServiceStage[RetaindbServer]


class TestRetaindb(ServiceContract):
    manifest = manifest
    service = partial(RetaindbServer, KEY)

    @pytest.mark.parametrize(
        ("manner", "kind", "says"),
        [
            ("429", Unreachable, "wants to be left alone: too many requests, or the plan is used up (429)"),
            ("408", Unreachable, "wants to be left alone: too many requests, or the plan is used up (408)"),
            ("503", Unreachable, "answered 503: no, [secret], not today"),
            ("403", Refused, "answered 403: no, [secret], not today"),
            ("401", Refused, "refused the key in RETAINDB_API_KEY"),
            ("garbage", Unreachable, "answered what is no JSON"),
            ("odd", Unreachable, "answered what is no object"),
            ("resets", Unreachable, "cannot be reached at {root}: "),
            ("leads away", Unreachable, "answered 302: X"),
        ],
    )
    async def test_its_moods_in_words(self, stage: Stage, manner: str, kind: type[Exception], says: str) -> None:
        fault = await stage.fault_when(manner)
        assert type(fault) is kind
        assert str(fault).startswith(f"RetainDB {says.format(root=stage.server.root)}")

    async def test_a_missing_key_is_said_with_how_to_set_it(self, stage: Stage) -> None:
        fault = await fault_of(stage.another(key="").start())
        assert isinstance(fault, Refused)
        assert str(fault) == "the secret RETAINDB_API_KEY is missing: innkeeper memory setup retaindb"

    async def test_each_subject_has_a_project_and_a_user_of_its_own(self, stage: Stage) -> None:
        async with started(stage):
            for subject in ("owner", "people/telegram-222", "people/telegram_222", "rooms/Küche"):
                await keep(stage, replace(HERE, subject=subject))
        assert len({each.project for each in stage.server.kept}) == 4
        assert all(each.project == each.user for each in stage.server.kept)
        assert all(each.project.startswith("innkeeper-default-") for each in stage.server.kept)

    async def test_a_turn_handed_over_again_is_kept_once(self, stage: Stage) -> None:
        async with started(stage):
            await keep(stage)
            await keep(stage)
        assert stage.server.jobs == 1

    async def test_a_turn_that_read_from_outside_leaves_the_persons_words_alone(self, stage: Stage) -> None:
        async with started(stage):
            await stage.told("Read this page about bees.")
            await stage.told("half a pair \ud83d of bees", number=3)
        (first, second) = stage.server.kept
        assert (first.content, first.session) == ("Read this page about bees.", HERE.session)
        assert second.content.startswith("half a pair ")

    async def test_new_entries_of_the_built_in_memory_and_remembered_facts_are_kept(self, stage: Stage) -> None:
        async with started(stage) as provider:
            await provider.wrote(Write(HERE, "user", ("Likes tea.",), ("Likes tea.", "Prefers trains.")))
            (search, remember) = provider.tools()
            assert (search.writes, remember.writes) == (False, True)
            said = await remember.run({"fact": "The spare key\nhangs in the shed."}, HERE)
            assert said == "Kept; the service takes it in shortly."
            assert await search.run({"query": "spare key?"}, HERE) == "- The spare key hangs in the shed."
            assert await search.run({"query": "spare key"}, Conversation("people/bo", "s")) == ""
        assert [each.content for each in stage.server.kept] == ["Prefers trains.", "The spare key hangs in the shed."]


def test_what_another_user_says_is_dropped_whatever_the_service_returns() -> None:
    assert memory_in({"memory": {"content": "mine", "user_id": "me"}}, "me") == "mine"
    assert memory_in({"memory": {"content": "theirs", "user_id": "them"}}, "me") == ""
    assert memory_in({"content": "plain\nform"}, "me") == "plain form"
    nothing: tuple[object, ...] = (None, 7, "text", {}, {"memory": []}, {"memory": {"content": 7}})
    assert [memory_in(each, "me") for each in nothing] == [""] * 6
