"""What a person sees while an answer streams."""

from __future__ import annotations

import pytest

from gateway.models.client import ToolSchema
from gateway.models.screen import CallScreen, ThoughtScreen

NOTE = ToolSchema("note", "", {"type": "object", "properties": {"content": {"type": "string"}}})
CALL = '{"name": "note", "arguments": {"content": "tea"}}'


def steps(*pieces: str) -> list[str]:
    screen = CallScreen([NOTE])
    return [screen.feed(piece) for piece in pieces]


def test_prose_passes_at_once() -> None:
    assert steps("Good", " day ", "there.\n", "How") == ["Good", " day ", "there.\n", "How"]


def test_the_beginning_of_a_call_waits_and_a_call_never_shows() -> None:
    assert steps("{", '"na', 'me": "no', 'te", "arguments": {"content": "tea"}', "}", "\n", "Saved?") == [
        "", "", "", "", "", "", "Saved?",
    ]  # fmt: skip


def test_an_object_that_is_no_call_shows_once_that_is_clear() -> None:
    assert steps("{", '"hu', 'e": 1', "}") == ["", '{"hu', 'e": 1', "}"]
    assert steps("{", '"name": "Anna"', ', "age": 3', "}", " ok") == [
        "", "", "", '{"name": "Anna", "age": 3}', " ok",
    ]  # fmt: skip
    assert steps("{x", " | x > 0}") == ["{x", " | x > 0}"]


def test_a_fence_waits_until_its_language_and_first_key_are_known() -> None:
    assert steps("`", "``py", "thon\nx = 1\n", "```\n") == ["", "```py", "thon\nx = 1\n", "```\n"]
    assert steps("```", "json", "\n", '{"colour"', ": 1}\n```") == ["", "", "", '```json\n{"colour"', ": 1}\n```"]
    assert steps("```json\n", CALL, "\n```", "\nDone") == ["", "", "", "Done"]


def test_tags_wait_from_their_first_letter() -> None:
    assert steps("<", "tool_", "call>", CALL, "</tool_call>", " Done") == ["", "", "", "", "", "Done"]
    assert steps("<", "b>bold</b>") == ["", "<b>bold</b>"]


def test_a_call_after_some_words_is_held_from_the_start_of_its_line() -> None:
    shown = steps("I note that.\n\n", CALL[:20], CALL[20:], "\n\nDone.")
    assert [piece.strip() for piece in shown] == ["I note that.", "", "", "Done."]


def test_code_for_the_reader_is_not_held_though_it_looks_like_a_call() -> None:
    text = f"```python\n{CALL}\n```\n"
    assert "".join(steps("```python\n", CALL, "\n```\n")) == text


def test_without_tools_nothing_is_held() -> None:
    assert CallScreen([]).feed(CALL) == CALL


@pytest.mark.parametrize("tag", ["think", "thinking", "THINK"])
def test_reasoning_in_tags_is_taken_off(tag: str) -> None:
    screen = ThoughtScreen()
    shown = [screen.feed(piece) for piece in (f"\n<{tag[:2]}", f"{tag[2:]}>hm", f" hm</{tag}>", "\n\nYes")]
    assert "".join(shown).strip() == "Yes"


def test_reasoning_later_in_the_text_is_text() -> None:
    screen = ThoughtScreen()
    assert screen.feed("The tag <think> opens.") == "The tag <think> opens."


def test_what_was_only_nearly_a_tag_is_given_back_at_the_end() -> None:
    screen = ThoughtScreen()
    assert screen.feed("<thin") == ""
    assert screen.rest() == "<thin"
    assert screen.rest() == ""
