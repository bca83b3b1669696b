"""What people really write at the head of a SKILL.md: read as it is meant, or called broken with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
import skills_ref
from skills_ref.errors import SkillError

from memory.skills.frontmatter import Malformed, parse
from memory.skills.validate import objection_to_new, sound
from tests.memory.skills.shed import Shed, create, skill

GOOD = {
    "plain": skill("notes"),
    "windows": skill("notes").replace("\n", "\r\n"),
    "windows, with a mark": "\ufeff" + skill("notes").replace("\n", "\r\n"),
    "a rule in the body": skill("notes", body="One.\n\n---\n\nTwo.\n"),
    "spaces after the rule": skill("notes").replace("---\n", "---  \n"),
    "a tab between words": skill("notes", "Tidies\tnotes."),
    "quoted": skill("notes", "'Tidies notes: weekly'"),
    "folded": skill("notes", ">\n  Tidies notes.\n  Use weekly."),
    "comment": skill("notes").replace("name:", "# mine\nname:"),
    "more fields": skill("notes").replace("name:", "license: MIT\nmetadata:\n  author: ada\n  version: 1.0\nname:"),
    "no end of line": skill("notes").rstrip("\n"),
    "other letters": skill("notes", "メモを片付ける"),
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_what_is_good_is_read(text: str) -> None:
    it = sound(text, "notes")
    assert it.name == "notes"
    assert it.description
    assert it.head.mended is None
    assert it.head.body.strip()


def test_a_rule_in_the_body_belongs_to_the_body() -> None:
    assert parse(GOOD["a rule in the body"]).body == "One.\n\n---\n\nTwo.\n"


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_colon_in_the_description_is_mended_and_only_there(ends: str) -> None:
    text = skill("notes", "Tidies notes: weekly, and it's quick").replace("\n", ends)
    it = sound(text, "notes")
    assert it.description == "Tidies notes: weekly, and it's quick"
    assert it.head.mended is not None
    assert "description: 'Tidies notes: weekly, and it''s quick'\n" in it.head.mended
    assert parse(it.head.mended).fields == it.head.fields
    with pytest.raises(Malformed) as told:
        sound(skill("notes").replace("name: notes", "name: notes: mine"), "notes")
    assert told.value.line == 2


@pytest.mark.parametrize("name", ["123", "no", "true", "null", "2026-01-01", "1.5", "1e3"])
def test_a_name_is_what_is_written_and_no_number_or_date(name: str) -> None:
    assert sound(skill(name), name).name == name


BAD = {
    "nothing": ("", 1, "no frontmatter"),
    "no frontmatter": ("# Notes\n\nTidy them.\n", 1, "no frontmatter"),
    "no end": ("---\nname: notes\ndescription: x\n", 1, "does not end"),
    "longer rule": ("----\nname: notes\n----\n", 1, "no frontmatter"),
    "no name": ("---\ndescription: x\n---\n", 1, "name is missing"),
    "empty name": ("---\nname:\ndescription: x\n---\n", 2, "name is missing"),
    "a list for a name": ("---\nname: [notes]\ndescription: x\n---\n", 2, "name is missing"),
    "other name": ("---\nlicense: MIT\nname: other\ndescription: x\n---\n", 3, "not the folder's"),
    "capitals": ("---\nname: Notes\ndescription: x\n---\n", 2, "no name"),
    "no description": ("---\nname: notes\n---\n", 1, "description is missing"),
    "empty description": ("---\nname: notes\ndescription: ' '\n---\n", 3, "description is missing"),
    "a map for a description": ("---\nname: notes\ndescription:\n  Use: weekly\n---\n", 3, "description is missing"),
    "two colons over two lines": ("---\nname: notes\ndescription: a: b\n  c: d\n---\n", 3, "no YAML"),
    "a colon elsewhere": ("---\nname: notes\nlicense: see: here\ndescription: x\n---\n", 3, "no YAML"),
    "a tab": ("---\nname: notes\nmetadata:\n\tauthor: ada\ndescription: x\n---\n", 4, "a tab"),
    "brackets": ("---\nname: notes\ndescription: [TODO\n---\n", 3, "no YAML"),
    "twice": ("---\nname: notes\ndescription: x\nname: notes\n---\n", 4, "twice"),
    "a list": ("---\n- name\n---\n", 2, "key: value"),
    "a word": ("---\nnotes\n---\n", 2, "key: value"),
    "an anchor": ("---\nname: notes\nx: &a [1]\ndescription: x\n---\n", 3, "anchors"),
    "an alias": ("---\nname: notes\nx: &a 1\ny: *a\n---\n", 3, "anchors"),
    "a tag": ("---\nname: !!python/object/apply:os.system ['true']\n---\n", 2, "tags"),
    "too deep": ("---\nname: notes\nx: " + "[" * 50 + "\n---\n", 3, "nested"),
    "two documents": ("---\nname: notes\n...\ndescription: x\n---\n", 3, "dots"),
    "a bell": ("---\nname: notes\ndescription: \x07\n---\n", 3, "no YAML"),
    "a zero byte": ("---\nname: notes\ndescription: x\n---\n\n\0\n", 6, "zero byte"),
    "a very long head": ("---\nname: notes\nx: " + "a" * 30_000 + "\n---\n", 1, "at most"),
}


@pytest.mark.parametrize(("text", "line", "why"), BAD.values(), ids=BAD)
def test_what_is_bad_is_named_with_its_line(text: str, line: int, why: str) -> None:
    with pytest.raises(Malformed) as told:
        sound(text, "notes")
    assert (told.value.line, why in str(told.value)) == (line, True), str(told.value)


@pytest.mark.parametrize(("text", "line", "why"), BAD.values(), ids=BAD)
def test_a_broken_one_is_listed_with_file_and_line(shed: Shed, text: str, line: int, why: str) -> None:
    file = shed.put("notes/SKILL.md", text)
    shed.put("other/SKILL.md")
    assert shed.names() == ["other"]
    assert shed.why("notes").startswith(f"{file}:{line}: ")


def test_what_can_be_read_may_still_not_be_written() -> None:
    assert objection_to_new(sound(skill("notes", "x" * 1025), "notes")) == (
        3,
        "the description has 1,025 characters, at most 1,024 are allowed.",
    )
    assert objection_to_new(sound(skill("notes", body=" \n"), "notes")) is not None
    assert objection_to_new(sound(skill("notes", "x" * 1024), "notes")) is None


BEYOND = {"spaces after the rule", "a tab between words"}
"""What the oracle does not take, and people write all the same."""


@pytest.mark.parametrize("name", GOOD)
def test_the_oracle_reads_the_same(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "SKILL.md").write_text(GOOD[name].removeprefix("\ufeff"), "utf-8")
    try:
        told = skills_ref.read_properties(folder)
    except SkillError:
        assert name in BEYOND
        return
    it = sound(GOOD[name], "notes")
    assert (told.name, " ".join(told.description.split())) == (it.name, it.description)
    assert skills_ref.validate(folder) == []


@pytest.mark.parametrize("name", BAD)
def test_the_oracle_wants_none_of_the_bad_ones(tmp_path: Path, name: str) -> None:
    """But for what it lets pass, and one on which its own reader stumbles: a sign that YAML does not allow."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "SKILL.md").write_text(BAD[name][0], "utf-8")
    if name == "a bell":
        with pytest.raises(AttributeError, match="context_mark"):
            skills_ref.validate(folder)
    else:
        assert skills_ref.validate(folder) or name in ("a zero byte", "two documents")


@pytest.mark.parametrize("text", [skill("notes", "Tidies notes: weekly"), skill("notes", "Use it: 'so'")])
def test_what_was_mended_satisfies_the_oracle(shed: Shed, text: str) -> None:
    shed.done(create("notes", text))
    assert skills_ref.validate(shed.root / "notes") == []
