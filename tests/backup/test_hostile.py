"""Files that pretend to be backups: nothing of them is put anywhere, whatever they try."""

from __future__ import annotations

import asyncio
import io
import json
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gateway.backup.errors import BackupFault, Damaged
from gateway.backup.making import verify
from gateway.backup.manifest import MOST_BYTES, loaded, safe
from gateway.backup.restoring import restore
from gateway.config.paths import Profile
from gateway.config.profiles import prepare
from tests.backup.house import backed_up, forged, furnished
from tests.fakes.clock import FakeClock

EVIL = b"evil"
DIGEST = "5c1a05a2d79bf4a3aa20fb4c25bd22d8d2e1df5a3f2b2b3a2eb1a5e0b7f1f0a7"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup as it should be."""
    path: Path = backed_up(asyncio.run(furnished(tmp_path_factory.mktemp("sound")))).backup.path
    return path


PATHS = [
    "../evil",
    "/etc/evil",
    "memories/../../evil",
    "memories//evil",
    "memories/./evil",
    "memories/",
    "memories",
    ".env",
    "gateway.lock",
    "state.db-wal",
    "backups/evil.zip",
    "plugins/evil.py",
    "memories/e\x00vil",
    "memories/e\nvil",
    "",
    "..",
]


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leads_out(tmp_path: Path, source: Path, path: str) -> None:
    assert not safe(path)

    def named(fields: dict[str, Any]) -> None:
        fields["files"].append({"path": path, "size": len(EVIL), "sha256": DIGEST})

    _refused(tmp_path, source, lambda source, target: forged(source, target, manifest=named, members=_adding(path)))


@pytest.mark.parametrize("path", ["../evil", "/tmp/evil", "memories/evil", "plugins/evil.py"])
def test_what_the_manifest_does_not_know_is_not_taken(tmp_path: Path, source: Path, path: str) -> None:
    _refused(tmp_path, source, lambda source, target: forged(source, target, members=_adding(path)))


@pytest.mark.parametrize(
    "kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFDIR]
)
def test_links_and_devices(tmp_path: Path, source: Path, kind: int) -> None:
    def head(info: zipfile.ZipInfo) -> None:
        if info.filename == "memories/USER.md":
            info.external_attr = (kind | 0o777) << 16

    _refused(tmp_path, source, lambda source, target: forged(source, target, entry=head))


@pytest.mark.parametrize(
    ("link", "goal"),
    [
        ("memories/x.md", "../../../etc/passwd"),
        ("memories/x.md", "/etc/passwd"),
        ("memories/x.md", ".."),
        ("memories/x.md", "x.md"),
        ("memories/x.md", "absent.md"),
        ("../x.md", "USER.md"),
        ("memories/USER.md", "MEMORY.md"),
    ],
)
def test_second_names(tmp_path: Path, source: Path, link: str, goal: str) -> None:
    def named(fields: dict[str, Any]) -> None:
        fields["links"] = [{"path": link, "goal": goal}]

    _refused(tmp_path, source, lambda source, target: forged(source, target, manifest=named))


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "another format": lambda fields: fields.update(format=2),
    "no format": lambda fields: fields.pop("format"),
    "a format that is a truth value": lambda fields: fields.update(format=True),
    "a file twice": lambda fields: fields["files"].append(fields["files"][0]),
    "a size below nothing": lambda fields: fields["files"][0].update(size=-1),
    "another size": lambda fields: fields["files"][0].update(size=1),
    "another digest": lambda fields: fields["files"][0].update(sha256="0" * 64),
    "no digest": lambda fields: fields["files"][0].update(sha256="x"),
    "a file that is not there": lambda fields: fields["files"].append(
        {"path": "AGENTS.md.d", "size": 0, "sha256": "0" * 64}
    ),
    "no list": lambda fields: fields.update(files={"a": 1}),
    "other counts": lambda fields: fields["counts"].update(messages=41),
    "another version": lambda fields: fields.update(database=3),
    "no time": lambda fields: fields.update(made_at="yesterday"),
    "half a character": lambda fields: fields.update(profile="\ud800"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_manifest_that_does_not_fit(
    tmp_path: Path, source: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    _refused(tmp_path, source, lambda source, target: forged(source, target, manifest=change))


def test_a_member_twice(tmp_path: Path, source: Path) -> None:
    def twice(source: Path, target: Path) -> None:
        forged(source, target)
        with zipfile.ZipFile(target, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("memories/USER.md", EVIL)

    _refused(tmp_path, source, twice)


def test_a_file_that_unfolds_beyond_its_size_is_cut_off(tmp_path: Path, source: Path) -> None:
    """Its head says nine bytes, its data are fifty million: no more than one byte too many is written."""

    def bomb(source: Path, target: Path) -> None:
        forged(source, target, members=lambda files: files.update({"memories/USER.md": b"\0" * 50_000_000}))
        data = bytearray(target.read_bytes())
        large, small = (50_000_000).to_bytes(4, "little"), (9).to_bytes(4, "little")
        assert data.count(large) == 2  # in the head before the data, and in the list at the end
        target.write_bytes(bytes(data.replace(large, small)))

    _refused(tmp_path, source, bomb)
    assert sum(each.stat().st_size for each in tmp_path.rglob("*") if each.is_file()) < 5_000_000


def test_more_than_the_disk_holds_is_not_begun(tmp_path: Path, source: Path) -> None:
    size = 1 << 60

    def huge(source: Path, target: Path) -> None:
        def named(fields: dict[str, Any]) -> None:
            fields["files"] = [each for each in fields["files"] if each["path"] == "SOUL.md"]
            fields["files"][0]["size"] = size

        def only(files: dict[str, bytes]) -> None:
            for name in [each for each in files if each != "SOUL.md"]:
                del files[name]

        forged(source, target, manifest=named, members=only)
        _with_size(target, "SOUL.md", size)

    _refused(tmp_path, source, huge)


def test_a_huge_manifest_is_not_read(tmp_path: Path, source: Path) -> None:
    def huge(source: Path, target: Path) -> None:
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("manifest.json", "w", force_zip64=True) as file:
                for _ in range(MOST_BYTES // (1 << 20) + 1):
                    file.write(b" " * (1 << 20))

    _refused(tmp_path, source, huge)


@pytest.mark.parametrize("deep", [b"[" * 100_000, b'{"format": ' * 5_000, b"\xff\xfe", b"null", b"[]", b"1e999", b""])
def test_no_manifest_at_all(deep: bytes) -> None:
    with pytest.raises(Damaged):
        loaded(deep)


def test_other_kinds_of_files(tmp_path: Path, source: Path) -> None:
    def tar(source: Path, target: Path) -> None:
        with tarfile.open(target, "w:gz") as archive:
            entry = tarfile.TarInfo("../evil")
            entry.size = len(EVIL)
            archive.addfile(entry, io.BytesIO(EVIL))

    def locked(source: Path, target: Path) -> None:
        data = bytearray(source.read_bytes())
        data[6] |= 1
        for at in range(len(data) - 4):
            if data[at : at + 4] == b"PK\x01\x02":
                data[at + 8] |= 1
        target.write_bytes(data)

    for number, make in enumerate(
        (tar, locked, lambda _, target: target.write_bytes(b""), lambda _, target: target.mkdir())
    ):
        _refused(tmp_path / str(number), source, make)


def _refused(folder: Path, source: Path, make: Callable[[Path, Path], object]) -> None:
    """Neither proven nor restored, and nothing anywhere afterwards: not beside, not inside, not above."""
    home = folder / "inn" / "home"
    profile = prepare(Profile("default", home, home))
    target = folder / "inn" / "forged.zip"
    make(source, target)
    other = prepare(Profile("other", folder / "inn" / "other", folder / "inn" / "other"))
    with pytest.raises(BackupFault):
        verify(target, profile)
    with pytest.raises(BackupFault):
        restore(target, other, FakeClock())
    there = {each.relative_to(other.folder).as_posix() for each in other.folder.rglob("*") if not each.is_dir()}
    assert there == {"gateway.lock"}
    assert not [each for each in folder.rglob("*") if "evil" in each.name]
    assert [each.name for each in profile.backups.iterdir() if each.name.startswith(".")] == [".lock"]
    assert not os.path.lexists("/etc/evil")


def _adding(path: str) -> Callable[[dict[str, bytes]], object]:
    return lambda files: files.update({path: EVIL})


def _with_size(path: Path, name: str, size: int) -> None:
    """Let the list at a zip file's end claim that a member is larger, as only a 64-bit head can."""
    with zipfile.ZipFile(path) as archive:
        files = {each.filename: archive.read(each) for each in archive.infolist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, data in files.items():
            archive.writestr(each, data)
        archive.getinfo(name).file_size = size  # the list is written at the end
    assert json.loads(zipfile.ZipFile(path).read("manifest.json"))["files"][0]["size"] == size
