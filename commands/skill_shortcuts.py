"""Skills called up by a slash: `/deploy tonight`, up to five at the head of a message, `/skill NAME TEXT`, `/learn`.

Which message means what is read here, from the names of the moment. Such a message is answered by a turn; what the
turn is shown of the skills is the engine's part. A command of the house always wins over a skill of its name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commands.parse import NAME, Mistake, Order, parse, unknown, usage
from commands.registry import Registry
from commands.spec import Argument, CommandSpec, Role
from memory.files import FileTrouble
from memory.skills.model import Broken, Found, Skill

if TYPE_CHECKING:  # what the quick commands of the shell do not pay for
    from memory.skills.library import Library

MOST = 5
"""Skills that one message may call up."""

SUGGESTED = 25
"""Names that are suggested at a time; from Discord's documentation."""

HEAD = re.compile(r"/([A-Za-z0-9][A-Za-z0-9._-]{0,63})(?:@\w+)?(?=\s|$)")

SKILL = CommandSpec(
    "skill", "do something by a skill",
    arguments=(
        Argument("name", "which skill", required=True, suggested=True),
        Argument("text", "what is to be done", rest=True),
    ),
    shell=False, said=True,
)  # fmt: skip

LEARN = CommandSpec(
    "learn", "keep what was just worked out as a skill",
    arguments=(Argument("topic", "what it is about", rest=True),),
    role=Role.OPERATOR, shell=False, said=True,
)  # fmt: skip

SPECS = (SKILL, LEARN)


@dataclass(frozen=True, slots=True)
class Called:
    """A message that calls up skills, in their order, or that wishes one to be learnt (`learns`). `instruction` is
    the rest of the message; `spec` says who may send it."""

    spec: CommandSpec
    skills: tuple[Skill, ...] = ()
    instruction: str = ""

    @property
    def learns(self) -> bool:
        return self.spec is LEARN


Meaning = Order | Mistake | Called | None
"""An order, something that was meant as one, a message with skills, or any other message."""


class Shortcuts:
    """`library` is None where there are no skills. `look` reads the folders and may be called in any thread; `read`
    goes by what was seen last."""

    def __init__(self, registry: Registry, library: Library | None) -> None:
        self._registry = registry
        self._library = library
        self._found: Found | None = None

    def look(self) -> Found:
        """What skills there are now; none while the folders cannot be read."""
        try:
            self._found = self._library.found() if self._library is not None else Found((), ())
        except FileTrouble:
            self._found = Found((), ())
        return self._found

    def asks(self, text: str) -> bool:
        """Whether only a look at the skills tells what this message means."""
        head = HEAD.match(text.strip())
        spec = self._registry.get(head[1]) if head is not None else None
        return head is not None and (spec is None or spec is SKILL)

    def read(self, text: str) -> Meaning:
        """What a message means."""
        text = text.strip()
        head = HEAD.match(text)
        if head is None:
            return parse(text, self._registry)
        rest = text[head.end() :].strip()
        spec = self._registry.get(head[1])
        if spec in (LEARN, SKILL) and self._library is None:
            return Mistake("Skills are off here.")
        if spec is LEARN:
            return Called(LEARN, instruction=rest)
        if spec is SKILL:
            return self._called(f"/{rest.removeprefix('/')}") if rest else Mistake(usage(SKILL, None))
        return parse(text, self._registry) if spec is not None else self._called(text)

    @property
    def known(self) -> Found:
        """What was seen last."""
        return self._found if self._found is not None else self.look()

    def _called(self, text: str) -> Called | Mistake | None:
        """What stands at the head of a message that begins with no command."""
        skills: list[Skill] = []
        while (head := HEAD.match(text)) is not None:
            if skills and self._registry.get(head[1]) is not None:
                break  # it is spoken of: `/explain /new to me`
            found = named(head[1], self.known)
            if found is None:
                wrong = self._strange(head[0], head[1], among=bool(skills))
                if wrong is None and skills:
                    break  # such as `/tidy /tmp`
                return wrong
            if isinstance(found, Mistake):
                return found
            skills += [] if found in skills else [found]
            text = text[head.end() :].lstrip()
        if len(skills) > MOST:
            return Mistake(f"One message may call up {MOST} skills at most, and this one names {len(skills)}.")
        return Called(SKILL, tuple(skills), text) if skills else Mistake(usage(SKILL, None))

    def _strange(self, word: str, name: str, *, among: bool) -> Mistake | None:
        """What is said to a name that is none; None where it may well be no name at all."""
        names = [each.name for each in self.known.skills]
        sure = NAME.fullmatch(word) is not None and not among
        return unknown(name, self._registry, names) if sure or self._registry.nearest(name, names) else None


