"""What a new session is opened with, read from the profile: persona, standing instructions, memory, the tools.

Read when a session begins and at no other time. A file that cannot be read costs its part, is reported, and never
keeps a person from an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gateway.agent.prompt import PERSONA, PromptParts, render
from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.tools.memory_guidance import NAME, guidance
from gateway.tools.toolset import Toolset
from memory.files import FileTrouble, read
from memory.model import Limits, Target
from memory.snapshot import block
from memory.store import Stores
from memory.usage import usage


@dataclass(frozen=True, slots=True)
class Opening:
    """What a session is opened with, frozen until its end: the prompt, the tools as JSON, and the memory entries that
    the prompt holds. `entries` None: this chat has no memory."""

    prompt: str
    tools: str
    entries: Mapping[Target, Sequence[str]] | None = None


class Opener:
    """Makes the openings of one profile. `trouble` takes one line for each file that is left out."""

    def __init__(self, profile: Profile, stores: Stores, toolset: Toolset, trouble: Callable[[str], object]) -> None:
        self._profile = profile
        self._stores = stores
        self._toolset = toolset
        self._trouble = trouble

    def opening(self, *, owner: bool, hint: str = "") -> Opening:
        """The memory files are the owner's: other people's sessions go without them, and without the tool."""
        entries = self.entries() if owner else None
        offered = owner and any(schema.name == NAME for schema in self._toolset.schemas)
        blocks = [block(target, each, self._stores.limit(target)) for target, each in (entries or {}).items()]
        parts = PromptParts(
            persona=self._text(self._profile.soul) or PERSONA,
            standing=self._text(self._profile.agents),
            blocks=blocks,
            guidance=[hint, guidance(self._stores.enabled) if offered else ""],
        )
        hidden = () if owner else (NAME,)
        return Opening(render(parts), self._toolset.serialise(hidden), entries)

    def entries(self) -> dict[Target, tuple[str, ...]]:
        """The entries of the stores that are on, as the files hold them now."""
        held = {}
        for target in self._stores.enabled:
            try:
                held[target] = self._stores.entries(target)
            except FileTrouble as error:
                self._trouble(str(error))
                held[target] = ()
        return held

    def known(self) -> dict[Target, tuple[str, ...]] | None:
        """The same; None when a file cannot be read, so that nobody takes its entries for gone."""
        try:
            return {target: self._stores.entries(target) for target in self._stores.enabled}
        except FileTrouble as error:
            self._trouble(str(error))
            return None

    def carried(self, owner: bool) -> str:
        """What a new session begins with, in words for the person."""
        if not owner:
            return "It begins without memory."
        words = []
        for target, entries in self.entries().items():
            if entries:
                count = "1 entry" if len(entries) == 1 else f"{len(entries)} entries"
                words.append(f"{target.file_name} {count}, {usage(entries, self._stores.limit(target))}")
        return "Carried over: " + "; ".join(words) + "." if words else "Nothing is remembered yet."

    def _text(self, path: Path) -> str:
        try:
            return read(path) or ""
        except FileTrouble as error:
            self._trouble(str(error))
            return ""


def limits(settings: Settings) -> Limits:
    """The sizes and switches of the two stores, as configured."""
    memory = settings.memory
    chosen = ((Target.MEMORY, memory.memory_enabled), (Target.USER, memory.user_profile_enabled))
    on = frozenset(target for target, enabled in chosen if enabled)
    return Limits(memory.memory_char_limit, memory.user_char_limit, on)
