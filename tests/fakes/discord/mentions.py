"""Whom a message mentions, and whom it pings, by its text and by what its sender allows. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from tests.fakes.discord.faults import invalid

_CODE = re.compile(r"```.*?```|``.+?``|`[^`]+`", re.DOTALL)
_PERSON = re.compile(r"<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_EVERYONE = re.compile(r"@(?:everyone|here)(?![a-z])")
_PARSE = ("everyone", "roles", "users")


@dataclass(frozen=True, slots=True)
class Pings:
    """Who is named in a text (`mentions`), and who hears a sound: everyone, people, roles."""

    mentions: tuple[int, ...] = ()
    everyone: bool = False
    people: tuple[int, ...] = ()
    roles: tuple[int, ...] = ()


def pings(content: str, allowed: dict[str, Any] | None, replied_to: int | None = None) -> Pings:
    """`allowed` is the request's `allowed_mentions`; without it everything in the text pings. Raises Refusal."""
    text = _CODE.sub("", content)
    named = _numbers(_PERSON, text)
    roles = _numbers(_ROLE, text)
    everyone = bool(_EVERYONE.search(text))
    if allowed is None:
        replied = (replied_to,) if replied_to is not None else ()
        return Pings(_joined(named, replied), everyone, _joined(named, replied), roles)
    parse = allowed.get("parse", [])
    _check(allowed, parse)
    replied = (replied_to,) if replied_to is not None and allowed.get("replied_user") else ()
    people = named if "users" in parse else _only(named, allowed.get("users", []))
    heard = roles if "roles" in parse else _only(roles, allowed.get("roles", []))
    # A name that does not ping is no mention either: the one who is named is not told.
    return Pings(_joined(people, replied), everyone and "everyone" in parse, _joined(people, replied), heard)


def mentioned(content: str) -> tuple[int, ...]:
    """Who is named in what a person writes."""
    return _numbers(_PERSON, _CODE.sub("", content))


def _numbers(pattern: re.Pattern[str], text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(int(found) for found in pattern.findall(text)))


def _only(found: tuple[int, ...], listed: list[Any]) -> tuple[int, ...]:
    return tuple(each for each in found if each in {int(one) for one in listed})


def _joined(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _check(allowed: dict[str, Any], parse: list[str]) -> None:
    if any(each not in _PARSE for each in parse):
        raise invalid("allowed_mentions.parse.0", "BASE_TYPE_CHOICES", f"Value must be one of {_PARSE}.")
    for name in ("users", "roles"):
        if name in parse and allowed.get(name):
            words = f'"parse:["{name}"]" and {name}: [ids...] are mutually exclusive.'
            raise invalid(f"allowed_mentions.{name}", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", words)
