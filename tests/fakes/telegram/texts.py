"""What the real server checks in a text and its entities: limits in UTF-16 units, ranges, surrogate pairs. Pure."""

from __future__ import annotations

from typing import Any

from tests.fakes.telegram.faults import bad

LONGEST_TEXT = 4096
LONGEST_CAPTION = 1024

KINDS = {
    *("mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number", "bold", "italic", "underline"),
    *("strikethrough", "spoiler", "code", "pre", "text_link", "text_mention", "blockquote", "expandable_blockquote"),
    *("custom_emoji", "date_time"),
}

Entities = list[dict[str, Any]]


def units(text: str) -> int:
    """UTF-16 code units. People's clients may send half of a pair; a bot's text was checked before."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def within(text: str, entity: dict[str, Any]) -> str:
    """The part of the text that an entity covers."""
    raw = text.encode("utf-16-le")
    return raw[entity["offset"] * 2 : (entity["offset"] + entity["length"]) * 2].decode("utf-16-le")


def checked(text: str, entities: Entities, longest: int = LONGEST_TEXT) -> tuple[str, Entities]:
    """The text and entities as they are kept: trimmed at both ends. Raises Refusal in the real server's words."""
    try:
        raw = text.encode("utf-16-le")
    except UnicodeEncodeError:
        raise bad("strings must be encoded in UTF-8") from None
    for entity in entities:
        _check(raw, entity)
    kept = text.rstrip()
    lead = units(kept) - units(kept.lstrip())
    end = units(kept)
    kept = kept.lstrip()
    moved = []
    for entity in entities:
        first = max(entity["offset"], lead)
        last = min(entity["offset"] + entity["length"], end)
        if last > first:
            moved.append(entity | {"offset": first - lead, "length": last - first})
    if units(kept) > longest:
        raise bad("message is too long" if longest == LONGEST_TEXT else "message caption is too long")
    return kept, moved


def _check(raw: bytes, entity: dict[str, Any]) -> None:
    offset, size = entity.get("offset"), entity.get("length")
    if entity.get("type") not in KINDS:
        raise bad(f"can't parse entities: unsupported entity type {entity.get('type')!r}")
    if not isinstance(offset, int) or offset < 0 or offset * 2 > len(raw):
        raise bad(f"receive an entity with incorrect offset {offset}")
    if not isinstance(size, int) or size <= 0 or (offset + size) * 2 > len(raw):
        raise bad(f"receive an entity with incorrect length {size}")
    for at, what in ((offset, "begins"), (offset + size, "ends")):
        # A low surrogate here means that the border lies inside a pair.
        if 0 < at * 2 < len(raw) and 0xDC <= raw[at * 2 + 1] <= 0xDF:
            raise bad(f"entity {what} in a middle of a UTF-16 symbol at byte offset {at}")
    if entity["type"] == "text_link" and "://" not in str(entity.get("url")) and "mailto:" not in str(entity["url"]):
        raise bad(f"can't parse entities: unsupported URL protocol in {entity.get('url')!r}")


def found(text: str) -> Entities:
    """The entities that Telegram finds by itself in what a person types: commands and mentions."""
    entities: Entities = []
    offset = 0
    for word in text.replace("\n", " ").split(" "):
        bare = word.rstrip(".,!?:;")
        if word.startswith("/") and len(bare) > 1 and bare[1].isalnum():
            entities.append({"type": "bot_command", "offset": offset, "length": units(bare)})
        elif word.startswith("@") and len(bare) > 3:
            entities.append({"type": "mention", "offset": offset, "length": units(bare)})
        offset += units(word) + 1
    return entities
