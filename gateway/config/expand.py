"""`${NAME}` in settings, and which values are secrets that must never come to rest anywhere else."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gateway.config.lines import Key
from gateway.config.secret_words import secret_part

_REFERENCE = re.compile(r"\$(\$?)\{([^}]*)\}")
_SECRET_KEY = re.compile(r"(?:^|_)(?:token|secret|password|key)$")
_SECRET_VARIABLE = re.compile(r"TOKEN|SECRET|PASS|KEY|AUTH|CREDENTIAL", re.IGNORECASE)
SHORTEST_SECRET = 4
"""Shorter values are not masked: masking them would garble ordinary text."""

_NO_SECRETS = frozenset({"none", "null", "empty", "dummy", "local", "unused", "not-needed", "no-key"})
"""What people write where a server wants no key; the logs need these words."""


@dataclass(frozen=True, slots=True)
class Variables:
    """The process's environment, then the profile's `.env`. An empty value counts as unset."""

    environment: Mapping[str, str] = field(repr=False)
    file: Mapping[str, str] = field(repr=False, default_factory=dict)

    def find(self, name: str) -> tuple[str, str] | None:
        """(value, where it came from), or None."""
        if value := self.environment.get(name):
            return value, f"environment {name}"
        if value := self.file.get(name):
            return value, f".env {name}"
        return None

    def secrets(self) -> Iterator[str]:
        """Values of `.env` that look like secrets, by name or by their own look."""
        for name, value in self.file.items():
            looks = len(value) >= 8 and re.search(r"\d", value) and re.search(r"[A-Za-z]", value)
            if _SECRET_VARIABLE.search(name) or (looks and not re.search(r"[/:\s]", value)):
                yield value


@dataclass(slots=True)
class Expansion:
    """What expanding changed. `whole` are keys whose value is one reference and nothing else."""

    origins: dict[Key, str] = field(default_factory=dict)
    whole: set[Key] = field(default_factory=set)
    secrets: set[str] = field(default_factory=set)
    problems: list[tuple[Key, str]] = field(default_factory=list)

    def value(self, value: Any, path: Key, variables: Variables) -> Any:
        """A copy with every reference replaced; an unset variable is a problem that names the key."""
        if isinstance(value, dict):
            return {name: self.value(inner, (*path, name), variables) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.value(inner, (*path, number), variables) for number, inner in enumerate(value)]
        if isinstance(value, str) and "${" in value:
            return self._text(value, path, variables)
        return value

    def _text(self, text: str, path: Key, variables: Variables) -> str:
        def replaced(match: re.Match[str]) -> str:
            if match[1]:
                return match[0][1:]
            name = match[2].strip()
            found = variables.find(name)
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
                self.problems.append((path, f"{match[0]} names no variable; write ${{NAME}} (or $${{ for the text)"))
            elif found is None:
                self.problems.append((path, f"${{{name}}} is not set, neither in the environment nor in .env"))
            else:
                self.origins[path] = found[1]
                if _SECRET_VARIABLE.search(name):
                    self.secrets.add(found[0])
                return found[0]
            return ""

        if (match := _REFERENCE.fullmatch(text)) and not match[1]:
            self.whole.add(path)
        return _REFERENCE.sub(replaced, text)


def is_secret(key: Key) -> bool:
    """Whether a key holds a secret, by its name; an MCP server's variables and headers always do."""
    if len(key) >= 4 and key[0] == "mcp_servers" and key[2] in ("env", "headers"):
        return True
    return bool(_SECRET_KEY.search(str(key[-1]))) if key else False


def configured_secrets(values: Any, path: Key = ()) -> Iterator[str]:
    """Every secret in expanded settings, and passwords inside addresses and behind flags in lists."""
    if isinstance(values, dict):
        for name, inner in values.items():
            yield from configured_secrets(inner, (*path, name))
    elif isinstance(values, list):
        for number, inner in enumerate(values):
            yield from configured_secrets(inner, (*path, number))
        texts = ["" if isinstance(each, dict | list) else str(each) for each in values]
        parts = (secret_part(texts, number, sure=True) for number in range(len(texts)))
        yield from (part[1] for part in parts if part is not None)
    elif isinstance(values, str):
        if is_secret(path):
            yield values.strip()
            if path[0] == "mcp_servers" and " " in values:
                yield values.rpartition(" ")[2]
        if match := re.match(r"\w+://[^/@\s]*:([^/@\s]+)@", values):
            yield match[1]


def worth_masking(values: Iterable[str]) -> frozenset[str]:
    """Secrets long enough to be told from ordinary text, without what people write where a key is none."""
    return frozenset(each for each in values if len(each) >= SHORTEST_SECRET and each.casefold() not in _NO_SECRETS)


def masked(text: str, secrets: Iterable[str]) -> str:
    """The text without these secrets, longest first."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text


def shown(key: Key, value: Any) -> Any:
    """A value fit to be printed: secrets only as being set."""
    return "*** (set)" if is_secret(key) and value is not None else value


def hidden(value: Any, secrets: Collection[str]) -> Any:
    """A value fit to be printed, without secrets inside longer texts: in addresses, and in lists of arguments."""
    if isinstance(value, list | tuple):
        return [hidden(each, secrets) for each in value]
    return masked(value, secrets) if isinstance(value, str) else value
