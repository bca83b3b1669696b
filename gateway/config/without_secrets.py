"""The text of config.yaml with a `${NAME}` wherever a secret stood, for copies that may lie elsewhere.

What stands around a value stays to the letter, but for comments that speak of secrets. Who asks decides what else
looks like one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import yaml

from gateway.config.expand import is_secret
from gateway.config.lines import Key, dotted, parse
from gateway.config.secret_words import holds_secret, names_secret, secret_part, speaks_of_secrets, within
from gateway.errors import ConfigurationError

LEFT_OUT = "# (a comment that may hold a secret is left out)"
"""What stands in the place of a comment."""

_WHOLE = re.compile(r"(?:(?:Bearer|Basic|Token|Bot) )?\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_REFERENCE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_REFERENCE_AT_END = re.compile(_REFERENCE.pattern + r"(?![^\s\"'&#])")
_BY_PEOPLE = ("hosts", "mcp_servers", "platforms")
"""What lies in these has a name that people gave it, which tells nothing."""

_COMMENT = re.compile(r"(?<!\S)#")
_NEXT_LINE = re.compile(r"(?:\r\n|\r|\n)[ \t]*")
_REST = re.compile(r"[^\r\n]*")
_BLOCKS = ("|", ">")

Mask = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Taken:
    """A secret that was taken out: the key that had it, and the variable that now stands there."""

    key: str
    variable: str


@dataclass(frozen=True, slots=True)
class Portable:
    """The text that is left, and what was taken out of it."""

    text: str
    taken: tuple[Taken, ...]


@dataclass(frozen=True, slots=True)
class _Value:
    """A value in the file. `list_` are the texts of the list that it stands in, of which it is the `place`-th."""

    key: Key
    node: yaml.ScalarNode
    list_: Sequence[str] = ()
    place: int = 0


def without_secrets(text: str, mask: Mask, variables: Mapping[str, str]) -> Portable:
    """The text without secrets. `mask` replaces what it takes for one; `variables` names the usual variable of a
    dotted key. Raises ConfigurationError for a text that cannot be read, or not be changed exactly."""
    document = parse(text)
    if document.problems:
        raise ConfigurationError([f"config.yaml:{line} {problem}" for line, problem in document.problems])
    tokens = list(yaml.scan(text, Loader=yaml.SafeLoader))
    edits: dict[tuple[int, int], str] = {}
    taken: dict[tuple[int, int], Taken] = {}
    for each in _values(text):
        before = _given_away(each, mask)
        span = _span(each.node, tokens)
        if before is None or span in taken:
            continue
        if each.node.style in _BLOCKS:
            raise ConfigurationError([f"{dotted(each.key)} is a secret over several lines"])
        names = {one.variable for one in taken.values()}
        found = Taken(dotted(each.key), _free(variables.get(dotted(each.key)) or _variable(each.key), names))
        taken[span] = found
        edits[span] = _quoted(f"{before}${{{found.variable}}}")
        edits |= dict.fromkeys(_tags(each.node, span, tokens), "")
    edits |= _comments(text, tokens, mask)
    written = text
    for (start, end), instead in sorted(edits.items(), reverse=True):
        written = written[:start] + instead + written[end:]
    left = parse(written)
    if left.problems or left.lines.keys() != document.lines.keys() or _hides(written, mask):
        raise ConfigurationError(["it is written in a way that secrets cannot be taken out of safely"])
    return Portable(written, tuple(taken[span] for span in sorted(taken)))


def _values(text: str) -> list[_Value]:
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    return list(_scalars(node, ())) if node is not None else []


def _scalars(node: yaml.Node, key: Key, depth: int = 0) -> Iterator[_Value]:
    if depth > 20:
        raise ConfigurationError(["the file is nested too deeply"])
    if isinstance(node, yaml.ScalarNode):
        yield _Value(key, node)
    elif isinstance(node, yaml.SequenceNode):
        texts = [str(each.value) if isinstance(each, yaml.ScalarNode) else "" for each in node.value]
        for number, item in enumerate(node.value):
            if isinstance(item, yaml.ScalarNode):
                yield _Value((*key, number), item, texts, number)
            else:
                yield from _scalars(item, (*key, number), depth + 1)
    elif isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            yield from _scalars(value, (*key, str(name.value)), depth + 1)


def _given_away(each: _Value, mask: Mask) -> str | None:
    """What of a value that holds a secret is none, and stands before it; None for a value that holds no secret."""
    value = str(each.node.value)
    if _WHOLE.fullmatch(value):
        return None
    if _named_secret(each.key, value):
        return None if _nothing(each.node) else ""
    if each.list_ and (part := secret_part(each.list_, each.place)) is not None:
        return None if _WHOLE.fullmatch(part[1]) else part[0]
    inside = any(_WHOLE.fullmatch(found) is None for found in within(value))
    return "" if inside or _looks_secret(value, mask) else None


def _named_secret(key: Key, value: str) -> bool:
    """Whether the name of the key, or of one that it lies below, says that the value is a secret."""
    above = key[:1] + key[2:-1] if key[:1] and key[0] in _BY_PEOPLE else key[:-1]
    if is_secret(key) or any(names_secret(each) for each in above if isinstance(each, str)):
        return True
    return bool(key) and isinstance(key[-1], str) and holds_secret(key[-1], value)


def _looks_secret(text: str, mask: Mask) -> bool:
    """Whether a secret stands in a text beside its references, which a mask would take for values."""
    plain = _REFERENCE.sub("", _REFERENCE_AT_END.sub('""', text))
    return mask(plain) != plain


def _nothing(scalar: yaml.ScalarNode) -> bool:
    """Nothing, or a truth value, which no secret is."""
    empty = ("", "~", "null", "true", "false", "yes", "no", "on", "off")
    return scalar.style is None and str(scalar.value).lower() in empty


def _span(node: yaml.ScalarNode, tokens: Sequence[yaml.Token]) -> tuple[int, int]:
    """Where the value itself stands: a node begins with its anchor and its tag, which are no part of it."""
    start, end = node.start_mark.index, node.end_mark.index
    for each in tokens:
        if isinstance(each, yaml.ScalarToken) and start <= each.start_mark.index and each.end_mark.index == end:
            return each.start_mark.index, end
    return end, end


def _tags(node: yaml.ScalarNode, span: tuple[int, int], tokens: Sequence[yaml.Token]) -> list[tuple[int, int]]:
    """The tags of a value, such as `!!int`, which its variable does not have."""
    spans = [(each.start_mark.index, each.end_mark.index) for each in tokens if isinstance(each, yaml.TagToken)]
    return [each for each in spans if node.start_mark.index <= each[0] and each[1] <= span[0]]


def _comments(text: str, tokens: Sequence[yaml.Token], mask: Mask) -> dict[tuple[int, int], str]:
    """Comments that have to change. What one line of comment names, the line above or below it may tell."""
    found: list[tuple[int, int]] = []
    values = [_inside(text, each) for each in tokens if isinstance(each, yaml.ScalarToken)]
    for sign in _COMMENT.finditer(text):
        after = not found or found[-1][1] <= sign.start()
        if after and not any(start <= sign.start() < end for start, end in values):
            found.append((sign.start(), _end_of_line(text, sign.start())))
    naming = {number for number, (start, end) in enumerate(found) if speaks_of_secrets(text[start:end])}
    near = {*naming}
    for number in range(1, len(found)):
        between = text[found[number - 1][1] : found[number][0]]
        if _NEXT_LINE.fullmatch(between) and naming & {number - 1, number}:
            near |= {number - 1, number}
    edits = {span: LEFT_OUT if number in near else mask(text[slice(*span)]) for number, span in enumerate(found)}
    return {span: instead for span, instead in edits.items() if instead != text[slice(*span)]}


def _end_of_line(text: str, at: int) -> int:
    found = _REST.match(text, at)
    return found.end() if found is not None else at


def _inside(text: str, token: yaml.ScalarToken) -> tuple[int, int]:
    """Where a sign of comment is part of a value: a text of several lines begins below its own head."""
    start, end = token.start_mark.index, token.end_mark.index
    if token.style in _BLOCKS:
        start = min(text.find("\n", start) % (len(text) + 1), end)
    return start, end


def _hides(text: str, mask: Mask) -> bool:
    """Whether a value or a name is left that looks like a secret."""
    words = {word for each in _values(text) for word in (*map(str, each.key), str(each.node.value))}
    return any(_looks_secret(word, mask) for word in words)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _free(name: str, used: set[str]) -> str:
    """The name, with a number if another key has it already."""
    number, free = 1, name
    while free in used:
        number += 1
        free = f"{name}_{number}"
    return free


def _variable(key: Key) -> str:
    """A variable's name made of a key: `hosts.lab.api_key` gives HOSTS_LAB_API_KEY."""
    name = re.sub(r"\W+", "_", "_".join(map(str, key)), flags=re.ASCII).upper().strip("_")
    return name if not name[:1].isdigit() else f"_{name}"
