"""What is wrong with a value, in plain words, from what pydantic reports."""

from __future__ import annotations

from pydantic_core import ErrorDetails

from platforms.settings import described


def wording(detail: ErrorDetails, secret: bool = False) -> str:
    """One line: what is wrong and what is allowed. A secret's value is never part of it."""
    context = detail.get("ctx", {})
    given = "what is written" if secret else described(detail["input"])
    match detail["type"]:
        case "value_error":
            return str(context["error"])
        case "literal_error":
            return f"must be {context['expected'].replace(chr(39), '')}, not {given}"
        case "int_type" | "int_from_float" | "int_parsing":
            return f"must be a whole number (without quotes), not {given}"
        case "greater_than_equal":
            return f"must be {context['ge']} or more, not {given}"
        case "less_than_equal":
            return f"must be {context['le']} or less, not {given}"
        case "string_type":
            return f"must be text, not {given}; put it in quotes"
        case "model_type" | "dict_type" | "model_attributes_type":
            return f"must be a group of keys, not {given}"
        case "missing":
            return "is required"
        case _:
            return detail["msg"]
