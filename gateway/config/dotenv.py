"""The profile's `.env`: NAME=VALUE lines, the one place where secrets are written down.

Understood: blank lines, comments, `export`, single and double quotes. Nothing is expanded inside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from gateway.config.lines import decoded
from gateway.config.writing import write_atomically
from gateway.errors import ConfigurationError

_LINE = re.compile(r"^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$")
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "$": "$"}


def read_env(path: Path) -> dict[str, str]:
    """The file's variables; a missing file has none. Raises ConfigurationError naming each line that is none."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigurationError([f"{path.name}:1 the file cannot be read: {error.strerror or error}"]) from None
    variables, problems = parse_env(decoded(data, path.name), path.name)
    if problems:
        raise ConfigurationError(problems)
    return variables


def parse_env(text: str, name: str = ".env") -> tuple[dict[str, str], list[str]]:
    """(variables, problems). Lines are never quoted in a problem: they may hold a secret."""
    variables: dict[str, str] = {}
    problems: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.match(line)
        value = _value(match[2]) if match else None
        if match is None or value is None:
            problems.append(f"{name}:{number} not a line of the form NAME=VALUE (check the quotes)")
        else:
            variables[match[1]] = value
    return variables, problems


def set_env(path: Path, changes: Mapping[str, str]) -> None:
    """Write these variables, keeping every other line; the file is readable by its owner only."""
    read_env(path)  # a file that cannot be understood is left alone
    text = decoded(path.read_bytes(), path.name) if path.exists() else ""
    lines = text.splitlines()
    for name, value in changes.items():
        written = f"{name}={_quoted(value)}"
        places = [number for number, line in enumerate(lines) if (match := _LINE.match(line)) and match[1] == name]
        if places:
            lines[places[-1]] = written
        else:
            lines.append(written)
    write_atomically(path, ("\n".join(lines) + "\n").encode(), mode=0o600)


def _value(raw: str) -> str | None:
    if raw[:1] == "'":
        match = re.fullmatch(r"'([^']*)'\s*(?:#.*)?", raw)
        return match[1] if match else None
    if raw[:1] == '"':
        match = re.fullmatch(r'"((?:[^"\\]|\\.)*)"\s*(?:#.*)?', raw)
        return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), match[1]) if match else None
    return re.split(r"(?:^|\s)#", raw, maxsplit=1)[0].rstrip()


def _quoted(value: str) -> str:
    if re.fullmatch(r"[A-Za-z0-9_.:/@%+=,-]*", value):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
