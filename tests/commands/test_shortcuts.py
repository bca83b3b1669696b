"""Which messages call up skills: names, stacks, collisions, and what is said to a wrong name."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands.parse import Mistake, Order
from commands.registry import built_in
from commands.skill_shortcuts import Called, Shortcuts, collisions, listed, suggestions
from memory.skills.library import Library

NAMES = ("deploy", "weekly-reflection", "keep.list", "a-b", "a.b", "new", "2fa", "x1", "x2", "x3", "x4")


@pytest.fixture
def shortcuts(tmp_path: Path) -> Shortcuts:
    for name in NAMES:
        put(tmp_path, name)
    put(tmp_path, "torn", text="---\nname: torn\nno end\n")
    return Shortcuts(built_in([]), Library(tmp_path))


def put(root: Path, name: str, text: str = "") -> None:
    folder = root / name
    folder.mkdir()
    about = f"---\nname: {name}\ndescription: How to do {name}.\n---\nDo {name}.\n"
    (folder / "SKILL.md").write_text(text or about)


def called(shortcuts: Shortcuts, text: str) -> tuple[list[str], str]:
    meant = shortcuts.read(text)
    assert isinstance(meant, Called), meant
    return [each.name for each in meant.skills], meant.instruction


def wrong(shortcuts: Shortcuts, text: str) -> str:
    meant = shortcuts.read(text)
    assert isinstance(meant, Mistake), meant
    return meant.text


@pytest.mark.parametrize(
    ("text", "skills", "instruction"),
    [
        ("/deploy tonight, please", ["deploy"], "tonight, please"),
        ("  /Deploy\nto two\nhosts ", ["deploy"], "to two\nhosts"),
        ("/deploy@innkeeper_bot now", ["deploy"], "now"),
        ("/deploy", ["deploy"], ""),
        ("/weekly_reflection", ["weekly-reflection"], ""),
        ("/weekly-reflection", ["weekly-reflection"], ""),
        ("/keep_list milk", ["keep.list"], "milk"),
        ("/keep.list milk", ["keep.list"], "milk"),
        ("/2fa off", ["2fa"], "off"),
        ("/deploy /weekly_reflection do it", ["deploy", "weekly-reflection"], "do it"),
        ("/deploy /deploy twice", ["deploy"], "twice"),
        ("/x1 /x2 /x3 /x4 /deploy all", ["x1", "x2", "x3", "x4", "deploy"], "all"),
        ("/deploy /etc/hosts", ["deploy"], "/etc/hosts"),
        ("/deploy /tmp", ["deploy"], "/tmp"),
        ("/deploy /help is a command", ["deploy"], "/help is a command"),
        ("/skill new hello", ["new"], "hello"),
        ("/skill deploy /x1 go", ["deploy", "x1"], "go"),
        ("/skill /deploy go", ["deploy"], "go"),
    ],
)
def test_a_message_calls_up(shortcuts: Shortcuts, text: str, skills: list[str], instruction: str) -> None:
    assert called(shortcuts, text) == (skills, instruction)


def test_a_command_of_the_house_wins(shortcuts: Shortcuts) -> None:
    meant = shortcuts.read("/new story")
    assert isinstance(meant, Order)
    assert (meant.spec.name, meant.arguments.get("name")) == ("new", "story")
    assert isinstance(shortcuts.read("/reset"), Order)


@pytest.mark.parametrize("text", ["hello /deploy", "/etc/hosts is a file", "/2.5 is half of five", "//", "/ deploy"])
def test_other_messages_are_messages(shortcuts: Shortcuts, text: str) -> None:
    assert shortcuts.read(text) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/deployy", "There is no command /deployy, and no skill. Did you mean /deploy?"),
        ("/hlep", "Did you mean /help?"),
        ("/weekly_reflecton", "Did you mean /weekly-reflection?"),
        ("/deploy /weekly-reflecton go", "Did you mean /weekly-reflection?"),
        ("/qqqqqq", "There is no command /qqqqqq, and no skill. /help lists the commands, /skills the skills."),
        ("/a_b go", "/a_b may mean /a-b or /a.b: write it with those signs."),
        ("/torn", "The skill torn is broken and cannot be used: torn/SKILL.md:"),
        ("/deploy /torn", "The skill torn is broken"),
        ("/skill", "/skill NAME [TEXT]"),
        ("/skill deployy", "Did you mean /deploy?"),
        ("/x1 /x2 /x3 /x4 /deploy /2fa all", "One message may call up 5 skills at most, and this one names 6."),
    ],
)
def test_what_is_wrong_is_said(shortcuts: Shortcuts, text: str, words: str) -> None:
    assert words in wrong(shortcuts, text)


def test_a_stack_of_different_signs_is_told_apart(shortcuts: Shortcuts) -> None:
    assert called(shortcuts, "/a-b go") == (["a-b"], "go")
    assert called(shortcuts, "/a.b go") == (["a.b"], "go")


def test_a_menu_lists_what_a_plain_name_means_alone(shortcuts: Shortcuts) -> None:
    names = listed(shortcuts.look(), built_in([]))
    assert set(names) == {"deploy", "weekly_reflection", "keep_list", "2fa", "x1", "x2", "x3", "x4"}
    assert names["deploy"] == "How to do deploy."


def test_collisions_are_told(shortcuts: Shortcuts) -> None:
    told = list(collisions(shortcuts.look(), built_in([])))
    assert told == [
        "/new is a command: call the skill up by `/skill new`.",
        "/a_b may mean /a-b or /a.b: write it with those signs.",
    ]


def test_names_are_suggested_as_they_are_typed(shortcuts: Shortcuts) -> None:
    found = shortcuts.look()
    assert suggestions(found, "we") == ["weekly-reflection"]
    assert suggestions(found, "/Weekly-r") == ["weekly-reflection"]
    assert suggestions(found, "e") == ["deploy", "keep.list", "new", "weekly-reflection"]
    assert len(suggestions(found, "")) == len(NAMES)


def test_where_there_are_no_skills_nothing_is_said_of_them() -> None:
    bare = Shortcuts(built_in([]), None)
    assert wrong(bare, "/hlep") == "There is no command /hlep. Did you mean /help? /help lists them all."
    for order in ("/learn this", "/skill deploy"):
        assert wrong(bare, order) == "Skills are off here."


def test_new_skills_are_known_after_a_look(shortcuts: Shortcuts, tmp_path: Path) -> None:
    shortcuts.look()
    put(tmp_path, "fresh")
    assert shortcuts.asks("/fresh")
    assert isinstance(shortcuts.read("/fresh"), Mistake)
    shortcuts.look()
    assert called(shortcuts, "/fresh") == (["fresh"], "")
    assert not shortcuts.asks("/help")
    assert not shortcuts.asks("hello")
