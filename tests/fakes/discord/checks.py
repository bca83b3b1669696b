"""What a message may hold, with the words in which Discord refuses it. Pure."""

from __future__ import annotations

import copy
import itertools
import mimetypes
import re
import secrets
import unicodedata
from typing import Any

from tests.fakes.discord.faults import Refusal, bad_length, invalid, too_long
from tests.fakes.discord.form import Given, Upload
from tests.fakes.discord.shapes import LARGEST_FILE

LONGEST = 2000
"""Code points of a message's content."""

LONGEST_NONCE = 25
MOST_FILES = 10
COMPONENTS_V2 = 1 << 15
ROW, BUTTON = 1, 2
LINK = 5
_BORDERS: tuple[str, ...] = ("before", "after", "around")


def content(given: dict[str, Any]) -> str:
    """The text of a message, without white space at its ends, as Discord keeps it. Raises Refusal."""
    text = given.get("content")
    if text is None:
        return ""
    if not isinstance(text, str):
        raise invalid("content", "STRING_TYPE_CONVERT", "Could not interpret value as string.")
    if len(text) > LONGEST:
        raise too_long("content", LONGEST)
    return text.strip()


def nonce(given: dict[str, Any]) -> str | None:
    value = given.get("nonce")
    if value is None:
        return None
    if len(str(value)) > LONGEST_NONCE:
        raise too_long("nonce", LONGEST_NONCE)
    return str(value)


def not_empty(text: str, given: dict[str, Any], files: tuple[Upload, ...]) -> None:
    if (
        not text
        and not files
        and not any(given.get(name) for name in ("embeds", "sticker_ids", "components", "poll"))
    ):
        raise Refusal(400, 50006, "Cannot send an empty message")


def files(given: Given) -> list[tuple[Upload, str, str]]:
    """Each file with its media type and description. Raises Refusal for too many, and for too large."""
    if len(given.files) > MOST_FILES:
        raise invalid("files", "BASE_TYPE_MAX_LENGTH", f"Must be {MOST_FILES} or fewer in length.")
    if sum(len(each.data) for each in given.files) > LARGEST_FILE:
        raise Refusal(413, 40005, "Request entity too large")
    told = {str(each.get("id")): each for each in given.json.get("attachments", []) or []}
    return [
        (
            Upload(each.slot, cleansed(str(told.get(str(each.slot), {}).get("filename", each.name))), each.data),
            mimetypes.guess_type(each.name)[0] or "application/octet-stream",
            str(told.get(str(each.slot), {}).get("description") or ""),
        )
        for each in given.files
    ]


def cleansed(name: str) -> str:
    """A bot's file name as Discord keeps it: words joined by underscores, without any sign that is not ASCII, none of
    these at the ends; something random when little is left."""
    plain = unicodedata.normalize("NFKD", name.replace("/", " ")).encode("ascii", "ignore").decode()
    kept = re.sub(r"[^A-Za-z0-9_.-]", "", "_".join(plain.split())).strip("._")
    return kept if kept.partition(".")[0] and "." in kept else f"{secrets.token_hex(4)}.{kept or 'bin'}"


def embeds(given: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = given.get("embeds") or []
    if len(found) > 10:
        raise too_long("embeds", 10)
    for at, each in enumerate(found):
        for name, longest in (("title", 256), ("description", 4096)):
            if len(each.get(name) or "") > longest:
                raise too_long(f"embeds.{at}.{name}", longest)
    if sum(len(each.get("title") or "") + len(each.get("description") or "") for each in found) > 6000:
        raise invalid("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000")
    return [{"type": "rich", **each} for each in found]


def components(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows of buttons and menus, checked; each gets the id that Discord gives it. Raises Refusal."""
    rows: list[dict[str, Any]] = copy.deepcopy(given.get("components") or [])
    _number(rows, itertools.count(1))
    if int(given.get("flags") or 0) & COMPONENTS_V2:
        return rows
    if len(rows) > 5:
        raise bad_length("components", 5)
    taken: set[str] = set()
    for at, row in enumerate(rows):
        where = f"components.{at}"
        if row.get("type") != ROW:
            raise invalid(f"{where}.type", "BASE_TYPE_CHOICES", "Value must be one of {1}.")
        inside = row.get("components") or []
        if not 1 <= len(inside) <= 5:
            raise bad_length(f"{where}.components", 5)
        for number, each in enumerate(inside):
            _component(each, f"{where}.components.{number}", taken)
    return rows


def _number(rows: list[dict[str, Any]], numbers: itertools.count[int]) -> None:
    for each in rows:
        each.setdefault("id", next(numbers))
        _number(each.get("components") or [], numbers)


def _component(one: dict[str, Any], where: str, taken: set[str]) -> None:
    name = one.get("custom_id")
    if one.get("type") == BUTTON:
        if len(one.get("label") or "") > 80:
            raise too_long(f"{where}.label", 80)
        if not one.get("label") and not one.get("emoji"):
            raise invalid(f"{where}.label", "BUTTON_COMPONENT_LABEL_REQUIRED", "A button needs a label or an emoji")
        if one.get("style") not in range(1, 7):
            raise invalid(f"{where}.style", "BASE_TYPE_CHOICES", "Value must be one of {1, 2, 3, 4, 5, 6}.")
        if one["style"] == LINK:
            if name or not one.get("url"):
                raise invalid(f"{where}.url", "BASE_TYPE_REQUIRED", "This field is required")
            return
    if not name:
        raise invalid(f"{where}.custom_id", "BASE_TYPE_REQUIRED", "This field is required")
    if len(name) > 100:
        raise bad_length(f"{where}.custom_id", 100)
    if name in taken:
        words = "Component custom id cannot be duplicated"
        raise invalid(f"{where}.custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED", words)
    taken.add(name)


def page(query: dict[str, str]) -> tuple[int, dict[str, int]]:
    """The limit and the borders of a look into history. Raises Refusal."""
    try:
        limit = int(query.get("limit", 50))
        borders: dict[str, int] = {name: int(query[name]) for name in _BORDERS if name in query}
    except ValueError:
        raise invalid("limit", "NUMBER_TYPE_COERCE", "Value is not snowflake.") from None
    if not 1 <= limit <= 100:
        code = "NUMBER_TYPE_MAX" if limit > 100 else "NUMBER_TYPE_MIN"
        raise invalid("limit", code, "int value should be between 1 and 100.")
    return limit, borders
