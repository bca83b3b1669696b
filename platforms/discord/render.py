"""Markdown to what Discord shows: Discord's own Markdown, which knows less and takes more for markup. Pure.

Owns the difference between the two, as edits of the source: whatever reads the same on Discord stays as it was
written. Leaves cutting to `platforms.chunking`, and who may be mentioned to the adapter.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from platforms.literal import ADDRESS, LESS, PIPE, SHOWN, hide, sendable, show, unseamed
from platforms.tables import PHONE, redrawn

if TYPE_CHECKING:
    from collections.abc import Iterable

LIMIT = 2000
"""What a message holds, in code points."""

_MARKUP = re.compile(rf"{ADDRESS.pattern}|\\(?=[^0-9A-Za-z\s])|\*+|_+|`+|~~+|{PIPE}+")
_SUBTEXT = re.compile(r"-#(?= )")
_LINE_HEAD = re.compile(r"[ >]*\Z")
_QUOTE_MARKS = re.compile(rb" {0,3}(?:>[ ]?)+")
_LANGUAGE = re.compile(r"[A-Za-z0-9_+#.-]{1,20}(?![^\s,{])")
_HEADINGS = {"H1": "# ", "H2": "## ", "H3": "### "}
_WEB = ("http://", "https://")
_RULE = "———"
_BACKSLASH, _UNDERSCORE = b"\\_"
_SHOWN_IN_TEXT = {stand_in: shown for stand_in, shown in SHOWN.items() if chr(stand_in) not in (PIPE, LESS)}


def render(markdown: str, limit: int = LIMIT) -> str:
    """The text in Discord's Markdown, or as it was written where that would empty it or grow it past `limit`.

    Tables become aligned code or lists; where these do not fit, code as written. Empty only for an empty text; a
    text longer than `limit` code points is cut there.
    """
    source = sendable(markdown)
    drawn = redrawn(source, PHONE)
    for form in (drawn,) if drawn == source else (drawn, redrawn(source, None)):
        text = _rewritten(hide(form)).rstrip()
        if text.strip() and len(text) <= limit:
            return text
    return source[:limit]


def _rewritten(hidden: str) -> str:
    """A text whose literal characters are hidden, in Discord's Markdown with all characters shown."""
    import pyromark

    options = (
        pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH | pyromark.Options.ENABLE_TASKLISTS
    )
    source = hidden.encode()
    edits = _Edits(source)
    edits.read(pyromark.events_with_range(hidden, options=options))
    out: list[bytes] = []
    at = 0
    for start, end, text in sorted(edits.made):
        if start >= at:
            out += (source[at:start], text.encode())
            at = end
    out.append(source[at:])
    return show(unseamed(b"".join(out).decode()))


