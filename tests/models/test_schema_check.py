"""JSON Schema, as far as tools use it."""

from __future__ import annotations

from typing import Any

import pytest

from gateway.models.schema_check import example, problems, same

TREE: dict[str, Any] = {
    "type": "object",
    "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/kid"}}},
    "$defs": {"kid": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}},
}


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (1, {"type": "integer"}),
        (1.0, {"type": "integer"}),
        (None, {"type": ["string", "null"]}),
        ("a", {"anyOf": [{"type": "integer"}, {"enum": ["a"]}]}),
        ({"x": 1, "more": 2}, {"type": "object", "properties": {"x": {}}}),
        ({"x": 1}, {"additionalProperties": {"type": "integer"}}),
        ({"kids": [{"name": "Ada"}]}, TREE),
        ("anything", {}),
        ("anything", {"type": "no-such-type"}),
        ([1, 1.0], {"const": [1, 1]}),
        ("ab", {"minLength": 2, "maxLength": 2}),
    ],
)
def test_what_fits(value: object, schema: dict[str, Any]) -> None:
    assert problems(value, schema) == []


@pytest.mark.parametrize(
    ("value", "schema", "line"),
    [
        (True, {"type": "integer"}, "the value must be integer, not boolean"),
        (1.5, {"type": "integer"}, "the value must be integer, not number"),
        (1, {"enum": [True, "1"]}, 'the value must be one of true, "1", not 1'),
        (True, {"const": 1}, "the value must be 1"),
        ({}, {"required": ["x"]}, "'x' is missing"),
        ({"y": 1}, {"properties": {"x": {}}, "additionalProperties": False}, "'y' is not an argument (allowed: x)"),
        ({"y": "1"}, {"additionalProperties": {"type": "integer"}}, "'y' must be integer, not string"),
        ({"kids": [{"name": "Ada"}, {}]}, TREE, "'kids[1].name' is missing"),
        ("b", {"anyOf": [{"type": "integer"}, {"enum": ["a"]}]}, "the value must be integer, not string"),
        (
            1,
            {"oneOf": [{"type": "integer"}, {"type": "number"}]},
            "the value fits more than one of the allowed forms",
        ),
        (0, {"minimum": 1}, "the value must be at least 1"),
        ([1, 2], {"maxItems": 1}, "the value must be at most 1 items"),
        ({"x": 1}, {"properties": {"x": False}}, "'x' is not allowed"),
    ],
)
def test_what_does_not_fit_and_why(value: object, schema: dict[str, Any], line: str) -> None:
    assert problems(value, schema) == [line]


def test_a_schema_that_refers_to_itself_ends() -> None:
    loop = {"$ref": "#"}
    deep: dict[str, Any] = {"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#"}}}
    assert problems({}, loop) == []
    assert problems({"next": {}}, deep) == ["'next.next' is missing"]
    assert isinstance(example(deep), dict)


def test_numbers_and_truths_are_not_mixed_up() -> None:
    assert same(1, 1.0)
    assert not same(1, True)
    assert not same([0], [False])
    assert same({"a": [1]}, {"a": [1.0]})
