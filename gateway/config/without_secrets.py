"""The text of config.yaml with a `${NAME}` wherever a secret stood, for copies that may lie elsewhere.

What stands around a value stays to the letter. Who asks decides what else looks like a secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import yaml

from gateway.config.expand import is_secret
from gateway.config.lines import Key, dotted, parse
from gateway.errors import ConfigurationError

_WHOLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_BLOCKS = ("|", ">")


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


def without_secrets(text: str, mask: Callable[[str], str], variables: Mapping[str, str]) -> Portable:
    """The text without secrets. `mask` replaces what it takes for one; `variables` names the usual variable of a
    dotted key. Raises ConfigurationError for a text that cannot be read, or not be changed exactly."""
    document = parse(text)
    if document.problems:
        raise ConfigurationError([f"config.yaml:{line} {problem}" for line, problem in document.problems])
    taken: dict[tuple[int, int], Taken] = {}
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    for key, scalar in _scalars(node, ()) if node is not None else ():
        value = str(scalar.value)
        if not _gives_away(key, value, mask) or _WHOLE.fullmatch(value) or (is_secret(key) and _empty(scalar)):
            continue
        if scalar.style in _BLOCKS:
            raise ConfigurationError([f"{dotted(key)} is a secret over several lines"])
        span = (scalar.start_mark.index, scalar.end_mark.index)
        taken[span] = Taken(dotted(key), variables.get(dotted(key)) or _named(key))
    written = text
    for (start, end), each in sorted(taken.items(), reverse=True):
        written = f'{written[:start]}"${{{each.variable}}}"{written[end:]}'
    written = "".join(_comment(line, mask) for line in written.splitlines(keepends=True))
    left = parse(written)
    if left.problems or left.lines.keys() != document.lines.keys() or _hides(written, mask):
        raise ConfigurationError(["it is written in a way that secrets cannot be taken out of safely"])
    return Portable(written, tuple(taken[span] for span in sorted(taken)))


def _scalars(node: yaml.Node, key: Key, depth: int = 0) -> Iterator[tuple[Key, yaml.ScalarNode]]:
    if depth > 20:
        raise ConfigurationError(["the file is nested too deeply"])
    if isinstance(node, yaml.ScalarNode):
        yield key, node
    elif isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            yield from _scalars(item, (*key, number), depth + 1)
    elif isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            yield from _scalars(value, (*key, str(name.value)), depth + 1)


def _gives_away(key: Key, value: str, mask: Callable[[str], str]) -> bool:
    return is_secret(key) or mask(value) != value


def _empty(scalar: yaml.ScalarNode) -> bool:
    return scalar.style is None and str(scalar.value) in ("", "~", "null", "Null", "NULL")


def _comment(line: str, mask: Callable[[str], str]) -> str:
    """A line whose comment, if it has one, is masked."""
    found = re.search(r"(?:^|(?<=\s))#", line)
    if found is None:
        return line
    at = found.start()
    return line[:at] + mask(line[at:])


def _hides(text: str, mask: Callable[[str], str]) -> bool:
    """Whether a value or a name is left that looks like a secret."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs = list(_scalars(node, ())) if node is not None else []
    words = {word for key, each in pairs for word in (*map(str, key), str(each.value))}
    return any(mask(word) != word for word in words)


def _named(key: Key) -> str:
    """A variable's name made of a key: `hosts.lab.api_key` gives HOSTS_LAB_API_KEY."""
    name = re.sub(r"\W+", "_", "_".join(map(str, key)), flags=re.ASCII).upper().strip("_")
    return name if not name[:1].isdigit() else f"_{name}"
