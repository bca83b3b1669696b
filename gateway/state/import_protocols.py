"""What an import asks of the store: sessions from elsewhere, put in whole, and notes of what was taken over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from gateway.state.records import Row, Session


@dataclass(frozen=True, slots=True)
class Past:
    """A session from elsewhere. `source` is its name there; `rows` come with the time of each, in seconds since the
    epoch; `upto` is the last of its rows there that was read."""

    source: str
    session: Session
    rows: tuple[tuple[Row, float], ...]
    upto: int


class Imports(Protocol):
    """`scope` is the program that things come from, such as `import:hermes`."""

    async def noted(self, scope: str) -> dict[str, Any]:
        """What was taken over from there, by name, as `note` or `add` left it. A session's note says besides what
        became of it here: `gone` is `removed`, or `continued` where somebody went on with it, and absent else."""

    async def note(self, scope: str, notes: Mapping[str, Any]) -> None:
        """Remember that these were taken over."""

    async def add(self, scope: str, pasts: Sequence[Past]) -> dict[str, int]:
        """Store sessions with their rows, all or nothing; the number of rows stored, by `source`, without those of
        which nothing was. One that is there already gets those rows that came since, unless somebody went on with it
        here; one that was removed here stays away. Each is noted as `session_note` names it, with `upto`. No review
        looks at any of them."""


def session_note(source: str) -> str:
    """The name under which a session is noted."""
    return f"session:{source}"
