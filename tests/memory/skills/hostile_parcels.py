"""Sixty and more ways to get out of the skills folder, or to wear the machine down, with what is said to each.

Archives, names, paths, links and frontmatters, all made here. `SECRET` lies beside the skills folder; nobody may come
to see it, nothing may be written over it.
"""

from __future__ import annotations

import gzip
import os
import stat
import struct
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.memory.skills.crates import entry, files, folder, member, raw, tarred, zipped
from tests.memory.skills.shed import skill

SECRET = "TOKEN=nobody-may-see-this"
OUT = "../../.env"


@dataclass(frozen=True)
class Case:
    """`make` writes something into an empty folder, beside `victim`, and returns its path; `says` is part of the
    refusal."""

    name: str
    make: Callable[[Path, Path], Path]
    says: str


def _zip(name: str, says: str, content: dict[str, str | bytes], *more: object) -> Case:
    def make(at: Path, _: Path) -> Path:
        return zipped(at / "it.zip", {**files(), **content}, more=more)  # type: ignore[arg-type]

    return Case(f"zip, {name}", make, says)


def _tar(name: str, says: str, content: dict[str, str | bytes], *more: tarfile.TarInfo, mode: str = "w:gz") -> Case:
    def make(at: Path, _: Path) -> Path:
        return tarred(at / "it.tar", {**files(), **content}, more=more, mode=mode)

    return Case(f"tar, {name}", make, says)


def _front(name: str, says: str, text: str | bytes) -> Case:
    return Case(f"frontmatter, {name}", lambda at, _: folder(at / "it", {"SKILL.md": text}), says)


def _named(name: str, says: str) -> Case:
    return Case(f"name, {name!r}", lambda at, _: folder(at / "it", {"SKILL.md": skill(name)}), says)


def _files(name: str, says: str, content: dict[str, str | bytes]) -> Case:
    return Case(f"files, {name}", lambda at, _: folder(at / "it", {**files(), **content}), says)


def _linked(name: str, link: str, says: str, goal: Callable[[Path], Path]) -> Case:
    def make(at: Path, victim: Path) -> Path:
        it = folder(at / "it", files())
        (it / link).parent.mkdir(parents=True, exist_ok=True)
        (it / link).unlink(missing_ok=True)
        (it / link).symlink_to(goal(victim))
        return it

    return Case(f"link, {name}", make, says)


def _bytes(name: str, says: str, data: Callable[[Path], bytes]) -> Case:
    def make(at: Path, _: Path) -> Path:
        path = at / "it.zip"
        made = data(at)
        path.write_bytes(made)
        return path

    return Case(f"archive, {name}", make, says)


def _lying_count(at: Path) -> bytes:
    whole = bytearray(zipped(at / "a.zip", files()).read_bytes())
    end = whole.rfind(b"PK\5\6")
    whole[end + 10 : end + 12] = struct.pack("<H", 60_000)
    return bytes(whole)


def _encrypted(at: Path) -> bytes:
    whole = bytearray(zipped(at / "a.zip", files()).read_bytes())
    whole[whole.find(b"PK\1\2") + 8] |= 1
    return bytes(whole)


def _wide(at: Path) -> bytes:
    """The zip64 form, whose counts are larger than anything here."""
    whole = zipped(at / "a.zip", files()).read_bytes()
    end = whole.rfind(b"PK\5\6")
    return whole[:end] + b"PK\6\7" + bytes(16) + whole[end:]


def _nul_name(at: Path) -> bytes:
    return zipped(at / "a.zip", {**files(), "references/aXb.md": "x"}).read_bytes().replace(b"aXb.md", b"a\0b.md")


def _two_of_a_name(at: Path) -> bytes:
    content = {**files(), "references/a.md": "one", "references/b.md": "two"}
    return zipped(at / "a.zip", content).read_bytes().replace(b"references/b.md", b"references/a.md")


