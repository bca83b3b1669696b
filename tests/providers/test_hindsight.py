"""Hindsight against a server on loopback: turns become documents of banks, and facts come back."""

from __future__ import annotations

from gateway.providers.hindsight import manifest
from memory.providers.contract import ELSEWHERE, HERE, keep, recalled, started
from memory.providers.protocol import Question
from tests.fakes.hindsight_server import HindsightServer
from tests.providers.services import ServiceContract, ServiceStage

Stage = ServiceStage[HindsightServer]


class TestHindsight(ServiceContract):
    manifest = manifest
    service = HindsightServer

    async def test_a_turn_is_one_document_however_often_it_is_handed_over(self, stage: Stage) -> None:
        async with started(stage):
            await keep(stage)
            await keep(stage)
        [(bank, documents)] = stage.server.banks.items()
        assert bank == "innkeeper-default-owner"
        [(name, item)] = documents.items()
        assert name == f"default/{HERE.session}/turn:1"
        assert item["content"] == f"Person: {stage.sample.asked}\nAssistant: {stage.sample.answered}"
        assert item["timestamp"].startswith("2026-11-30T12:00:00")

    async def test_the_service_is_told_that_a_repeat_is_one(self, stage: Stage) -> None:
        async with started(stage):
            await keep(stage)
            await keep(stage)
            await keep(stage, number=2)
        sent = [r.json() for r in stage.server.requests if r.method == "POST" and r.path.endswith("/memories")]
        first, again, other = [each["operation_id"] for each in sent]
        assert first == again != other
        assert all(each["async"] for each in sent)

    async def test_the_same_turn_in_another_bank_is_another_operation(self, stage: Stage) -> None:
        async with started(stage):
            await keep(stage)
        other = stage.beside(bank="family")
        async with started(other):
            await keep(other)
            assert stage.sample.word in await recalled(other)

    async def test_a_reply_that_was_withheld_is_not_sent(self, stage: Stage) -> None:
        async with started(stage):
            await stage.told("Read this page.")
        [item] = stage.server.banks["innkeeper-default-owner"].values()
        assert item["content"] == "Person: Read this page."

    async def test_long_questions_are_cut_to_what_the_service_takes(self, stage: Stage) -> None:
        async with started(stage) as provider:
            await keep(stage)
            found = await provider.prefetch(Question(HERE, f"{stage.sample.question} {'記憶を保つ' * 1_000}"))
        assert stage.sample.word in found

    async def test_profiles_are_apart_unless_they_name_one_bank(self, stage: Stage) -> None:
        async with started(stage):
            await keep(stage)
        other = stage.beside(in_profile="work")
        async with started(other):
            assert await recalled(other) == ""
        other = stage.beside(in_profile="work", bank="innkeeper-default")
        async with started(other):
            assert stage.sample.word in await recalled(other)

    async def test_it_reflects_when_asked(self, stage: Stage) -> None:
        async with started(stage) as provider:
            [tool] = provider.tools()
            await keep(stage)
            assert stage.sample.word in await tool.run({"question": "Where are the bees?"}, HERE)
            said = await tool.run({"question": "Where are the bees?"}, ELSEWHERE)
            assert said == "Hindsight knows nothing about that."
