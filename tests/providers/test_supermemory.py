"""Supermemory by the suite of outside memories with a service, through its own client; its service's moods; its
profile."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial

import pytest

from gateway.providers.places import place
from gateway.providers.supermemory import manifest
from memory.providers.contract import HERE, fault_of, keep, recalled, started
from memory.providers.protocol import Conversation, Refused, Unreachable, Write
from tests.fakes.memory_service import KEY
from tests.fakes.supermemory_server import SupermemoryServer
from tests.providers.services import ServiceContract, ServiceStage

OWNERS = place("", "owner", "default")

Stage = ServiceStage[SupermemoryServer]


class TestSupermemory(ServiceContract):
    manifest = manifest
    service = partial(SupermemoryServer, KEY)

    @pytest.mark.parametrize(
        ("manner", "kind", "says"),
        [
            ("429", Unreachable, "wants to be left alone: too many requests (429)"),
            ("503", Unreachable, "answered 503: no, [secret], not today"),
            ("500", Unreachable, "answered 500: no, [secret], not today"),
            ("402", Refused, "answered 402: no, [secret], not today"),
            ("400", Refused, "answered 400: no, [secret], not today"),
            ("401", Refused, "refused the key in SUPERMEMORY_API_KEY"),
            ("garbage", Unreachable, "answered what is no JSON"),
            ("odd", Unreachable, "answered what its client does not understand"),
            ("resets", Unreachable, "cannot be reached at {root}"),
            ("leads away", Unreachable, "answered 302: no reason given"),
        ],
    )
    async def test_its_moods_in_words(self, stage: Stage, manner: str, kind: type[Exception], says: str) -> None:
        fault = await stage.fault_when(manner)
        assert type(fault) is kind
        assert str(fault) == f"Supermemory {says.format(root=stage.server.root)}"
        async with started(stage) as provider:
            stage.become(manner)
            assert type(await fault_of(provider.prompt_block(HERE))) is kind

    async def test_a_missing_key_is_said_with_how_to_set_it(self, stage: Stage) -> None:
        fault = await fault_of(stage.another(key="").start())
        assert isinstance(fault, Refused)
        assert str(fault) == "the secret SUPERMEMORY_API_KEY is missing: innkeeper memory setup supermemory"

    async def test_without_its_client_it_says_what_to_install(
        self, stage: Stage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "supermemory", None)
        fault = await fault_of(stage.provider.start())
        assert isinstance(fault, Unreachable)
        assert "pip install 'innkeeper[supermemory]'" in str(fault)

    async def test_each_subject_has_a_namespace_of_its_own(self, stage: Stage) -> None:
        async with started(stage):
            for subject in ("owner", "people/telegram-222", "people/telegram_222", "rooms/Küche"):
                await keep(stage, replace(HERE, subject=subject))
        assert len(stage.server.documents) == 4
        assert all(each.startswith("innkeeper-default-") for each in stage.server.documents)

    async def test_a_turn_is_one_document_however_often_it_is_handed_over(self, stage: Stage) -> None:
        async with started(stage):
            await keep(stage)
            await keep(stage)
        (text,) = stage.server.documents[OWNERS].values()
        assert text == f"Person: {stage.sample.asked}\n\nAssistant: {stage.sample.answered}"

    async def test_an_address_alone_is_kept_as_words_and_half_a_pair_is_no_fault(self, stage: Stage) -> None:
        async with started(stage):
            await stage.told("https://example.org/bees")
            await stage.told("half a pair \ud83d of bees", number=3)
        assert list(stage.server.documents[OWNERS].values()) == [
            "Person: https://example.org/bees",
            "Person: half a pair \ufffd of bees",
        ]

    async def test_passages_can_be_left_out(self, stage: Stage) -> None:
        for passages in (True, False):
            other = stage.beside(passages=passages, namespace="shared")
            async with started(other):
                await keep(other)
                assert ("(passage)" in await recalled(other)) is passages

    async def test_lasting_facts_stand_in_the_prompt_unless_that_is_off(self, stage: Stage) -> None:
        stage.server.static[OWNERS] = ["Prefers trains.", "Has a sister,\nAnnika."]
        for profile, expected in ((True, "- Prefers trains.\n- Has a sister, Annika."), (False, "")):
            async with started(stage.beside(profile=profile)) as provider:
                assert await provider.prompt_block(HERE) == expected
                assert await provider.prompt_block(Conversation("people/bo", "s")) == ""

    async def test_new_entries_of_the_built_in_memory_and_remembered_facts_are_kept(self, stage: Stage) -> None:
        async with started(stage) as provider:
            await provider.wrote(Write(HERE, "user", ("Likes tea.",), ("Likes tea.", "Prefers trains.")))
            (search, remember) = provider.tools()
            assert (search.writes, remember.writes) == (False, True)
            await remember.run({"fact": "The spare key\nhangs in the shed."}, HERE)
            assert "in the shed." in await search.run({"query": "Where is the spare key?"}, HERE)
            assert await search.run({"query": "spare key"}, Conversation("people/bo", "s")) == ""
        assert list(stage.server.documents[OWNERS].values()) == [
            "Kept in memory: Prefers trains.",
            "Kept in memory: The spare key hangs in the shed.",
        ]
