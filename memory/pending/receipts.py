"""How pending writes were decided, for kinds whose own journal does not say so: lines that are only ever appended."""

from __future__ import annotations

from pathlib import Path

from memory.files import LOCK_SECONDS, locked
from memory.journal import Journal, Receipt


class Receipts:
    """One file. Everything raises `FileTrouble`; several processes may write at once."""

    def __init__(self, path: Path, patience: float = LOCK_SECONDS) -> None:
        self._journal = Journal(path)
        self._lock = path.with_name(f".{path.name}.lock")
        self._patience = patience

    def record(self, receipt: Receipt) -> None:
        """Keep it for good."""
        with locked(self._lock, self._patience):
            self._journal.open()  # what a killed writer left of a last line is mended
            self._journal.decided(receipt)

    def receipt(self, pending: str) -> Receipt | None:
        """The last one of that id; None for a write that was not decided."""
        return self._journal.receipt(pending)
