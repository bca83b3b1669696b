"""The kinds of value that platforms' settings are made of: sections, allowlists, switches, addresses.

Each platform describes its own part of config.yaml with these; gateway/config uses the same kinds for the rest.
Reading the file, naming lines and expanding variables belong to gateway/config.
"""

from __future__ import annotations

from typing import Annotated, Any, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, PlainSerializer, model_validator

ANYONE = "*"
"""The allowlist entry that lets everybody in; it holds only when somebody wrote it."""


class Section(BaseModel):
    """A part of config.yaml: unknown keys are errors, types are exact, and nothing changes after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _nothing_written(cls, data: object) -> object:
        """A group whose keys are all commented out is an empty group."""
        if data is None:
            return {}
        if not isinstance(data, dict):
            return data
        groups = {name for name, field in cls.model_fields.items() if get_origin(field.annotation) is dict}
        return {key: value for key, value in data.items() if value is not None or key not in groups}


def described(value: object) -> str:
    """A wrong value in words, short enough for one line."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case str():
            return f"the text '{value if len(value) <= 40 else value[:39] + '…'}'"
        case list() | tuple():
            return "a list"
        case _:
            return "a group of keys"


def _identity(value: object) -> str:
    """One id, as stripped text. Numbers and text are the same id; true, false and fractions are none."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(f"{described(value)} is no id; ids are numbers or text")
    text = str(value).strip()
    if not text:
        raise ValueError("an empty id lets nobody in; remove it, or write the id")
    if text[0] in "[{" or "," in text:
        raise ValueError(f"'{text}' is no id; write the list without quotes: [111, 222]")
    return text


def _identities(value: object) -> tuple[str, ...]:
    """A list of ids; nothing written is an empty list."""
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise ValueError(f"must be a list such as [111, 222], not {described(value)}")
    seen: dict[str, None] = {}
    for number, item in enumerate(value):
        try:
            seen[_identity(item)] = None
        except ValueError as error:
            raise ValueError(f"item {number + 1}: {error}") from None
    return tuple(seen)


Allowlist = Annotated[tuple[str, ...], BeforeValidator(_identities)]
"""Ids as stripped text, without repetitions; `*` stands for everybody, and only when it was written."""


def _text_items(value: object) -> object:
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise ValueError(f"must be a list such as [one, two], not {described(value)}")
    for item in value:
        if not isinstance(item, str) or not item.strip():
            raise ValueError(f"each item must be text, not {described(item)}")
    return tuple(item.strip() for item in value)


Texts = Annotated[tuple[str, ...], BeforeValidator(_text_items)]
"""A list of texts."""


def _truth(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError(f"must be true or false (without quotes), not {described(value)}")


Truth = Annotated[bool, BeforeValidator(_truth)]
"""true or false, and no text that looks like it."""


def _on_off(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("on", "off"):
        return value == "on"
    raise ValueError(f"must be on or off, not {described(value)}")


OnOff = Annotated[bool, BeforeValidator(_on_off), PlainSerializer(lambda on: "on" if on else "off", when_used="json")]
"""`on` or `off`, bare or quoted; true and false mean the same."""


def address(*schemes: str) -> Any:
    """A validator for an address with one of these schemes; a trailing slash is dropped."""

    def check(value: str) -> str:
        start, _, rest = value.partition("://")
        if start not in schemes or not rest.strip("/") or any(character.isspace() for character in value):
            allowed = " or ".join(f"{scheme}://" for scheme in schemes)
            raise ValueError(f"must be an address that starts with {allowed}")
        return value.rstrip("/")

    return AfterValidator(check)


def _secret(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty; write the secret, or null")
    return value.strip()


Secret = Annotated[str, AfterValidator(_secret)]
"""A token, key or password; blanks around it come from pasting and are dropped."""


WebAddress = Annotated[str, address("http", "https")]
SocketAddress = Annotated[str, address("ws", "wss")]
