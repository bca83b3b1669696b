"""The two stores of a folder: every change under a lock, on what is in the file now, journaled, and read back.

Rules about entries belong to `memory.operations`, bytes to `memory.files`. Two seams are for those who look at a
change before it is made: the threat scan, and the gate that may let it wait.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memory.entries import appended, parse, serialise
from memory.files import (
    LOCK_SECONDS,
    Busy,
    FileTrouble,
    Unreadable,
    Unwritable,
    backup,
    backups,
    clear_strays,
    decoded,
    digest,
    locked,
    read,
    read_bytes,
    write_atomic,
    write_bytes_atomic,
)
from memory.journal import Begun, Dates, Journal, Receipt, Record, dates, journal
from memory.model import (
    ERASED,
    Action,
    Applied,
    Author,
    Change,
    Draft,
    Limits,
    Operation,
    Outcome,
    Reason,
    Refused,
    Staged,
    Target,
    Unchanged,
)
from memory.operations import objection_to_size, perform
from memory.pending.pinned import carry_out
from memory.repair import ailments, drift, settle
from memory.reversal import reverse
from memory.usage import Usage, usage

Check = Callable[[Draft], Refused | None]
"""Looks at what would be kept; its refusal is final. The threat scan."""

Decide = Callable[[Draft, Author, str], Staged | Refused | None]
"""Lets a valid write to a file (named relative to the folder) be made (None), or has put it aside. The gate."""

Plan = Callable[[tuple[str, ...], int], Draft | Refused]
"""What to do, given the entries and the limit of this moment."""


@dataclass(frozen=True, slots=True)
class Erased:
    """How many texts were erased in the journal, and in how many backups."""

    texts: int
    backups: int


@dataclass(frozen=True, slots=True)
class _Loaded:
    data: bytes | None
    text: str
    entries: tuple[str, ...]


class Stores:
    """`folder` is created when something is first written. `limits()` and `now()` (seconds since the epoch) are asked
    at each change. `files` says where the stores lie, relative to the folder; a target without a file is off. Stores
    of one folder share a lock and a journal; those of one `record` parse it once. `patience` is how long to wait for
    another writer, in seconds.

    Writing never raises for what can go wrong with files: that is a `Refused`. Reading raises `FileTrouble`.
    """

    def __init__(
        self,
        folder: Path,
        limits: Callable[[], Limits],
        now: Callable[[], float],
        *,
        check: Check | None = None,
        decide: Decide | None = None,
        files: Mapping[Target, str] | None = None,
        patience: float = LOCK_SECONDS,
        record: Journal | None = None,
    ) -> None:
        self._folder = folder
        self._limits = limits
        self._now = now
        self._check = check
        self._decide = decide
        self._files = dict(files) if files is not None else {target: target.file_name for target in Target}
        self._patience = patience
        self._journal = record or journal(folder)
        self._lock = folder / ".lock"

    # Reading

    @property
    def enabled(self) -> tuple[Target, ...]:
        """The stores that are on, in their fixed order."""
        return tuple(target for target in Target if target in self._limits().enabled and target in self._files)

    def file(self, target: Target) -> str:
        """The store's file, relative to the folder."""
        return self._files[target]

    def path(self, target: Target) -> Path:
        return self._folder / self._files[target]

    def entries(self, target: Target) -> tuple[str, ...]:
        """What is in the file now."""
        return parse(read(self.path(target)) or "")

    def limit(self, target: Target) -> int:
        """Characters that the store may hold, as of now."""
        return self._limits().of(target)

    def usage(self, target: Target) -> Usage:
        return usage(self.entries(target), self._limits().of(target))

    def holding(self, text: str) -> tuple[tuple[Target, str], ...]:
        """The entries of all enabled stores that a person may mean by this text: equal ones, else containing ones."""
        if not text.strip():
            return ()
        everything = [(target, entry) for target in self.enabled for entry in self.entries(target)]
        equal = [each for each in everything if each[1] == text.strip()]
        return tuple(dict.fromkeys(equal or (each for each in everything if text.strip() in each[1])))

    def problems(self) -> list[str]:
        """What is wrong with the files of enabled stores, in lines for people; empty when all is well."""
        lines = []
        for target in self.enabled:
            try:
                lines += ailments(str(self.path(target)), read(self.path(target)) or "", self._limits().of(target))
            except FileTrouble as error:
                lines.append(f"{error} Until then nothing is written to it.")
        return lines

    def history(self, count: int | None = None) -> list[Record]:
        """The last changes, the newest first; all of them for None."""
        return self._records()[::-1][:count]

    def dates(self, target: Target) -> dict[str, Dates]:
        """When entries were kept and changed, by text, for the journey; those that people wrote into the file by hand
        have none."""
        return dates(self._records(), self._files[target])

    # Changing

    def apply(self, target: Target, operations: Sequence[Operation], by: Author) -> Outcome:
        """All of the operations, or none."""
        if not operations:
            return Refused(target, Reason.INVALID, "There is no operation.")
        touching = any(operation.action is not Action.ADD for operation in operations)
        return self._change(target, by, lambda now, limit: perform(target, now, operations, limit), touching)

    def forget_all(self, by: Author, targets: Iterable[Target] | None = None) -> tuple[Outcome, ...]:
        """Empty the stores (all enabled ones for None), each as one change that can be undone."""

        def empty(target: Target) -> Outcome:
            def plan(now: tuple[str, ...], limit: int) -> Draft | Refused:
                removals = [Operation(Action.REMOVE, old_text=entry) for entry in now]
                return perform(target, now, removals, limit, may_empty=True)

            return self._change(target, by, plan, touching=True)

        return tuple(map(empty, self.enabled if targets is None else targets))

    def undo(self, by: Author, name: str | None = None) -> Outcome:
        """Take back the change of that id (a unique prefix suffices), or the last one that is no undo itself and was
        not taken back."""
        try:
            record = self._undoable(name)
        except FileTrouble as error:
            return _refusal(None, error)
        if isinstance(record, Refused):
            return record
        target = record.target

        def plan(now: tuple[str, ...], limit: int) -> Draft | Refused:
            # Once more, now that nobody else can write.
            current = self._undoable(record.id)
            if isinstance(current, Refused):
                return current
            untouched = digest(serialise(now).encode("utf-8")) == current.result
            draft = reverse(target, now, current.changes, current.id, untouched=untouched)
            return draft if isinstance(draft, Refused) else objection_to_size(draft, limit) or draft

        return self._change(target, by, plan, touching=True)

    def erase(self, texts: Iterable[str], *, dry: bool = False) -> Erased | Refused:
        """Erase these texts, wherever they stand within a text, from the journal and from backups. Entries in the
        files are not touched: remove them first. A dry one only says what it would touch."""
        wanted = [text for text in texts if text.strip()]
        try:
            with locked(self._lock, self._patience):
                settle(self._journal, self._folder.joinpath)
                erased = self._journal.erase(lambda kept: any(text in kept for text in wanted), dry=dry)
                return Erased(erased, sum(self._erase_in_backup(copy, wanted, dry) for copy in self._backups()))
        except FileTrouble as error:
            return _refusal(None, error)

    def repair(self) -> list[str]:
        """At start: close what a killed writer left open, remove its temporary files. Lines for the log; then see
        `problems`."""
        if not self._folder.is_dir():
            return []
        lines = []
        try:
            with locked(self._lock, self._patience):
                paths = [*map(self.path, self._files), self._folder / "journal.jsonl"]
                if strays := sum(map(clear_strays, paths)):
                    lines.append(f"{strays} half-written files were removed")
                happened = settle(self._journal, self._folder.joinpath)
                if happened is not None:
                    lines.append(f"an interrupted change was {'found complete' if happened else 'given back'}")
        except FileTrouble as error:
            lines.append(str(error))
        return lines

    # What waited for a yes

    def carry_out(self, target: Target, changes: Sequence[Change], by: Author) -> Outcome:
        """Make changes that were put aside and approved: on exactly the entries that they name, past the gate, by
        every other check."""

        def plan(now: tuple[str, ...], limit: int) -> Draft | Refused:
            return carry_out(target, now, changes, limit)

        touching = any(change.before is not None for change in changes)
        return self._change(target, by, plan, touching, decided=True)

    def rehearse(self, target: Target, changes: Sequence[Change]) -> Draft | Refused:
        """What `carry_out` would do, or why it would not; nothing is written. Raises `FileTrouble`."""
        if target not in self.enabled:
            return _off(target)
        draft = carry_out(target, self.entries(target), changes, self.limit(target))
        refused = self._check(draft) if self._check is not None and isinstance(draft, Draft) else None
        return refused or draft

    def carried_out(self, pending: str) -> Record | None:
        """The change that an approval of this pending write made, if it did. Raises `FileTrouble`."""
        with locked(self._lock, self._patience):
            settle(self._journal, self._folder.joinpath)
            return next((each for each in self._journal.records() if each.author.pending == pending), None)

    def record(self, receipt: Receipt) -> None:
        """Keep for good how a pending write was decided. Raises `FileTrouble`."""
        with locked(self._lock, self._patience):
            settle(self._journal, self._folder.joinpath)
            self._journal.decided(receipt)

    def receipt(self, pending: str) -> Receipt | None:
        """How a pending write was decided; None for one that was not. Raises `FileTrouble`."""
        return self._journal.receipt(pending)

    # Inside

    def _change(self, target: Target, by: Author, plan: Plan, touching: bool, *, decided: bool = False) -> Outcome:
        """`touching` says that entries which are there already may be changed; `decided`, that a person said yes."""
        limits = self._limits()
        if target not in limits.enabled or target not in self._files:
            return _off(target)
        limit = limits.of(target)
        try:
            with locked(self._lock, self._patience):
                settle(self._journal, self._folder.joinpath)
                loaded = self._load(target)
                drifted = drift(loaded.text, loaded.entries, limit)
                if drifted is not None and touching:
                    return self._drifted(target, loaded, drifted)
                draft = plan(loaded.entries, limit)
                if isinstance(draft, Refused):
                    return draft
                if draft.before == draft.after:
                    return Unchanged(target, usage(draft.after, limit), len(draft.after), draft.notes)
                halted = self._looked_at(draft, by, decided)
                return halted or self._commit(draft, by, loaded, limit, drifted is not None)
        except FileTrouble as error:
            return _refusal(target, error)

    def _looked_at(self, draft: Draft, by: Author, decided: bool) -> Staged | Refused | None:
        refused = self._check(draft) if self._check is not None else None
        if refused is not None or self._decide is None or decided:
            return refused
        return self._decide(draft, by, self._files[draft.target])

    def _commit(self, draft: Draft, by: Author, loaded: _Loaded, limit: int, drifted: bool) -> Applied:
        """Begun, written, read back, done. Raises `FileTrouble` when it did not happen."""
        path = self.path(draft.target)
        # What people wrote is kept to the letter when entries are only added to it.
        new = [change.after or "" for change in draft.changes]
        text = appended(loaded.text, new) if drifted else serialise(draft.after) + _ending(loaded.text, draft.after)
        data = text.encode("utf-8")
        name, file = secrets.token_hex(4), self._files[draft.target]
        record = Record(name, self._now(), draft.target, file, by, draft.changes, draft.undoes, result=digest(data))
        self._journal.begin(Begun(record, digest(loaded.data)))
        try:
            write_atomic(path, text)
            if read_bytes(path) != data:
                raise Unwritable(f"{path} does not read back as it was written.")
        except FileTrouble:
            settle(self._journal, self._folder.joinpath)
            raise
        try:
            self._journal.close(name, happened=True)
        except Unwritable:
            pass  # the entry is on the disk, and the next writer finds that out by the hash
        return Applied(draft.target, name, draft.changes, usage(draft.after, limit), len(draft.after), draft.notes)

    def _load(self, target: Target) -> _Loaded:
        data = read_bytes(self.path(target))
        text = decoded(self.path(target), data or b"")
        return _Loaded(data, text, parse(text))

    def _drifted(self, target: Target, loaded: _Loaded, why: str) -> Refused:
        stamp = f"{datetime.fromtimestamp(self._now(), UTC):%Y%m%dT%H%M%SZ}"
        try:
            kept = f"a copy of it lies in {backup(self.path(target), loaded.data or b'', stamp).name}"
        except Unwritable as error:
            kept = f"a copy could not be made: {error}"
        message = f"{self.path(target)} {why}. Nothing was changed; {kept.rstrip('.')}. Adding still works."
        return Refused(target, Reason.DRIFTED, message)

    def _records(self) -> list[Record]:
        mine = set(self._files.values())
        return [record for record in self._journal.records() if record.file in mine]

    def _undoable(self, name: str | None) -> Record | Refused:
        records = self._records()
        if name is None:
            found = [record for record in records if not record.undoes and not record.undone_by][-1:]
        else:
            found = [record for record in records if name and record.id.startswith(name.lower())]
        if len(found) != 1:
            none = "There is no change to undo." if name is None else f"There is no change {name}; see the history."
            why = none if not found else f"{name} stands for {len(found)} changes; give more of the id."
            return Refused(None, Reason.UNKNOWN, why)
        if found[0].undone_by is not None:
            why = f"Change {found[0].id} was taken back already, by {found[0].undone_by}."
            return Refused(found[0].target, Reason.CHANGED, why)
        return found[0]

    def _backups(self) -> list[Path]:
        return [copy for target in self._files for copy in backups(self.path(target))]

    @staticmethod
    def _erase_in_backup(copy: Path, texts: Sequence[str], dry: bool) -> bool:
        before = data = read_bytes(copy) or b""
        for text in texts:
            for spelled in (text, text.replace("\n", "\r\n")):
                data = data.replace(spelled.encode("utf-8", "replace"), ERASED.encode())
        if data != before and not dry:
            write_bytes_atomic(copy, data)
        return data != before


def _off(target: Target) -> Refused:
    return Refused(target, Reason.DISABLED, f"The store {target.value} is switched off; nothing was written.")


def _ending(text: str, entries: Sequence[str]) -> str:
    """The line end that editors leave at the end of a file stays there, so that an undo gives back every byte. (The
    line ends of other systems are not kept.)"""
    return "\n" if entries and text.endswith("\n") and "\r" not in text else ""


def _refusal(target: Target | None, error: FileTrouble) -> Refused:
    match error:
        case Busy():
            reason = Reason.BUSY
        case Unreadable():
            reason = Reason.UNREADABLE
        case _:
            reason = Reason.UNWRITABLE
    message = str(error) if reason is Reason.BUSY else f"{error} Nothing was changed."
    return Refused(target, reason, message)
