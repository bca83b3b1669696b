"""ByteRover by the suite of all outside memories, against a pretended `brv`; and what its answers read like."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from gateway.providers.byterover import (
    LONGEST_TURN,
    Byterover,
    ByteroverSettings,
    environment,
    excerpt,
    manifest,
    shortened,
)
from memory.providers.contract import ELSEWHERE, HERE, ProviderContract, Sample, fault_of, keep, recalled, started
from memory.providers.protocol import Exchange, ProviderContext, Question, Refused, Unreachable, Write
from tests.fakes.byterover_cli import become, calls, installed
from tests.providers.waiting import until

PRIVATE = "TELEGRAM_BOT_TOKEN"


class Stage:
    manifest = manifest
    sample = Sample()
    secrets = ()

    def __init__(self, folder: Path) -> None:
        self.bin, self.folder = folder / "bin", folder / "providers" / "byterover"
        self.bin.mkdir()
        self.folder.mkdir(parents=True)
        self.program = installed(self.bin)
        known = ByteroverSettings(command=str(self.program)).model_dump()
        self.provider = Byterover(ProviderContext(known, {}, self.folder))

    async def settled(self) -> None:
        """What was curated can be searched."""

    async def lose(self) -> bool:
        become(self.bin, "offline")
        return True


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


class TestByterover(ProviderContract):
    pass


@pytest.mark.parametrize(
    ("temper", "kind", "says"),
    [
        ("offline", Unreachable, "brv curate: Network error: Unable to connect"),
        ("garbage", Unreachable, "brv curate ended with 0: <html>not JSON</html>"),
        ("crashes", Unreachable, "brv curate ended with 1: TypeError: cannot read properties of undefined"),
        ("unconnected", Refused, "brv curate: No provider connected."),
        ("newer", Refused, "works with byterover-cli 3.14"),
    ],
)
async def test_its_moods_in_words(stage: Stage, temper: str, kind: type[Exception], says: str) -> None:
    async with started(stage) as provider:
        become(stage.bin, temper)
        fault = await fault_of(provider.wrote(Write(HERE, "user", (), ("Prefers trains.",))))
        assert type(fault) is kind
        assert says in str(fault)
        become(stage.bin, "good")
        await keep(stage)
        assert "Uppsala" in await recalled(stage)


async def test_a_brv_without_a_model_is_refused_at_the_start(stage: Stage) -> None:
    become(stage.bin, "unconnected")
    fault = await fault_of(stage.provider.start())
    assert isinstance(fault, Refused)
    assert "brv providers connect" in str(fault)


async def test_a_missing_program_is_said_with_its_package(tmp_path: Path) -> None:
    known = ByteroverSettings(command=str(tmp_path / "brv")).model_dump()
    fault = await fault_of(Byterover(ProviderContext(known, {}, tmp_path)).start())
    assert isinstance(fault, Unreachable)
    assert "npm install --global byterover-cli" in str(fault)
    (tmp_path / "brv").write_text("no program")
    fault = await fault_of(Byterover(ProviderContext(known, {}, tmp_path)).start())
    assert isinstance(fault, Unreachable)
    assert "cannot be started: permission denied" in str(fault)


async def test_a_call_that_is_given_up_leaves_no_process(stage: Stage) -> None:
    async with started(stage) as provider:
        await keep(stage)
        become(stage.bin, "hangs")
        before = len(calls(stage.bin))
        asking = asyncio.ensure_future(provider.prefetch(Question(HERE, "bees in Uppsala?")))
        await until(lambda: len(calls(stage.bin)) > before)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        with pytest.raises(ProcessLookupError):
            os.kill(calls(stage.bin)[-1]["pid"], 0)
        become(stage.bin, "good")
        assert "Uppsala" in await recalled(stage)


async def test_subjects_share_no_project_even_below_a_folder_that_is_one(stage: Stage) -> None:
    above = stage.folder.parent.parent / ".brv"
    above.mkdir()
    (above / "config.json").write_text("{}")
    async with started(stage):
        await keep(stage)
        assert "Uppsala" in await recalled(stage)
        assert await recalled(stage, ELSEWHERE) == ""
    assert len({each["folder"] for each in calls(stage.bin)}) == 2
    assert not (above / "context-tree").exists()
    for folder in stage.folder.iterdir():
        assert json.loads((folder / ".brv" / "config.json").read_text())["cwd"] == str(folder)


async def test_what_a_turn_is_handed_over_as(stage: Stage) -> None:
    async with started(stage) as provider:
        await provider.sync(Exchange("turn:1", HERE, "--help me\0 with \ud83d bees", "Gladly.", 1_796_040_000.0))
        await provider.sync(Exchange("turn:2", HERE, "The page says so.", "", 1_796_040_000.0))
        await provider.sync(Exchange("turn:3", HERE, " ", "", 1_796_040_000.0))
    first, second = (each["words"] for each in calls(stage.bin) if each["words"][0] == "curate")
    asks = "What is worth knowing later from this conversation of 2026-11-30:\n\n"
    assert first == [
        "curate",
        "--format",
        "json",
        "--",
        f"{asks}Person: --help me  with \ufffd bees\n\nAssistant: Gladly.",
    ]
    assert second[-1] == f"{asks}Person: The page says so."


async def test_a_huge_turn_fits_into_an_argument(stage: Stage) -> None:
    async with started(stage) as provider:
        await provider.sync(Exchange("turn:1", HERE, "蜂" * 100_000, "Uppsala.", 1_796_040_000.0))
        assert len(calls(stage.bin)[-1]["words"][-1].encode()) <= LONGEST_TURN + 10
        assert await provider.prefetch(Question(HERE, "worth knowing " * 10_000)) != ""


async def test_the_tools_search_ask_and_keep(stage: Stage) -> None:
    async with started(stage) as provider:
        search, ask, remember = provider.tools()
        assert [each.writes for each in (search, ask, remember)] == [False, False, True]
        assert await remember.run({"fact": "The spare key\nhangs in the shed."}, HERE) == "Kept."
        assert await search.run({"query": "--where is the spare key?"}, HERE) == (
            "- Kept: The spare key hangs in the shed."
        )
        assert await ask.run({"question": "Is there a key?"}, HERE) == "Of 1 notes: yes."
        assert await search.run({"query": "spare key"}, ELSEWHERE) == ""


async def test_it_sees_no_secrets_of_the_house(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PRIVATE, "123:abc")
    monkeypatch.setenv("BRV_DATA_DIR", "/somewhere")
    async with started(stage):
        await keep(stage)
    variables = set(calls(stage.bin)[-1]["variables"])
    assert PRIVATE not in variables
    assert {"PATH", "BRV_DATA_DIR", "BRV_DISABLE_AUTOUPDATE"} <= variables
    assert environment({"A_TOKEN": "x", "HOME": "/h"})["HOME"] == "/h"
    assert "A_TOKEN" not in environment({"A_TOKEN": "x"})


def test_what_its_files_begin_with_is_no_part_of_what_is_recalled() -> None:
    text = "---\ntitle: Bees\ncreatedAt: '2026-11-30T16:30:12.986Z'\n---\n## Narrative\nAnnika keeps bees."
    assert excerpt({"title": "bees", "excerpt": text}) == "- bees: ## Narrative Annika keeps bees."
    assert [excerpt(each) for each in (None, {"title": "bees"}, {"excerpt": 7}, {"excerpt": " "})] == [""] * 4
    assert excerpt({"excerpt": "Annika\nkeeps bees."}) == "- Annika keeps bees."


def test_what_is_cut_is_said_to_be() -> None:
    assert shortened("bees") == "bees"
    assert shortened("é" * LONGEST_TURN).endswith("é […]")
