"""The hub of skills: browse, search, inspect, install, update, remove. From a folder, an archive, a git address, or
by a name in an index.

Owns where things come from and that they are what was promised; whether they may stay is the installer's to say.
Files are opened and written in threads of their own.
"""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from gateway.providers.addresses import Address, read
from gateway.providers.fetching import INDEX_BYTES, Progress, download, silent
from gateway.providers.git import Git
from gateway.providers.index_file import Catalogue, Entry, joined, parse
from memory.files import FileTrouble, read_bytes
from memory.model import Author
from memory.skills.crate import ARCHIVE_BYTES, Crate, Rejected, opened
from memory.skills.install import Declined, Installer, Offer, Origins, Result, Standing
from memory.skills.parcel import Inside, Parcel, look, parcel


@dataclass(frozen=True, slots=True)
class Seen:
    """What is at an address: everything that is there, and of one skill, when it was named or is the only one, what
    installing it would come to."""

    inside: Inside
    offer: Offer | None = None


@dataclass(frozen=True, slots=True)
class _Open:
    """A crate that was fetched; `source` is how it can be fetched again, `promised` what its index says of it."""

    crate: Crate
    source: str
    version: str = ""
    promised: Entry | None = None


class Hub:
    """`indexes` are the addresses of those that are searched for names. `cache` is a folder for what is fetched, and
    that is removed at once. Everything raises `Rejected` for what cannot be had, with the reason, and `FileTrouble`
    where the lock file cannot be read or written."""

    def __init__(self, installer: Installer, git: Git, cache: Path, indexes: Sequence[str] = ()) -> None:
        self._installer = installer
        self._git = git
        self._cache = cache
        self._indexes = tuple(dict.fromkeys(indexes))

    async def browse(self, progress: Progress = silent) -> Catalogue:
        """Everything that the indexes hold; one that cannot be had is told among the troubles."""
        if not self._indexes:
            raise Rejected("There is no index to look through. Name a folder, an archive or a git address instead.")
        parts = []
        for each in self._indexes:
            try:
                parts.append(await self._catalogue(_index(each), progress))
            except Rejected as error:
                parts.append(Catalogue((), (str(error),)))
        return joined(parts)

    async def search(self, words: str, progress: Progress = silent) -> Catalogue:
        """What of it has all of these words in name or description."""
        return (await self.browse(progress)).matching(words)

    async def inspect(self, place: str, name: str = "", progress: Progress = silent) -> Seen:
        """Look at what is at an address, or has that name in an index; nothing is installed."""
        async with self._fetched(place, name, progress) as it:
            inside = await asyncio.to_thread(look, it.crate)
            if not name and it.promised is None and len(inside.skills) > 1:
                return Seen(inside)
            wanted = await asyncio.to_thread(_parcel, it, name)
            return Seen(inside, await asyncio.to_thread(self._installer.offer, wanted))

    async def install(
        self,
        place: str,
        name: str = "",
        *,
        by: Author,
        agreed: Collection[str] = (),
        category: str = "",
        progress: Progress = silent,
    ) -> Result:
        """Install the skill of that name (or the only one) that is at an address, or has that name in an index.
        `agreed` has the digests out of a `Doubt`, after a person said yes to it."""
        async with self._fetched(place, name, progress) as it:
            wanted = await asyncio.to_thread(_parcel, it, name)
            return await asyncio.to_thread(
                lambda: self._installer.install(
                    wanted, Origins(it.source, it.version), by, agreed=agreed, category=category
                )
            )

    async def update(
        self, names: Sequence[str] = (), *, by: Author, agreed: Collection[str] = (), progress: Progress = silent
    ) -> tuple[Result, ...]:
        """Fetch these (or all) again from where they came from; one that fails keeps no other from it. What was
        changed here is left alone, unfetched."""
        standings = {each.name: each for each in await asyncio.to_thread(self._installer.installed)}
        results: list[Result] = []
        for number, name in enumerate(wanted := list(dict.fromkeys(names)) or list(standings), 1):
            progress(name, number, len(wanted))
            if name not in standings:
                results.append(Declined(name, f"{name} is not from the hub."))
                continue
            try:
                results.append(await self._updated(standings[name], by, agreed, progress))
            except (Rejected, FileTrouble) as error:
                results.append(Declined(name, str(error)))
        return tuple(results)

    async def remove(self, name: str, *, by: Author) -> Result:
        """Put a skill from the hub away."""
        return await asyncio.to_thread(self._installer.remove, name, by)

    # Inside

    async def _updated(self, standing: Standing, by: Author, agreed: Collection[str], progress: Progress) -> Result:
        name = standing.name
        if standing.state == "changed":
            return Declined(name, f"The skill {name} was changed here since it was installed; it is left as it is.")
        async with self._fetched(standing.line.source, name, progress) as it:
            wanted = await asyncio.to_thread(_parcel, it, name)
            origins = Origins(it.source, it.version)
            return await asyncio.to_thread(lambda: self._installer.update(wanted, origins, by, agreed=agreed))

    @asynccontextmanager
    async def _fetched(self, place: str, name: str, progress: Progress) -> AsyncIterator[_Open]:
        address, promised = read(place), None
        if address.kind == "name":
            promised = (await self.browse(progress)).named(address.where)
        elif address.kind == "index":
            catalogue = await self._catalogue(address, progress)
            promised = catalogue.named(name or _only(catalogue))
        source = str(promised.index if promised is not None else address)
        await asyncio.to_thread(self._cache.mkdir, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._cache, prefix="hub-") as folder:
            path, version = await self._brought(promised.source if promised else address, Path(folder), progress)
            if promised is not None and promised.source.kind == "archive" and version != promised.sha256:
                raise Rejected(
                    f"{promised.name} is not what its index promised: its SHA-256 is {version}, and not "
                    f"{promised.sha256}. Nothing of it is taken."
                )
            crate = await asyncio.to_thread(opened, path)
            try:
                yield _Open(crate, source, version, promised)
            finally:
                crate.close()

    async def _brought(self, address: Address, folder: Path, progress: Progress) -> tuple[Path, str]:
        """A path on this machine, and what is there: a commit, or the SHA-256 of an archive."""
        match address.kind:
            case "git":
                return await self._git.fetch(address, folder, progress)
            case "archive":
                path = folder / "archive"
                return path, await download(address.where, path, progress)
            case _:
                path = Path(address.where)
                return path, await asyncio.to_thread(_hash, path)

    async def _catalogue(self, index: Address, progress: Progress) -> Catalogue:
        if not index.scheme:
            data = await asyncio.to_thread(_local_index, Path(index.where))
            return parse(data, index)
        await asyncio.to_thread(self._cache.mkdir, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._cache, prefix="hub-") as folder:
            path = Path(folder) / "index.json"
            await download(index.where, path, progress, most=INDEX_BYTES)
            return parse(await asyncio.to_thread(path.read_bytes), index)


