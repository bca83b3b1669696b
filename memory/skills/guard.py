"""Whether a skill may be followed: the threat scan over all of its texts, and what only programs do.

Safe says that nothing was found, not that nothing is there. What follows from a verdict is for those who install and
for the gate.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from memory.model import Reason
from memory.scan.scanner import scan
from memory.skills.model import SkillDraft, SkillRefused
from memory.skills.validate import shown

Verdict = Literal["safe", "doubtful", "dangerous"]

_SCANNED = 1_000_000
"""Characters of one skill that are scanned: some seconds' work."""

_QUOTE = 80
_PROGRAMS = (
    b"\x7fELF",
    b"MZ\x90",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
)
_PACKED = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!")

_SHOWN = (
    *(b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"BM", b"II*\0", b"MM\0*", b"\0\0\1\0", b"%PDF-"),
    *(b"wOFF", b"wOF2", b"OTTO", b"\0\1\0\0", b"ID3", b"OggS", b"fLaC"),
)
"""How pictures, fonts and sounds begin, which nobody follows."""

_FOLLOWED = (".md", ".txt", ".py", ".sh", ".js", ".json", ".yaml", ".yml")

_MILD = frozenset({"remote-code"})
"""Rules of the threat scan that honest skills break as well, by their line on how to install something."""

_RULES: tuple[tuple[re.Pattern[str], Verdict, str], ...] = (
    (
        re.compile(r"\bbase64\s+(?:-d|-D|--decode)\b[^\n]{0,200}\|\s*(?:sudo\s+)?(?:(?:ba|z|da|k)?sh|python3?)\b"),
        "dangerous",
        "something veiled is run",
    ),
    (
        re.compile(r"\b(?:eval|exec)\s*\(\s*(?:[\w.]+\(\s*){0,3}[\w.]*(?:b64decode|fromhex|decompress|atob)\b"),
        "dangerous",
        "something veiled is run",
    ),
    (re.compile(r"[A-Za-z0-9+/]{600,}={0,2}"), "doubtful", "a long veiled passage that nobody can read"),
    (
        re.compile(r"<!--(?:(?!-->).){40,}?-->", re.DOTALL),
        "doubtful",
        "a remark that people do not see when it is shown",
    ),
)


@dataclass(frozen=True, slots=True)
class Assessment:
    """A verdict with its reasons, one sentence each, naming file and line."""

    verdict: Verdict
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    verdict: Verdict
    file: str
    line: int
    why: str
    span: str = ""
    kept_out: bool = False
    """Whether it must not come in by the assistant's own hand."""

    unseen: bytes = b""
    """What the words do not quote: who agreed to it has not agreed to another one."""

    def __str__(self) -> str:
        flat = " ".join(self.span.split())
        seen = "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in flat[:_QUOTE])
        unseen = self.unseen or (self.span.encode("utf-8", "replace") if len(flat) > _QUOTE else b"")
        mark = f", mark {hashlib.sha256(unseen).hexdigest()[:12]}" if unseen else ""
        quoted = f" (“{seen}{'…' if len(flat) > _QUOTE else ''}”{mark})" if seen else f" ({mark[2:]})" if mark else ""
        return f"{self.file}{f':{self.line}' if self.line else ''}: {self.why.rstrip('.')}{quoted}."


def assess(files: Mapping[str, bytes]) -> Assessment:
    """Look at all files of a skill, by their paths in it."""
    found = list(_all(files))
    if any(each.verdict == "dangerous" for each in found):
        verdict: Verdict = "dangerous"
    else:
        verdict = "doubtful" if found else "safe"
    worst_first = sorted(found, key=lambda each: each.verdict != "dangerous")
    return Assessment(verdict, tuple(dict.fromkeys(map(str, worst_first))))


def check(draft: SkillDraft) -> SkillRefused | None:
    """The refusal of a change that brings in what must not be followed; what stood there before does not count. For
    the store, when skills that the assistant writes are scanned as well."""
    after = {each.path: each.after for each in draft.changes if each.after is not None}
    bad = [each for each in _all(after) if each.kept_out]
    if not bad:
        return None
    before = {each.path: each.before for each in draft.changes if each.before is not None and each.path in after}
    known = {(each.file, each.why, each.span) for each in _all(before)}
    new = [each for each in bad if (each.file, each.why, each.span) not in known]
    if not new:
        return None
    words = f"Not kept: the scan of skills found this: {new[0]} If it is meant well, write it differently."
    return SkillRefused(Reason.SCAN, words)


def doubt(draft: SkillDraft) -> str:
    """The first thing in a change to be unsure about that was not there before; empty for none."""
    before = {each.path: each.before for each in draft.changes if each.before is not None and each.after is not None}
    after = {each.path: each.after for each in draft.changes if each.after is not None}
    found = [each for each in _all(after) if each.verdict == "doubtful"]
    known = {replace(each, line=0) for each in _all(before)} if found else set()
    return next((str(each) for each in found if replace(each, line=0) not in known), "")


def _all(files: Mapping[str, bytes]) -> Iterator[_Found]:
    budget = _SCANNED
    for path in sorted(files, key=lambda each: (not each.endswith("SKILL.md"), each)):
        data = files[path]
        name = path if path.isprintable() else shown(path)
        if data.startswith(_PROGRAMS):
            yield _Found("doubtful", name, 0, "it is a program, and cannot be read", unseen=data)
        elif data.startswith(_PACKED):
            yield _Found("doubtful", name, 0, "it is packed, and cannot be read", unseen=data)
        elif (text := _text(data)) is not None:
            budget -= len(text)
            if budget < 0:
                why = "it was not scanned, since the skill is too long"
                yield _Found("doubtful", name, 0, why, unseen=data)
            else:
                yield from _in(name, text)
        elif not data.startswith(_SHOWN) or path.startswith("scripts/") or path.endswith(_FOLLOWED):
            yield _Found("doubtful", name, 0, "it is no UTF-8 text, and cannot be read", unseen=data)


def _in(file: str, text: str) -> Iterable[_Found]:
    for finding in scan(text):
        verdict: Verdict = "doubtful" if finding.rule in _MILD else "dangerous"
        why = f"{finding.why.rstrip('.')} (rule {finding.rule})"
        yield _Found(verdict, file, _line(text, finding.span), why, finding.span, kept_out=True)
    for pattern, level, words in _RULES:
        matches = list(pattern.finditer(text))
        if not matches:
            continue
        line, more = text.count("\n", 0, matches[0].start()) + 1, len(matches) > 1
        whole = "\0".join(each[0] for each in matches).encode("utf-8", "replace") if more else b""
        kept_out = level == "dangerous"
        yield _Found(level, file, line, words, matches[0][0], kept_out=kept_out, unseen=whole)


def _line(text: str, span: str) -> int:
    at = text.find(span)
    return text.count("\n", 0, at) + 1 if at >= 0 else 0


def _text(data: bytes) -> str | None:
    """The text; None for what is none, pictures and the like."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
