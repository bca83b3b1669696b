"""The template of a plugin: a folder with a package, its tests and a README, whose tests pass as they are.

The files lie in `template/`, one folder a kind beside what all have; words in them stand for the plugin's names.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType

ENTRIES = MappingProxyType(
    {"platform": "manifest", "command": "spec", "tool": "tools", "host": "kind", "provider": "manifest"}
)
"""What a plugin of each kind announces, by its name in the package."""
NAME = re.compile(r"[a-z][a-z0-9]{1,29}")
TAKEN = frozenset({"console", "telegram", "discord", "openai", "anthropic", "openrouter", "local", "auto", "test"})
"""Names that a plugin could not have, or that would be a trap."""

SUFFIX = ".txt"
"""Of the files in the template, so that nothing takes them for modules of the house."""


class NotMade(Exception):
    """Why nothing was made, in one line."""


@dataclass(frozen=True, slots=True)
class Made:
    """What was written: the plugin's folder, and its files relative to it."""

    folder: Path
    files: tuple[str, ...]


def write(kind: str, name: str, into: Path) -> Made:
    """Make `into/innkeeper-NAME`. Raises NotMade, with nothing written, where the name cannot be, or is there."""
    if kind not in ENTRIES:
        raise NotMade(f"{kind} is no kind of plugin; there are: {', '.join(ENTRIES)}")
    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        raise NotMade(f"{name!r} is no name for a plugin: 2 to 30 small letters and digits, a letter first")
    if name in TAKEN or name in _of_the_house(kind):
        raise NotMade(f"{name} is a name of the house")
    folder = into / f"innkeeper-{name}"
    texts = _filled(kind, name)
    if not into.is_dir():
        raise NotMade(f"there is no folder {into}")
    try:
        folder.mkdir()
    except FileExistsError:
        raise NotMade(f"{folder} exists already; nothing was written") from None
    except OSError as error:
        raise NotMade(f"{folder} cannot be made: {error.strerror or error}") from None
    for place, text in texts.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Made(folder, tuple(texts))


def _of_the_house(kind: str) -> Collection[str]:
    """Names at the door of this kind that the house keeps for itself."""
    if kind == "command":
        from commands.registry import built_in

        return {name for spec in built_in([]) for name in (spec.name, *spec.aliases)}
    if kind == "tool":
        from gateway.tools.loader import OWN

        return OWN
    from gateway.config.extensions import MEMORY_PROVIDERS

    return MEMORY_PROVIDERS if kind == "provider" else ()


def _filled(kind: str, name: str) -> dict[str, str]:
    """The files by their place, with the names filled in."""
    words = {
        "NAME_": name,
        "PACKAGE_": f"innkeeper_{name}",
        "CLASS_": name.capitalize(),
        "KIND_": kind,
        "ENTRY_": ENTRIES[kind],
    }
    root = files("gateway.plugins") / "template"
    found: dict[str, str] = {}
    for source in (root / "all", root / kind):
        for place, text in _read(source, ""):
            for word, meant in words.items():
                place, text = place.replace(word, meant), text.replace(word, meant)
            found[place] = found.get(place, "") + text
    return found


def _read(folder: Traversable, place: str) -> list[tuple[str, str]]:
    found = []
    for each in sorted(folder.iterdir(), key=lambda one: one.name):
        if each.is_dir():
            found += _read(each, f"{place}{each.name}/")
        elif each.name.endswith(SUFFIX):
            found.append((place + each.name.removesuffix(SUFFIX), each.read_text(encoding="utf-8")))
    return found
