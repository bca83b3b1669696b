"""What may become a job: names that exist, lengths that fit, and words that a model may be given later.

Keeping jobs is the desk's matter, and what a time means that of phrases. A refusal is a LookupError with words for
people.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from commands.cron_ports import JobWish
from gateway.state.job_records import JobSpec
from memory.scan.scanner import scan
from platforms.messages import ChatRef

LONGEST_NAME = 60
LONGEST_PROMPT = 8_000
LONGEST_CONDITION = 500
MOST_SKILLS = 5
LONGEST_SPAN = 80


@dataclass(frozen=True, slots=True)
class Premises:
    """What a job may name. `model(name)` says why a model cannot be asked, or nothing; `skills()` are the names of
    those there are, `platforms()` of those with chats; `home()` is the key of the first home chat, or empty."""

    zone: Callable[[], ZoneInfo]
    model: Callable[[str], str]
    skills: Callable[[], Awaitable[frozenset[str]]]
    platforms: Callable[[], frozenset[str]]
    home: Callable[[], str]


class Admission:
    """Judges wishes by the premises of each moment."""

    def __init__(self, premises: Premises) -> None:
        self._premises = premises

    async def check(self, wish: JobWish) -> None:
        """Whether everything that it names is there, fits, and may be kept. Raises LookupError."""
        if wish.prompt is not None and len(wish.prompt) > LONGEST_PROMPT:
            raise LookupError(f"The prompt has {len(wish.prompt):,} characters; at most {LONGEST_PROMPT:,} fit.")
        if wish.silent_unless is not None and len(wish.silent_unless) > LONGEST_CONDITION:
            raise LookupError(f"`silent unless` has room for {LONGEST_CONDITION} characters.")
        if wish.name is not None:
            _check_name(wish.name)
        if wish.model and (problem := self._premises.model(wish.model)):
            raise LookupError(f"The model {wish.model!r} cannot be asked: {problem}")
        if wish.chat:
            self._check_chat(wish.chat)
        if wish.skills:
            await self._check_skills(wish.skills)
        self.clean(wish)

    def _check_chat(self, key: str) -> None:
        try:
            chat = ChatRef.parse(key)
        except ValueError:
            raise LookupError(f"{key!r} is no chat; write its key, such as telegram:111, or `here`.") from None
        known = self._premises.platforms()
        if chat.platform not in known:
            raise LookupError(f"There is no platform {chat.platform!r}; there are {', '.join(sorted(known))}.")

    async def _check_skills(self, names: Sequence[str]) -> None:
        if len(names) > MOST_SKILLS:
            raise LookupError(f"A job takes at most {MOST_SKILLS} skills.")
        known = await self._premises.skills()
        for name in names:
            if name not in known:
                raise LookupError(f"There is no skill {name!r}; /skills lists them.")

    def clean(self, given: JobWish | JobSpec) -> None:
        """What reaches a model later is scanned when it is written down, and again when it is accepted."""
        for text in (given.name, given.prompt, given.silent_unless):
            for finding in scan(text or ""):
                span = " ".join(finding.span.split())[:LONGEST_SPAN]
                found = f"Not kept: the threat scan found “{span}” (rule {finding.rule}). {finding.why}"
                raise LookupError(f"{found} If it is meant well, write it differently.")


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > LONGEST_NAME or "\n" in name:
        raise LookupError(f"A name is one line of at most {LONGEST_NAME} characters.")
    if name.strip().lstrip("#").isdigit():
        raise LookupError("A name is more than a number: jobs are called by their number as well.")
