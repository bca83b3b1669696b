"""Writes to memory that wait: put aside once, within bounds, and edited into another one.

The folder and its claims are `memory.pending.folder`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from memory.entries import tidy
from memory.files import FileTrouble
from memory.model import Author, Draft, Reason, Refused, Staged
from memory.pending.folder import MOST, MOST_OF_A_CHAT, PendingFolder, crowded
from memory.pending.model import PendingWrite, dump, gist, load, pins_of

REPLACES = "replaces:"
"""The flag of an edited write, with the id of the one before."""

LONGEST = 20_000
"""Characters that the changes of one write may pass through beyond what the file holds before and after: people are
to read all of it before they say yes."""

__all__ = ["LONGEST", "MOST", "MOST_OF_A_CHAT", "REPLACES", "PendingStore", "edited"]


class PendingStore(PendingFolder[PendingWrite]):
    """`folder` is `pending/memory`; `now()` in seconds since the epoch; `staged` hears of each new write."""

    def __init__(
        self, folder: Path, now: Callable[[], float], *, staged: Callable[[PendingWrite], object] = lambda write: None
    ) -> None:
        super().__init__(folder, load, dump)
        self._now = now
        self._staged = staged

    def put(self, draft: Draft, author: Author, file: str, why: str) -> Staged | Refused:
        """Put a valid write aside. The same one that waits already is not put there twice. Two writers at once are
        kept apart by the caller."""
        write = PendingWrite(
            id=self.fresh_id(),
            target=draft.target,
            file=file,
            author=author,
            created_at=self._now(),
            changes=draft.changes,
            pins=pins_of(draft.changes),
            gist=gist(draft.changes),
        )
        try:
            waiting = self.waiting()
            same = next((each for each in waiting if each.same_as(write)), None)
            if same is not None:
                return Staged(
                    draft.target, same.id, f"This waits already, as {same.id}: {why}. Nothing is saved yet."
                )
            if (full := _too_much(write, draft, waiting)) is not None:
                return Refused(draft.target, Reason.INVALID, f"It has to wait ({why}), but {full} Nothing was saved.")
            self.keep(write)
        except FileTrouble as error:
            return Refused(draft.target, Reason.UNWRITABLE, f"It has to wait ({why}), but {error} Nothing was saved.")
        self._staged(write)
        words = f"It waits for a yes as {write.id}: {why}. Nothing is saved yet."
        return Staged(draft.target, write.id, words)


def _too_much(write: PendingWrite, draft: Draft, waiting: Sequence[PendingWrite]) -> str | None:
    """Why it is more than people can decide, as the rest of a sentence."""
    shown = sum(len(each.before or "") + len(each.after or "") for each in write.changes)
    if shown > LONGEST + sum(map(len, (*draft.before, *draft.after))):
        return "it is too long to be read before somebody says yes: make fewer changes at once."
    return crowded(write.author, waiting)


def edited(write: PendingWrite, name: str, text: str) -> PendingWrite:
    """The same wish with another text, under a new id: an old button must not stand for a new text. Raises ValueError
    when it is not clear which text is meant."""
    texts = [each for each in write.changes if each.after is not None]
    if len(write.changes) != 1 or not texts:
        what = "several changes" if len(write.changes) > 1 else "a removal, and has no text"
        raise ValueError(f"{write.id} is {what}: reject it, and use /remember TEXT or /forget TEXT.")
    changes = (replace(write.changes[0], after=tidy(text)),)
    flags = (*write.author.flags, f"{REPLACES}{write.id}")
    author = replace(write.author, flags=flags)
    return replace(write, id=name, changes=changes, gist=gist(changes), author=author)