def named(name: str, found: Found) -> Skill | Mistake | None:
    """The skill of that name, in any case, also when hyphens and dots are written as underscores, as Telegram wants
    it. What is wrong with it when it is broken, or when several may be meant."""
    name = name.lower()
    exact: list[Skill | Broken] = [each for each in found.skills if each.name == name]
    exact += [each for each in found.broken if each.name == name]
    if exact:
        return exact[0] if isinstance(exact[0], Skill) else broken_words(exact[0])
    like: list[Skill | Broken] = [each for each in found.skills if plain(each.name) == plain(name)]
    if len(like) > 1:
        return Mistake(_several(name, like))
    like += [each for each in found.broken if plain(each.name.lower()) == plain(name)]
    if not like:
        return None
    return like[0] if isinstance(like[0], Skill) else broken_words(like[0])


def plain(name: str) -> str:
    """A skill's name as Telegram takes commands."""
    return name.replace("-", "_").replace(".", "_")


def broken_words(broken: Broken) -> Mistake:
    """Why a skill cannot be used, with file and line."""
    return Mistake(f"The skill {broken.name} is broken and cannot be used: {where(broken)}: {broken.why}")


def where(broken: Broken) -> str:
    """File and line, from the skill's folder on."""
    inside = broken.file.is_relative_to(broken.folder)
    file = "/".join((broken.folder.name, *(broken.file.relative_to(broken.folder).parts if inside else ())))
    return f"{file}:{broken.line}" if broken.line else file


def listed(found: Found, registry: Registry) -> Mapping[str, str]:
    """For a menu that lists commands by name: each skill that its plain name means alone, and what it is for."""
    return {
        name: skills[0].description
        for name, skills in _by_plain_name(found.skills).items()
        if len(skills) == 1 and registry.get(name) is None and registry.get(skills[0].name) is None
    }


def collisions(found: Found, registry: Registry) -> Iterator[str]:
    """Skills that their own name does not call up, one sentence each."""
    for skill in found.skills:
        if registry.get(skill.name) is not None:
            yield f"/{skill.name} is a command: call the skill up by `/skill {skill.name}`."
    for name, skills in _by_plain_name(found.skills).items():
        if len(skills) > 1:
            yield _several(name, skills)


def suggestions(found: Found, typed: str) -> list[str]:
    """Names of skills that somebody who typed this may mean: those that begin with it, then those that hold it."""
    wish = plain(typed.strip().lower().removeprefix("/"))
    names = [each.name for each in found.skills if wish in plain(each.name)]
    return sorted(names, key=lambda name: (not plain(name).startswith(wish), name))[:SUGGESTED]


def _several(name: str, like: Sequence[Skill | Broken]) -> str:
    return f"/{name} may mean {' or '.join(f'/{each.name}' for each in like)}: write it with those signs."


def _by_plain_name(skills: Sequence[Skill]) -> Mapping[str, Sequence[Skill]]:
    found: dict[str, list[Skill]] = defaultdict(list)
    for each in skills:
        found[plain(each.name)].append(each)
    return found
