"""The diff that a person reads before saying yes."""

from __future__ import annotations

import pytest

from memory.skills.diff import counts, unified
from memory.skills.draft import drafted
from memory.skills.model import FileChange, SkillAction


def one(before: bytes | None, after: bytes | None, path: str = "ops/deploy/SKILL.md") -> str:
    return unified(drafted([FileChange(path, before, after, "ops/deploy")], [SkillAction.PATCH]))


def test_a_change_is_shown_with_its_surroundings() -> None:
    assert one(b"a\nb\nc\n", b"a\nB\nc\n") == (
        "--- a/ops/deploy/SKILL.md\n+++ b/ops/deploy/SKILL.md\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
    )


def test_new_and_removed_files_come_from_nothing_and_go_there() -> None:
    assert one(None, b"a\n") == "--- /dev/null\n+++ b/ops/deploy/SKILL.md\n@@ -0,0 +1 @@\n+a\n"
    assert one(b"a\n", None) == "--- a/ops/deploy/SKILL.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
    assert one(None, b"") == "--- /dev/null\n+++ b/ops/deploy/SKILL.md\n(an empty file)\n"


def test_a_missing_end_of_line_is_told() -> None:
    assert one(b"a", b"a\n").endswith("-a\n\\ No newline at end of file\n+a\n")


def test_other_line_ends_are_no_ends() -> None:
    assert one("a\u2028b\n".encode(), "a\u2028c\n".encode()).count("\n") == 5


@pytest.mark.parametrize(
    ("sign", "seen"),
    [
        ("\U000e0041", "\\U000e0041"),
        ("\u202e", "\\u202e"),
        ("\u200b", "\\u200b"),
        ("\u3164", "\\u3164"),
        ("\u2028", "\\u2028"),
        ("\x1b", "\\u001b"),
        ("\r", "\\u000d"),
    ],
)
def test_signs_that_nobody_sees_are_spelt_out(sign: str, seen: str) -> None:
    shown = one(b"a\n", f"a{sign}b\n".encode())
    assert f"+a{seen}b\n" in shown
    assert sign not in shown


def test_signs_with_a_reason_stay_as_they_are() -> None:
    text = "\U0001f469\u200d\U0001f4bb, \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645\r\n\tcaf\u00e9\n"
    assert one(None, text.encode()).endswith("+" + "\n+".join(text.removesuffix("\n").split("\n")) + "\n")


def test_what_is_no_text_is_told_by_its_size() -> None:
    assert one(b"\xff", None, "ops/deploy/a.png").endswith(
        "ops/deploy/a.png is no text: 1 bytes before, nothing after\n"
    )


def test_what_is_put_away_comes_first() -> None:
    gone = FileChange("notes/SKILL.md", b"a\n", None, "notes")
    draft = drafted([gone], [SkillAction.DELETE], ["notes"], {"notes/SKILL.md": "1", "notes/assets/a": "2"})
    assert unified(draft).startswith("notes/ is put away with 2 files\n--- a/notes/SKILL.md\n")


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (None, b"a\nb\n", (2, 0)),
        (b"a\nb\n", None, (0, 2)),
        (b"a\nb\nc\n", b"a\nx\ny\nc\n", (2, 1)),
        (b"a\n", b"a\n", (0, 0)),
        (b"", b"a", (1, 0)),
        (b"a\nb\n", b"b\na\n", (1, 1)),
    ],
)
def test_lines_are_counted(before: bytes | None, after: bytes | None, told: tuple[int, int]) -> None:
    assert counts(before, after) == told


def test_a_very_long_file_is_counted_and_shown_all_the_same() -> None:
    before = b"".join(b"%d\n" % number for number in range(8000))
    after = b"".join(b"%d\n" % number for number in range(1, 8001))
    assert counts(before, after) == (1, 1)
    shown = one(before, after)
    assert "too long to compare" in shown
    assert shown.count("\n") == 16_003
