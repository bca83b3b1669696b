"""An index of skills: a JSON list of name, description, source and sha256, which somebody keeps (pure).

Nothing in it is trusted: names are held to the rules, descriptions to one line, sources to where the index lies.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from gateway.providers.addresses import Address, from_index
from memory.skills.crate import Rejected
from memory.skills.model import DESCRIPTION_CHARS
from memory.skills.validate import objection_to_name, one_line, shown

MOST_ENTRIES = 10_000
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Entry:
    """A skill that an index names. `sha256` is that of the archive; of a folder or repository, the digest of the
    skill's files as `inspect` tells it."""

    name: str
    description: str
    source: Address
    sha256: str
    index: Address


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What indexes hold, and what is wrong with them, in sentences."""

    entries: tuple[Entry, ...] = ()
    troubles: tuple[str, ...] = ()

    def named(self, name: str) -> Entry:
        """The entry of that name. Raises `Rejected`."""
        found = [each for each in self.entries if each.name == name]
        if len(found) == 1:
            return found[0]
        if found:
            there = ", ".join(str(each.index) for each in found)
            raise Rejected(f"Several indexes have a skill {name}; say which: {there}.")
        told = f" {' '.join(self.troubles[:3])}" if self.troubles else ""
        raise Rejected(f"No index has a skill {shown(name)}.{told}")

    def matching(self, words: str) -> Catalogue:
        """The entries that have all of the words in name or description, those with them in the name first."""
        wanted = words.casefold().split()
        found = [each for each in self.entries if all(word in _text(each) for word in wanted)]
        found.sort(key=lambda each: (not all(word in each.name for word in wanted), each.name))
        return Catalogue(tuple(found), self.troubles)


def parse(data: bytes, index: Address) -> Catalogue:
    """What an index's file holds. Raises `Rejected` for one that is none; bad entries are left out and told."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise Rejected(f"{shown(str(index))} is no JSON.") from None
    listed = document.get("skills") if isinstance(document, dict) else document
    if not isinstance(listed, list):
        raise Rejected(f"{shown(str(index))} is no index: it has to be a list of skills.")
    if len(listed) > MOST_ENTRIES:
        raise Rejected(f"{shown(str(index))} has more than {MOST_ENTRIES:,} entries.")
    entries: dict[str, Entry] = {}
    troubles = []
    for number, each in enumerate(listed, 1):
        try:
            entry = _entry(each, index)
            if entry.name in entries:
                raise Rejected(f"{entry.name} stands there twice.")
            entries[entry.name] = entry
        except Rejected as error:
            troubles.append(f"Entry {number} of {index}: {error}")
    return Catalogue(tuple(sorted(entries.values(), key=lambda each: each.name)), tuple(troubles))


def joined(parts: Sequence[Catalogue]) -> Catalogue:
    return Catalogue(
        tuple(sorted((each for part in parts for each in part.entries), key=lambda each: each.name)),
        tuple(each for part in parts for each in part.troubles),
    )


def _entry(each: object, index: Address) -> Entry:
    if not isinstance(each, dict):
        raise Rejected("it is no object.")
    values = [each.get(key) for key in ("name", "description", "source", "sha256")]
    if not all(isinstance(value, str) for value in values):
        raise Rejected("it has to have name, description, source and sha256, as texts.")
    name, description, source, sha256 = map(str, values)
    if (why := objection_to_name(name)) is not None:
        raise Rejected(why)
    flat = one_line(description)
    if not flat or len(flat) > DESCRIPTION_CHARS:
        raise Rejected(f"the description of {name} is empty or longer than {DESCRIPTION_CHARS:,} characters.")
    if _HASH.fullmatch(sha256.lower()) is None:
        raise Rejected(f"the sha256 of {name} is none: 64 hexadecimal digits.")
    return Entry(name, flat, from_index(source, index), sha256.lower(), index)


def _text(entry: Entry) -> str:
    return f"{entry.name} {entry.description}".casefold()
