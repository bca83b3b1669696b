"""Chat commands at the shell: text that looks like options, and buttons as words to type."""

from __future__ import annotations

import shlex

import pytest

from tests.cli.shell import Shell


def entry(innkeeper: Shell) -> str:
    return (innkeeper.profile.memories / "USER.md").read_text()


@pytest.mark.parametrize(
    "text",
    [
        ["--json", "is", "a", "flag"],
        ["a", "flag:", "--json"],
        ["--help", "helps"],
        ["-p", "desk"],
        ["--", "two", "dashes"],
        ["the", "last", "--"],
        ["-x"],
    ],
)
def test_text_is_kept_to_the_letter(innkeeper: Shell, text: list[str]) -> None:
    said = ["--", *text] if text[0] in ("--json", "--help", "--") else text
    assert innkeeper("remember", *said).exit_code == 0
    assert entry(innkeeper) == " ".join(text)


def test_an_option_is_the_very_first_word(innkeeper: Shell) -> None:
    assert "Usage: " in innkeeper("remember", "--help").stdout
    assert innkeeper("remember", "--json", "tea").exit_code == 0
    assert entry(innkeeper) == "tea"
    assert innkeeper("remember").exit_code == 2


def typed(output: str, label: str) -> list[str]:
    """The command line that stands for a button, without the program's name."""
    (line,) = [line for line in output.splitlines() if line.startswith(f"{label}: ")]
    name, *words = shlex.split(line.removeprefix(f"{label}: "))
    assert name == "innkeeper"
    return words


def test_forgetting_everywhere_asks_and_the_answer_can_be_typed(innkeeper: Shell) -> None:
    text = "the code's  7391 & $more"
    innkeeper("remember", text)
    asked = innkeeper("forget", "--everywhere", text)
    assert asked.exit_code == 0
    assert "Erase" in asked.stdout
    assert entry(innkeeper) == text
    done = innkeeper(*typed(asked.stdout, "Erase it"))
    assert "Erased: 1 entry, 2 texts in the journal" in done.stdout
    assert (done.exit_code, entry(innkeeper)) == (0, "")
    assert not [each for each in innkeeper.home.rglob("*") if each.is_file() and b"7391" in each.read_bytes()]


def test_a_button_names_the_profile(innkeeper: Shell) -> None:
    innkeeper("profile", "create", "desk")
    kept = innkeeper("remember", "tea", profile="desk")
    assert typed(kept.stdout, "Undo")[:4] == ["-p", "desk", "memory", "undo"]


def test_forgetting_all_is_typed_too(innkeeper: Shell) -> None:
    innkeeper("remember", "tea")
    assert innkeeper(*typed(innkeeper("forget", "all").stdout, "Forget all")).exit_code == 0
    assert entry(innkeeper) == ""
