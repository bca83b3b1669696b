"""The process that looks into a PDF, a DOCX or an HTML page: files that strangers made, read by large libraries.

It stands alone and imports nothing of the house: it gets no secrets, writes no file, and ends by itself when a file
takes too long or too much memory. Called as `-m gateway.attachments.paper KIND LIMIT PATH`; answers with one line of
JSON: `{"text": ..., "left": ..., "more": ...}` with at most LIMIT characters of text, how many it has beyond, and
where else it goes on, in words; or `{"error": "why"}`.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import zipfile
import zlib
from html.parser import HTMLParser
from xml.parsers.expat import ExpatError

SECONDS = 20
MEMORY = 1_000_000_000
UNPACKED = 50_000_000
"""Bytes that a DOCX may come to when it is unpacked."""

PARTS = 5_000
"""Parts that a DOCX may have."""

FAULTS = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, AssertionError, OSError)
"""What libraries let out of damaged files, beside errors of their own."""

_BREAKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "dd",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tr",
        "ul",
        "title",
    ]
)
_UNSEEN = frozenset(("script", "style", "template", "noscript", "svg"))


Read = tuple[str, int, str]
"""A text up to the limit, how many characters it has beyond, and where else it goes on, in words."""


class Unreadable(Exception):
    """There is no text to be had; `str(error)` completes "document: NAME, SIZE, ..."."""


def confine() -> None:
    """Bound time and memory, allow no file to be written, and die with the parent where the kernel does that."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    os.nice(10)
    signal.alarm(2 * SECONDS)
    if sys.platform.startswith("linux"):
        import ctypes

        pr_set_pdeathsig = 1
        ctypes.CDLL(None, use_errno=True).prctl(pr_set_pdeathsig, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def pdf(path: str, limit: int) -> Read:
    """The text of a PDF, page by page, until there is enough. Raises Unreadable."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("which is locked with a password")
        pages, text = len(reader.pages), ""
        for number, page in enumerate(reader.pages, 1):
            text += f"{page.extract_text().strip()}\n\n"
            if len(text) > limit:
                return text[:limit], 0, f"from page {number} of {pages} on"
    except (PyPdfError, ImportError, *FAULTS):  # ImportError is an encryption that needs another library
        raise Unreadable("which is damaged or locked") from None
    return text.strip(), 0, ""


def docx(path: str, limit: int) -> Read:
    """The text of a Word document. Raises Unreadable."""
    import mammoth

    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
        if len(parts) > PARTS or sum(each.file_size for each in parts) > UNPACKED:
            raise Unreadable("which unpacks to far more than it seems")
        with open(path, "rb") as file:  # noqa: PTH123 - this process stands alone
            text = str(mammoth.extract_raw_text(file).value)
    except (zipfile.BadZipFile, zlib.error, ExpatError, RuntimeError, *FAULTS):
        raise Unreadable("which is damaged") from None
    return clipped(text.strip(), limit)


class _Page(HTMLParser):
    """Collects what a reader of the page would see."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unseen += tag in _UNSEEN
        self._edge(tag)

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in _UNSEEN and self._unseen > 0
        self._edge(tag)

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.pieces.append(data)

    def _edge(self, tag: str) -> None:
        if tag in _BREAKS:
            self.pieces.append("\n")
        elif tag in ("td", "th"):
            self.pieces.append(" ")


def html(text: str, limit: int) -> Read:
    """What is to be read on a page, a line for each block."""
    page = _Page()
    page.feed(text)
    page.close()
    lines = (" ".join(line.split()) for line in "".join(page.pieces).split("\n"))
    return clipped("\n".join(line for line in lines if line), limit)


def clipped(text: str, limit: int) -> Read:
    """The text up to the limit."""
    return text[:limit], max(0, len(text) - limit), ""


def main() -> int:
    """Answer for one file; a page's source comes on stdin, in UTF-8."""
    kind, limit, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    answer: dict[str, str | int]
    confine()
    try:
        if kind == "html":
            text, left, more = html(sys.stdin.buffer.read().decode("utf-8", "replace"), limit)
        else:
            text, left, more = pdf(path, limit) if kind == "pdf" else docx(path, limit)
        answer = {"text": text, "left": left, "more": more}
    except Unreadable as why:
        answer = {"error": str(why)}
    except (MemoryError, RecursionError):
        answer = {"error": "which is too large or too nested to be read"}
    os.write(1, json.dumps(answer).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
