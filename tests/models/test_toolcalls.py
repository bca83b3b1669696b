"""Tool calls as small models write them."""

from __future__ import annotations

import json

import pytest

from gateway.models.client import ToolCall, ToolSchema
from gateway.models.toolcalls import recognise, validate

MEMORY = ToolSchema(
    "memory",
    "Keep what matters.",
    {
        "type": "object",
        "properties": {
            "target": {"type": "string", "enum": ["memory", "user"]},
            "action": {"type": "string", "enum": ["add", "patch", "remove"]},
            "content": {"type": "string"},
            "old_text": {"type": "string"},
            "operations": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"action": {"type": "string"}, "content": {"type": "string"}},
                    "required": ["action"],
                },
            },
        },
        "required": ["target"],
        "additionalProperties": False,
    },
)
SEARCH = ToolSchema(
    "session_search", "Look things up.", {"type": "object", "properties": {"query": {"type": "string"}}}
)
TOOLS = (MEMORY, SEARCH)
RIGHT = '{"target":"user","action":"add","content":"likes tea"}'
WRITTEN = '{"name": "memory", "arguments": {"target": "user", "action": "add", "content": "likes tea"}}'


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN,
        f"\n\n  {WRITTEN}  \n",
        f"```json\n{WRITTEN}\n```" + "\n" * 60,
        f"```json\n{WRITTEN}" + "\n" * 60,
        f"```\n{WRITTEN}\n```",
        f"```tool_call\n{WRITTEN}\n```",
        f"```json\n{WRITTEN}```",
        f"<tool_call>\n{WRITTEN}\n</tool_call>",
        f"<tool_call>{WRITTEN}",
        f"<tool_call>\n```json\n{WRITTEN}\n```\n</tool_call>",
        f"```json\n<tool_call>{WRITTEN}</tool_call>\n```",
        f"<function_call>{WRITTEN}</function_call>",
        f"[TOOL_CALLS][{WRITTEN}]",
        f"<|python_tag|>{WRITTEN}",
        f"[{WRITTEN}]",
        '<function=memory>{"target": "user", "action": "add", "content": "likes tea"}</function>',
        WRITTEN.replace('"arguments"', '"parameters"'),
        WRITTEN.replace('"arguments"', '"args"'),
        WRITTEN.replace('"name": "memory"', '"name": "Memory"'),
        WRITTEN.replace('"name": "memory"', '"tool": "MEMORY"'),
        WRITTEN.replace('"name": "memory"', '"name": "functions.memory"'),
        '{"type": "function", "function": ' + WRITTEN + "}",
        '{"function": ' + WRITTEN + "}",
        '{"tool_calls": [{"id": "1", "type": "function", "function": ' + WRITTEN + "}]}",
        '{"name": "memory", "arguments": ' + json.dumps(RIGHT) + "}",
        '{"function": "memory", "arguments": ' + json.dumps(RIGHT) + "}",
        '{"name": "memory", "target": "user", "action": "add", "content": "likes tea"}',
        '{"memory": {"target": "user", "action": "add", "content": "likes tea"}}',
        WRITTEN.replace('"content"', '"new_text"'),
        WRITTEN.replace('"content"', '"newString"'),
        WRITTEN.replace('"content"', '"Content"'),
        WRITTEN.replace("}}", ', "old_text": null}}'),
        WRITTEN[:-1],
        WRITTEN + "}",
        '{"arguments": {"target": "user", "action": "add", "content": "likes tea"}, "name": "memory"}',
    ],
)
def test_one_call_in_many_clothes(text: str) -> None:
    found = recognise(text, TOOLS)
    assert found.misfires == ()
    assert [(call.name, call.arguments) for call in found.calls] == [("memory", RIGHT)]
    assert found.rest_of_text == ""


def test_several_calls_in_one_text_and_the_words_around_them() -> None:
    second = '{"name": "session_search", "arguments": {"query": "tea"}}'
    found = recognise(f"I will note that.\n\n{WRITTEN}\n\nAnd look:\n```json\n{second}\n```\nDone.", TOOLS)
    assert [call.name for call in found.calls] == ["memory", "session_search"]
    assert len({call.id for call in found.calls}) == 2
    assert found.rest_of_text == "I will note that.\n\nAnd look:\n\nDone."


def test_calls_one_after_another_in_one_fence() -> None:
    found = recognise(f"```json\n{WRITTEN}\n{WRITTEN}\n```", TOOLS)
    assert len(found.calls) == 2


def test_aliases_reach_into_lists() -> None:
    text = '{"name": "memory", "arguments": {"target": "user", "operations": [{"action": "add", "new_text": "x"}]}}'
    [call] = recognise(text, TOOLS).calls
    assert call.parsed()["operations"] == [{"action": "add", "content": "x"}]


