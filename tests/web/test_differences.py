"""Texts side by side: nothing is left out, folded runs are unchanged, and what nobody sees is spelt out."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from gateway.web.differences import MOST_LINES, MOST_ROWS, Piece, Pieces, by_words, lengthy, of_file, of_files
from memory.skills.diff import spelt_out
from memory.skills.model import FileChange


def joined(pieces: Iterable[Piece]) -> str:
    return "".join(each.text for each in pieces)


def kept(pieces: Pieces) -> str:
    return "".join(each.text for each in pieces if each.mark == "same")


def changed(before: str | None, after: str | None, path: str = "ops/deploy/SKILL.md") -> FileChange:
    sides = [each.encode() if each is not None else None for each in (before, after)]
    return FileChange(path, sides[0], sides[1], "ops/deploy")


def test_the_words_that_differ_are_marked_and_no_others():
    before, after = by_words("She drinks green tea at four.", "She drinks black tea at four.")
    assert [each.text for each in before if each.mark == "gone"] == ["green"]
    assert [each.text for each in after if each.mark == "new"] == ["black"]


def test_signs_of_scripts_without_spaces_are_compared_one_by_one():
    before, after = by_words("彼は緑茶を飲みます", "彼は紅茶を飲みます")
    assert ([each.text for each in before if each.mark == "gone"], kept(after)) == (["緑"], "彼は茶を飲みます")


def test_texts_that_share_next_to_nothing_are_two_texts():
    before, after = by_words("Runs on port 80.", "Prefers short answers, in German, without lists!")
    assert [each.mark for each in (*before, *after)] == ["gone", "new"]


def test_a_sign_that_turns_letters_round_is_spelt_out():
    before, after = by_words("pay alice", "pay \u202eecila")
    assert (joined(before), joined(after)) == ("pay alice", "pay \\u202eecila")


@given(st.text(max_size=60), st.text(max_size=60))
def test_both_texts_are_whole_and_what_is_the_same_is_the_same_on_both_sides(before, after):
    left, right = by_words(before, after)
    assert (joined(left), joined(right)) == (spelt_out(before), spelt_out(after))
    assert kept(left) == kept(right)


@given(
    st.lists(st.sampled_from(["a", "b", "c d", ""]), max_size=30),
    st.lists(st.sampled_from(["a", "b", ""]), max_size=30),
)
def test_every_line_of_a_file_is_on_the_page_once_and_in_order(before, after):
    shown = of_file(changed("".join(f"{each}\n" for each in before), "".join(f"{each}\n" for each in after)))
    rows = [row for run in shown.runs for row in run.rows]
    assert [joined(row.left) for row in rows if row.old is not None] == before
    assert [joined(row.right) for row in rows if row.new is not None] == after
    assert [row.old for row in rows if row.old is not None] == list(range(1, len(before) + 1))
    assert all(row.kind == "same" for run in shown.runs if run.folded for row in run.rows)


def test_what_is_far_from_every_change_is_folded():
    lines = [f"line {number}\n" for number in range(1, 31)]
    after = [*lines[:14], "another line\n", *lines[15:]]
    shown = of_file(changed("".join(lines), "".join(after)))
    assert [(run.folded, run.rows[0].old, run.rows[-1].old) for run in shown.runs] == [
        (True, 1, 11),
        (False, 12, 18),
        (True, 19, 30),
    ]
    assert (shown.added, shown.taken, shown.sides) == (1, 1, 2)


def test_a_new_file_and_one_that_goes_have_one_side():
    new, gone = of_file(changed(None, "one\ntwo\n")), of_file(changed("one\n", None))
    assert (new.fate, new.sides, new.added, new.taken) == ("new", 1, 2, 0)
    assert (gone.fate, gone.sides, gone.added, gone.taken) == ("removed", 1, 0, 1)


def test_what_no_line_shows_is_said():
    ends = of_file(changed("one\ntwo\n", "one\r\ntwo"))
    assert ends.notes == (
        "Lines that end with a carriage return have ␍ at their end.",
        "The last line has no line end after.",
    )
    picture = FileChange("ops/deploy/assets/a.png", None, b"\xff\xfe\x00", "ops/deploy")
    assert of_file(picture).notes == ("It is no text: nothing before, 3 bytes after.",)
    assert of_file(changed(None, "")).notes == ("The file is empty after.",)


def test_what_is_too_long_to_compare_is_there_all_the_same():
    before = "".join(f"old {number}\n" for number in range(MOST_LINES))
    shown = of_file(changed(before, "new\n"))
    assert (shown.added, shown.taken) == (1, MOST_LINES)
    assert shown.notes == ("It is too long to compare: all of both texts follows.",)


def test_of_a_long_file_only_what_lies_between_the_same_ends_is_compared():
    lines = [f"line {number}\n" for number in range(3 * MOST_LINES)]
    after = [*lines[:4000], "another line\n", *lines[4001:]]
    shown = of_file(changed("".join(lines), "".join(after)))
    assert (shown.added, shown.taken, shown.notes) == (1, 1, ())
    assert [run.folded for run in shown.runs] == [True, False, True]
    assert sum(len(run.rows) for run in shown.runs) == 3 * MOST_LINES


def test_made_up_lines_do_not_take_ages_to_compare():
    words = " ".join(f"a x{number}" for number in range(90))
    before = "".join(f"{number} {words}\n" for number in range(200))
    shown = of_file(changed(before, before.replace("x", "y")))
    rows = [row for run in shown.runs for row in run.rows]
    assert len(rows) == 200
    assert {len(row.left) for row in rows[-50:]} == {1}
    assert all(joined(row.left) == spelt_out(before.split("\n")[at]) for at, row in enumerate(rows))


def test_made_up_words_do_not_take_ages_to_compare():
    before, after = by_words(".!" * 900, "!.." * 66)  # few words, and each of them fits hundreds of others
    assert [(joined(each), [piece.mark for piece in each]) for each in (before, after)] == [
        (".!" * 900, ["gone"]),
        ("!.." * 66, ["new"]),
    ]
    shown = of_file(changed(".\n!\n" * 1400, "!\n.\n.\n" * 33))
    assert shown.notes == ("It is too long to compare: all of both texts follows.",)


def test_a_file_of_very_many_lines_is_whole_and_does_not_become_as_many_rows():
    text = "a\n" * (MOST_ROWS + 1)
    for shown in (of_file(changed(None, text)), of_file(changed(text, f"b\n{text}")), of_file(changed(text, None))):
        rows = [row for run in shown.runs for row in run.rows]
        assert len(rows) <= 2
        assert any(side.count("a\n") == MOST_ROWS for row in rows for side in map(joined, (row.left, row.right)))
        assert "It has too many lines to be shown one by one: all of it follows." in shown.notes
    assert (of_file(changed(None, text)).added, of_file(changed(text, None)).taken) == (MOST_ROWS + 1, MOST_ROWS + 1)


def test_the_files_of_one_change_share_the_room_for_lines():
    many = [changed(None, "a\n" * MOST_ROWS, f"ops/deploy/references/{number}.md") for number in range(5)]
    assert sum(len(run.rows) for shown in of_files(many) for run in shown.runs) == MOST_ROWS + 4
    assert lengthy(many)
    assert lengthy([changed(None, "x" * 500_000)])
    assert not lengthy([changed("a\n" * 100, "b\n" * 100)])
