"""Archives as people and attackers make them, built from nothing."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.memory.skills.shed import skill

Files = Mapping[str, str | bytes]


def raw(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def files(name: str = "deploy", **more: str) -> dict[str, str | bytes]:
    """A small sound skill: `more` has further files, with `__` for a slash."""
    return {"SKILL.md": skill(name), **{path.replace("__", "/"): text for path, text in more.items()}}


def folder(path: Path, content: Files) -> Path:
    for name, text in content.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(raw(text))
    return path


def zipped(
    path: Path, content: Files, *, more: Iterable[zipfile.ZipInfo | tuple[zipfile.ZipInfo, bytes]] = ()
) -> Path:
    """`more` are members whose head is made by hand."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in content.items():
            archive.writestr(name, raw(text))
        for each in more:
            head, data = each if isinstance(each, tuple) else (each, b"")
            archive.writestr(head, data)
    return path


def member(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    head = zipfile.ZipInfo("x")
    head.filename = name
    head.external_attr = mode << 16
    head.create_system = 3
    return head


def tarred(path: Path, content: Files, *, more: Iterable[tarfile.TarInfo] = (), mode: str = "w:gz") -> Path:
    """`more` are members without content: links, devices, folders."""
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]  # modes are texts here
        for name, text in content.items():
            head = tarfile.TarInfo(name)
            head.size = len(raw(text))
            archive.addfile(head, io.BytesIO(raw(text)))
        for each in more:
            archive.addfile(each)
    return path


def entry(name: str, kind: bytes, goal: str = "") -> tarfile.TarInfo:
    head = tarfile.TarInfo(name)
    head.type = kind
    head.linkname = goal
    return head