def test_an_alias_never_replaces_what_was_said_properly() -> None:
    text = '{"name": "memory", "arguments": {"target": "user", "content": "a", "new_text": "b"}}'
    [line] = recognise(text, TOOLS).misfires
    assert "new_text" in line


@pytest.mark.parametrize(
    "text",
    [
        "Good morning.",
        'Here is your file:\n```json\n{"name": "Anna", "age": 3}\n```',
        '{"name": "Anna", "parameters": {"height": 3}, "city": "Bern"}',
        '{"query": "tea"}',
        '{"id": 1, "type": "memory"}',
        "[1, 2, 3]",
        'Use `{"name": "memory", "arguments": {"target": "user"}}` to save.',
        f"```python\ncall = {WRITTEN}\n```",
        "Set {x | x > 0} and {y}.",
        '{"name": "memory of a king"}',
        "memory (the human kind) fades",
        '{"broken": ',
        "```json\n{not json}\n```",
        "{" * 500,
        "[" * 5000,
        '{"a":' * 3000,
    ],
)
def test_text_that_is_no_call_comes_back_unchanged(text: str) -> None:
    found = recognise(text, TOOLS)
    assert found.calls == ()
    assert found.misfires == ()
    assert found.rest_of_text == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"name": "memory", "arguments": {"target": "attic"}}', "'target' must be one of"),
        ('{"name": "memory", "arguments": {"action": "add"}}', "'target' is missing"),
        ('{"name": "memory", "arguments": {"target": null}}', "'target' must be string, not null"),
        ('{"name": "memory", "arguments": {"target": "user", "colour": 1}}', "'colour' is not an argument"),
        ('{"name": "memory", "arguments": "target user"}', "not a JSON object"),
        ('{"name": "memry", "arguments": {"target": "user"}}', "no tool named 'memry'"),
        ("<tool_call>remember it</tool_call>", "could not be read"),
        ('<tool_call>{"target": "user"}</tool_call>', "names no tool"),
        ('{"target": "user", "action": "add"}', "must name the tool"),
        ('{"name": "memory", "arguments": {"target": "user", "content": "a" "b"}}', "could not be read"),
        ('memory(target="user", action="add")', "must be written as JSON"),
    ],
)
def test_what_looks_like_a_call_and_is_none_is_answered_with_the_right_one(text: str, said: str) -> None:
    found = recognise(text, TOOLS)
    assert found.calls == ()
    assert found.rest_of_text == ""
    [line] = found.misfires
    assert said in line
    assert 'A right call: {"name": "memory", "arguments": {"target": "memory"}}' in line


def test_a_cut_answer_is_not_completed_by_guessing() -> None:
    found = recognise(WRITTEN[:-1], TOOLS, complete=False)
    assert found.calls == ()
    assert len(found.misfires) == 1


def test_without_tools_nothing_is_a_call() -> None:
    assert recognise(WRITTEN, ()).rest_of_text == WRITTEN


def test_native_calls_are_validated_as_well() -> None:
    calls = [
        ToolCall("a", "MEMORY", '{"target": "user"}'),
        ToolCall("b", "session-search", ""),
        ToolCall("c", "session_search", '"{\\"query\\": \\"tea\\"}"'),
        ToolCall("d", "memory", '{"target": "us'),
        ToolCall("e", "launch", "{}"),
    ]
    found = validate(calls, TOOLS)
    assert [(call.id, call.name, call.arguments) for call in found.calls] == [
        ("a", "memory", '{"target":"user"}'),
        ("b", "session_search", "{}"),
        ("c", "session_search", '{"query":"tea"}'),
    ]
    assert len(found.misfires) == 2


def test_two_tools_alike_but_for_case_are_never_confused() -> None:
    tools = (ToolSchema("note", "", {"type": "object"}), ToolSchema("No-te", "", {"type": "object"}))
    assert recognise('{"name": "NOTE", "arguments": {}}', tools).calls == ()
    assert [call.name for call in recognise('{"name": "No-te", "arguments": {}}', tools).calls] == ["No-te"]


def test_half_a_surrogate_pair_in_an_argument_does_not_travel_on() -> None:
    [call] = recognise('{"name": "session_search", "arguments": {"query": "\\ud83d x"}}', TOOLS).calls
    assert call.arguments == '{"query":"� x"}'


def test_not_a_number_is_not_json() -> None:
    assert recognise('{"name": "session_search", "arguments": {"query": NaN}}', TOOLS).calls == ()


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        (WRITTEN, "json"),
        (f"```json\n{WRITTEN}\n```", "fence"),
        (f"<tool_call>{WRITTEN}</tool_call>", "tag"),
        ("Good morning.", ""),
        ("<tool_call>oops</tool_call>", ""),
    ],
)
def test_the_shape_of_a_call_is_told(text: str, shape: str) -> None:
    assert recognise(text, TOOLS).shape == shape
