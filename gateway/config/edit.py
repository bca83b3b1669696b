"""Changing one key of config.yaml in place: comments and everything else stay as they were written.

ruamel.yaml keeps the text; what the result means is read back the same way as at start, so that the change is
exactly the one that was asked for, and the whole file is valid, before a byte is written.
"""

from __future__ import annotations

import copy
import fcntl
import io
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.resolver import VersionedResolver
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from gateway.config.dotenv import read_env
from gateway.config.expand import Variables
from gateway.config.extensions import Extensions
from gateway.config.keys import exists, unknown
from gateway.config.lines import Key, decoded, parse
from gateway.config.load import loaded
from gateway.config.paths import Profile
from gateway.config.restart import needs_restart
from gateway.config.writing import write_atomically
from gateway.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Edited:
    """What was set. `restart` says that a running gateway must be restarted for it; `changed` is False when the
    file said so already."""

    key: str
    value: Any
    restart: bool
    changed: bool


class _AsTyped(VersionedResolver):
    """Every plain scalar is the text that was typed: `on` stays `on`, `22:30` and `0123` stay what they are."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        tag = super().resolve(kind, value, implicit)
        plain = str(tag).rpartition(":")[2] in ("bool", "int", "float", "null", "timestamp", "value", "merge")
        return super().resolve(ScalarNode, "text", (False, True)) if plain else tag


def set_key(
    profile: Profile,
    dotted: str,
    value_text: str,
    environment: Mapping[str, str],
    extensions: Extensions | None = None,
) -> Edited:
    """Set one key (`memory.write_approval`) to a value written as in the file (`auto`, `[111, 222]`, `null`).

    Raises ConfigurationError, with the file unchanged to the byte, when the key is unknown, when the file cannot
    be parsed, or when the result as a whole would not be valid.
    """
    extensions = extensions or Extensions()
    key: Key = tuple(dotted.split("."))
    models, providers = extensions.platform_models(), extensions.provider_models(map(str, key[2:3]))
    if not exists(key, models, providers):
        raise ConfigurationError([f"{dotted}: {unknown(key, models, providers)}"])
    path = profile.config
    with _alone(profile.folder):
        data = path.read_bytes() if path.exists() else b""
        text = decoded(data, path.name)
        before = parse(text, path.name)
        if before.problems:
            raise ConfigurationError([f"{path.name}:{line} {problem}" for line, problem in before.problems])
        value, node = _value(value_text)
        try:
            after = _edited(text, key, node)
        except YAMLError as error:
            raise ConfigurationError([f"{path.name} cannot be changed in place: {error}"]) from None
        document = parse(after, path.name)
        if document.values != _with(before.values, key, value):
            raise ConfigurationError(
                [
                    f"{dotted}: the file is written in a way that cannot be changed safely here; "
                    f"edit {path.name} by hand"
                ]
            )
        loaded(document, Variables(environment, read_env(profile.env)), extensions, path.name)
        if after != text:
            write_atomically(path, _encoded(after, data))
    return Edited(dotted, value, needs_restart(dotted), after != text)


def _yaml() -> YAML:
    yaml = YAML(typ="rt", pure=True)
    yaml.Resolver = _AsTyped
    yaml.preserve_quotes = True
    yaml.width = 100_000  # never fold a line that somebody wrote
    return yaml


def _value(text: str) -> tuple[Any, Any]:
    """(the value, the same for ruamel). What is no YAML is taken as text: `*`, `@name`, `#1`."""
    try:
        value = parse(f"value: {text}").values["value"]
        if text.strip() and text.strip()[0] in "#&*!|>%@`":
            raise ConfigurationError([])
        node = _yaml().load(f"value: {text}")["value"]
    except (ConfigurationError, YAMLError):
        return text, DoubleQuotedScalarString(text)
    return value, node


def _edited(text: str, key: Key, node: Any) -> str:
    """The text with the key set. A file without keys keeps its comments in front."""
    yaml = _yaml()
    if not parse(text).values:
        tree: Any = CommentedMap()
        _place(tree, key, node)
        kept = text if not text or text.endswith("\n") else text + "\n"
        return kept.replace("\r\n", "\n") + _dumped(yaml, tree)
    mapping, offset = _indents(text)
    yaml.indent(mapping=mapping, sequence=offset + 2, offset=offset)
    tree = yaml.load(text)
    _place(tree, key, node)
    return _dumped(yaml, tree)


def _place(tree: Any, key: Key, node: Any) -> None:
    for part in key[:-1]:
        inner = tree.get(part)
        if not isinstance(inner, dict):
            inner = tree[part] = CommentedMap()
        tree = inner
    tree[key[-1]] = None  # or ruamel would put the new text into the quotes of the old
    tree[key[-1]] = node


def _indents(text: str) -> tuple[int, int]:
    """(spaces before a nested key, spaces of a dash beyond its key), from the first of each in the text."""
    nested = re.search(r"^[\w-]+:[ \t]*(?:#.*)?\r?\n(?:[ \t]*(?:#.*)?\r?\n)*( +)[^\s#-]", text, re.MULTILINE)
    dash = re.search(r"^( *)[\w-]+:[ \t]*(?:#.*)?\r?\n(?:[ \t]*(?:#.*)?\r?\n)*( *)- ", text, re.MULTILINE)
    return len(nested[1]) if nested else 2, max(len(dash[2]) - len(dash[1]), 0) if dash else 2


def _dumped(yaml: YAML, tree: Any) -> str:
    stream = io.StringIO()
    yaml.dump(tree, stream)
    return stream.getvalue()


def _with(values: dict[str, Any], key: Key, value: Any) -> dict[str, Any]:
    changed: dict[str, Any] = copy.deepcopy(values)
    inner: Any = changed
    for part in key[:-1]:
        if not isinstance(inner.get(part), dict):
            inner[part] = {}
        inner = inner[part]
    inner[key[-1]] = value
    return changed


def _encoded(text: str, original: bytes) -> bytes:
    """In the line ends and with the byte order mark of the original."""
    if b"\r\n" in original:
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    if original[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return text.encode("utf-16")
    return (b"\xef\xbb\xbf" if original.startswith(b"\xef\xbb\xbf") else b"") + text.encode()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One editor at a time: a lock on the folder itself, so that no lock file is left behind."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
