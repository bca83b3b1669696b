"""`innkeeper memory setup|status|off|providers`, at a shell where a plugin's outside memory is installed."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from memory.providers.protocol import ProviderContext, ProviderManifest, SecretNeed, Silent
from platforms.settings import Section
from tests.cli.shell import Shell
from tests.fakes.parrot import heard

POINTS = "[innkeeper.providers]\nparrot = tests.fakes.parrot:manifest\nbent = tests.fakes.parrot:Parrot\n"
POINTS += f"moody = {__name__}:moody\n"


class MoodError(Exception):
    """A kind of its own, as libraries raise it."""


class MoodySettings(Section):
    address: str = ""


class Moody(Silent):
    name = "moody"

    def __init__(self, context: ProviderContext) -> None:
        self._where = f"{context.settings['address']}?key={context.secrets['MOODY_KEY']}"

    async def start(self) -> None:
        raise MoodError(f"\x1b[2J\n{self._where} is in no mood")


moody = ProviderManifest(
    "moody", f"{__name__}:Moody", settings=f"{__name__}:MoodySettings", secrets=(SecretNeed("MOODY_KEY", "its key"),)
)


@pytest.fixture
def shell(innkeeper: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """As a plugin's installation looks: a folder with a distribution's metadata on the import path."""
    distribution = tmp_path / "plugins" / "parrots-1.0.dist-info"
    distribution.mkdir(parents=True)
    (distribution / "METADATA").write_text("Metadata-Version: 2.1\nName: parrots\nVersion: 1.0\n")
    (distribution / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(str(tmp_path / "plugins"))
    return innkeeper


def config(shell: Shell) -> str:
    return shell.profile.config.read_text() if shell.profile.config.exists() else ""


def test_setup_configures_tries_and_switches(shell: Shell) -> None:
    done = shell("memory", "setup", "parrot", "--set", "says=Polly", "--secret", "PARROT_KEY=sesame-1234")
    assert done.exit_code == 0, done.output
    assert "✅ parrot answers" in done.stdout
    assert "memory.provider is parrot" in done.stdout
    assert shell.profile.env.read_text() == "PARROT_KEY=sesame-1234\n"
    assert stat.S_IMODE(shell.profile.env.stat().st_mode) == 0o600
    assert "sesame" not in config(shell) + done.output
    assert [each["what"] for each in heard(shell.home / "providers/parrot")] == ["start", "prefetch", "close"]
    status = shell.json("memory", "status")
    assert (status["provider"], status["well"], status["settings"]["says"]) == ("parrot", True, "Polly")


def test_one_that_does_not_answer_is_not_switched_to(shell: Shell) -> None:
    refused = shell("memory", "setup", "parrot", "--set", "manner=down")
    assert refused.exit_code == 1
    assert "nobody answers at 127.0.0.1:1" in refused.stdout
    assert "provider: parrot" not in config(shell)
    assert shell("memory", "setup", "parrot", "--no-test").exit_code == 0
    assert shell("memory", "status").exit_code == 1
    assert shell("memory", "off").exit_code == 0
    assert shell.json("memory", "status") == {"provider": None}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("parot",), "did you mean parrot?"),
        (("parrot", "--set", "colour=green"), "parrot has no setting colour; it has: manner, says, block"),
        (("parrot", "--secret", "OTHER=1"), "parrot has no secret OTHER; it has: PARROT_KEY"),
        (("parrot", "--secret", "PARROT_KEY= "), "PARROT_KEY is empty"),
        (("parrot", "--secret", "PARROT_KEY=a\nOTHER=b"), "holds signs that no secret has"),
        (("parrot", "--set", "says"), "--set takes NAME=VALUE"),
        ((), "Name one: innkeeper memory setup NAME"),
    ],
)
def test_what_it_does_not_have_is_said(shell: Shell, words: tuple[str, ...], says: str) -> None:
    wrong = shell("memory", "setup", *words)
    assert wrong.exit_code == 2
    assert says in wrong.output
    assert "provider" not in config(shell)


def test_a_broken_one_is_listed_with_its_reason(shell: Shell) -> None:
    rows = {each["name"]: each for each in shell.json("memory", "providers")}
    assert rows["parrot"]["about"] == "repeats what it heard"
    assert "not a ProviderManifest" in rows["bent"]["problem"]
    assert "⚠️ bent: " in shell("memory", "providers").stdout
    assert shell("memory", "setup", "bent").exit_code == 1


def test_settings_of_it_are_checked_as_all_settings_are(shell: Shell) -> None:
    shell.profile.config.write_text("memory:\n  providers:\n    parrot: {maner: good}\n    nobody: {a: 1}\n")
    wrong = shell("config", "check")
    assert wrong.exit_code == 2
    assert "config.yaml:3 memory.providers.parrot.maner: unknown key, did you mean manner?" in wrong.output
    assert "config.yaml:4 memory.providers.nobody: no outside memory of that name is installed" in wrong.output
    shell.profile.config.write_text("memory: {provider: nobody}\n")
    assert "'nobody' is no memory provider" in shell("config", "check").output


def test_one_that_is_not_installed_any_more_can_be_switched_off(shell: Shell) -> None:
    shell.profile.config.parent.mkdir(parents=True, exist_ok=True)
    shell.profile.config.write_text("# Mine.\nmemory:\n  provider: nobody  # it was good\n")
    done = shell("memory", "off")
    assert done.exit_code == 0, done.output
    assert "nobody is not used any more" in done.stdout
    assert [each.split() for each in config(shell).splitlines()] == [
        ["#", "Mine."],
        ["memory:"],
        ["provider:", "null", "#", "it", "was", "good"],
    ]
    shell.profile.config.write_text("memory: {provider: parrot, limit: 1}\n")
    assert "memory.limit: unknown key" in shell("memory", "off").output


def test_what_it_says_of_a_fault_is_fit_for_a_terminal_and_holds_no_secrets(shell: Shell) -> None:
    key, port = "sesame-1234", "http://ada:hunter2@cage.example"
    done = shell("memory", "setup", "moody", "--secret", f"MOODY_KEY={key}", "--set", f"address={port}")
    assert done.exit_code == 1, done.output
    assert "⚠️ moody: MoodError: ?[2J http://[redacted]@cage.example?key=[redacted] is in no mood" in done.stdout
    assert shell("memory", "setup", "moody", "--no-test").exit_code == 0
    status = shell("memory", "status")
    assert "address: http://[redacted]@cage.example" in status.stdout
    assert shell.json("memory", "status")["settings"] == {"address": "http://[redacted]@cage.example"}
    assert not any(each in done.output + status.output for each in (key, "hunter2", "\x1b"))


def test_a_single_setting_can_be_changed(shell: Shell) -> None:
    done = shell("config", "set", "memory.providers.parrot.says", "Polly")
    assert done.exit_code == 0, done.output
    assert "Restart the gateway" in done.stdout
    assert "memory.providers.parrot.says" in shell("config", "check").output
    assert shell("config", "set", "memory.providers.parrot.colour", "Polly").exit_code == 2


def test_the_doctor_looks_at_it(shell: Shell) -> None:
    shell.profile.config.parent.mkdir(parents=True, exist_ok=True)
    shell.profile.config.write_text("memory: {provider: parrot}\n")
    assert "parrot is used, nothing leaves this machine" in shell("doctor").output


def test_the_list_says_what_stays_on_this_machine_and_contradicts_nothing(innkeeper: Shell) -> None:
    said = innkeeper("memory", "providers").output
    lines = {line.strip().partition(":")[0]: line for line in said.splitlines()}
    assert "keeps everything on this machine" in lines["holographic"]
    for name in ("mem0", "openviking", "byterover", "retaindb"):
        assert "(what it is given can leave this machine" in lines[name]
    assert "a service elsewhere" not in said
