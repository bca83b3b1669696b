"""`innkeeper models`: listing, picking and removing, as typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gateway.cli.invocation import Invocation
from gateway.cli.main import cli


class Shell:
    """Types commands in a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.models = home / "models"

    def type(self, *words: str) -> Result:
        environment = {"INNKEEPER_HOME": str(self.home)}
        return CliRunner().invoke(cli, ["models", *words], obj=Invocation(None, environment))

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
