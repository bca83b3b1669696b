"""Jobs at the shell, without a gateway: the same store, data for programs, exit codes."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.cli.shell import Shell
from tests.conventions.source import ROOT

PAGE = ROOT / "gateway/docs/cron.md"
NOTES = "summarise my notes"


def prompts(innkeeper: Shell) -> list[Any]:
    """The jobs that are not the house's own."""
    return [each for each in innkeeper.json("cron") if each["kind"] == "prompt"]


def add(innkeeper: Shell, *words: str) -> str:
    result = innkeeper("cron", "add", *words)
    assert result.exit_code == 0, result.stdout
    return result.stdout


def test_a_new_job_for_programs(innkeeper: Shell) -> None:
    made = innkeeper.json("cron", "add", "weekdays at 9am", *NOTES.split(), "--tz", "Europe/Berlin")
    assert list(made)[:2] == ["id", "next_runs"]
    runs = [datetime.fromisoformat(each) for each in made["next_runs"]]
    assert len(runs) == 3
    assert all((run.hour, run.minute, run.weekday() < 5) == (9, 0, True) for run in runs)
    assert all(run.utcoffset() in (timedelta(hours=1), timedelta(hours=2)) for run in runs)
    assert (made["prompt"], made["zone"], made["chat"], made["owner"]) == (NOTES, "Europe/Berlin", "", "shell")
    assert innkeeper.json("cron") == innkeeper.json("cron", "list")
    assert prompts(innkeeper) == [made]


def test_options_may_stand_before_and_among_the_words(innkeeper: Shell) -> None:
    options = ("--name", "Digest", "--to", "telegram:111", "--budget", "20k", "--silent-unless", "there is news")
    made = innkeeper.json("cron", "add", *options, "@daily", "sum", "--json", "-x", "up")
    assert (made["name"], made["chat"], made["budget"], made["silent_unless"]) == (
        "Digest",
        "telegram:111",
        20_000,
        "there is news",
    )
    assert made["prompt"] == "sum -x up"


def test_the_whole_life_of_a_job(innkeeper: Shell) -> None:
    made = innkeeper.json("cron", "add", "daily at 9:00", NOTES, "--name", "Morning digest")
    number = str(made["id"])
    changed = innkeeper("cron", "edit", number, "--when", "daily at 10:00", "--budget", "500").stdout
    assert "Morning digest: daily at 10:00" in changed
    assert f"Run now: innkeeper cron run {number}" in changed
    assert f"is in innkeeper cron history {number}." in changed
    assert "paused until Fri 2100-01-01 0:00" in innkeeper("cron", "pause", number, "2100-01-01").stdout
    assert [each["state"] for each in prompts(innkeeper)] == ["paused"]
    assert innkeeper("cron", "resume", "morning").exit_code == 0
    assert "Jobs are done while the gateway runs, and it does not" in add(innkeeper, "in 30m", "other")
    assert "runs once the gateway does" in innkeeper("cron", "run", "Morning digest").stdout
    (run,) = innkeeper.json("cron", "history", number)
    assert (run["job"], run["state"], run["cause"]) == ("Morning digest", "waiting", "person")
    told = innkeeper("cron", "history", number).stdout
    assert "edited by shell" in told
    assert "when was «daily at 9:00»" in told
    assert f"Undo: innkeeper cron undo {number}" in innkeeper("cron", "remove", number).stdout
    assert [each["name"] for each in prompts(innkeeper)] == ["other"]
    assert innkeeper.json("cron", "undo", number)["name"] == "Morning digest"


@pytest.mark.parametrize(
    ("words", "code", "hint"),
    [
        (("add", "tomorrow", "x"), 1, "write 'tomorrow at 9:00'"),
        (("add", "daily at 9:00", "x", "--tz", "Berlin"), 1, "such as Europe/Berlin"),
        (("add", "daily at 9:00", "x", "--to", "here"), 1, "There is no chat here"),
        (("edit", "99"), 1, "There is no job '99' here. innkeeper cron lists them."),
        (("edit", "backup"), 1, "innkeeper cron edit 3 --when 'weekdays at 10am'"),
        (("edit", "backup"), 1, "Also --name, --to, --tz, --skills, --model, --silent-unless, --budget;"),
        (("edit", "1", "--prompt", "x"), 1, "innkeeper cron edit 1 --when 'daily at 4:00'"),
        (("remove", "backup"), 1, "only paused: innkeeper cron pause"),
        (("show", "nothing"), 1, "There is no job 'nothing' here"),
        (("run", "99999999999999999999"), 1, "There is no job"),
        (("undo", "99999999999999999999"), 1, "There is no removed job"),
        (("add", "daily at 9:00"), 2, "Missing argument 'PROMPT...'"),
        (("remove",), 2, "Missing argument 'JOB...'"),
    ],
)
def test_what_is_wrong_and_what_to_write(innkeeper: Shell, words: tuple[str, ...], code: int, hint: str) -> None:
    result = innkeeper("cron", *words)
    assert (result.exit_code, hint in result.output) == (code, True), result.output


