"""The front door: help without weight, exit codes, and lines instead of tracebacks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from commands.registry import built_in
from gateway.cli.main import CHAT, OWN, cli
from gateway.errors import InnkeeperError, ProfileLocked
from tests.cli.shell import Shell

HEAVY = ("pydantic", "asyncio", "rich", "structlog", "yaml", "openai", "httpx", "telegram", "discord")


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom gateway.cli.main import cli\ncli(['--help'], standalone_mode=False)\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "INNKEEPER_HOME": str(tmp_path / "home")},
    )
    assert shown.stdout.splitlines()[-1] == "[]"
    assert "Commands:" in shown.stdout
    assert not (tmp_path / "home").exists()


def test_help_names_each_command_that_is_there(innkeeper: Shell) -> None:
    text = innkeeper("--help").stdout
    group = click.Context(cli)
    named = cli.list_commands(group)
    assert {"setup", "doctor", "config", "profile"} <= set(named)
    for name in named:
        assert ({name: help for name, (_, help) in OWN.items()} | CHAT)[name] in " ".join(text.split())
        assert cli.get_command(group, name) is not None, f"{name} is in the help and cannot be run"


def test_help_has_the_words_of_the_chat_commands() -> None:
    specs = [spec for spec in built_in([]) if spec.shell and not spec.hidden and spec.name not in OWN]
    heads = {spec.name: re.split("[:;]", spec.help)[0] for spec in specs}
    assert {name: f"{head[0].upper()}{head[1:]}." for name, head in heads.items()} == CHAT


def test_version(innkeeper: Shell) -> None:
    assert innkeeper("--version").stdout.startswith("innkeeper 0.")


def test_a_mistyped_command_is_shown_the_right_one(innkeeper: Shell) -> None:
    result = innkeeper("confg")
    assert result.exit_code == 2
    assert "There is no command 'confg', did you mean config?" in result.stderr


def test_a_profile_that_is_not_there_is_a_wrong_call(innkeeper: Shell) -> None:
    result = innkeeper("config", "path", profile="nope")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("There is no profile 'nope'.")


@pytest.mark.parametrize(
    ("error", "code"), [(ProfileLocked("in use by process 7", 7), 2), (InnkeeperError("could not"), 1)]
)
def test_our_errors_are_a_line_and_an_exit_code(error: InnkeeperError, code: int) -> None:
    @click.command()
    def fails() -> None:
        raise error

    group = type(cli)("house", commands={"fails": fails})
    group.get_command = lambda ctx, name: fails  # type: ignore[method-assign]
    result = CliRunner().invoke(group, ["fails"])
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", f"{error}\n")


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home where something is remembered, to be looked at only."""
    home = tmp_path_factory.mktemp("lived-in")
    assert Shell(home)("remember", "Ada drinks green tea.").exit_code == 0
    return home


@pytest.mark.parametrize("words", [["journey"], ["journey", "list"], ["--help"], ["config", "path"]])
def test_a_full_disk_behind_the_output_is_a_line_and_an_exit_code(lived_in: Path, words: list[str]) -> None:
    environment = {**os.environ, "INNKEEPER_HOME": str(lived_in)}
    call = [sys.executable, "-m", "gateway.cli.main", *words]
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(call, check=False, env=environment, stdout=full, stderr=subprocess.PIPE)
    assert (ran.returncode, ran.stderr) == (1, b"The output could not be written: No space left on device.\n")


def test_who_stops_reading_is_told_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "INNKEEPER_HOME": str(tmp_path)}
    read, write = os.pipe()
    os.close(read)
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "gateway.cli.main", "journey", "list"],
            check=False, env=environment, stdout=write, stderr=subprocess.PIPE,
        )  # fmt: skip
    finally:
        os.close(write)
    assert (ran.returncode, ran.stderr) == (1, b"")


def test_the_profile_option_reaches_the_command(tmp_path: Path) -> None:
    environment = {**os.environ, "INNKEEPER_HOME": str(tmp_path)}
    call = [sys.executable, "-m", "gateway.cli.main"]
    subprocess.run([*call, "profile", "create", "desk"], check=True, env=environment, capture_output=True)
    shown = subprocess.run(
        [*call, "-p", "desk", "config", "path"], check=True, env=environment, capture_output=True, text=True
    )
    assert shown.stdout == f"{tmp_path}/profiles/desk/config.yaml\n"
