"""A git repository's files as a tar, by way of the git program: the newest state alone, without a working tree,
hooks, submodules, or this machine's git settings; bounded in time and size."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from gateway.providers.addresses import Address
from gateway.providers.fetching import Progress, silent
from memory.skills.crate import Rejected
from memory.skills.validate import shown

SECONDS = 180.0
"""For all of it."""

MOST_BYTES = 256 << 20
"""What a repository may take up on the disk while it is fetched."""

_LOOK = 0.25
_SAID = 4_000
_PERCENT = re.compile(r"([A-Z][\w ]+):\s+(\d{1,3})%")
_SETTINGS = (
    *("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.symlinks=false", "credential.helper="),
    *("fetch.fsckObjects=true", "transfer.bundleURI=false", "gc.auto=0", "maintenance.auto=false"),
    *("submodule.recurse=false", "protocol.version=2", "http.followRedirects=initial"),
)
_ALLOWED = {"https": "https", "http": "http:https", "ssh": "ssh", "git": "git", "file": "file"}


class Git:
    """`environment` is the process's. Nothing of its GIT_ variables is handed on."""

    def __init__(self, environment: Mapping[str, str], program: str = "git", seconds: float = SECONDS) -> None:
        self._environment = {name: value for name, value in environment.items() if not name.startswith("GIT_")}
        self._program = program
        self._seconds = seconds

    async def fetch(self, address: Address, folder: Path, progress: Progress = silent) -> tuple[Path, str]:
        """The path of a tar in that folder, which has to be empty, and the commit. Raises `Rejected`."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self._fetch(address, folder, progress)
        except TimeoutError:
            raise Rejected(f"{shown(address.where)} was not fetched within {self._seconds:g} seconds.") from None

    async def _fetch(self, address: Address, folder: Path, progress: Progress) -> tuple[Path, str]:
        repository, tar = folder / "repository", folder / "files.tar"
        await self._run(address, folder, ["init", "--quiet", "--bare", "--template=", str(repository)])
        where = ["--git-dir", str(repository)]
        options = ["--depth=1", "--no-tags", "--no-recurse-submodules", "--no-auto-gc", "--progress"]
        ordered = [*where, "fetch", *options, "--", address.where, address.ref or "HEAD"]
        await self._run(address, folder, ordered, progress)
        commit = (await self._run(address, folder, [*where, "rev-parse", "--verify", "FETCH_HEAD^{commit}"])).strip()
        await self._run(address, folder, [*where, "archive", "--format=tar", f"--output={tar}", commit])
        return tar, commit

    async def _run(
        self, address: Address, folder: Path, arguments: Sequence[str], progress: Progress = silent
    ) -> str:
        """What it printed. Raises `Rejected` with what it complained of."""
        settings = [word for each in _SETTINGS for word in ("-c", each)]
        try:
            process = await asyncio.create_subprocess_exec(
                self._program,
                *settings,
                *arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=folder,
                env=self._variables(address),
                start_new_session=True,
            )
        except OSError as error:
            raise Rejected(f"The git program cannot be started: {(error.strerror or str(error)).lower()}.") from error
        try:
            said, complained = await _within(process, folder, progress)
        finally:
            _end(process)
            await process.wait()
        if process.returncode:
            last = [line for line in re.split(r"[\r\n]+", complained) if line.strip()][-1:] or ["no reason given"]
            words = "".join(sign if sign.isprintable() else "?" for sign in last[0].strip())[:300]
            raise Rejected(f"git could not fetch {shown(str(address))}: {words.removeprefix('fatal: ').rstrip('.')}.")
        return said

    def _variables(self, address: Address) -> dict[str, str]:
        return {
            **self._environment,
            "GIT_ALLOW_PROTOCOL": _ALLOWED[address.scheme],
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "true",
            "SSH_ASKPASS": "true",
            "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
            "GIT_NO_LAZY_FETCH": "1",
            "LC_ALL": "C",
        }


async def _within(process: asyncio.subprocess.Process, folder: Path, progress: Progress) -> tuple[str, str]:
    """Output and complaints, while the folder is kept from growing without bounds."""
    assert process.stdout is not None
    assert process.stderr is not None
    reading = asyncio.gather(_drained(process.stdout, silent), _drained(process.stderr, progress), process.wait())
    try:
        while True:
            done, _ = await asyncio.wait((reading,), timeout=_LOOK)
            if done:
                said, complained, _ = await reading
                return said, complained
            if await asyncio.to_thread(_size, folder) > MOST_BYTES:
                raise Rejected(f"The repository has more than {MOST_BYTES:,} bytes.")
    finally:
        reading.cancel()


async def _drained(stream: asyncio.StreamReader, progress: Progress) -> str:
    """The end of what a stream says, and its percents on the way."""
    kept = ""
    while block := await stream.read(_SAID):
        kept = (kept + block.decode("utf-8", "replace"))[-_SAID:]
        if (found := _PERCENT.findall(kept)) and block:
            progress(found[-1][0], int(found[-1][1]), 100)
    return kept


def _size(folder: Path) -> int:
    total = 0
    for above, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(above) / name).lstat().st_size
            except OSError:
                continue  # a temporary file that git has just renamed
    return total


def _end(process: asyncio.subprocess.Process) -> None:
    """End it with all that it started; its group is its own."""
    if process.returncode is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