def _parcel(it: _Open, name: str) -> Parcel:
    """The skill that is meant, and that it is what its index promised."""
    promised = it.promised
    wanted = parcel(it.crate, look(it.crate).pick(promised.name if promised is not None else name))
    archived = promised is not None and it.version == promised.sha256
    if promised is not None and not archived and wanted.digest != promised.sha256:
        raise Rejected(
            f"{promised.name} is not what its index promised: the digest of its files is {wanted.digest}, and not "
            f"{promised.sha256}. Nothing of it is taken."
        )
    return wanted


def _index(text: str) -> Address:
    address = read(text)
    if address.kind != "index":
        raise Rejected(f"{text} is no index: its name has to end in .json.")
    return address


def _only(catalogue: Catalogue) -> str:
    if len(catalogue.entries) == 1:
        return catalogue.entries[0].name
    there = ", ".join(each.name for each in catalogue.entries[:20])
    raise Rejected(f"It is an index; say which skill: {there or 'it has none'}.")


def _local_index(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        data = read_bytes(path) if size <= INDEX_BYTES else None
    except (OSError, FileTrouble) as error:
        raise Rejected(f"{path} cannot be read: {error}") from error
    if data is None:
        raise Rejected(f"{path} has {size:,} bytes, at most {INDEX_BYTES:,} are read.")
    return data


def _hash(path: Path) -> str:
    """The SHA-256 of an archive; empty for a folder, or what `opened` will refuse."""
    try:
        if not path.is_file() or path.stat().st_size > ARCHIVE_BYTES:
            return ""
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
