"""What a new session's prompt holds, read from the profile's files: persona, standing instructions, memory.

Read when a session begins and at no other time. A file that cannot be read costs its part, is reported, and never
keeps a person from an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gateway.agent.prompt import PERSONA, PromptParts, render
from gateway.config.paths import Profile
from gateway.config.schema import Settings
from memory.entries import parse
from memory.files import FileTrouble, read
from memory.model import Target
from memory.snapshot import block
from memory.usage import usage


class ProfilePrompt:
    """Renders the prompt of a session of one profile. `trouble` takes one line for each file that is left out."""

    def __init__(self, profile: Profile, settings: Callable[[], Settings], trouble: Callable[[str], object]) -> None:
        self._profile = profile
        self._settings = settings
        self._trouble = trouble

    def render(self, *, owner: bool, hint: str = "") -> str:
        """The whole prompt. The memory files are the owner's: other people's sessions go without them."""
        targets = self._targets() if owner else []
        return render(
            PromptParts(
                persona=self._text(self._profile.soul) or PERSONA,
                standing=self._text(self._profile.agents),
                blocks=[block(target, self._entries(target), self._limit(target)) for target in targets],
                guidance=[hint],
            )
        )

    def carried(self, owner: bool) -> str:
        """What a new session begins with, in words for the person."""
        if not owner:
            return "It begins without memory."
        words = []
        for target in self._targets():
            entries = self._entries(target)
            if entries:
                count = "1 entry" if len(entries) == 1 else f"{len(entries)} entries"
                words.append(f"{target.file_name} {count}, {usage(entries, self._limit(target))}")
        return "Carried over: " + "; ".join(words) + "." if words else "Nothing is remembered yet."

    def _targets(self) -> list[Target]:
        memory = self._settings().memory
        chosen = ((Target.MEMORY, memory.memory_enabled), (Target.USER, memory.user_profile_enabled))
        return [target for target, enabled in chosen if enabled]

    def _limit(self, target: Target) -> int:
        memory = self._settings().memory
        return memory.memory_char_limit if target is Target.MEMORY else memory.user_char_limit

    def _entries(self, target: Target) -> tuple[str, ...]:
        return parse(self._text(self._profile.memories / target.file_name))

    def _text(self, path: Path) -> str:
        try:
            return read(path) or ""
        except FileTrouble as error:
            self._trouble(str(error))
            return ""
