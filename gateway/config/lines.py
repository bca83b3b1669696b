"""config.yaml as plain values, each with the line it was written on; duplicate keys and odd constructs are problems.

Reading is plainer than PyYAML's: only `null`, truth values, decimal numbers and quoted or plain text exist. So
`22:30` and `0123` stay the text that people typed, dates stay text, and a key is always the text before the colon.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from gateway.errors import ConfigurationError

Key = tuple[str | int, ...]
"""A path into the file: names, and positions in lists."""

MOST_VALUES = 20_000
"""More values than any hand-written file has; aliases of aliases are stopped here."""

_RESOLVERS: tuple[tuple[str, str], ...] = (
    ("tag:yaml.org,2002:bool", r"^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$"),
    ("tag:yaml.org,2002:null", r"^(?:~|null|Null|NULL|)$"),
    ("tag:yaml.org,2002:int", r"^[-+]?(?:0|[1-9][0-9_]*)$"),
    ("tag:yaml.org,2002:float", r"^[-+]?(?:0|[1-9][0-9]*)\.[0-9]+(?:[eE][-+]?[0-9]+)?$"),
)


class _Loader(yaml.SafeLoader):
    """A loader with the few plain scalars that configuration needs."""

    yaml_implicit_resolvers = {  # noqa: RUF012  # the library's own attribute, replaced as a whole
        None: [(tag, re.compile(pattern)) for tag, pattern in _RESOLVERS],
    }


@dataclass(slots=True)
class Document:
    """What a file says. `lines` counts from 1; `spelled` holds plain (unquoted) scalars as they were typed."""

    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[Key, int] = field(default_factory=dict)
    spelled: dict[Key, str] = field(default_factory=dict)
    problems: list[tuple[int, str]] = field(default_factory=list)

    def line(self, key: Key) -> int:
        """The line of a key, or of the nearest group around it."""
        while key not in self.lines and key:
            key = key[:-1]
        return self.lines.get(key, 1)


def dotted(key: Key) -> str:
    """`('access', 'owners', 0)` as `access.owners[0]`."""
    text = ""
    for part in key:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def decoded(data: bytes, name: str) -> str:
    """Text of a file; a byte order mark is dropped. Raises ConfigurationError when it is not UTF-8."""
    try:
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return data.decode("utf-16")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigurationError(
            [f"{name}:{line} the file is not UTF-8 text (byte {error.start}); save it as UTF-8"]
        ) from None


def read(path: Path) -> Document:
    """The file's contents; a missing file is an empty document. Raises ConfigurationError when it cannot be read."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return Document()
    except OSError as error:
        raise ConfigurationError([f"{path.name}:1 the file cannot be read: {error.strerror or error}"]) from None
    return parse(decoded(data, path.name), path.name)


def parse(text: str, name: str = "config.yaml") -> Document:
    """The text's contents. Raises ConfigurationError for a text that is no YAML or no group of keys."""
    try:
        node = yaml.compose(text, Loader=_Loader)
    except yaml.YAMLError as error:
        raise ConfigurationError([f"{name}:{_syntax(error, text)}"]) from None
    except RecursionError:
        raise ConfigurationError([f"{name}:1 the file is nested too deeply"]) from None
    document = Document()
    if node is None or (isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null")):
        return document
    if not isinstance(node, yaml.MappingNode):
        line = node.start_mark.line + 1
        raise ConfigurationError([f"{name}:{line} the file must be a group of keys such as `memory:`"])
    document.values = _Walk(document).mapping(node, ())
    return document


def scalar(text: str) -> Any:
    """What a plain scalar means: `true`, `12`, `null`, or the text itself."""
    kind = next((tag for tag, pattern in _RESOLVERS if re.match(pattern, text)), "tag:yaml.org,2002:str")
    return _plain(yaml.ScalarNode(kind, text))


def _syntax(error: yaml.YAMLError, text: str) -> str:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = mark.line + 1 if mark else 1
    what = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be understood"
    context = getattr(error, "context", None)
    start = getattr(error, "context_mark", None)
    tail = f" ({context}, begun on line {start.line + 1})" if context and start else ""
    written = text.splitlines()[line - 1 : line]
    hint = "; indent with spaces" if "'\\t'" in what else ""
    if written and re.search(r"[{\[,].*[^\"']\$\{", written[0]):
        hint = '; inside { } and [ ] a variable needs quotes: "${NAME}"'
    return f"{line} the file is not valid YAML: {what}{tail}{hint}"


def _plain(node: yaml.ScalarNode) -> Any:
    kind = node.tag.rpartition(":")[2]
    text = str(node.value)
    match kind:
        case "null":
            return None
        case "bool":
            return text.lower() in ("yes", "true", "on")
        case "int":
            return int(text)
        case "float":
            return float(text)
        case _:
            return text


class _Walk:
    """One pass over the nodes: values, lines and problems."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.count = 0
        self.open: set[int] = set()

    def mapping(self, node: yaml.MappingNode, path: Key) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                self.document.problems.append((line, f"{dotted(path)}: a key must be a plain word".lstrip(": ")))
                continue
            name = str(key_node.value)
            here = (*path, name)
            if name == "<<":
                self.document.problems.append((line, f"{dotted(here)}: << is not supported, write the keys out"))
            elif name in values:
                first = self.document.lines[here]
                self.document.problems.append(
                    (line, f"{dotted(here)}: written twice (first on line {first}), keep one of them")
                )
            else:
                self.document.lines[here] = line
                values[name] = self.value(value_node, here)
        return values

    def value(self, node: yaml.Node, path: Key) -> Any:
        line = node.start_mark.line + 1
        self.document.lines.setdefault(path, line)
        self.count += 1
        if self.count > MOST_VALUES or id(node) in self.open:
            self.document.problems.append((line, f"{dotted(path)}: too much repetition by aliases"))
            return None
        if isinstance(node, yaml.ScalarNode):
            if node.style is None:
                self.document.spelled[path] = str(node.value)
            return self.tagged(node, path)
        self.open.add(id(node))
        try:
            if isinstance(node, yaml.MappingNode):
                return self.mapping(node, path)
            return [self.value(item, (*path, number)) for number, item in enumerate(node.value)]
        finally:
            self.open.discard(id(node))

    def tagged(self, node: yaml.ScalarNode, path: Key) -> Any:
        try:
            return _plain(node)
        except ValueError:
            line = node.start_mark.line + 1
            self.document.problems.append((line, f"{dotted(path)}: '{node.value}' does not fit its tag"))
            return None
