"""Whose memory a chat has: the files that its prompt shows, and the files that are written from it. Pure.

Who can be heard in a chat is the engine's matter; what stands in the files, `memory`'s.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from memory.model import Target
from memory.providers.protocol import OWNER
from memory.shelf import OWN
from platforms.messages import ChatRef

Rule = Literal["owner", "person", "room"]
"""`memory.scope`."""

PEOPLE, ROOMS = "people", "rooms"
LONGEST = 80
"""Characters of a file's name, without folder and suffix."""

_CUT = 60


@dataclass(frozen=True, slots=True)
class Place:
    """A chat as memory sees it: who speaks now (the platform's own id; empty when nobody, or several do), whether
    others hear it, and whether only owners are heard there."""

    chat: ChatRef
    speaker: str
    direct: bool
    owners: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """A file whose entries stand in the prompt, as this store's."""

    target: Target
    file: str


@dataclass(frozen=True, slots=True)
class Scope:
    """`files` say where writes go, by store; `shown`, what stands in the prompt, in this order. Others may not see
    the files of `censored` stores: nothing of what is in them is ever shown or answered."""

    files: Mapping[Target, str] = field(default_factory=dict)
    shown: tuple[Shown, ...] = ()
    censored: frozenset[Target] = frozenset()

    @property
    def seal(self) -> dict[str, list[str]]:
        """What a session is frozen with, whoever speaks in it: as JSON can hold it."""
        shown = [f"{each.target.value} {each.file}" for each in self.shown]
        return {"shown": shown, "files": [self._sealed(target) for target in Target if target in self.offered]}

    @property
    def offered(self) -> frozenset[Target]:
        """The stores that are written from this chat, by one speaker or another."""
        return frozenset(self.files) | self.censored

    def _sealed(self, target: Target) -> str:
        return f"{target.value} {'' if target in self.censored else self.files[target]}"


ScopeOf = Callable[[ChatRef, str, bool], Scope]
"""The scope of a chat, by who speaks (`platform:id`) and whether nobody else hears it, as things are now."""

NOWHERE = Scope()
"""Where nobody's memory is."""

OWNERS = Scope(OWN, tuple(Shown(target, file) for target, file in OWN.items()))
"""Where nobody but owners is heard."""


def scope_of(place: Place, rule: Rule, share: bool) -> Scope:
    """The table: places by rule. `share` lets MEMORY.md, and never USER.md, be read everywhere."""
    if place.owners:
        return OWNERS
    common = (Shown(Target.MEMORY, OWN[Target.MEMORY]),) if share else ()
    if rule == "owner":
        return Scope({}, common)
    person = {Target.USER: person_file(place.chat.platform, place.speaker)} if place.speaker else {}
    if place.direct:
        return Scope(person, (*common, *(Shown(target, file) for target, file in person.items())))
    censored = frozenset({Target.USER})
    if rule == "person":
        return Scope(person, common, censored)
    room = room_file(place.chat)
    return Scope({Target.MEMORY: room} | person, (*common, Shown(Target.MEMORY, room)), censored)


def subset(seal: Mapping[str, list[str]], of: Scope) -> bool:
    """Whether a session with this seal shows nothing that may not be shown in this scope."""
    return set(seal["shown"]) <= set(of.seal["shown"])


def subject(seal: Mapping[str, list[str]]) -> str | None:
    """Whose outside memory a session with this seal has: `owner`, `people/NAME` or `rooms/NAME`, as memory's own
    files are named; None where it has none. In a group that others hear, it is the room's or nobody's."""
    if dict(seal) == OWNERS.seal:
        return OWNER
    files = [file.removesuffix(".md") for _, _, file in (each.partition(" ") for each in seal["files"]) if file]
    rooms = [each for each in files if each.startswith(f"{ROOMS}/")]
    return next(iter([*rooms, *files]), None)


def subject_of_file(file: str) -> str:
    """The same for a file of memory, relative to its folder."""
    return OWNER if file in OWN.values() else file.removesuffix(".md")


def person_file(platform: str, person: str) -> str:
    """The file of one person, relative to the memories folder."""
    return f"{PEOPLE}/{_bounded(f'{_inner(platform)}-{_spelled(person)}')}.md"


def room_file(chat: ChatRef) -> str:
    """The file of one room, or of one topic or thread in it."""
    thread = f"-{_spelled(chat.thread_id)}" if chat.thread_id is not None else ""
    return f"{ROOMS}/{_bounded(f'{_inner(chat.platform)}-{_inner(chat.chat_id)}{thread}')}.md"


def target_of(file: str) -> Target:
    """What the file of a person or a room is a store for."""
    return Target.MEMORY if file.startswith(f"{ROOMS}/") else Target.USER


def _spelled(part: str) -> str:
    """Lower-case letters, digits, `-` and `_` as they are, everything else as `%` and its bytes: no two ids have the
    same name, not even where upper and lower case are one."""
    return re.sub(r"[^a-z0-9_-]", lambda found: "".join(f"%{byte:02x}" for byte in _bytes(found[0])), part)


def _inner(part: str) -> str:
    """The same for a part that another one follows: only a dash in front stays one."""
    return _spelled(part[:1]) + _spelled(part[1:]).replace("-", "%2d")


def _bytes(character: str) -> bytes:
    return character.encode("utf-8", "surrogatepass")


def _bounded(name: str) -> str:
    """A name that every file system takes; a long one ends in its hash."""
    if len(name) <= LONGEST:
        return name
    return f"{name[:_CUT]}~{hashlib.sha256(name.encode()).hexdigest()[: LONGEST - _CUT - 1]}"
