"""`innkeeper journey`: drawn, played in a terminal of 60 columns, and as it comes through a pipe."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from rich.cells import cell_len

from commands.registry import built_in
from gateway.cli.main import ALIASES
from tests.cli.shell import Shell
from tests.cli.terminal import in_terminal

COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|9[0-7])(?:;\d+)*m")
TEA, BIRTHDAY = "Ada drinks green tea.", "誕生日は三月三日です。"


@pytest.fixture
def learnt(innkeeper: Shell) -> Shell:
    for text in (TEA, BIRTHDAY):
        assert innkeeper("remember", text).exit_code == 0
    return innkeeper


def environment(shell: Shell, **more: str) -> dict[str, str]:
    left_out = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "PYTHONIOENCODING", "TTY_COMPATIBLE")
    own = {name: value for name, value in os.environ.items() if name not in left_out}
    return own | {"INNKEEPER_HOME": str(shell.home), "TERM": "xterm-256color", "COLORTERM": "", **more}


def piped(shell: Shell, *words: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "gateway.cli.main", "journey", *words]
    return subprocess.run(command, env=environment(shell, **more), capture_output=True, timeout=60, check=False)


def test_it_is_played_in_a_terminal_of_60_columns(learnt: Shell) -> None:
    ran = in_terminal("journey", "--play", "--no-color", "--fps", "8", environment=environment(learnt), columns=60)
    assert ran.code == 0
    assert (ran.cursor_shown, ran.wraps) == (True, True)
    assert set(re.findall(r"\x1b\[[\d;]*m", ran.written)) <= {"\x1b[0m"}, "no colours, but the end of all colours"
    shown = [each for each in ran.screen if each]
    assert shown[0].startswith("What was learnt  2 things  ")
    assert shown[1] == "● 2 about people"
    assert shown[3].endswith(f"● {TEA}")
    assert shown[4].endswith(f"● {BIRTHDAY}")
    assert re.fullmatch(r"\[█+\] \d+ \w+ \d{4}", shown[5])
    assert len(shown) == 6
    assert ran.cursor_line == len(ran.screen) - 1, "what is typed next stands below"
    frames = ran.written.split("What was learnt")[1:]
    full = [each.count("█") for each in frames]
    assert full == sorted(full)
    assert (full[0], frames[-1].count("░")) == (0, 0)
    assert len(frames) > 10
    assert "1 thing  " in frames[0]
    assert max(cell_len(line) for line in ran.screen) <= 60


def test_ctrl_c_leaves_the_terminal_as_it_was_found(learnt: Shell) -> None:
    many = learnt.home / "memories" / "USER.md"
    many.write_text("\n§\n".join([many.read_text("utf-8"), *(f"Room {number}." for number in range(38))]), "utf-8")
    after_some = ("\x03", lambda written: written.count("What was learnt") > 3)
    ran = in_terminal("journey", "--play", environment=environment(learnt), press=after_some)
    assert ran.code == 0
    assert (ran.cursor_shown, ran.wraps) == (True, True)
    assert "40 things" not in ran.written, "it ended before its end"
    assert ran.written.endswith("\r\n\x1b[J")
    assert "^C" not in ran.written
    assert ran.echoes, "what is typed next shows again"
    assert "Traceback" not in ran.written
    assert "Aborted" not in ran.written


def test_colours_are_for_terminals_that_want_them(learnt: Shell) -> None:
    usual = in_terminal("journey", environment=environment(learnt))
    assert COLOUR.search(usual.written)
    plain = in_terminal("journey", environment=environment(learnt, NO_COLOR="1"))
    assert not COLOUR.search(plain.written)
    assert TEA in plain.written


@pytest.mark.parametrize("columns", [40, 100])
def test_it_is_as_wide_as_the_terminal(learnt: Shell, columns: int) -> None:
    learnt("remember", "a long story " * 15)
    ran = in_terminal("journey", "--no-color", environment=environment(learnt), columns=columns)
    (longest,) = [each for each in ran.screen if "a long story" in each]
    assert cell_len(longest) == columns
    assert max(map(cell_len, ran.screen)) == columns
    assert "\x1b" not in ran.written


def test_a_play_needs_a_terminal(learnt: Shell) -> None:
    ran = piped(learnt, "--play")
    assert ran.returncode == 0
    assert TEA in ran.stdout.decode()
    assert b"\x1b" not in ran.stdout
    assert ran.stderr.decode() == "A play needs a terminal; this is how it ends.\n"


def test_a_terminal_without_such_letters_gets_others(learnt: Shell) -> None:
    ran = piped(learnt, PYTHONIOENCODING="ascii")
    assert ran.returncode == 0
    assert f"o {TEA}" in ran.stdout.decode("ascii")
    assert "o ???????????" in ran.stdout.decode("ascii")


def test_other_names_are_those_of_the_chat_command(learnt: Shell) -> None:
    spec = built_in().get("journey")
    assert spec is not None
    assert dict.fromkeys(spec.aliases, "journey") == ALIASES
    drawn = learnt("journey").stdout
    assert TEA in drawn
    assert [learnt(name).stdout for name in ALIASES] == [drawn, drawn]
    assert TEA in learnt("learning", "list").stdout


def test_what_was_removed_is_drawn_when_asked_for(learnt: Shell) -> None:
    assert learnt("forget", TEA).exit_code == 0
    assert TEA not in learnt("journey").stdout
    (line,) = [each for each in learnt("journey", "--gone").stdout.splitlines() if TEA in each]
    assert line.endswith("(removed)")


def test_a_height_sums_up(learnt: Shell) -> None:
    for number in range(12):
        learnt("remember", f"Guest {number} likes room {number}.")
    lines = learnt("journey", "--height", "8").stdout.splitlines()
    assert len(lines) <= 8
    assert "●14" in lines[-1]
    assert len(learnt("journey").stdout.splitlines()) == 2 + 1 + 1 + 14


@pytest.mark.parametrize(
    "words",
    [
        ["--width", "39"],
        ["--fps", "12"],
        ["--play", "--fps", "0"],
        ["--play", "--fps", "61"],
        ["--height", "1"],
        ["up"],
    ],
)
def test_what_makes_no_sense_is_refused(innkeeper: Shell, words: list[str]) -> None:
    assert innkeeper("journey", *words).exit_code == 2


def test_nothing_learnt_is_said(innkeeper: Shell) -> None:
    ran = innkeeper("journey", "--play")
    assert (ran.exit_code, ran.stdout) == (0, "Nothing was learnt yet.\n")


def test_help_names_the_actions_of_the_chat_command(innkeeper: Shell) -> None:
    spec = built_in().get("journey")
    assert spec is not None
    told = innkeeper("journey", "--help").stdout
    assert [each.name for each in spec.actions if f"\n  {each.name} " not in told] == []
    assert "What was learnt" in innkeeper("--help").stdout
