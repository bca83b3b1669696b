"""The suite that every outside memory passes, for this house and for authors of plugins.

Subclass `ProviderContract` in a test module and give it a pytest fixture `stage`, which yields an object with the
shape of `Stage` whose provider was not started; the tests are coroutines (pytest-asyncio in mode auto). Owns what
"a provider" promises; leaves to each provider's own tests what its service does with it.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from memory.providers.protocol import (
    Conversation,
    Exchange,
    Provider,
    ProviderFault,
    ProviderManifest,
    ProviderTool,
    Question,
    Refused,
    Write,
)

PATIENCE = 60.0
"""Real seconds after which a call counts as hanging."""

HERE = Conversation("owner", "20261130-00000001", "telegram:111")
ODD = ("記憶を保つ", "שלום 👋🏽", "a\tb\nc 'quoted' \"twice\" -- $HOME `x`", "-v --help")
ELSEWHERE = Conversation("people/telegram-222", "20261130-00000002", "telegram:222")


@dataclass(frozen=True, slots=True)
class Sample:
    """Something that can be learnt from a turn: what was said, a question that it answers, and a word that must be
    in what is recalled. A service that keeps facts by a model of its own gets the facts that its model returns."""

    asked: str = "My sister Annika keeps bees in Uppsala, near the river 🐝."
    answered: str = "I will remember that Annika keeps bees in Uppsala."
    question: str = "Where does Annika keep her bees?"
    word: str = "Uppsala"


class Stage(Protocol):
    """A provider under test, and the service behind it."""

    @property
    def manifest(self) -> ProviderManifest: ...

    @property
    def provider(self) -> Provider: ...

    @property
    def sample(self) -> Sample:
        """`Sample()`, unless the service needs another one."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values of its secrets here: no fault may show one."""

    async def settled(self) -> None:
        """Returns once what was synced can be recalled, for services that take their time."""

    async def lose(self) -> bool:
        """The service goes away. False where there is none that could (a file on this machine)."""


@asynccontextmanager
async def started(stage: Stage) -> AsyncIterator[Provider]:
    """The provider, started, and closed after the block."""
    try:
        await within(stage.provider.start())
        yield stage.provider
    finally:
        await within(stage.provider.close())


async def within(call: Awaitable[object]) -> object:
    """The call's result; TimeoutError when it hangs."""
    async with asyncio.timeout(PATIENCE):
        return await call


async def keep(stage: Stage, where: Conversation = HERE, number: int = 1) -> None:
    """One turn about the sample is handed over, and can be recalled."""
    sample = stage.sample
    exchange = Exchange(f"turn:{number}", where, sample.asked, sample.answered, 1_796_040_000.0, "telegram:111")
    await within(stage.provider.sync(exchange))
    await stage.settled()


async def recalled(stage: Stage, where: Conversation = HERE) -> str:
    """What the provider says to the sample's question."""
    found = await within(stage.provider.prefetch(Question(where, stage.sample.question)))
    assert isinstance(found, str), f"prefetch returned a {type(found).__name__}"
    return found


async def fault_of(call: Awaitable[object]) -> ProviderFault:
    """The fault that the call ends with; an AssertionError when it succeeds."""
    try:
        await within(call)
    except ProviderFault as fault:
        return fault
    raise AssertionError("the call succeeded")


