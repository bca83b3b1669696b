"""What people mean as written where Markdown would read markup: tags, prices, formulas, addresses, 2*3*4. Pure.

Owns hiding such characters from a converter, each behind a noncharacter of the same length, and showing them again;
and what of a text no network takes. Leaves converting to each platform's `render`.
"""

from __future__ import annotations

import re

_HIDDEN = {
    "<": "\ufdd0",
    "_": "\ufdd1",
    "*": "\ufdd2",
    "~": "\ufdd3",
    "$": "\ufdd4",
    "|": "\ufdd5",
    "[": "\ufdd6",
    "\\": "\ufdd7",
    "`": "\ufdd8",
}
"""What a converter must not see, and what stands in for it: one unit in every unit of length, as before."""

SHOWN = str.maketrans({stand_in: shown for shown, stand_in in _HIDDEN.items()})
"""For `str.translate`: each stand-in becomes its character again."""

PIPE = _HIDDEN["|"]
"""Stands for a bar that marks no spoiler."""

LESS = _HIDDEN["<"]
"""Stands for the beginning of what looks like a tag."""

SEAM = "<!---->"
"""Put between a closing ** and a letter, so that a converter sees where the bold text ends. To be taken out again.

Chinese and Japanese have no blank there, and Markdown needs one after punctuation. Tags of the text are hidden, so
that a converter meets no other comment than this.
"""

_HIDE = str.maketrans(_HIDDEN)
_HIDE_TILDE_AND_MARKS = str.maketrans({mark: _HIDDEN[mark] for mark in "_*~"})
_UNSENDABLE = re.compile("[\ud800-\udfff\ufdd0-\ufdef\x00-\x08\x0b-\x1f\x7f]")

_MATH = re.compile(
    r"\$\$(?:[^$\n]|\n(?!\n))+\$\$"
    r"|\\\[(?:[^\\\n]|\\(?![\[\]])|\n(?!\n))+\\\]"
    r"|\\\((?:[^\\\n]|\\(?![()]))+\\\)"
    r"|(?<![\\$\w])\$(?![\s$])[^$\n]+(?<!\s)\$(?![\w$])"
)
_FORMULA = re.compile(r"[\\^_=+*<>]")
ADDRESS = re.compile(r"https?://[^\s<>\[\]()`\ufdd0\ufdd6]+")
_TAG = re.compile(r"(?<!\\)<(?!https?://[^\s<>]+>)|<(?=!--)")  # not an address in angle brackets, which is a link
_DOLLAR = re.compile(r"(?<!\\)\$")
_FOOTNOTE = re.compile(r"(?<!\\)\[(?=\^)")
_TIMES = re.compile(r"(?<=[0-9A-Za-z)])\*(?=[0-9A-Za-z(])")  # 2*3*4
_DUNDER = re.compile(
    r"(?<![\w\\])__(?:init|main|name|file|doc|dict|class|call|str|repr|len|iter|next|enter|exit|new|del|all|version"
    r"|slots|future|eq|hash|add|getitem|setitem|getattr|setattr|annotations|module|import|pycache|tests)__(?!\w)"
)
_BARS = re.compile(r"^.*\|\|.*$", re.MULTILINE)
_ROW = re.compile(r"[ \t]*\|.*?(?<!\|)\|(?!\|)")  # a row of a table may have empty cells
_SPOILER = re.compile(
    r"(?<![0-9A-Za-z_)\]|\\])\|\|(?![\s|])(?:[^|\n]|\|(?!\|))*[^\s|\\]\|\|(?![0-9A-Za-z_(\[|])|\|\|"
)
_BOLD = re.compile(r"\*\*(?![\s*])[^*\n]*[^\s*]\*\*")


def sendable(text: str) -> str:
    """The text with lone surrogates, control characters and noncharacters replaced; lines end in a newline alone."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSENDABLE.sub("\ufffd", text)


def hide(text: str, seams: bool = True) -> str:
    """A sendable text with what is meant as written hidden and, if `seams`, a SEAM where bold text needs one.

    Code may be changed as well: every platform shows it through `show`.
    """
    if "$" in text or "\\" in text:
        text = _DOLLAR.sub(_HIDDEN["$"], _MATH.sub(_hide_formula, text))
    if "://" in text:
        text = ADDRESS.sub(_hide_in_address, text)
    text = _FOOTNOTE.sub(_HIDDEN["["], _TAG.sub(_HIDDEN["<"], text))
    if "*" in text:
        text = _TIMES.sub(_HIDDEN["*"], text)
    if "__" in text:
        text = _DUNDER.sub(lambda found: found[0].translate(_HIDE), text)
    if "||" in text:
        text = _BARS.sub(_hide_bars, text)
    return _BOLD.sub(_with_seams, text) if seams and "**" in text else text


def show(text: str) -> str:
    """The text as it was before `hide`, and without the control characters that a converter makes of &#27;."""
    return _UNSENDABLE.sub("\ufffd", text.translate(SHOWN))


def unseamed(text: str) -> str:
    """The text without seams, for where they would be seen. To be called before `show`, which may make others."""
    return text.replace(SEAM, "")


def _hide_formula(found: re.Match[str]) -> str:
    """A formula whole; brackets that were escaped around ordinary words are none."""
    formula = found[0]
    return formula.translate(_HIDE) if formula[0] == "$" or _FORMULA.search(formula, 2, len(formula) - 2) else formula


def _hide_in_address(found: re.Match[str]) -> str:
    """An address keeps its underscores; marks at its very end belong to the text around it."""
    address = found[0].rstrip("*_~|")
    return address.translate(_HIDE_TILDE_AND_MARKS) + found[0][len(address) :]


def _hide_bars(line: re.Match[str]) -> str:
    """Double bars stay where they enclose words tightly, as spoilers do, and in the rows of tables."""
    if _ROW.match(line[0]):
        return line[0]
    return _SPOILER.sub(lambda found: found[0] if len(found[0]) > 2 else PIPE * 2, line[0])


def _with_seams(bold: re.Match[str]) -> str:
    text, start, end = bold.string, bold.start(), bold.end()
    before = SEAM if start and text[start - 1].isalnum() and not text[start + 2].isalnum() else ""
    after = SEAM if end < len(text) and text[end].isalnum() and not text[end - 3].isalnum() else ""
    return f"{before}{bold[0]}{after}"
