"""How a split text reads: where it is cut, and what becomes of code that is cut."""

from __future__ import annotations

import pytest

from platforms.chunking import join, split


def test_nothing_gives_no_parts_and_a_short_text_one() -> None:
    assert split("", 4096, "utf16") == []
    assert split("hello", 4096, "utf16") == ["hello"]
    with pytest.raises(ValueError, match="room for 2"):
        split("hello", 1, "utf16")


def test_paragraphs_come_before_lines_before_sentences_before_words() -> None:
    assert split("a" * 40 + "\n\n" + "b b. b\nb " * 9, 70, "codepoint")[0] == "a" * 40 + "\n\n"
    assert split("a" * 40 + "\n" + "b b. " * 9, 70, "codepoint")[0] == "a" * 40 + "\n"
    assert split("a" * 40 + ". " + "b b " * 9, 70, "codepoint")[0] == "a" * 40 + ". "
    assert split("a" * 40 + " " + "b" * 60, 70, "codepoint")[0] == "a" * 40 + " "


def test_an_early_paragraph_does_not_make_a_stub() -> None:
    first = split("Hi.\n\n" + "word " * 40, 100, "codepoint")[0]
    assert first.startswith("Hi.\n\nword")
    assert 50 < len(first) <= 100


def test_japanese_is_cut_after_a_sentence_with_its_bracket() -> None:
    text = (
        "吾輩は猫である。名前はまだ無い。" * 3
        + "「どこで生れたか。」とんと見当がつかぬ何でも薄暗いじめじめした所で泣いていた"
    )
    assert split(text, 64, "utf16")[0].endswith("生れたか。」")


def test_a_word_that_fits_a_part_stays_whole() -> None:
    parts = split("see https://example.org/" + "x" * 50 + " and go on", 77, "codepoint")
    assert parts[0] == "see https://example.org/" + "x" * 50 + " "


TABLE = "| room | beds |\n|---|---|\n" + "| attic | 2 |\n" * 6


def test_a_table_goes_whole_to_the_next_part() -> None:
    text = "word " * 10 + "\n\n" + TABLE
    assert split(text, 120, "utf16") == ["word " * 10 + "\n\n", TABLE]


def test_a_table_longer_than_a_part_is_cut_between_rows() -> None:
    parts = split("Hi.\n" + TABLE * 3, 120, "utf16")
    assert parts[0] == "Hi.\n" + TABLE[:115].rpartition("\n")[0] + "\n"
    assert all(part.endswith("|\n") for part in parts)
    assert "".join(parts) == "Hi.\n" + TABLE * 3


def test_bars_in_code_are_no_table() -> None:
    text = "word " * 10 + "\n```\n" + TABLE + "```\n"
    assert split(text, 120, "utf16")[0].count("attic") > 0


def test_cut_code_is_closed_and_reopened_with_its_language() -> None:
    text = "Look:\n\n```python\n" + "print('hello')\n" * 20 + "```\nDone."
    parts = split(text, 120, "utf16")
    assert parts[0].startswith("Look:\n\n```python\n")
    for part in parts[:-1]:
        assert part.endswith(("\n```", "\n```\n"))
    for part in parts[1:-1]:
        assert part.startswith("```python\nprint")
    assert parts[-1].endswith("Done.")
    assert join(parts) == text


def test_a_long_line_of_code_is_cut_and_comes_back_as_one_line() -> None:
    text = "```\n" + "x" * 300 + "\n```\n"
    parts = split(text, 100, "utf16")
    assert parts[0] == "```\n" + "x" * 91 + "\n``` "
    assert join(parts) == text


def test_a_block_of_code_is_never_shown_empty() -> None:
    text = "word " * 13 + "\n```py\n" + "x = 1\n" * 12 + "```\nafter"
    parts = split(text, 80, "utf16")
    assert parts[0] == "word " * 13 + "\n"
    assert all("```py\n```" not in part for part in parts)
    exact = "```py\n" + "x = 1\n" * 14 + "```\n" + "after " * 20
    assert split(exact, 98, "utf16")[0] == "```py\n" + "x = 1\n" * 14 + "```\n"


def test_other_fences_inside_a_fence_are_just_text() -> None:
    text = "````md\n```py\n" + "code\n" * 30 + "```\n````\nafter"
    parts = split(text, 90, "utf16")
    assert all(part.endswith("````") for part in parts[:-1])
    assert all(part.startswith("````md\n") for part in parts[1:])
    assert join(parts) == text


def test_a_fence_in_a_list_keeps_its_indentation() -> None:
    text = "1. first\n   ```sh\n" + "   ls\n" * 30 + "   ```\n2. second"
    parts = split(text, 90, "utf16")
    assert parts[1].startswith("   ```sh\n   ls\n")
    assert join(parts) == text


def test_an_open_fence_at_the_end_of_a_growing_text_is_left_open() -> None:
    parts = split("```py\n" + "x = 1\n" * 30, 100, "utf16")
    assert parts[-1].startswith("```py\nx = 1")
    assert not parts[-1].rstrip().endswith("```")
