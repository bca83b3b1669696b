"""`innkeeper models`: listing, picking and removing, as typed."""

from __future__ import annotations

import asyncio
import json
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gateway.cli.invocation import Invocation
from gateway.cli.main import cli
from gateway.engine.turns.grades import Grades
from gateway.models.trial import Grade
from gateway.state.store import SqliteStore
from tests.fakes.guesthouse import guesthouse
from tests.fakes.openai_server import OpenAIServer, Step
from tests.fakes.scripted_model import ScriptedModel
from tests.scenarios.props import counter


class Shell:
    """Types commands in a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.models = home / "models"

    def invocation(self) -> Invocation:
        return Invocation(None, {"INNKEEPER_HOME": str(self.home)})

    def type(self, *words: str) -> Result:
        return CliRunner().invoke(cli, ["models", *words], obj=self.invocation())

    def configure(self, text: str) -> None:
        self.home.mkdir(exist_ok=True)
        (self.home / "config.yaml").write_text(text)

    async def grade(self, grade: Grade) -> None:
        """Keep a grade, as a trial does."""
        store = await SqliteStore.open(self.invocation().prepared().database)
        await Grades(store.facts).put(grade)
        await store.close()

    async def assisted(self, host: str, model: str) -> bool:
        """Whether an engine on this profile helps that model with tools."""
        seen = ScriptedModel(["Hello."], host=host, model=model)
        async with guesthouse(self.home, seen, tools=[counter([])]) as house:
            assert await house.adapter.reply_to("hi") == "Hello."
        return not seen.requests[0].tools

    def rows(self) -> dict[str, dict[str, object]]:
        return {row["name"]: row for row in json.loads(self.type("list", "--json").stdout)}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


def test_the_list_says_what_is_here_what_is_in_use_and_what_calls_tools(shell: Shell) -> None:
    rows = shell.rows()
    assert next(iter(rows["smollm2-135m"])) == "name"
    assert [name for name, row in rows.items() if row["current"]] == ["smollm2-135m"]
    assert not any(row["present"] for row in rows.values())
    assert (rows["smollm2-135m"]["tools"], rows["qwen3-4b"]["tools"]) == (False, True)
    text = shell.type("list").stdout
    assert "* smollm2-135m     98 MB  -     assisted" in text


def test_ones_own_file_is_listed_and_can_be_picked(shell: Shell) -> None:
    shell.type("use", "smollm2-135m")
    (shell.models / "mine.gguf").write_bytes(b"GGUF")
    assert shell.type("use", "mine").stdout == "The main model is local/mine.\n"
    assert [name for name, row in shell.rows().items() if row["current"]] == ["mine"]
    assert shell.rows()["mine"]["present"] is True


def test_picking_writes_the_settings_and_says_when_the_weights_are_missing(shell: Shell) -> None:
    answer = shell.type("use", "qwen3-4b")
    assert answer.exit_code == 0
    assert "innkeeper models pull qwen3-4b" in answer.stderr
    settings = (shell.home / "config.yaml").read_text()
    assert "provider: local" in settings.replace('"', "")
    assert "model: qwen3-4b" in settings.replace('"', "")


def test_picking_what_is_no_model_changes_nothing(shell: Shell) -> None:
    answer = shell.type("use", "gpt-9")
    assert answer.exit_code == 1
    assert "known are smollm2-135m" in answer.stderr
    assert not (shell.home / "config.yaml").exists()


def test_a_model_of_another_host_is_picked_by_host_and_model(shell: Shell) -> None:
    assert shell.type("use", "openrouter/qwen/qwen3-32b").stdout == "The main model is openrouter/qwen/qwen3-32b.\n"
    settings = (shell.home / "config.yaml").read_text().replace('"', "")
    assert "provider: openrouter" in settings
    assert "model: qwen/qwen3-32b" in settings


def test_a_host_that_nobody_knows_changes_nothing(shell: Shell) -> None:
    answer = shell.type("use", "nowhere/big")
    assert answer.exit_code == 2
    assert "nowhere" in answer.stderr
    assert "nowhere" not in (
        (shell.home / "config.yaml").read_text() if (shell.home / "config.yaml").exists() else ""
    )


def test_pulling_what_is_here_says_where(shell: Shell) -> None:
    shell.type("use", "smollm2-135m")
    (shell.models / "mine.gguf").write_bytes(b"GGUF")
    answer = shell.type("pull", "mine")
    assert answer.exit_code == 0
    assert str(shell.models / "mine.gguf") in answer.stderr


def test_removing_deletes_the_file_and_nothing_outside_the_folder(shell: Shell, tmp_path: Path) -> None:
    shell.type("use", "smollm2-135m")
    (shell.models / "mine.gguf").write_bytes(b"GGUF")
    elsewhere = tmp_path / "elsewhere.gguf"
    elsewhere.write_bytes(b"GGUF")
    assert shell.type("remove", "mine").stdout == "Removed mine.gguf.\n"
    assert shell.type("remove", "smollm2-135m").stdout == "smollm2-135m was not here.\n"
    assert shell.type("remove", str(elsewhere)).exit_code == 2
    assert elsewhere.exists()


def test_testing_a_model_that_is_not_here_says_how_to_see_what_is(shell: Shell) -> None:
    answer = shell.type("test", "smollm2-135m")
    assert answer.exit_code == 1
    assert "local/smollm2-135m cannot be used" in answer.stdout
    assert "innkeeper models list" in answer.stdout


CANNOT = Step(text="I cannot do that.")


@contextmanager
def cloud(*first: Step, then: Step = CANNOT) -> Iterator[str]:
    """A host that knows no tools, in a thread of its own. It takes these steps, and then always the last one."""
    loop, ready = asyncio.new_event_loop(), queue.Queue[str]()

    async def serve() -> None:
        async with OpenAIServer(otherwise=lambda body: then) as server:
            server.script.extend(first)
            ready.put(server.base_url)
            await ended.wait()

    ended = asyncio.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        yield ready.get(timeout=30)
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.close()


def test_a_grade_takes_effect_in_the_next_turn_and_is_shown(shell: Shell) -> None:
    with cloud() as address:
        shell.configure(f"model: {{base_url: '{address}', model: talker}}\n")
        assert shell.type("test").exit_code == 0
    assert asyncio.run(shell.assisted("main", "talker"))
    answer = CliRunner().invoke(cli, ["status"], obj=shell.invocation())
    assert "main/talker (assisted, tested 20" in answer.stdout
    data = json.loads(CliRunner().invoke(cli, ["status", "--json"], obj=shell.invocation()).stdout)
    assert (data["grade"]["name"], data["grade"]["tools"]) == ("main/talker", False)


def test_a_trial_that_broke_off_is_not_kept(shell: Shell) -> None:
    with cloud(CANNOT, then=Step(status=401)) as address:  # what may pass would be tried again for some seconds
        shell.configure(f"model: {{base_url: '{address}', model: talker}}\n")
        assert shell.type("test").exit_code == 1
    assert not asyncio.run(shell.assisted("main", "talker"))


def test_the_list_shows_what_was_tried(shell: Shell) -> None:
    shell.type("use", "smollm2-135m")
    asyncio.run(shell.grade(Grade("local", "qwen3-4b", "2026-11-30T00:00:00+00:00", True, tools=False)))
    row = shell.rows()["qwen3-4b"]
    assert (row["tools"], row["tested"]) == (False, "2026-11-30T00:00:00+00:00")


@pytest.mark.parametrize(
    ("settings", "current"),
    [
        ("model: {provider: local}", ["smollm2-135m"]),
        ("model: {provider: local, model: qwen3-4b}", ["qwen3-4b"]),
        ("hosts: {cellar: {base_url: 'http://127.0.0.1:1/v1'}}", []),
        ("hosts: {cellar: {kind: local}}", ["smollm2-135m"]),
    ],
)
def test_the_model_in_use_is_the_one_that_answers(shell: Shell, settings: str, current: list[str]) -> None:
    shell.configure(f"{settings}\n")
    assert [name for name, row in shell.rows().items() if row["current"]] == current


@pytest.mark.model
def test_testing_the_small_model_finds_that_it_answers_and_takes_no_tools(shell: Shell, weights: Path) -> None:
    shell.type("use", "smollm2-135m")
    (shell.models / weights.name).symlink_to(weights)
    answer = shell.type("test", "smollm2-135m", "--json")
    assert answer.exit_code == 0
    grade = json.loads(answer.stdout)
    assert grade["name"] == "local/smollm2-135m"
    assert (grade["reachable"], grade["tools"], grade["window"]) == (True, False, 8192)
    assert grade["cached_share"] >= 0.95
    assert shell.rows()["smollm2-135m"]["tested"] == grade["at"]
