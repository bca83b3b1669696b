"""The outside memory of facts with trust: what it keeps of turns and recalls, and what it makes of contradictions."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from gateway.config.sections import Memory
from gateway.models.client import HostInfo
from gateway.providers.holographic import (
    Holographic,
    HolographicSettings,
    claim_of,
    draft,
    manifest,
    statements,
    tags_of,
)
from gateway.state.fact_book import FactBook
from memory.providers.contract import HERE, ProviderContract, Sample
from memory.providers.protocol import Conversation, Exchange, ProviderContext, Question, Refused, Unreachable, Write
from memory.providers.registry import Register
from tests.fakes.guesthouse import guesthouse, settings
from tests.fakes.scripted_model import ScriptedModel
from tests.providers.waiting import until

DAY = 86_400.0
START = 1_796_040_000.0
ELSEWHERE = Conversation("people/telegram-222", "20261130-00000002")


class Stage:
    manifest = manifest
    sample = Sample()
    secrets = ()

    def __init__(self, folder: Path, **settings: object) -> None:
        self.now = START
        context = ProviderContext(
            HolographicSettings.model_validate(settings).model_dump(), {}, folder, now=lambda: self.now
        )
        self.provider = Holographic(context)
        self._number = 0

    async def settled(self) -> None:
        """What was handed over can be recalled at once."""

    async def lose(self) -> bool:
        return False

    async def hear(self, text: str, where: Conversation = HERE) -> None:
        """A turn, a day after the last one."""
        self.now += DAY
        self._number += 1
        await self.provider.sync(Exchange(f"turn:{self._number}", where, text, "Noted.", self.now))

    async def ask(self, text: str, where: Conversation = HERE) -> list[str]:
        return (await self.provider.prefetch(Question(where, text))).splitlines()

    async def use(self, name: str, where: Conversation = HERE, **arguments: object) -> str:
        (tool,) = [each for each in self.provider.tools() if each.name == f"holographic_{name}"]
        return await tool.run(arguments, where)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


@asynccontextmanager
async def open_stage(folder: Path, **settings: object) -> AsyncIterator[Stage]:
    made = Stage(folder, **settings)
    await made.provider.start()
    try:
        yield made
    finally:
        await made.provider.close()


class TestHolographic(ProviderContract):
    pass


async def test_facts_that_exclude_each_other_are_shown_together_newest_first(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        await stage.hear("Annika lives in Uppsala.")
        await stage.hear("Annika moved to Lund, near the sea.")
        assert await stage.ask("Where does Annika live?") == [
            "These exclude each other, newest first:",
            "  #2 Annika moved to Lund, near the sea. (trust 0.50, 2026-12-02)",
            "  #1 Annika lives in Uppsala. (trust 0.35, 2026-12-01)",
        ]
        await stage.hear("Annika lives in Uppsala.")
        assert [each.split(" (")[0] for each in await stage.ask("Where does Annika live?")] == [
            "These exclude each other, newest first:",
            "  #1 Annika lives in Uppsala.",
            "  #2 Annika moved to Lund, near the sea.",
        ]


async def test_what_is_denied_excludes_what_was_said(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        await stage.hear("My brother likes green tea.")
        await stage.hear("My brother doesn't like green tea.")
        await stage.hear("My brother likes black coffee.")
        lines = await stage.ask("Which tea does my brother like?")
        assert lines[0] == "These exclude each other, newest first:"
        assert lines[1].startswith("  #2 My brother doesn't like green tea.")
        assert lines[2].startswith("  #1 My brother likes green tea.")
        assert lines[3].startswith("#3 My brother likes black coffee. (trust 0.50")


async def test_replies_questions_and_code_are_no_facts(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        await stage.hear(
            "Does Annika keep bees? ```\nAnnika eats all bees\n``` https://example.org/annika/bees Fine."
        )
        await stage.provider.sync(Exchange("turn:9", HERE, "Thanks a lot.", "Annika keeps bees.", START))
        assert await stage.ask("Annika and her bees") == []


async def test_the_built_in_memory_is_mirrored_and_what_leaves_it_leaves_here(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        await stage.provider.wrote(Write(HERE, "user", (), ("Prefers trains to planes.",)))
        assert await stage.ask("trains or planes") == ["#1 Prefers trains to planes. (trust 0.70, 2026-11-30)"]
        await stage.provider.wrote(Write(HERE, "user", ("Prefers trains to planes.",), ("Prefers planes now.",)))
        assert await stage.ask("trains or planes") == ["#2 Prefers planes now. (trust 0.70, 2026-11-30)"]


async def test_the_tools_keep_search_and_judge(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        kept = await stage.use("remember", fact="The spare key hangs in the shed.", tags=["House"])
        assert kept == "Kept:\n#1 The spare key hangs in the shed. (trust 0.60, 2026-11-30)"
        assert (await stage.use("search", query="anything", tag="house")) == ""
        assert "#1 " in await stage.use("search", query="where is the key", tag="house")
        assert "(trust 0.73" in await stage.use("feedback", number=1, right=True)
        for _ in range(3):
            await stage.use("feedback", number=1, right=False)
        assert await stage.ask("Where is the spare key?") == []
        with pytest.raises(Refused, match="no fact #1 here"):
            await stage.use("feedback", ELSEWHERE, number=1, right=False)
        assert await stage.use("search", ELSEWHERE, query="spare key") == ""


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search", {"query": " "}),
        ("search", {"query": "key", "tag": 7}),
        ("remember", {"fact": "x" * 501}),
        ("remember", {"fact": "The key.", "tags": "house"}),
        ("feedback", {"number": True, "right": True}),
        ("feedback", {"number": 1, "right": "yes"}),
        ("feedback", {"number": 10**30, "right": True}),
    ],
)
async def test_arguments_that_will_not_do_are_refused(tmp_path: Path, name: str, arguments: dict[str, Any]) -> None:
    async with open_stage(tmp_path) as stage:
        with pytest.raises(Refused):
            await stage.use(name, **arguments)


async def test_as_many_as_configured_are_recalled_and_the_best_trusted_first(tmp_path: Path) -> None:
    async with open_stage(tmp_path, most=2) as stage:
        await stage.hear("Annika sold honey. Annika sold wax. Annika sold mead.")
        await stage.use("feedback", number=3, right=True)
        lines = await stage.ask("What has Annika sold?")
        assert len(lines) == 2
        assert lines[0].startswith("#3 Annika sold mead.")


async def test_a_damaged_file_is_a_fault_for_a_person(tmp_path: Path) -> None:
    (tmp_path / "facts.db").write_bytes(b"no database at all, " * 100)
    stage = Stage(tmp_path)
    with pytest.raises(Unreachable, match="is not a database: move it away"):
        await stage.provider.start()
    await stage.provider.close()


async def test_it_remembers_over_a_restart_and_leaves_no_thread(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        await stage.hear("Annika keeps bees in Uppsala.")
    async with open_stage(tmp_path) as stage:
        assert len(await stage.ask("Where are the bees?")) == 1
    await until(lambda: not any(each.name.startswith("holographic") for each in threading.enumerate()))


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("I live in Uppsala.", ("the person", "home", "uppsala", False)),
        ("The user lives in Bern", ("the person", "home", "bern", False)),
        ("I don't live in Uppsala", ("the person", "home", "uppsala", True)),
        ("My sister Annika lives in Lund, near the sea", ("annika", "home", "lund", False)),
        ("Ich wohne nicht mehr in Bern", ("the person", "home", "bern", True)),
        ("My favourite tea is green", ("the person", "favorite tea", "green", False)),
        ("Annika's birthday is May 4.", ("annika", "birthday", "may 4", False)),
        ("We no longer work for ACME", ("the person", "employer", "acme", True)),
        ("I used to live in Rome", ("", "", "i used to live in rome", False)),
        ("Annika never eats meat", ("", "", "annika eat meat", True)),
    ],
)
def test_what_a_sentence_claims(text: str, claim: tuple[str, str, str, bool]) -> None:
    found = claim_of(text)
    assert (found.about, found.relation, found.value, found.denied) == claim


def test_which_sentences_and_tags_a_text_has() -> None:
    text = 'Yes! My sister Annika keeps bees. Ask @bo about "green tea" 🐝\n姉は京都で蜂を飼っている。元気です。'
    assert statements(text) == [
        "My sister Annika keeps bees.",
        'Ask @bo about "green tea" 🐝',
        "姉は京都で蜂を飼っている。",
        "元気です。",
    ]
    assert tags_of('Ask @bo in New York about "green tea" and #honey') == ("bo", "New York", "green tea", "honey")


async def test_in_a_house_what_was_said_before_new_is_recalled_after_it(tmp_path: Path) -> None:
    model = ScriptedModel(["Noted.", "In Lund."], info=HostInfo(window=None))
    kept = settings(memory=Memory(provider="holographic", providers={"holographic": HolographicSettings()}))
    async with guesthouse(tmp_path, model, with_memory=True, with_settings=kept, providers=Register()) as house:
        outside = house.house.outside
        assert outside is not None
        await house.adapter.reply_to("Annika lives in Lund.")
        await until(lambda: outside.data["handed_over"] == 1)
        await house.adapter.reply_to("/new")
        await house.adapter.reply_to("Where does Annika live?")
        (said,) = [each.content for each in house.model.requests[-1].messages if each.role == "user"]
        assert "[Recalled by the outside memory holographic" in said
        assert "#1 Annika lives in Lund. (trust 0.50" in said
        assert {each.name for each in house.model.requests[-1].tools if each.name.startswith("holographic")} == {
            "holographic_search",
            "holographic_remember",
            "holographic_feedback",
        }


def test_erased_facts_leave_nothing_of_themselves_whoever_they_are_about(tmp_path: Path) -> None:
    book = FactBook(tmp_path / "facts.db")
    said = [
        "Bob's  code is 7391.",
        "Bob was there.",
        "Bob has a boat #code-7391",
        "It rained.",
        "Bob was there, too.",
    ]
    for number, each in enumerate(said):
        book.keep("owner" if number % 2 else "people/bob", [draft(each, "said", 0.5)], START)
    texts = ["code is 7391.\n", "Bob was there. It rained.", "CODE-7391", "  "]
    assert book.holding(texts) == 4
    assert book.erase(texts) == 4
    assert (book.holding(texts), book.erase(texts)) == (0, 0)
    assert [each.text for each in book.find("people/bob", ["bob"], START, 9)] == ["Bob was there, too."]
    book.close()
    assert not [word for word in (b"7391", b"rained", b"boat") if word in (tmp_path / "facts.db").read_bytes()]