class ProviderContract:
    """What every provider does."""

    async def test_it_is_what_its_manifest_says(self, stage: Stage) -> None:
        assert stage.provider.name == stage.manifest.name
        assert re.fullmatch(r"[a-z][a-z0-9]*", stage.manifest.name)
        assert stage.manifest.about
        assert all(re.fullmatch(r"[A-Z][A-Z0-9_]*", each.variable) for each in stage.manifest.secrets)

    async def test_it_can_be_closed_at_any_time(self, stage: Stage) -> None:
        await within(stage.provider.close())
        async with started(stage) as provider:
            await within(provider.close())

    async def test_what_nobody_said_is_not_recalled(self, stage: Stage) -> None:
        async with started(stage):
            assert stage.sample.word not in await recalled(stage)

    async def test_a_turn_is_recalled_in_a_later_session(self, stage: Stage) -> None:
        async with started(stage) as provider:
            await keep(stage)
            await within(provider.ended(HERE, "new"))
            await stage.settled()
            later = Conversation(HERE.subject, "20261201-00000003", HERE.chat)
            assert stage.sample.word in await recalled(stage, later)

    async def test_memories_of_one_are_not_recalled_for_another(self, stage: Stage) -> None:
        async with started(stage) as provider:
            await keep(stage)
            assert stage.sample.word not in await recalled(stage, ELSEWHERE)
            assert stage.sample.word not in str(await within(provider.prompt_block(ELSEWHERE)))

    async def test_the_same_turn_handed_over_twice_is_no_fault(self, stage: Stage) -> None:
        async with started(stage):
            await keep(stage)
            await keep(stage)
            assert stage.sample.word in await recalled(stage)

    async def test_the_block_for_prompts_is_text(self, stage: Stage) -> None:
        async with started(stage) as provider:
            assert isinstance(await within(provider.prompt_block(HERE)), str)

    async def test_hooks_take_everything_that_happens(self, stage: Stage) -> None:
        async with started(stage) as provider:
            await within(provider.wrote(Write(HERE, "user", (), ("Prefers short answers.",))))
            await within(provider.wrote(Write(HERE, "user", ("Prefers short answers.",), ("Prefers long answers.",))))
            await within(provider.wrote(Write(HERE, "user", ("Prefers long answers.",), ())))
            await within(provider.compacting(HERE))
            await within(provider.ended(HERE, "new"))
            assert isinstance(await recalled(stage), str)

    async def test_words_of_any_kind_are_taken(self, stage: Stage) -> None:
        async with started(stage) as provider:
            for number, words in enumerate(ODD):
                said = Exchange(f"turn:{number + 10}", HERE, words, f"You said: {words}", 1_796_040_000.0 + number)
                await within(provider.sync(said))
                assert isinstance(await within(provider.prefetch(Question(HERE, words))), str)

    async def test_tools_are_the_same_each_time_and_named_after_it(self, stage: Stage) -> None:
        def told(tools: object) -> list[str]:
            assert isinstance(tools, list | tuple)
            return [json.dumps([each.name, each.description, dict(each.parameters)]) for each in tools]

        before = list(stage.provider.tools())
        async with started(stage) as provider:
            assert told(list(provider.tools())) == told(before)
        names = [each.name for each in before]
        assert len(set(names)) == len(names)
        for tool in before:
            assert isinstance(tool, ProviderTool)
            assert tool.name.startswith(f"{stage.manifest.name}_")
            assert tool.parameters.get("type") == "object"

    async def test_tools_refuse_arguments_that_will_not_do(self, stage: Stage) -> None:
        async with started(stage) as provider:
            for tool in provider.tools():
                if tool.parameters.get("required"):
                    assert isinstance(await fault_of(tool.run({}, HERE)), Refused)

    async def test_a_cancelled_recall_leaves_it_usable(self, stage: Stage) -> None:
        async with started(stage):
            await keep(stage)
            asking = asyncio.ensure_future(stage.provider.prefetch(Question(HERE, stage.sample.question)))
            await asyncio.sleep(0)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            assert stage.sample.word in await recalled(stage)

    async def test_a_lost_service_is_a_fault_without_secrets(self, stage: Stage) -> None:
        async with started(stage) as provider:
            if not await stage.lose():
                return
            exchange = Exchange("turn:1", HERE, stage.sample.asked, stage.sample.answered, 1_796_040_000.0)
            calls = [provider.sync(exchange), provider.prefetch(Question(HERE, stage.sample.question))]
            for call in calls:
                said = str(await fault_of(call))
                assert said
                assert "\n" not in said
                assert not any(secret in said for secret in stage.secrets if secret)
