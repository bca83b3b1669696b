"""Markdown to what Telegram shows: a plain text and the entities that format ranges of it, in UTF-16 units. Pure.

Owns which parts of Markdown are taken at their word. Where the converter would lose what somebody wrote (tags,
underscores in addresses, dollar signs), the characters are hidden from it and put back. Leaves cutting to
`platforms.chunking`: a text that fits before rendering fits after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from platforms.chunking import length

if TYPE_CHECKING:
    from telegramify_markdown import MessageEntity as Converted
    from telegramify_markdown import RenderConfig

_HIDDEN = {"<": "\ufdd0", "_": "\ufdd1", "*": "\ufdd2", "~": "\ufdd3", "$": "\ufdd4", "|": "\ufdd5", "[": "\ufdd6"}
"""What the converter must not see, and the noncharacter that stands in for it: one UTF-16 unit each, as before."""

_HIDE = str.maketrans(_HIDDEN)
_SHOW = str.maketrans({stand_in: shown for shown, stand_in in _HIDDEN.items()})
_STAND_INS = re.compile("[\ufdd0-\ufdd6]")

_ADDRESS = re.compile(r"https?://[^\s<>\[\]()`]+")
_TAG = re.compile(r"<(?!https?://[^\s<>]+>)")  # not an address in angle brackets, which is a link
_SPOILER = re.compile(r"^(?![ \t]*\|).*\|\|.*$", re.MULTILINE)  # a row of a table begins with one
_FOOTNOTE = re.compile(r"\[(?=\^)")
_TIMES = re.compile(r"(?<=[0-9A-Za-z)])\*(?=[0-9A-Za-z(])")  # 2*3*4
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

_LINKS = ("http://", "https://", "tg://", "mailto:")


@dataclass(frozen=True, slots=True)
class Range:
    """One entity: `kind` as Telegram names it, `offset` and `length` in UTF-16 units."""

    kind: str
    offset: int
    length: int
    url: str | None = None
    language: str | None = None


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
    return Rendered(clean(markdown))


def render(markdown: str, limit: int) -> Rendered:
    """The text as Telegram shows it, or as it was written where formatting would empty it or grow it past `limit`.

    Tables, numbered lists and task lists may come out longer than they went in.
    """
    from telegramify_markdown import convert

    source = clean(markdown)
    if _STAND_INS.search(source):
        return Rendered(source)
    text, entities = convert(_hide(source), latex_escape=False, config=_configuration())
    text = text.translate(_SHOW).rstrip()
    if not text.strip() or length(text, "utf16") > limit:
        return Rendered(source)
    return Rendered(text, tuple(_ranges(entities, length(text, "utf16"))))


def _hide(text: str) -> str:
    """Hide from the converter what it would take for markup and people mean as written."""
    text = _ADDRESS.sub(_hide_in_address, text)
    text = _TAG.sub(_HIDDEN["<"], text.replace("$", _HIDDEN["$"]))
    text = _TIMES.sub(_HIDDEN["*"], _FOOTNOTE.sub(_HIDDEN["["], text))
    return _SPOILER.sub(lambda line: line[0].replace("||", _HIDDEN["|"] * 2), text)


def _hide_in_address(found: re.Match[str]) -> str:
    """An address keeps its underscores; marks at its very end belong to the text around it."""
    address = found[0].rstrip("*_~")
    return address.translate(_HIDE) + found[0][len(address) :]


def _ranges(entities: Iterable[Converted], end: int) -> Iterable[Range]:
    """The converter's entities within the text. Underlining is left out: Markdown has none, headings are bold."""
    for entity in entities:
        size = min(entity.offset + entity.length, end) - entity.offset
        url = entity.url.translate(_SHOW) if entity.url else None
        if size <= 0 or entity.type == "underline" or (url is not None and not url.startswith(_LINKS)):
            continue
        language = entity.language.translate(_SHOW) if entity.language else None
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
