"""What must hold of recognising calls for every text and every arguments."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from gateway.models.client import ToolSchema
from gateway.models.pieces import joined_halves
from gateway.models.schema_check import example, problems
from gateway.models.screen import CallScreen, ThoughtScreen
from gateway.models.toolcalls import recognise

NOTE = ToolSchema(
    "keep_note",
    "",
    {
        "type": "object",
        "properties": {"content": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
        "required": ["content"],
        "additionalProperties": False,
    },
)
TEXT = st.text(max_size=60)
ARGUMENTS = st.fixed_dictionaries({"content": TEXT}, optional={"tags": st.lists(TEXT, max_size=3)})
PIECES = st.sampled_from(
    [
        "{", "}", "[", "]", '"', ":", ",", "\n", " ", "```", "```json\n", "\n```\n", "<tool_call>", "</tool_call>",
        '{"name": "keep_note"', '"arguments": ', '{"content": "x"}', "keep_note", "(", ")", "prose ", "\\", "é", "😀",
    ]
)  # fmt: skip
SOUP = st.lists(PIECES | st.text(max_size=4), max_size=30).map("".join)
CLOTHES = st.sampled_from(
    [
        "{}",
        "\n{}\n",
        "```json\n{}\n```" + "\n" * 30,
        "<tool_call>\n{}\n</tool_call>",
        "<tool_call>{}",
        "[{}]",
        "```\n{}\n```",
    ]
)


@given(ARGUMENTS, CLOTHES, st.sampled_from(["arguments", "parameters", "args"]), st.booleans(), st.booleans())
def test_a_right_call_is_found_in_any_clothes(
    arguments: dict[str, object], clothes: str, key: str, as_text: bool, escaped: bool
) -> None:
    given_as = json.dumps(arguments) if as_text else arguments
    written = json.dumps({"name": "keep_note", key: given_as}, ensure_ascii=escaped)
    found = recognise(clothes.replace("{}", written), [NOTE])
    assert [call.parsed() for call in found.calls] == [json.loads(joined_halves(json.dumps(arguments)))]
    assert found.misfires == ()
    assert found.rest_of_text == ""


@given(SOUP)
def test_every_call_found_names_the_tool_and_fits(text: str) -> None:
    found = recognise(text, [NOTE])
    for call in found.calls:
        assert call.name == "keep_note"
        assert problems(json.loads(call.arguments), NOTE.parameters) == []
        call.arguments.encode()
    if not found.calls and not found.misfires:
        assert found.rest_of_text == text


@given(SOUP, st.lists(st.integers(1, 12), min_size=1, max_size=40))
def test_screening_in_pieces_never_shows_more_than_was_said(text: str, sizes: list[int]) -> None:
    screen = CallScreen([NOTE])
    given_out, at = "", 0
    while at < len(text):
        size = sizes[at % len(sizes)]
        given_out += screen.feed(text[at : at + size])
        at += size
    letters = iter(text)
    assert all(letter in letters for letter in given_out)  # in order, nothing invented


@given(ARGUMENTS, CLOTHES, st.integers(1, 40), st.booleans())
def test_a_right_call_never_shows_however_it_is_cut(
    arguments: dict[str, object], clothes: str, size: int, escaped: bool
) -> None:
    written = json.dumps({"name": "keep_note", "arguments": arguments}, ensure_ascii=escaped)
    text = clothes.replace("{}", written) + "\nDone."
    screen = CallScreen([NOTE])
    shown = "".join(screen.feed(text[at : at + size]) for at in range(0, len(text), size))
    assert shown.strip() == "Done."
    assert recognise(text, [NOTE]).rest_of_text == "Done."


@given(st.text(alphabet=st.characters(exclude_characters="{[`<~"), max_size=80), st.integers(1, 9))
def test_ordinary_prose_is_never_held_back(text: str, size: int) -> None:
    screen = CallScreen([NOTE])
    shown = "".join(screen.feed(text[at : at + size]) for at in range(0, len(text), size))
    assert shown.rstrip() == text.strip()


@given(st.text(max_size=40), st.text(alphabet="abc \n", max_size=40), st.integers(1, 9))
def test_reasoning_is_hidden_however_it_is_cut(thought: str, answer: str, size: int) -> None:
    text = f"<think>{thought.replace('<', '')}</think>{answer}"
    screen = ThoughtScreen()
    shown = "".join(screen.feed(text[at : at + size]) for at in range(0, len(text), size)) + screen.rest()
    assert shown.lstrip() == answer.lstrip()


SCHEMAS = st.recursive(
    st.sampled_from(
        [{"type": "string"}, {"type": "integer"}, {"type": "boolean"}, {"enum": ["a", 1]}, {"const": None}, {}]
    ),
    lambda inner: (
        st.builds(lambda item: {"type": "array", "items": item, "minItems": 1}, inner)
        | st.builds(lambda one, other: {"anyOf": [one, other]}, inner, inner)
        | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3).map(
            lambda properties: {"type": "object", "properties": properties, "required": list(properties)}
        )
    ),
    max_leaves=6,
)


@given(SCHEMAS)
def test_the_example_shown_to_a_model_fits_the_schema(schema: dict[str, object]) -> None:
    assert problems(example(schema), schema) == []