OWN = ["backup", "cache-cleanup", "curator-check", "database-check", "database-integrity", "pending-digest"]


def test_the_jobs_of_the_house_are_there_before_any_gateway_ran(innkeeper: Shell) -> None:
    found = innkeeper.json("cron", "list")
    assert {each["kind"] for each in found} == {"maintenance"}
    assert {*OWN, "retention", "weights-cleanup"} == {each["name"] for each in found}
    assert all(each["next_runs"] for each in found)
    assert "innkeeper cron add 'weekdays at 9am' 'summarise my unread notes'" in innkeeper("cron").stdout


def test_orders_are_told_as_they_are_typed_for_the_profile(innkeeper: Shell) -> None:
    innkeeper("profile", "create", "desk")

    def told(*words: str) -> str:
        return innkeeper(*words, profile="desk").output

    (advice,) = [each for each in told("cron").splitlines() if " cron add " in each]
    assert shlex.split(advice) == [
        *("innkeeper", "-p", "desk", "cron", "add"),
        "weekdays at 9am",
        "summarise my unread notes",
    ]
    assert "it does not: innkeeper -p desk run\n" in told("cron", "add", "daily at 9:00", "say /run", "--name", "a")
    changed = told("cron", "edit", "a", "--prompt", "say /cron history 9")
    assert "innkeeper -p desk cron history 9.\n" in changed
    assert "say /cron history 9\n" in changed
    assert "gateway does: innkeeper -p desk run\n" in told("cron", "run", "a")
    assert "innkeeper -p desk cron edit 1 --when 'daily at 4:00'" in told("cron", "edit", "1", "--prompt", "x")
    listed = told("maintenance")
    assert "(innkeeper -p desk cron changes when)" in listed
    assert "By hand: innkeeper -p desk maintenance run NAME [--dry-run]" in listed


def test_what_was_typed_is_quoted_as_a_shell_needs_it(innkeeper: Shell) -> None:
    told = innkeeper("cron", "add", 'daily at 9:00 say "it\'s 9"', " ").output
    (advice,) = [each for each in told.splitlines() if each.startswith("innkeeper cron add ")]
    assert shlex.split(advice)[3:] == ["daily at 9:00", 'say "it\'s 9"']


@pytest.mark.parametrize("words", [("run", "backup"), ("show", "backup"), ("pause", "backup"), ("history", "backup")])
def test_each_order_knows_them_in_a_fresh_home(innkeeper: Shell, words: tuple[str, ...]) -> None:
    result = innkeeper("cron", *words)
    assert result.exit_code == 0, result.output


def test_nobody_takes_their_names(innkeeper: Shell) -> None:
    result = innkeeper("cron", "add", "daily at 9:00", NOTES, "--name", "backup")
    assert result.exit_code == 1
    assert "backup" in result.output


def test_no_name_made_of_a_prompt_is_theirs(innkeeper: Shell) -> None:
    made = innkeeper.json("cron", "add", "daily at 9:00", "backup")
    assert made["name"] != "backup"
    (own,) = [each for each in innkeeper.json("cron") if each["name"] == "backup"]
    assert own["kind"] == "maintenance"
    assert own["next_runs"]


def test_where_no_chat_is_named_the_home_chat_gets_the_answers(innkeeper: Shell) -> None:
    (innkeeper.home / "config.yaml").write_text("access: {home_chats: ['telegram:111']}\n")
    assert "its answers go to telegram:111" in add(innkeeper, "daily at 9:00", NOTES)
    assert "its answers go to no chat" in add(innkeeper, "daily at 9:00", "other", "--to", "none")


def test_reading_times_is_loaded_when_it_is_needed() -> None:
    script = "import sys, commands.cron, gateway.job_orders; print('gateway.schedule.phrases' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert shown.stdout == "False\n"


def test_the_page_says_what_works(innkeeper: Shell) -> None:
    text = PAGE.read_text("utf-8")
    orders = re.findall(r"^innkeeper cron add (.*)$", text, re.MULTILINE)
    assert len(orders) > 1
    for line in orders:
        add(innkeeper, *shlex.split(line))
