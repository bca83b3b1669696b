"""`innkeeper config`: what is in force, where it came from, and changing one key."""

from __future__ import annotations

from gateway.config.lock import ProfileLock
from tests.cli.shell import Shell


def test_check_shows_each_value_with_where_it_came_from(innkeeper: Shell) -> None:
    innkeeper.profile.config.write_text(
        "memory:\n  scope: room\n  session_notes: off\n  prefetch_spill_enabled: true\n"
    )
    innkeeper.profile.env.write_text("TELEGRAM_BOT_TOKEN=1:secret-token\n")
    shown = innkeeper("config", "check")
    assert shown.exit_code == 0
    lines = {line.split()[0]: line.split()[1:] for line in shown.stdout.splitlines() if line.strip()}
    assert lines["memory.scope"] == ["room", "config.yaml:2"]
    assert lines["memory.session_notes"] == ["off", "config.yaml:3"]
    assert lines["memory.share"] == ["false", "default"]
    assert lines["platforms.telegram.token"] == ["***", "(set)", ".env", "TELEGRAM_BOT_TOKEN"]
    assert "secret-token" not in shown.output
    rows = {row["key"]: row for row in innkeeper.json("config", "check")}
    assert shown.stderr == ""
    assert rows["memory.scope"] == {"key": "memory.scope", "value": "room", "origin": "config.yaml:2"}


def test_check_reports_every_problem_and_exits_2(innkeeper: Shell) -> None:
    innkeeper.profile.config.write_text("memroy: {}\nmemory: {scope: hall}\n")
    shown = innkeeper("config", "check")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert [line.split(":")[1].split()[0] for line in shown.stderr.splitlines()] == ["1", "2"]


def test_set_changes_one_key_and_says_what_happens_next(innkeeper: Shell) -> None:
    innkeeper.profile.config.write_text("# mine\nmemory: {scope: room}\n")
    assert innkeeper("config", "set", "memory.write_approval", "auto").stdout == "memory.write_approval: auto\n"
    assert innkeeper.profile.config.read_text() == "# mine\nmemory: {scope: room, write_approval: auto}\n"
    assert "Restart" in innkeeper("config", "set", "model.model", "other").stdout
    token = innkeeper("config", "set", "platforms.telegram.token", "1:secret")
    assert "1:secret" not in token.output
    assert "already" in innkeeper("config", "set", "memory.scope", "room").stdout
    with ProfileLock(innkeeper.profile):
        assert "running gateway" in innkeeper("config", "set", "memory.scope", "person").stdout


def test_set_refuses_what_is_wrong(innkeeper: Shell) -> None:
    innkeeper.profile.config.write_text("broken: [unclosed\n")
    shown = innkeeper("config", "set", "memory.scope", "room")
    assert shown.exit_code == 2
    assert shown.stderr.startswith("config.yaml:2 the file is not valid YAML")
    assert innkeeper.profile.config.read_text() == "broken: [unclosed\n"


def test_path(innkeeper: Shell) -> None:
    assert innkeeper("config", "path").stdout == f"{innkeeper.home}/config.yaml\n"
