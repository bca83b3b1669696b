"""Calls that wait, put aside once and within bounds; and what was decided about them and is still to be done or told.

Approved calls lie in `approved/`, renamed to `.running` before they are made: one that a dead process left there is
never made again. What people turned down lies in `rejected/` until its session has been told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.files import FileTrouble, Unreadable, locked, read, write_atomic
from memory.pending.call_model import PendingCall, call_fields, call_from, dump, load
from memory.pending.fields import ID, Unusable, dumped, loaded
from memory.pending.folder import PendingFolder, crowded
from memory.spellings import Sought

LONGEST = 50_000
"""Characters of one call: people are to read all of it before they say yes."""


LARGEST = 64 << 20
"""Bytes of a file that is looked into: a result is as long as its server says, where large ones are not put aside."""


@dataclass(frozen=True, slots=True)
class Aside:
    """A call was put aside under this id; `fresh`: it did not wait before."""

    id: str
    fresh: bool


class PendingCalls(PendingFolder[PendingCall]):
    """`folder` is `pending/calls`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, load, dump)
        self._lock = folder / ".lock"
        self.decided = DecidedCalls(folder)

    def put(self, make: Callable[[str], PendingCall]) -> Aside | str:
        """Put the call that `make` gives for an id aside; the same one that waits already is not put there twice. Why
        it could not be put there, in words."""
        try:
            with locked(self._lock):
                call, waiting = make(self.fresh_id()), self.waiting()
                same = next((each for each in waiting if each.same_as(call)), None)
                if same is not None:
                    return Aside(same.id, fresh=False)
                if len(call.shown) > LONGEST:
                    return "its arguments are too long to be read before somebody says yes."
                if (full := crowded(call.author, waiting)) is not None:
                    return full
                self.keep(call)
                return Aside(call.id, fresh=True)
        except FileTrouble as error:
            return str(error)


@dataclass(frozen=True, slots=True)
class Turned:
    """A call that was turned down, and by whom."""

    call: PendingCall
    who: str


class DecidedCalls:
    """`folder` is `pending/calls`. Everything but `ids` raises FileTrouble."""

    def __init__(self, folder: Path) -> None:
        self._approved = folder / "approved"
        self._rejected = folder / "rejected"

    def approve(self, call: PendingCall, who: str) -> None:
        """It is to be made."""
        write_atomic(self._approved / f"{call.id}.json", dumped({**call_fields(call), "approved_by": who}))

    def known(self, name: str) -> bool:
        """Whether it was approved and has not been told of yet."""
        return any((self._approved / f"{name}.{state}").exists() for state in ("json", "running", "done"))

    def ids(self, state: str) -> list[str]:
        """Those that are to be made (`json`), were begun (`running`), or came to an end (`done`)."""
        return sorted(each.stem for each in self._approved.glob(f"*.{state}") if ID.fullmatch(each.stem))

    def chat(self, name: str) -> str:
        """The key of the chat that a decided call belongs to; empty where that is not known."""
        for state in ("json", "running", "done"):
            if (call := self._call(self._approved / f"{name}.{state}", name)) is not None:
                return call.author.chat or ""
        return ""

    def take(self, name: str) -> PendingCall | None:
        """Begin with it; None when somebody else did, or its file is none. It is never given out again."""
        path, goal = self._approved / f"{name}.json", self._approved / f"{name}.running"
        if ID.fullmatch(name) is None:
            return None
        with suppress(FileNotFoundError):
            path.rename(goal)
            return self._call(goal, name)
        return None

    def end(self, name: str, text: str, *, ok: bool) -> None:
        """It was made, and this came of it."""
        held = self._fields(self._approved / f"{name}.running") or {}
        write_atomic(self._approved / f"{name}.done", dumped({**held, "result": {"text": text, "ok": ok}}))
        (self._approved / f"{name}.running").unlink(missing_ok=True)

    def ended(self, name: str) -> tuple[PendingCall, str, bool] | None:
        """What came of a call that was made."""
        path = self._approved / f"{name}.done"
        call, fields = self._call(path, name), self._fields(path)
        if call is None or fields is None:
            return None
        result = fields.get("result", {})
        return call, str(result.get("text", "")), result.get("ok") is True

    def forget(self, name: str) -> None:
        """Its session was told."""
        for state in ("json", "running", "done"):
            (self._approved / f"{name}.{state}").unlink(missing_ok=True)

    def reject(self, call: PendingCall, who: str) -> None:
        """Its session is to be told."""
        write_atomic(self._rejected / f"{call.id}.json", dumped({**call_fields(call), "rejected_by": who}))

    def turned_down(self, session: str) -> list[Turned]:
        """What a session has not been told of yet."""
        found = []
        for path in sorted(self._rejected.glob("*.json")):
            call, fields = self._call(path, path.stem), self._fields(path)
            if call is not None and fields is not None and call.author.session == session:
                found.append(Turned(call, str(fields.get("rejected_by", ""))))
        return found

    def told(self, names: list[str]) -> None:
        """It has been told now."""
        for name in names:
            (self._rejected / f"{name}.json").unlink(missing_ok=True)

    def files(self) -> list[Path]:
        """The files of all calls that were decided and not told of yet."""
        return sorted([*self._approved.glob("*.*"), *self._rejected.glob("*.json")])

    def holds(self, path: Path, sought: Sought) -> bool:
        """Whether one of them holds a text that is to be gone, in its arguments or in what came of it. One that is
        being made holds it as well; what comes of a call whose file is gone is not kept. Raises FileTrouble."""
        if not path.exists() and not path.is_symlink():
            return False
        if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST:
            raise Unreadable(f"{path} is no file of a call.")
        fields = self._fields(path)
        call = self._call(path, path.stem)
        if fields is None or call is None:
            if not path.exists():  # it bears another name by now, or its session was told
                return False
            raise Unreadable(f"{path} cannot be read.")
        return sought.among(call.arguments) or sought.among(fields.get("result"))

    def _call(self, path: Path, name: str) -> PendingCall | None:
        fields = self._fields(path)
        with suppress(KeyError, TypeError, ValueError):
            return call_from(fields, name) if fields is not None else None
        return None

    @staticmethod
    def _fields(path: Path) -> Mapping[str, Any] | None:
        try:
            text = read(path)
            return loaded(text, dict) if text is not None else None
        except (FileTrouble, Unusable):
            return None