class _Edits:
    """What is to be changed in one text. Places are bytes; a change that begins inside an earlier one is dropped."""

    def __init__(self, source: bytes) -> None:
        self.made: list[tuple[int, int, str]] = []
        self._source = source
        self._quotes = 0
        self._links: list[str | None] = []  # the address of each open link that Discord does not find by itself
        self._code: list[str] | None = None  # the lines of the block that is being read
        self._texts: list[tuple[int, int, str]] = []  # adjacent pieces of text
        self._heading: list[int] | None = None  # where what is visible in it begins and ends
        self._bold_already = False
        self._label_end = 0  # where what is visible in a link ends

    def read(self, events: Iterable[tuple[Any, Any]]) -> None:
        """Note the changes for a whole text. The parser's events are names, or dictionaries of one key."""
        for event, place in events:
            start, end = place["start"], place["end"]
            kind, value = _named(event)
            if kind == "Text" and self._code is None:
                if self._texts and self._texts[-1][1] != start:
                    self._end_text()
                self._texts.append((start, end, value))
                continue
            self._end_text()
            match kind:
                case "Text" if self._code is not None:
                    self._code.append(value)
                case "Start":
                    self._begin(value, start, end)
                case "End":
                    self._finish(value, start, end)
                case "Code":
                    self._visible(start, end)
                case "TaskListMarker":
                    self._edit(start, end, "☑" if value else "☐")
                case "HardBreak":
                    self._edit(start, start + 1 if self._source[start] == _BACKSLASH else start, "")
                case "Rule":
                    self._rule(start, end)
        self._end_text()

    def _edit(self, start: int, end: int, text: str) -> None:
        self.made.append((start, end, text))

    def _slice(self, start: int, end: int) -> str:
        return self._source[start:end].decode()

    def _line_head(self, at: int) -> str:
        """What stands in the line before `at`."""
        return self._slice(self._source.rfind(b"\n", 0, at) + 1, at)

    def _visible(self, start: int, end: int) -> None:
        self._label_end = end
        if self._heading is not None:
            self._heading = [min(self._heading[0], start), max(self._heading[1], end)]

    def _end_text(self) -> None:
        """Escape what Discord would take for markup in the piece of text that is over."""
        if not self._texts:
            return
        start, end = self._texts[0][0], self._texts[-1][1]
        text = "".join(value for _, _, value in self._texts)
        self._texts = []
        if start == end:
            return
        self._visible(start, end)
        kept = text[0] if start and self._source[start - 1] == _BACKSLASH else ""  # the author escaped it
        before = kept or self._source[max(start - 4, 0) : start].decode(errors="ignore")[-1:]
        after = self._source[end : end + 4].decode(errors="ignore")[:1]
        escaped = kept + _escaped(text[len(kept) :], before, after)
        if _SUBTEXT.match(escaped) and _LINE_HEAD.match(self._line_head(start)):
            escaped = f"\\{escaped}"
        if escaped != self._slice(start, end):
            self._edit(start, end, escaped)

    def _begin(self, tag: Any, start: int, end: int) -> None:
        name, value = _named(tag)
        match name:
            case "CodeBlock":
                self._code = []
            case "Heading":
                self._heading = [end, start]
                self._bold_already = value["level"] not in _HEADINGS
            case "BlockQuote":
                if not self._quotes and not self._line_head(start).strip():
                    self._quote(start, end)
                self._quotes += 1
            case "Item" if self._source[start] in b"*+":
                self._edit(start, start + 1, "-")
            case "Strong":
                self._strong(start, end)
            case "Link":
                known = value["link_type"] in ("Inline", "Autolink", "Email")
                self._links.append(None if known else value["dest_url"])
            case "Image":
                self._image(value["dest_url"], start, end)

    def _finish(self, tag: Any, start: int, end: int) -> None:
        name, value = _named(tag)
        match name:
            case "CodeBlock":
                self._code_block(start, end)
            case "Heading":
                self._head(value, start, end)
            case "BlockQuote":
                self._quotes -= 1
            case "Link":
                address = self._links.pop()
                if address is not None and address.startswith(_WEB) and self._label_end > start:
                    self._edit(self._label_end, end, f"]({address})")
                self._visible(start, end)
            case "Strong" | "Emphasis" | "Strikethrough" | "Image":
                self._visible(start, end)

    def _strong(self, start: int, end: int) -> None:
        """Bold is ** on Discord, where __ underlines; a deep heading is bold as it is."""
        if self._bold_already or self._source[start] == _UNDERSCORE:
            mark = "" if self._bold_already else "**"
            self._edit(start, start + 2, mark)
            self._edit(end - 2, end, mark)

    def _head(self, level: str, start: int, end: int) -> None:
        """The heading as Discord has it, up to the third level; deeper ones are bold. Underlined ones get marks."""
        first, last = self._heading or (end, start)
        self._heading, self._bold_already = None, False
        if first >= last:
            return
        tail = "\n" if self._source[last:end].endswith(b"\n") else ""
        if level not in _HEADINGS:
            self._edit(start, first, "**")
            self._edit(last, end, f"**{tail}")
        elif first > start:
            self._edit(last, end, tail)
        elif b"\n" not in self._source[first:last]:
            self._edit(start, start, _HEADINGS[level])
            self._edit(last, end, tail)

    def _rule(self, start: int, end: int) -> None:
        self._edit(start, start + len(self._source[start:end].rstrip()), _RULE)

    def _image(self, address: str, start: int, end: int) -> None:
        """A picture as a link: Discord would show the marks. Inside a link, its description alone."""
        label = self._slice(start, end)[2:].partition("](")[0]
        if self._links:
            self._edit(start, end, label.strip("[]") or "image")
        elif not label and address.startswith(_WEB):
            self._edit(start, end, address)
        elif address.startswith(_WEB):
            self._edit(start, start + 1, "")

    def _quote(self, start: int, end: int) -> None:
        """One mark and a blank before each line; >>> would quote all that follows."""
        at = start
        for line in self._source[start:end].splitlines(keepends=True):
            found = _QUOTE_MARKS.match(line)
            marks = found[0] if found else b""
            wanted = "> " * max(marks.count(b">"), 1)
            if marks != wanted.encode() and line.strip():
                self._edit(at, at + len(marks), wanted)
            at += len(line)

    def _code_block(self, start: int, end: int) -> None:
        """A block between backticks, however it was marked off, at the margin: Discord shows indentation as code."""
        code = unseamed("".join(self._code or ())).removesuffix("\n")
        self._code = None
        if not code.strip():
            return
        if "```" in (shown := show(code)):
            code = shown.replace("```", "``\u200b`")
        fence = self._slice(start, end).partition("\n")[0].lstrip("`~ \t")
        language = _LANGUAGE.match(fence) if self._source[start] in b"`~" else None
        margin = "> " if self._quotes else ""
        lines = [f"```{language[0] if language else ''}", *code.split("\n"), "```"]
        block = f"\n{margin}".join(lines)
        head = self._line_head(start)
        first = start - (len(head) - len(head.rstrip(" \t")) if not head.strip() else 0)
        self._edit(first, end, block + ("\n" if self._source[end - 1 : end] == b"\n" else ""))


def _named(event: Any) -> tuple[str, Any]:
    """An event or tag as the parser gives it, a name or a dictionary of one key, as a name and what belongs to it."""
    return next(iter(event.items())) if isinstance(event, dict) else (event, None)


def _escaped(text: str, before: str, after: str) -> str:
    """The text with a backslash where Discord would take it for markup. `before` and `after` stand around it."""

    def escape(found: re.Match[str]) -> str:
        run = found[0]
        if run[0] == "h":
            return run
        if run[0] == PIPE:
            return "\\|" * len(run)
        left = text[found.start() - 1] if found.start() else before
        right = text[found.end()] if found.end() < len(text) else after
        if run == "*" and not left.strip() and not right.strip():
            return run
        if run == "_" and left.isalnum() and right.isalnum() and right.isascii():
            return run
        return "".join(f"\\{mark}" for mark in run)

    text = text.translate(_SHOWN_IN_TEXT)  # what is still hidden by now is no seam
    return _MARKUP.sub(escape, text).replace("<", LESS)
