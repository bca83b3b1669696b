"""`innkeeper setup`: every question can be skipped, nothing that is set is lost, secrets go to .env."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys

from gateway.cli.setup import Plan, Question, carry_out, interview
from tests.cli.shell import Shell


def answering(shell: Shell, **answers: str) -> list[Question]:
    """Run the interview with these answers (others are skipped), write, and return what was asked."""
    asked: list[Question] = []

    def ask(question: Question) -> str:
        asked.append(question)
        return answers.get(question.name.replace(" ", "_"), "")

    plan = Plan()
    interview(shell.invocation().settings(), ask, plan)
    carry_out(shell.invocation(), plan)
    return asked


def test_skipping_everything_changes_nothing(innkeeper: Shell) -> None:
    innkeeper.profile.config.write_text("# mine\nmodel: {provider: openai, model: x}\n")
    innkeeper.profile.env.write_text("OPENAI_API_KEY=sk-mine\n")
    asked = answering(innkeeper)
    assert {question.name for question in asked} == {"model", "telegram token", "discord token", "owners", "approval"}
    assert innkeeper.profile.config.read_text() == "# mine\nmodel: {provider: openai, model: x}\n"
    assert innkeeper.profile.env.read_text() == "OPENAI_API_KEY=sk-mine\n"


def test_a_first_time(innkeeper: Shell) -> None:
    answering(
        innkeeper,
        model="server",
        address="http://127.0.0.1:8080/v1",
        key="host-key",
        name="qwen",
        telegram_token="1:token",
        telegram_people="111, 222",
        discord_token="a.b.c",
        discord_people="333",
        owners="telegram:111",
    )
    loaded = innkeeper.invocation().settings()
    model = loaded.settings.model
    assert (model.base_url, model.api_key, model.model) == ("http://127.0.0.1:8080/v1", "host-key", "qwen")
    assert loaded.settings.platform("telegram")["token"] == "1:token"
    assert loaded.settings.platform("telegram")["allowed_users"] == ("111", "222")
    discord = loaded.settings.platform("discord")
    assert (discord["token"], discord["allowed_users"]) == ("a.b.c", ("333",))
    assert loaded.settings.access.owners == ("telegram:111",)
    written = innkeeper.profile.config.read_text()
    assert "host-key" not in written
    assert "1:token" not in written
    assert innkeeper.profile.env.stat().st_mode & 0o777 == 0o600


def test_a_second_time_keeps_the_rest_and_shows_what_is_set(innkeeper: Shell) -> None:
    answering(innkeeper, model="openai", key="sk-first", telegram_token="1:token", telegram_people="111")
    asked = answering(innkeeper, owners="telegram:111")
    shown = {question.name: question.now for question in asked}
    assert (shown["model"], shown["telegram token"], shown["telegram people"]) == ("openai", "set", "111")
    assert not any("token" in question.now or "sk-" in question.now for question in asked)
    settings = innkeeper.invocation().settings().settings
    assert settings.model.api_key == "sk-first"
    assert settings.platform("telegram")["allowed_users"] == ("111",)
    assert settings.access.owners == ("telegram:111",)


def test_a_new_token_replaces_one_in_the_file(innkeeper: Shell) -> None:
    innkeeper.profile.config.write_text("platforms: {telegram: {token: '1:old'}}\n")
    answering(innkeeper, telegram_token="2:new")
    assert innkeeper.invocation().settings().settings.platform("telegram")["token"] == "2:new"


def test_the_embedded_model_needs_no_further_answer(innkeeper: Shell) -> None:
    asked = answering(innkeeper, model="embedded")
    assert innkeeper.invocation().settings().settings.model.provider == "local"
    assert not {"key", "name", "address"} & {question.name for question in asked}


def test_the_question_shows_the_host_that_answers_now(innkeeper: Shell) -> None:
    def shown() -> str:
        return next(question.now for question in answering(innkeeper) if question.name == "model")

    assert shown() == "", "nobody chose the small model"
    for text, expected in (
        ("model: {provider: local}", "embedded"),
        ("hosts: {cellar: {base_url: 'http://127.0.0.1:1/v1'}}", "server"),
        ("model: {base_url: 'http://127.0.0.1:1/v1'}", "server"),
        ("model: {api_key: sk-or-1, model: big}", "openrouter"),
        ("model: {provider: anthropic, model: big}", "anthropic"),
    ):
        innkeeper.profile.config.write_text(f"{text}\n")
        assert shown() == expected


def test_without_a_terminal_it_says_what_it_would_ask(innkeeper: Shell) -> None:
    shown = innkeeper("setup", typed="")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert "Telegram bot token" in shown.stderr
    assert "config set" in shown.stderr
    assert list(innkeeper.home.iterdir()) == []


def test_broken_settings_are_not_overwritten(innkeeper: Shell) -> None:
    innkeeper.profile.config.write_text("broken: [unclosed\n")
    shown = innkeeper("setup")
    assert shown.exit_code == 2
    assert innkeeper.profile.config.read_text() == "broken: [unclosed\n"


def test_at_a_terminal(innkeeper: Shell) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "gateway.cli.main", "setup"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env={"PATH": os.environ["PATH"], "INNKEEPER_HOME": str(innkeeper.home)},
    ) as process:
        os.close(theirs)
        for prompt, answer in (
            ("Which model host?", "what"),
            ("Please answer embedded", None),
            ("Which model host?", "embedded"),
            ("Telegram bot token", ""),
            ("Discord bot token", ""),
            ("Owners", ""),
            ("auto, recommended", "auto"),
            ("innkeeper doctor", None),
        ):
            _wait_for(ours, prompt)
            if answer is not None:
                _wait_for(ours, "]: ")
                os.write(ours, f"{answer}\n".encode())
        assert process.wait(60) == 0
    os.close(ours)
    settings = innkeeper.invocation().settings().settings
    assert settings.model.provider == "local"
    assert settings.memory.write_approval == "auto"
    assert innkeeper.profile.soul.exists()


def _wait_for(terminal: int, words: str) -> None:
    """Read, a byte at a time so that nothing after the words is lost, until they appear."""
    seen = ""
    while not seen.endswith(words):
        assert select.select([terminal], [], [], 30)[0], f"waited for {words!r}, saw {seen!r}"
        seen += os.read(terminal, 1).decode(errors="replace")
