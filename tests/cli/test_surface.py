"""Chat commands at the shell: text that looks like options, and buttons as words to type."""

from __future__ import annotations

import shlex

import pytest

from commands.reply import CommandReply
from gateway.cli.surface import orders_at_the_shell
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


@pytest.mark.parametrize("text", ["\u200b" * 4, "\u00ad" * 9, "t\ufe0fe\ufe0fa", "\u0301" * 4, "abc"])
def test_too_little_that_can_be_seen_is_not_erased_everywhere(innkeeper: Shell, text: str) -> None:
    for order in ("--everywhere", "--everywhere!"):
        told = innkeeper("forget", order, text)
        assert (told.exit_code, "of at least 4 characters" in told.output) == (1, True)
    assert innkeeper("forget", "--everywhere", "कखगघ").exit_code == 0


def test_files_that_would_go_are_named_the_first_few(innkeeper: Shell) -> None:
    drafts = innkeeper.home / "drafts"
    drafts.mkdir(parents=True)
    for number in range(7):
        (drafts / f"journey-{number}").write_text("the code is 7391")
    told = innkeeper("forget", "--everywhere", "7391").output
    (line,) = [each for each in told.splitlines() if each.startswith("Among them: ")]
    assert line.count(str(drafts)) == 5
    assert line.endswith(" and 2 more")


def test_orders_of_the_house_are_told_as_they_are_typed(innkeeper: Shell) -> None:
    told = innkeeper("sessions", "show", "nope").output
    assert "innkeeper sessions lists them." in told
    innkeeper("profile", "create", "desk")
    assert "innkeeper -p desk journey list shows" in innkeeper("journey", "show", "nope", profile="desk").output
    assert "Undo: innkeeper -p desk memory undo " in innkeeper("remember", "tea", profile="desk").output
    nothing = innkeeper("journey", "list").output
    assert "innkeeper remember TEXT keeps something, /learn makes" in nothing
    assert "innkeeper curator resume" in innkeeper("curator", "pause").output
    assert "is paused: innkeeper curator resume" in innkeeper("curator", "status").output
    assert "innkeeper -p desk forget --everywhere TEXT erases" in innkeeper("forget", "tea", profile="desk").output
    assert "stay; innkeeper skills opt-out --remove puts" in innkeeper("skills", "opt-out").output


@pytest.mark.parametrize("path", ["/memory", "/skills", "/usage", "/status", "/journey", "/memory/list"])
def test_paths_and_what_people_typed_are_no_orders(path: str) -> None:
    for text in (
        f"cannot read {path}",
        f"⚠️ {path}: permission denied",
        f"cannot read {path} on this disk",
        f"There is no session '{path} list' here.",
        f'No entry holds "it\'s {path} list".',
        f"It was: «{path} list»",
        f"- USER.md: {path} list",
    ):
        assert orders_at_the_shell(CommandReply(text, ok=False), "desk") == text


def test_quoted_words_beside_an_order_stay() -> None:
    said = CommandReply("No entry holds '/memory undo x'. /memory shows them all.", ok=False)
    assert orders_at_the_shell(said, None) == "No entry holds '/memory undo x'. innkeeper memory shows them all."
    kept = CommandReply("- /memory undo x\nUndo: /memory undo x", orders=("/memory undo x",))
    assert orders_at_the_shell(kept, None) == "- /memory undo x\nUndo: innkeeper memory undo x"
    assert orders_at_the_shell(CommandReply("Ada types /memory undo x"), None) == "Ada types /memory undo x"
