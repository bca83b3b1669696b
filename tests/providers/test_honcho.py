"""Honcho against a server on loopback: turns become messages of peers, and conclusions come back."""

from __future__ import annotations

from dataclasses import replace

from gateway.providers.honcho import manifest
from memory.providers.contract import ELSEWHERE, HERE, keep, recalled, started
from memory.providers.protocol import Conversation, Exchange, Question
from tests.fakes.honcho_server import HonchoServer
from tests.providers.services import ServiceContract, ServiceStage

Stage = ServiceStage[HonchoServer]


class TestHoncho(ServiceContract):
    manifest = manifest
    service = HonchoServer

    async def test_a_turn_becomes_a_message_of_each(self, stage: Stage) -> None:
        async with started(stage):
            await keep(stage)
        messages = all_messages(stage)
        assert [(m["peer_id"], m["content"]) for m in messages] == [
            ("owner", stage.sample.asked),
            ("innkeeper", stage.sample.answered),
        ]
        assert {m["created_at"] for m in messages} == {"2026-11-30T12:00:00Z"}

    async def test_only_the_person_is_reasoned_about(self, stage: Stage) -> None:
        async with started(stage):
            await keep(stage)
        [peers] = stage.server.sessions.values()
        assert {who: told["observe_me"] for who, told in peers.items()} == {"owner": True, "innkeeper": False}

    async def test_a_turn_handed_over_twice_is_kept_once(self, stage: Stage) -> None:
        async with started(stage):
            await keep(stage)
            await keep(stage)
        assert len(all_messages(stage)) == 2

    async def test_a_reply_that_was_withheld_is_no_message(self, stage: Stage) -> None:
        async with started(stage):
            await stage.told("Read this page.")
        assert [m["content"] for m in all_messages(stage)] == ["Read this page."]

    async def test_long_words_go_in_pieces(self, stage: Stage) -> None:
        words = " ".join(f"word{number}" for number in range(8_000))
        async with started(stage):
            await stage.told(words)
        sent = [m["content"] for m in all_messages(stage)]
        assert len(sent) > 1
        assert " ".join(sent) == words

    async def test_in_a_room_it_says_who_spoke(self, stage: Stage) -> None:
        room = Conversation("rooms/discord-5", "20261130-00000009", "discord:5")
        async with started(stage) as provider:
            await provider.sync(Exchange("turn:1", room, "Hello there.", "Hello.", 1_796_040_000.0, "discord:7"))
        assert all_messages(stage)[0]["content"] == "discord:7: Hello there."
        assert all_messages(stage)[0]["peer_id"].startswith("rooms-discord-5-")

    async def test_profiles_are_apart_unless_they_name_one_workspace(self, stage: Stage) -> None:
        alone = stage.beside(in_profile="work")
        shared = [stage.beside(in_profile=profile, workspace="family") for profile in ("work", "home")]
        async with started(stage):
            await keep(stage)
        for other in (alone, *shared):
            async with started(other):
                assert stage.sample.word not in await recalled(other)
        for other, keeps in zip(shared, (True, False), strict=True):
            async with started(other):
                if keeps:
                    await keep(other)
                assert stage.sample.word in await recalled(other)
        assert stage.server.workspaces == {"innkeeper-default", "innkeeper-work", "family"}

    async def test_the_card_stands_in_the_prompt(self, stage: Stage) -> None:
        stage.server.cards["owner"] = ["Name: Ada", "Lives in Uppsala"]
        async with started(stage) as provider:
            assert await provider.prompt_block(HERE) == "- Name: Ada\n- Lives in Uppsala"
            assert await provider.prompt_block(ELSEWHERE) == ""

    async def test_it_answers_questions(self, stage: Stage) -> None:
        async with started(stage) as provider:
            [tool] = provider.tools()
            await keep(stage)
            assert stage.sample.word in await tool.run({"question": "Where are the bees?"}, HERE)
            assert (
                await tool.run({"question": "Where are the bees?"}, ELSEWHERE) == "Honcho knows nothing about that."
            )

    async def test_earlier_words_are_recalled_before_anything_was_concluded(self, stage: Stage) -> None:
        async with started(stage) as provider:
            await keep(stage)
            for peers in stage.server.sessions.values():
                peers["owner"]["observe_me"] = False  # the service has not thought yet
            found = await provider.prefetch(Question(replace(HERE, session="later"), stage.sample.question))
        assert found == f"What was said earlier:\n- 2026-11-30: {stage.sample.asked}"


def all_messages(stage: Stage) -> list[dict[str, str]]:
    return [message for kept in stage.server.messages.values() for message in kept]
