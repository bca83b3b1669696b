"""What a new session is opened with, read from the profile: persona, standing instructions, memory, skills, tools.

Read when a session begins and at no other time. A file that cannot be read costs its part, is reported, and never
keeps a person from an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gateway.agent.prompt import PERSONA, PromptParts, render
from gateway.agent.scopes import NOWHERE, Scope, subject
from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.tools import search_guidance, skill_guidance
from gateway.tools.memory_guidance import NAME, guidance, schema
from gateway.tools.toolset import Toolset
from memory.files import FileTrouble, read
from memory.model import Limits, Target
from memory.scan.scanner import verdict
from memory.shelf import Shelf
from memory.snapshot import block
from memory.usage import usage


@dataclass(frozen=True, slots=True)
class Opening:
    """What a session is opened with, frozen until its end: the prompt, the tools as JSON, the scope, and the memory
    entries that the prompt holds, by file."""

    prompt: str
    tools: str
    scope: Scope = NOWHERE
    entries: Mapping[str, Sequence[str]] = field(default_factory=dict)


def no_skills() -> str:
    """The list of skills where there are none."""
    return ""


class Opener:
    """Makes the openings of one profile. `trouble` takes one line for each file that is left out; `skills()` gives
    the list of skills as it is to stand in a prompt."""

    def __init__(
        self,
        profile: Profile,
        shelf: Shelf,
        toolset: Toolset,
        trouble: Callable[[str], object],
        skills: Callable[[], str] = no_skills,
    ) -> None:
        self._profile = profile
        self._shelf = shelf
        self._toolset = toolset
        self._trouble = trouble
        self._skills = skills

    def opening(self, scope: Scope, *, hint: str = "") -> Opening:
        """A chat whose scope writes nothing goes without the memory tool. Skills are named where they can be read."""
        tools = {each.name for each in self._toolset.schemas}
        skilled = skill_guidance.VIEW in tools
        entries = self.entries(scope)
        targets = tuple(target for target in self._shelf.own.enabled if target in scope.offered)
        offered = bool(targets) and NAME in tools
        blocks = [
            block(each.target, entries[each.file], self._shelf.own.limit(each.target), verdict)
            for each in scope.shown
            if each.file in entries
        ]
        parts = PromptParts(
            persona=self._text(self._profile.soul) or PERSONA,
            standing=self._text(self._profile.agents),
            blocks=[*blocks, self._skills() if skilled else ""],
            guidance=[
                hint,
                guidance(targets, scope.censored) if offered else "",
                skill_guidance.guidance() if skilled else "",
                search_guidance.guidance() if search_guidance.NAME in tools else "",
            ],
        )
        narrowed = {NAME: schema(targets)} if offered else {}
        hidden = set() if offered else {NAME}
        if subject(scope.seal) is None:  # what an outside memory offers is of its toolset
            hidden |= self._toolset.of(NAME) - {NAME}
        return Opening(render(parts), self._toolset.serialise(hidden, narrowed), scope, entries)

    def entries(self, scope: Scope) -> dict[str, tuple[str, ...]]:
        """The entries that the scope shows, by file, as the files hold them now; those of stores that are on."""
        return self._read(scope)[0]

    def known(self, scope: Scope) -> dict[str, tuple[str, ...]] | None:
        """The same; None when a file cannot be read, so that nobody takes its entries for gone."""
        held, complete = self._read(scope)
        return held if complete else None

    def _read(self, scope: Scope) -> tuple[dict[str, tuple[str, ...]], bool]:
        """The entries, and whether every file could be read."""
        held: dict[str, tuple[str, ...]] = {}
        complete = True
        for each in scope.shown:
            if each.target not in self._shelf.own.enabled:
                continue
            try:
                held[each.file] = self._shelf.of({each.target: each.file}).entries(each.target)
            except FileTrouble as error:
                self._trouble(str(error))
                held[each.file], complete = (), False
        return held, complete

    def carried(self, scope: Scope) -> str:
        """What a new session begins with, in words for the person."""
        if not scope.shown:
            return "It begins without memory."
        words, bad = [], 0
        entries = self.entries(scope)
        for each in scope.shown:
            if held := entries.get(each.file):
                count = "1 entry" if len(held) == 1 else f"{len(held)} entries"
                words.append(f"{each.file} {count}, {usage(held, self._shelf.own.limit(each.target))}")
                bad += sum(verdict(entry) is not None for entry in held)
        carried = "Carried over: " + "; ".join(words) + "." if words else "Nothing is remembered yet."
        carried += f" {bad} of it withheld by the threat scan: `innkeeper doctor`." if bad else ""
        withheld = [self._judged(path)[1] for path in (self._profile.soul, self._profile.agents)]
        return "\n".join([carried, *(f"⚠️ {each}" for each in withheld if each)])

    def _text(self, path: Path) -> str:
        text, why = self._judged(path)
        if why is not None:
            self._trouble(why)
        return text

    @staticmethod
    def _judged(path: Path) -> tuple[str, str | None]:
        """A file's text, or an empty one and why it stays out of the prompt."""
        try:
            text = read(path) or ""
        except FileTrouble as error:
            return "", str(error)
        rule = verdict(text) if text else None
        return ("", f"{path.name} is left out of the prompt by the threat scan: {rule}.") if rule else (text, None)


def limits(settings: Settings) -> Limits:
    """The sizes and switches of the two stores, as configured."""
    memory = settings.memory
    chosen = ((Target.MEMORY, memory.memory_enabled), (Target.USER, memory.user_profile_enabled))
    on = frozenset(target for target, enabled in chosen if enabled)
    return Limits(memory.memory_char_limit, memory.user_char_limit, on)
