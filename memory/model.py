"""The nouns of curated memory: which store, and who wants the change. An entry is its text, so it has no class."""

from __future__ import annotations

from enum import StrEnum


class Target(StrEnum):
    """One of the two stores."""

    MEMORY = "memory"
    USER = "user"

    @property
    def file_name(self) -> str:
        """The file's name inside `memories/`."""
        return "MEMORY.md" if self is Target.MEMORY else "USER.md"

    @property
    def heading(self) -> str:
        """What the store is called in the prompt."""
        return "MEMORY (your personal notes)" if self is Target.MEMORY else "USER PROFILE (who the user is)"


class Origin(StrEnum):
    """Where a wish to write comes from; the gate decides by it."""

    FOREGROUND = "foreground"
    REVIEW = "review"
    CRON = "cron"
    COMMAND = "command"
    OPERATOR = "operator"
