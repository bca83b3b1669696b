"""Markdown to what Telegram shows: a plain text and the entities that format ranges of it, in UTF-16 units. Pure.

What is meant as written is hidden from the converter by `platforms.literal`, tables are drawn by `platforms.tables`.
Leaves cutting to `platforms.chunking`: what fits before rendering fits after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from platforms.chunking import length
from platforms.literal import SEAM, SHOWN, hide, sendable, show
from platforms.tables import PHONE, redrawn
from platforms.telegram.entities import CODE, QUOTES, STYLES, Range, nested

if TYPE_CHECKING:
    from telegramify_markdown import MessageEntity as Converted
    from telegramify_markdown import RenderConfig

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

_EMPTY_IMAGE = re.compile(r"!\[\](?=\(https?://)")
_PICTURE = "![▣]"

_KINDS = {*STYLES, *CODE, *QUOTES, "text_link"} - {"underline"}
_LINKS = ("http://", "https://", "tg://", "mailto:")


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text ready for Telegram."""

    text: str
    ranges: tuple[Range, ...] = ()


def clean(text: str) -> str:
    """The text with lone surrogates, which no network takes, replaced."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)


def plain(markdown: str) -> Rendered:
    """The text as it was written, markup and all."""
    return Rendered(sendable(markdown))


def render(markdown: str, limit: int) -> Rendered:
    """The text as Telegram shows it, or as it was written where formatting would empty it or grow it past `limit`.

    Tables become aligned code or lists; where these do not fit, code as written. Numbered lists may come out longer
    than they went in.
    """
    source = sendable(markdown)
    drawn = redrawn(source, PHONE)
    for form in (drawn,) if drawn == source else (drawn, redrawn(source, None)):
        rendered = _converted(form)
        if rendered.text.strip() and length(rendered.text, "utf16") <= limit:
            return rendered
    return Rendered(source)


def _converted(markdown: str) -> Rendered:
    from telegramify_markdown import convert

    hidden = hide(_EMPTY_IMAGE.sub(_PICTURE, markdown))
    text, entities = convert(hidden, latex_escape=False, config=_configuration())
    if SEAM in text or _PICTURE in text:  # what we put in came into code
        text, entities = convert(hide(markdown, seams=False), latex_escape=False, config=_configuration())
    text = show(text).rstrip()
    return Rendered(text, tuple(nested(_ranges(entities, length(text, "utf16")))))


def _ranges(entities: Iterable[Converted], end: int) -> Iterable[Range]:
    """The converter's entities within the text, but for those that Markdown has not: headings are bold alone."""
    for entity in entities:
        size = min(entity.offset + entity.length, end) - entity.offset
        url = entity.url.translate(SHOWN) if entity.url else None
        if size <= 0 or entity.type not in _KINDS:
            continue
        if entity.type == "text_link" and not (url and url.startswith(_LINKS)):
            continue
        language = (entity.language or "").translate(SHOWN).partition(" ")[0] or None
        yield Range(entity.type, entity.offset, size, url, language)


@lru_cache(maxsize=1)
def _configuration() -> RenderConfig:
    """The converter without its ornaments."""
    from telegramify_markdown import RenderConfig

    configuration = RenderConfig.isolated()
    symbols = configuration.markdown_symbol
    for level in range(1, 7):
        setattr(symbols, f"heading_level_{level}", "")
    symbols.image = symbols.link = ""
    symbols.horizontal_rule = "———"
    symbols.unordered_list_item = "•"
    symbols.task_completed, symbols.task_uncompleted = "☑", "☐"
    return configuration