def _torn(at: Path) -> bytes:
    whole = tarred(at / "a.tar", {**files(), "assets/x": os.urandom(200_000)}).read_bytes()
    return whole[: len(whole) // 2]


def _nothing(_: Path) -> bytes:
    """A tar.gz of 140 MiB of zeros, in as many parts, which is what makes it quick to build."""
    head = tarfile.TarInfo("x/zeros")
    head.size = 140 << 20
    return gzip.compress(head.tobuf()) + gzip.compress(bytes(1 << 20)) * 140


def _wordy(kind: bytes) -> Callable[[Path], bytes]:
    def make(_: Path) -> bytes:
        head = tarfile.TarInfo("about")
        head.type, head.size = kind, 1 << 20
        return gzip.compress(head.tobuf() + b"1" * head.size + bytes(1024))

    return make


def _chatty(_: Path) -> bytes:
    """A long word about each of many files."""
    head = tarfile.TarInfo("about")
    head.type, head.size = tarfile.XHDTYPE, 2_048
    word = b"2048 comment=".ljust(2_047, b"x") + b"\n"
    return gzip.compress(b"".join(head.tobuf() + word + tarfile.TarInfo(f"{n}").tobuf() for n in range(600)))


def _nested(_: Path) -> bytes:
    """A word about a word about a word."""
    head = tarfile.TarInfo("about")
    head.type, head.size = tarfile.XHDTYPE, 11
    return gzip.compress((head.tobuf() + b"11 path=ab\n".ljust(512, b"\0")) * 4_000 + bytes(1024))


def _fifo(at: Path, _: Path) -> Path:
    it = folder(at / "it", files())
    os.mkfifo(it / "assets")
    return it


def _pipe(at: Path, _: Path) -> Path:
    os.mkfifo(at / "pipe")
    return at / "pipe"


def _deep(at: Path, _: Path) -> Path:
    return folder(at / "it", {**files(), f"references/{'a/' * 16}b.md": "x"})


def _many(count: int) -> dict[str, str | bytes]:
    return {f"references/{number}.md": "x" for number in range(count)}


ARCHIVES = (
    _zip("a path upwards", "leads out", {"../../evil.md": "x"}),
    _zip("a path upwards in the middle", "leads out", {"references/../../../evil.md": "x"}),
    _zip("an absolute path", "is absolute", {"/etc/cron.d/evil": "x"}),
    _zip("a drive", "is absolute", {"C:/evil.md": "x"}),
    _zip("backslashes", "backslash", {"references\\..\\..\\evil.md": "x"}),
    _zip("a home", "is absolute", {"~/.ssh/authorized_keys": "x"}),
    _zip("a control sign", "cannot be printed", {"references/a\x1b[2Jb.md": "x"}),
    _zip("a right-to-left sign", "cannot be printed", {"references/\u202egpj.sh": "x"}),
    _zip("an empty part", "empty parts", {"references//a.md": "x"}),
    _zip("a name without end", "longer or deeper", {f"references/{'a' * 500}.md": "x"}),
    _zip("folders without end", "longer or deeper", {f"{'a/' * 60}b.md": "x"}),
    _zip("a link", "is a link", {}, (member("references/x", stat.S_IFLNK | 0o777), OUT.encode())),
    _zip("a link for SKILL.md", "is a link", {}, (member("b/SKILL.md", stat.S_IFLNK | 0o777), b"/etc/passwd")),
    _zip("a device", "device or pipe", {}, member("assets/zero", stat.S_IFCHR | 0o666)),
    _zip("a pipe", "device or pipe", {}, member("assets/pipe", stat.S_IFIFO | 0o666)),
    _zip("a bomb", "bytes, at most", {"assets/zeros": bytes(40 << 20)}),
    _zip("many small bombs", "has more than", {f"assets/{n}": bytes(1 << 20) for n in range(12)}),
    _zip("more files than a skill has", "files, at most", _many(300)),
    _zip("absurdly many files", "more than 5,000 files", _many(5_200)),
    _bytes("a lying count", "more than 5,000 files", _lying_count),
    _bytes("zip64", "more than 5,000 files", _wide),
    _bytes("encrypted", "encrypted", _encrypted),
    _bytes("a name cut by NUL", "cannot be printed", _nul_name),
    _bytes("one name twice", "twice", _two_of_a_name),
    _bytes("no archive at all", "no archive", lambda _: b"<html>404</html>"),
    _bytes("nothing", "no archive", lambda _: b""),
    _bytes("an end alone", "no skill", lambda _: b"PK\5\6" + bytes(18)),
    _bytes("torn", "no archive", _torn),
    _bytes("a tar with a long word about a file", "1,048,576 bytes about one file", _wordy(tarfile.XHDTYPE)),
    _bytes("a tar with a long word about all", "1,048,576 bytes about one file", _wordy(tarfile.XGLTYPE)),
    _bytes("a tar with a name without end", "1,048,576 bytes about one file", _wordy(tarfile.GNUTYPE_LONGNAME)),
    _bytes("a tar with many words about files", "too much about all", _chatty),
    _bytes("a tar with words about words", "no archive", _nested),
    _tar("a path upwards", "leads out", {"../../evil.md": "x"}),
    _tar("an absolute path", "is absolute", {"/etc/cron.d/evil": "x"}),
    _tar("a link upwards", "is a link", {}, entry("references/x", tarfile.SYMTYPE, OUT)),
    _tar("a hard link", "is a link", {}, entry("references/x", tarfile.LNKTYPE, "/etc/passwd")),
    _tar("a linked folder, then a file in it", "is a link", {"a/b.md": "x"}, entry("a", tarfile.SYMTYPE, "../..")),
    _tar("a device", "device or pipe", {}, entry("assets/zero", tarfile.CHRTYPE)),
    _tar("a disk", "device or pipe", {}, entry("assets/disk", tarfile.BLKTYPE)),
    _tar("a pipe", "device or pipe", {}, entry("assets/pipe", tarfile.FIFOTYPE)),
    _tar("a bomb", "bytes, at most", {"assets/zeros": bytes(3 << 20)}, mode="w:bz2"),
    _bytes("a bomb of nothing", "Unpacked it has more", _nothing),
    _tar("absurdly many files", "more than 5,000 files", _many(5_200)),
    _tar("one name twice", "twice", {"./SKILL.md": "x"}),
    _tar("half a character in a name", "cannot be printed", {"references/\udcff.md": "x"}),
)

PATHS = (
    _files("a device's name", "device", {"references/con.md": "x"}),
    _files("a stream", "signs that some systems", {"references/a.md:b": "x"}),
    _files("a trailing dot", "dot", {"references/a.": "x"}),
    _files("two names that are one", "one name on some systems", {"assets/A.md": "x", "assets/a.md": "y"}),
    _files("a second SKILL.md", "nearly SKILL.md", {"skill.md": "x"}),
    _files("a decomposed letter", "signs that some systems", {"references/e\u0301.md": "x"}),
    Case("files, deeper than any", _deep, "deep"),
    Case("files, a pipe in place of a folder", _fifo, "no ordinary file"),
    _linked("a file", "references/secret.md", "is a link", lambda victim: victim),
    _linked("a folder", "references", "is a link", lambda victim: victim.parent),
    _linked("SKILL.md itself", "SKILL.md", "links are not followed", lambda victim: victim),
    _linked("to nowhere", "assets/x", "is a link", lambda _: Path("/nowhere/at/all")),
    _linked("to itself", "assets/loop", "is a link", lambda _: Path("loop")),
    Case("a folder that is not there", lambda at, _: at / "nothing", "nothing at"),
    Case("a pipe as a skill", _pipe, "neither a folder nor a file"),
    Case("a device as a skill", lambda _, __: Path("/dev/zero"), "neither a folder nor a file"),
)

NAMES = tuple(
    _named(name, says)
    for name, says in (
        ("../outside", "name"),
        ("/etc", "name"),
        ("a/../../b", "name"),
        ("con", "device"),
        ("x\\..\\y", "name"),
        ("''", "name"),
        (".env", "name"),
        (".archive", "name"),
        ("a" * 65, "65 characters"),
        ("Deploy", "name"),
        ("déploy", "name"),
        ("nul.txt", "device"),
    )
)

FRONTMATTERS = (
    _front("none", "no frontmatter", "# Deploy\n"),
    _front("no end", "does not end", "---\nname: deploy\ndescription: x\n"),
    _front("no name", "name is missing", "---\ndescription: x\n---\nBody\n"),
    _front("no description", "description is missing", "---\nname: deploy\n---\nBody\n"),
    _front(
        "a class to be made", "tags", "---\nname: deploy\ndescription: !!python/object/apply:os.system [ls]\n---\nB\n"
    ),
    _front("a billion laughs", "anchors", "---\nname: deploy\na: &a [x, x]\nb: [*a, *a]\ndescription: x\n---\nB\n"),
    _front("a name twice", "twice", "---\nname: deploy\nname: other\ndescription: x\n---\nB\n"),
    _front("a list for a name", "name is missing", "---\nname: [a, b]\ndescription: x\n---\nB\n"),
    _front(
        "nested without end", "nested", "---\nname: deploy\ndescription: x\na: " + "[" * 60 + "]" * 60 + "\n---\nB\n"
    ),
    _front("no text", "not UTF-8", b"---\nname: deploy\ndescription: \xff\xfe\n---\nB\n"),
    _front("no instructions", "no instructions", "---\nname: deploy\ndescription: x\n---\n\n"),
    _front("too long", "characters", skill("deploy", body="x" * 120_000)),
    _front("far too long", "bytes, at most", raw(skill("deploy", body="x" * (2 << 20)))),
    _front("a description without end", "description has", skill("deploy", description="x" * 2_000)),
)

EVERY = (*ARCHIVES, *PATHS, *NAMES, *FRONTMATTERS)
