"""A SKILL.md's text as frontmatter and body (pure): YAML without anything that YAML does behind one's back.

Scalars stay texts, anchors, tags and repeated keys are refused. One mistake is mended, since everybody makes it: a
description on one line that holds a colon and no quotes. Which fields a skill needs belongs to `validate`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from memory.skills.model import Value

_FENCE = "---"
_LONGEST = 20_000
_DEEPEST = 8
_PROSE = re.compile(r"^description:[ \t]+(?P<prose>[^\s'\"|>\[\]{}&*!%@`#,?-][^\n]*?)[ \t]*$", re.MULTILINE)
_TAB = re.compile(r"(?<=\S)\t+(?=\S)")
_COLON = re.compile(r":(?:[ \t]|$)")


class Malformed(ValueError):
    """`line` is the file's, from 1; the text is one sentence."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line


@dataclass(frozen=True, slots=True)
class Head:
    """Frontmatter and body. `lines` has the line in the file of each top-level key. `mended` is the file's whole text
    with the description in quotes, when only that could be read."""

    fields: Mapping[str, Value]
    lines: Mapping[str, int] = field(default_factory=dict)
    body: str = ""
    mended: str | None = None


def plain(text: str) -> str:
    """The text without byte order mark, its lines ended by \\n alone."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def parse(text: str) -> Head:
    """Raises `Malformed`. Whatever the line ends, and with a byte order mark or without."""
    lines = plain(text).split("\n")
    if lines[0].rstrip() != _FENCE:
        raise Malformed(1, "there is no frontmatter: the first line has to be ---.")
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == _FENCE), None)
    if end is None:
        raise Malformed(1, "the frontmatter does not end: a line that is exactly --- is missing.")
    head, body = "\n".join(lines[1:end]), "\n".join(lines[end + 1 :])
    if len(head) > _LONGEST:
        raise Malformed(1, f"the frontmatter has {len(head):,} characters, at most {_LONGEST:,} are read.")
    body = body.lstrip("\n")
    try:
        return Head(*_fields(head), body)
    except Malformed as error:
        mended = _mended(head)
        if mended is None:
            raise
        try:
            fields, at = _fields(mended)
        except Malformed:
            raise error from None
        whole = "\n".join([lines[0], mended, *lines[end:]])
        return Head(fields, at, body, mended=whole)


def _mended(head: str) -> str | None:
    """The head with quotes around a description that holds a colon; None when that is not the trouble."""
    found = _PROSE.findall(head)
    match = _PROSE.search(head)
    if match is None or len(found) != 1 or _COLON.search(match["prose"]) is None:
        return None
    quoted = "'" + match["prose"].replace("'", "''") + "'"
    return f"{head[: match.start('prose')]}{quoted}{head[match.end() :]}"


def _fields(head: str) -> tuple[dict[str, Value], dict[str, int]]:
    import yaml  # 25 ms, not for those who only ask for help

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        # Of the two readers of YAML only one takes a tab between words; which one is there, nobody should notice.
        return _document(yaml.parse(_TAB.sub(" ", head), Loader=loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = min(mark.line, head.rstrip("\n").count("\n")) + 2 if mark is not None else 1
        raise Malformed(line, _words(head, line, error.problem)) from None
    except yaml.YAMLError as error:
        # A sign that YAML does not allow; only this kind of error has no mark.
        at = next((number for number, line in enumerate(head.split("\n"), 2) if not _allowed(line)), 1)
        raise Malformed(at, f"it is no YAML: {' '.join(str(error).split())}.") from None


def _allowed(line: str) -> bool:
    return all(sign == "\t" or sign.isprintable() or ord(sign) >= 0xA0 for sign in line)


def _words(head: str, line: int, problem: str | None) -> str:
    lines = head.split("\n")
    if 0 <= line - 2 < len(lines) and "\t" in lines[line - 2]:
        return "a tab stands where YAML wants spaces."
    return f"it is no YAML: {problem or 'it cannot be read'}. Put the value in quotes."


def _document(events: Iterator[object]) -> tuple[dict[str, Value], dict[str, int]]:
    import yaml

    lines: dict[str, int] = {}
    fields: dict[str, Value] = {}
    for event in events:
        match event:
            case yaml.MappingStartEvent():
                fields = _mapping(event, events, 1, lines)
            case yaml.NodeEvent():
                raise Malformed(_line(event), "the frontmatter has to be lines of the form key: value.")
            case yaml.DocumentEndEvent(explicit=True):
                raise Malformed(_line(event), "a line of dots ends the frontmatter too early.")
            case _:
                continue
    return fields, lines


def _mapping(start: object, events: Iterator[object], depth: int, lines: dict[str, int]) -> dict[str, Value]:
    import yaml

    _plain_node(start, depth)
    found: dict[str, Value] = {}
    for event in events:
        if isinstance(event, yaml.MappingEndEvent):
            break
        if not isinstance(event, yaml.ScalarEvent):
            raise Malformed(_line(event), "a key has to be a word.")
        key = str(_value(event, events, depth))
        if key in found:
            raise Malformed(_line(event), f"{key} stands there twice.")
        lines.setdefault(key, _line(event))
        found[key] = _value(next(events), events, depth)
    return found


def _value(event: object, events: Iterator[object], depth: int) -> Value:
    import yaml

    _plain_node(event, depth)
    match event:
        case yaml.ScalarEvent(value=str() as text):
            return text
        case yaml.MappingStartEvent():
            return _mapping(event, events, depth + 1, {})
        case _:
            listed: list[Value] = []
            while not isinstance(each := next(events), yaml.SequenceEndEvent):
                listed.append(_value(each, events, depth + 1))
            return tuple(listed)


def _plain_node(event: object, depth: int) -> None:
    if depth > _DEEPEST:
        raise Malformed(_line(event), f"it is nested more than {_DEEPEST} deep.")
    if getattr(event, "anchor", None) is not None:
        raise Malformed(_line(event), "anchors and aliases (& and *) are not read. Put the value in quotes.")
    if getattr(event, "tag", None) is not None:
        raise Malformed(_line(event), "tags (!) are not read. Put the value in quotes.")


def _line(event: object) -> int:
    mark = getattr(event, "start_mark", None)
    return int(mark.line) + 2 if mark is not None else 1
