"""The order itself: which folder is meant, what is refused, what is reported and stays; and nothing there changes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from gateway.config.lock import ProfileLock
from memory.files import locked
from tests.cli.shell import Shell
from tests.importing.hermes import NOON, Hermes


def whole(hermes: Hermes) -> Hermes:
    """A home with something of everything."""
    hermes.remembers("Ann drinks tea.")
    hermes.skill("bake")
    hermes.session("one", "cli")
    hermes.says("one", "user", "hello")
    hermes.put("SOUL.md", "You are Hermes.\n")
    hermes.put(".env", "OPENAI_API_KEY=sk-secret-value-000000\n")
    jobs = [
        {"id": "a1", "name": "Morning news", "prompt": "news", "schedule_display": "0 8 * * *", "enabled": True},
        {"id": "b2", "schedule": {"kind": "interval", "minutes": 30}, "enabled": False},
    ]
    hermes.put("cron/jobs.json", json.dumps({"jobs": jobs}))
    return hermes


def test_the_report_in_words(innkeeper: Shell, hermes: Hermes) -> None:
    result = innkeeper("import", "hermes", "--home", str(whole(hermes).folder))
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"From {hermes.folder}.",
        "MEMORY.md: 1 entry: 1 came over.",
        "Skills: 1 skill: 1 came over.",
        "Jobs: 2 jobs: 1 came over, 1 left out.",
        "Jobs that came, paused until /cron resume:",
        "- job “Morning news”: paused; its answers were kept in files there",
        "Sessions: 1 came over, with 1 message.",
        "Where they were held: console 1.",
        "Left out:",
        "- job “b2”: it has no prompt (there: every 30 minutes)",
        f"What was left out can be read in full in {innkeeper.profile.cache}/import-hermes/left-out.md.",
        f"Its persona stays there. To use it here: cp '{hermes.folder}/SOUL.md' {innkeeper.profile.soul}",
        "Settings and keys are not taken over: innkeeper setup asks for them.",
    ]
    assert not innkeeper.profile.soul.exists()
    assert "sk-secret-value" not in result.output


def test_settings_that_grow_when_they_are_read(innkeeper: Shell, hermes: Hermes) -> None:
    """Each name stands for ten of the one before: written out, they fill a disk."""
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 40))]
    lines += ["timezone: *a39", "skills: {external_dirs: [*a39, /srv/skills]}", "memory: {memory_char_limit: *a39}"]
    whole(hermes).put("config.yaml", "\n".join(lines))
    result = innkeeper("import", "hermes", "--home", str(hermes.folder), "--dry-run", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["external_dirs"] == ["/srv/skills"]


def test_nothing_there_changes(innkeeper: Shell, hermes: Hermes) -> None:
    there = whole(hermes).tree()
    for words in (["--dry-run"], [], []):
        assert innkeeper("import", "hermes", "--home", str(hermes.folder), *words).exit_code == 0
    assert hermes.tree() == there


def test_a_home_that_may_not_be_written(innkeeper: Shell, hermes: Hermes) -> None:
    folders = [hermes.folder, *(each for each in whole(hermes).folder.rglob("*") if each.is_dir())]
    for each in folders:
        each.chmod(0o500)
    try:
        assert innkeeper("import", "hermes", "--home", str(hermes.folder)).exit_code == 0
    finally:
        for each in folders:
            each.chmod(0o700)


def test_which_home_is_meant(innkeeper: Shell, hermes: Hermes, tmp_path: Path) -> None:
    hermes.remembers("Ann drinks tea.")
    innkeeper.environment["HERMES_HOME"] = str(hermes.folder)
    assert innkeeper.json("import", "hermes", "--dry-run")["home"] == str(hermes.folder)
    none = innkeeper("import", "hermes", "--home", str(tmp_path / "nowhere"))
    assert (none.exit_code, "There is no folder" in none.stderr) == (1, True)
    (tmp_path / "empty").mkdir()
    empty = innkeeper("import", "hermes", "--home", str(tmp_path / "empty"))
    assert (empty.exit_code, "is no Hermes Agent home" in empty.stderr) == (1, True)
    assert list(innkeeper.home.iterdir()) == []


def test_our_own_folder_is_none(innkeeper: Shell, tmp_path: Path) -> None:
    innkeeper("remember", "Ann drinks tea.")
    link = tmp_path / "link"
    link.symlink_to(innkeeper.home)
    for each in (innkeeper.home, link, innkeeper.profile.memories):
        result = innkeeper("import", "hermes", "--home", str(each))
        assert (result.exit_code, "Innkeeper's own folder" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    "path", ["memories/MEMORY.md", "memories", "skills", "state.db", "SOUL.md", "cron/jobs.json"]
)
def test_no_link_leads_out_of_it(innkeeper: Shell, hermes: Hermes, tmp_path: Path, path: str) -> None:
    other = whole(Hermes(tmp_path / "other"))
    hermes.put("config.yaml", "")
    link = hermes.folder / path
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(other.folder / path)
    result = innkeeper("import", "hermes", "--home", str(hermes.folder), "--json")
    told = json.loads(result.stdout)
    assert (told["sessions"]["taken"], told["jobs"], told["persona"]) == (0, [], None)
    assert not [each for each in told["items"] if each["result"] == "taken"]
    assert "is a link that leads out of the home" in result.stdout


def test_odd_files_stop_nothing(innkeeper: Shell, hermes: Hermes) -> None:
    hermes.remembers("Ann drinks tea.")
    for path in ("config.yaml", "cron/jobs.json", "sessions/sessions.json", "skills/.hub/lock.json"):
        hermes.put(path, "{[not this" + "[" * 5000)
    os.mkfifo(hermes.folder / "memories" / "USER.md")
    hermes.put("SOUL.md", b"x" * (5 << 20))
    result = innkeeper("import", "hermes", "--home", str(hermes.folder), "--json")
    told = json.loads(result.stdout)
    assert [each["result"] for each in told["items"]] == ["taken", "left"]
    assert len(told["remarks"]) == 5
    assert told["persona"] is None


def test_profiles_and_other_folders_are_pointed_at(innkeeper: Shell, hermes: Hermes) -> None:
    hermes.put("config.yaml", "skills: {external_dirs: [/srv/skills]}\n")
    coder = Hermes(hermes.folder / "profiles" / "coder")
    coder.remembers("Tabs.")
    hermes.put("sessions/1.jsonl", "{}")
    text = innkeeper("import", "hermes", "--home", str(hermes.folder)).stdout
    assert f"innkeeper -p coder import hermes --home '{coder.folder}'" in text
    assert "/srv/skills" in text
    assert "Not read: 1 transcript of an old version" in text
    innkeeper("profile", "create", "coder")
    assert innkeeper("import", "hermes", "--home", str(coder.folder), profile="coder").exit_code == 0
    assert (innkeeper.home / "profiles" / "coder" / "memories" / "MEMORY.md").read_text() == "Tabs."


def test_it_works_beside_a_running_gateway(innkeeper: Shell, hermes: Hermes) -> None:
    with ProfileLock(innkeeper.profile):
        result = innkeeper("import", "hermes", "--home", str(whole(hermes).folder))
    assert result.exit_code == 0
    assert "The gateway runs" in result.stdout


def test_one_import_at_a_time_and_what_a_dead_one_left(innkeeper: Shell, hermes: Hermes) -> None:
    left = innkeeper.profile.cache / "theirs-x"
    left.mkdir(parents=True)
    (left / "copy.db").write_text("half a copy")
    with locked(innkeeper.profile.cache / "import-hermes" / ".lock"):
        result = innkeeper("import", "hermes", "--home", str(whole(hermes).folder))
        assert (result.exit_code, "try again" in result.stderr) == (1, True)
    assert left.exists()
    assert innkeeper("import", "hermes", "--home", str(hermes.folder)).exit_code == 0
    assert not left.exists()


def test_a_broken_configuration_takes_nothing(innkeeper: Shell, hermes: Hermes) -> None:
    innkeeper.profile.config.write_text("memory: {no_such_key: 1}\n")
    assert innkeeper("import", "hermes", "--home", str(whole(hermes).folder)).exit_code == 2
    assert not innkeeper.profile.database.exists()


def test_ctrl_c_leaves_whole_sessions(innkeeper: Shell, hermes: Hermes) -> None:
    sessions, each = 400, 25
    hermes.session("s0")
    hermes.rows("sessions", ["id", "source", "started_at"], [(f"s{n}", "cli", NOON + n) for n in range(1, sessions)])
    rows = [(f"s{n}", "user", "word " * 40, NOON) for n in range(sessions) for _ in range(each)]
    hermes.rows("messages", ["session_id", "role", "content", "timestamp"], rows)
    environment = {**os.environ, "INNKEEPER_HOME": str(innkeeper.home)}
    words = [sys.executable, "-m", "gateway.cli.main", "import", "hermes", "--home", str(hermes.folder)]
    process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    _wait_for_sessions(innkeeper, process)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    counts = _counts(innkeeper)
    assert set(counts.values()) == {each}
    if process.returncode:  # it may have been done by then
        assert "Stopped before the end." in output, errors
        assert innkeeper("import", "hermes", "--home", str(hermes.folder)).exit_code == 0
    assert len(_counts(innkeeper)) == sessions


def _wait_for_sessions(innkeeper: Shell, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        if innkeeper.profile.database.exists() and _counts(innkeeper):
            return
        time.sleep(0.01)


def _counts(innkeeper: Shell) -> dict[str, int]:
    import sqlite3

    with closing(sqlite3.connect(innkeeper.profile.database, timeout=10)) as db:
        try:
            return dict(db.execute("SELECT session_id, count(*) FROM messages GROUP BY session_id"))
        except sqlite3.OperationalError:
            return {}
