"""What is printed when, while messages are still being written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from platforms.console.render import Painter, settled, wrapped
from platforms.console.scroll import Scroll
from platforms.messages import Button

UNDO = ((Button("Undo", "/memory undo"),),)


def scroll() -> Scroll:
    return Scroll(Painter(lambda: 80, colour=False))


def test_whole_blocks_are_printed_and_the_rest_is_held_back() -> None:
    screen = scroll()
    assert screen.message("m1", "One.", ()) == ""
    assert screen.edit("m1", "One.\n\nTw", ()) == "One.\n\n"
    assert screen.tail == "Tw"
    assert screen.edit("m1", "One.\n\nTwo.", ()) == ""
    assert screen.finish() == "Two.\n\n"
    assert screen.tail == ""


def test_code_and_indented_blocks_wait_until_they_are_whole() -> None:
    code = "```py\na = 1\n\nb = 2\n"
    assert settled(code) == 0
    assert settled(code + "```\n\nNext") == len(code) + len("```\n\n")
    assert settled("1. one\n\n   more of one") == 0


def test_a_message_that_asks_is_printed_at_once_with_its_choices() -> None:
    screen = scroll()
    screen.message("m1", "Working", ())
    assert screen.message("m2", "Save it?", UNDO) == "Working\n\nSave it?\n\n[1] Undo\n"
    chosen = screen.chosen("undo")
    assert chosen is not None
    assert (chosen.button.action, chosen.message_id) == ("/memory undo", "m2")


def test_choices_end_with_the_next_message_an_edit_or_another_word() -> None:
    screen = scroll()
    screen.message("m1", "Saved.", UNDO)
    assert screen.edit("m1", "Saved. Undone.", ()) == " Undone.\n\n"
    assert screen.chosen("1") is None
    screen.message("m2", "Saved.", UNDO)
    screen.said()
    assert screen.chosen("1") is None
    screen.message("m3", "Saved.", UNDO)
    screen.message("m4", "Pick 1 or 2.", ())
    assert screen.chosen("1") is None


def test_a_rewritten_message_is_printed_again_and_said_to_be() -> None:
    screen = scroll()
    screen.message("m1", "Wrong.\n\nMore", ())
    assert screen.edit("m1", "Right.", ()) == "(rewritten)\n"
    assert screen.finish() == "Right.\n\n"
    assert screen.edit("m1", "Right.", ()) == ""
    assert screen.edit("m1", "Quite different.", ()) == "Quite different.\n\n"


def test_a_message_taken_back_before_it_was_printed_leaves_no_trace() -> None:
    screen = scroll()
    screen.message("m1", "draft", ())
    assert screen.delete("m1") == ""
    assert screen.finish() == ""
    screen.message("m2", "said", ())
    screen.finish()
    assert screen.delete("m2") == "(withdrawn)\n"
    assert screen.delete("m2") == ""


def test_an_edit_of_a_message_from_before_is_a_new_message() -> None:
    screen = scroll()
    assert screen.edit("before-7", "The whole.", ()) == ""
    assert screen.finish() == "The whole.\n\n"


@given(st.lists(st.sampled_from(["a ", "word", "\n", "\n\n", "```\n", "- ", "  ", "漢"]), max_size=40), st.data())
def test_however_a_text_grows_every_word_is_printed_once(pieces: list[str], data: st.DataObject) -> None:
    text = "".join(pieces)
    screen = scroll()
    printed = screen.message("m1", "", ())
    for end in [*sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6))), len(text)]:
        printed += screen.edit("m1", text[:end], ())
    printed += screen.finish()
    assert printed.split() == text.split()


def test_the_tail_is_wrapped_by_cells_not_characters() -> None:
    assert wrapped("漢字かな", 4, 5) == ["漢字", "かな"]
    assert wrapped("abcdef\ng", 4, 2) == ["ef", "g"]


def test_lines_of_a_message_stay_lines_when_they_are_painted() -> None:
    painted = Painter(lambda: 40, colour=True).markdown("one\ntwo\n\n- item")
    assert [line.strip() for line in painted.splitlines() if "one" in line or "two" in line] == ["one", "two"]
