"""What files beside memory and the archive hold of a text that is to be gone: large texts, files of conversations,
calls that were decided, and facts of the outside memory on this machine.

A file that holds it goes as a whole. What nobody here can erase is named. The archive is the store's matter, what
waits for a yes the gate's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from commands.ports import Traces
from gateway.attachments.cache import FileCache
from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.config.spilling import folder
from gateway.state.connection import DatabaseFault
from gateway.state.fact_book import FILE, KEEPER, FactBook
from memory.files import FileTrouble
from memory.pending.call_store import DecidedCalls
from memory.providers.spill import spilled
from memory.spellings import Sought


class Remains:
    """Of one profile, by the settings of that moment. Synchronous: to be called off the event loop."""

    def __init__(self, profile: Profile, settings: Callable[[], Settings]) -> None:
        self._profile = profile
        self._settings = settings

    def found(self, texts: Sequence[str]) -> Traces:
        """What holds one of these texts, the archive left out."""
        return _Round(self._profile, Sought(texts), dry=True).walk(self._settings())

    def erased(self, texts: Sequence[str]) -> Traces:
        """What went."""
        return _Round(self._profile, Sought(texts), dry=False).walk(self._settings())


class _Round:
    """One walk through all of it. `unread` has what could not be looked into, or removed; `named`, the
    files that hold it."""

    def __init__(self, profile: Profile, sought: Sought, *, dry: bool) -> None:
        self._profile = profile
        self._sought = sought
        self._dry = dry
        self._unread: list[str] = []
        self._named: list[str] = []

    def walk(self, settings: Settings) -> Traces:
        profile, calls = self._profile, DecidedCalls(self._profile.pending / "calls")
        return Traces(
            large=self._taken(self._listed(lambda: spilled(folder(settings, profile.cache))), self._sought.in_file),
            files=self._of_conversations() + self._taken(self._listed(self._drafts), self._sought.in_file),
            facts=self._facts(),
            calls=self._of_calls(calls),
            outside=self._outside(settings),
            backups=self._backups(),
            named=tuple(self._named),
            unread=tuple(self._unread),
        )

    def _listed(self, files: Callable[[], list[Path]]) -> list[Path]:
        try:
            return files()
        except OSError as error:
            self._unread.append(str(error.filename))
            return []

    def _taken(self, paths: Iterable[Path], holds: Callable[[Path], bool]) -> int:
        """How many of these files hold it; they go, unless nothing is to."""
        count = 0
        for path in paths:
            try:
                if holds(path):
                    if not self._dry:
                        path.unlink()
                    count += 1
                    self._named.append(str(path))
            except FileNotFoundError:
                continue  # it went by itself, or bears another name by now
            except (OSError, FileTrouble):
                self._unread.append(str(path))
        return count

    def _of_conversations(self) -> int:
        """Those that people sent, and those that were sent to them; these have a folder each."""
        received, sent = self._profile.cache / "attachments", self._profile.cache / "outgoing"
        count = self._taken(self._listed(FileCache(received).paths), self._sought.in_file)
        outgoing = self._listed(FileCache(sent).paths)
        count += self._taken(outgoing, self._sought.in_file)
        for path in () if self._dry else outgoing:
            with suppress(OSError):  # its file is there still
                path.parent.rmdir()
        return count

    def _of_calls(self, calls: DecidedCalls) -> int:
        """Those that were decided. One that begins or ends meanwhile bears another name then: they are listed until
        there is none that was not looked at."""
        count, looked = 0, set[Path]()
        while fresh := [each for each in self._listed(calls.files) if each not in looked]:
            count += self._taken(fresh, lambda path: calls.holds(path, self._sought))
            looked.update(fresh)
            if self._dry:
                break
        return count

    def _drafts(self) -> list[Path]:
        """What people wrote in their editor and could not be kept."""
        return _inside(self._profile.drafts)

    def _facts(self) -> int:
        path = self._profile.providers / KEEPER / FILE
        if not path.is_file():
            return 0
        book = FactBook(path)
        try:
            return book.holding(self._sought.texts) if self._dry else book.erase(self._sought.texts)
        except (DatabaseFault, OSError):
            self._unread.append(str(path))
            return 0
        finally:
            book.close()

    def _outside(self, settings: Settings) -> tuple[str, ...]:
        """The outside memories that are used, or once were: each has a folder."""
        places = self._listed(lambda: [each for each in _inside(self._profile.providers) if each.is_dir()])
        names = {each.name for each in places} | {settings.memory.provider or KEEPER}
        return tuple(sorted(names - {KEEPER}))

    def _backups(self) -> int:
        from gateway.backup.making import backups  # few commands need it, and it loads a good deal

        return len(self._listed(lambda: [each.path for each in backups(self._profile)]))


def _inside(path: Path) -> list[Path]:
    return list(path.iterdir()) if path.is_dir() else []
