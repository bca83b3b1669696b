"""How text looks in a terminal: Markdown to coloured lines, passing lines, numbered choices, and what is safe there.

Owns painting, pure but for asking the width; `scroll` decides what is painted when. rich is imported when used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from platforms.fences import FenceMap
from platforms.literal import hide, sendable, show, unseamed
from platforms.messages import Button

if TYPE_CHECKING:
    from markdown_it.token import Token

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SEQUENCE = re.compile(r"\x1b\[[0-9;]*m")
_PADDING = re.compile(r"[ ]+((?:\x1b\[[0-9;]*m)*)$", re.MULTILINE)
_BLOCK_END = re.compile(r"\n[ \t]*\n(?=\S)")
_CODE = ("code_inline", "code_block", "fence")
_BOX = re.compile(r"\[([ xX])\] ")
_QUOTED = re.compile(r"%EF%B7%9([0-8])")
_NARROWEST = 20


@dataclass(frozen=True, slots=True)
class Choice:
    """A button as it is offered in a terminal."""

    number: int
    button: Button
    message_id: str


def printable(text: str) -> str:
    """`text` without what a terminal would obey: escape sequences and other controls; lone surrogates replaced."""
    cleaned = _CONTROLS.sub("", text.replace("\r\n", "\n"))
    return cleaned.encode("utf-8", "replace").decode("utf-8")


def settled(text: str) -> int:
    """How much of a growing Markdown text is complete blocks: whatever follows cannot change how they look.

    A block is over at an empty line outside code, once the next one has begun at the margin.
    """
    fences = FenceMap(text)
    ends = [found.end() for found in _BLOCK_END.finditer(text)]
    return next((end for end in reversed(ends) if fences.open_at(end) is None), 0)


def choices(buttons: Sequence[Sequence[Button]], message_id: str) -> list[Choice]:
    """The buttons of one message, numbered from 1 in reading order."""
    flat = [button for row in buttons for button in row]
    return [Choice(number, button, message_id) for number, button in enumerate(flat, 1)]


def wrapped(text: str, width: int, count: int) -> list[str]:
    """The last `count` lines of `text` when lines are `width` cells wide; wide characters take two."""
    from prompt_toolkit.utils import get_cwidth

    lines: list[str] = []
    for line in printable(text[-width * count * 2 :]).expandtabs(4).split("\n"):
        row, cells = "", 0
        for character in line:
            size = get_cwidth(character)
            if cells + size > width:
                lines.append(row)
                row, cells = "", 0
            row += character
            cells += size
        lines.append(row)
    return lines[-count:]


def _adapt(tokens: Sequence[Token]) -> None:
    """Show in parsed Markdown what was hidden, and make of each token what is to be seen of it in a terminal."""
    for token in tokens:
        if token.type in _CODE:
            token.content = unseamed(token.content)
        token.content = printable(show(token.content))
        for name in ("href", "src"):
            if name in token.attrs:
                token.attrs[name] = _address(str(token.attrs[name]))
        if token.type == "softbreak":
            token.type = "hardbreak"  # in a chat a new line is a new line
        if not token.children:
            continue
        _adapt(token.children)
        if token.type == "inline":
            token.children = [part for each in token.children for part in _as_links(each)]
            _name_addresses_once(token.children)
            first = token.children[0]
            if (box := _BOX.match(first.content)) and first.type == "text":
                first.content = f"{'☐' if box[1] == ' ' else '☑'} {first.content[box.end() :]}"


def _address(quoted: str) -> str:
    """An address as it was written; the parser writes what was hidden in it as bytes."""
    return show(_QUOTED.sub(lambda found: chr(0xFDD0 + int(found[1])), quoted))


def _as_links(token: Token) -> list[Token]:
    """A picture as a link to it; anything else as it is."""
    if token.type != "image":
        return [token]
    from markdown_it.token import Token as New

    address = token.attrs["src"]
    words = New("text", "", 0, content=token.content or str(address))
    return [New("link_open", "a", 1, attrs={"href": address}), words, New("link_close", "a", -1)]


def _name_addresses_once(parts: Sequence[Token]) -> None:
    """A link whose words are its address is shown as these words alone."""
    for opening, words, closing in zip(parts, parts[1:], parts[2:], strict=False):
        if opening.type == "link_open" and closing.type == "link_close" and words.content == opening.attrs["href"]:
            for mark in (opening, closing):
                mark.type, mark.tag, mark.nesting, mark.content = "text", "", 0, ""


class Painter:
    """Paints for one terminal. `width` is asked anew each time; without `colour` the text stays as it was written."""

    def __init__(self, width: Callable[[], int], colour: bool) -> None:
        self._width = width
        self.colour = colour

    @property
    def width(self) -> int:
        return max(self._width(), _NARROWEST)

    def markdown(self, text: str) -> str:
        """Whole blocks of Markdown as lines, each ended by a newline; nothing for blank text."""
        text = printable(text).strip("\n")
        if not text.strip():
            return ""
        if not self.colour:
            return f"{text}\n"
        from rich.console import Console
        from rich.markdown import Markdown

        out = StringIO()
        console = Console(
            file=out,
            force_terminal=True,
            width=self.width,
            color_system="standard",
            legacy_windows=False,
            highlight=False,
        )
        blocks = Markdown(hide(sendable(text)), code_theme="ansi_dark", hyperlinks=False)
        _adapt(blocks.parsed)
        console.print(blocks)
        painted = _PADDING.sub(r"\1", out.getvalue()).strip("\n")
        return f"{painted if _SEQUENCE.sub('', painted).strip() else text}\n"

    def dim(self, text: str) -> str:
        """One passing or lesser line."""
        line = printable(text)
        return f"\x1b[2m{line}\x1b[0m\n" if self.colour else f"{line}\n"

    def offered(self, offered: Sequence[Choice]) -> str:
        """The choices in one or more lines that fit the width."""
        lines: list[str] = []
        for choice in offered:
            word = f"[{choice.number}] {printable(choice.button.label)}"
            if lines and len(lines[-1]) + 2 + len(word) <= self.width:
                lines[-1] += f"  {word}"
            else:
                lines.append(word)
        return "".join(f"\x1b[1m{line}\x1b[0m\n" if self.colour else f"{line}\n" for line in lines)
