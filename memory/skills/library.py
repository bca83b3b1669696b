"""What skills there are, and what stands in them: the profile's own folder and external ones, which are only read.

A file is parsed again when it changed; whatever is shown is read at that moment, by a path that was resolved and
found to be inside. Changing skills belongs to `edits` and `apply`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from memory.files import Unreadable, decoded
from memory.scan.scanner import verdict
from memory.skills.frontmatter import Malformed, plain
from memory.skills.index import index
from memory.skills.model import (
    FILE_BYTES,
    SKILL_CHARS,
    SKILL_FILE,
    Broken,
    Forbidden,
    Found,
    NoFile,
    NoSkill,
    Skill,
    Source,
)
from memory.skills.tree import Kind, Tree
from memory.skills.usage import Usage
from memory.skills.validate import objection_to_name, objection_to_path, shown, sound

_MOST_FOLDERS = 3000
"""Folders that are looked at below one root: somebody may have named a whole disk."""

_MOST_FILES = 1000
_MOST_NAMED = 20

_Stamp = tuple[int, int, int, int]
_Parsed = dict[str, tuple[_Stamp, Skill | Broken]]
"""By the folder's path."""


@dataclass(frozen=True, slots=True)
class _Root:
    path: Path
    tree: Tree
    external: bool


class Library:
    """`root` is the profile's `skills/`, which need not be there; `external` are absolute folders of the same form.
    `source(name)` says where one of the profile's own skills comes from; the sidecar's word by default.

    Callers in several threads at once do no harm: at worst a file is parsed twice.
    """

    def __init__(
        self, root: Path, external: Sequence[Path] = (), source: Callable[[str], Source] | None = None
    ) -> None:
        self.root = root
        self._own = Tree(root)
        self._roots = [_Root(root, self._own, False), *(_Root(path, Tree(path), True) for path in external)]
        usage = Usage(root, lambda: 0.0)
        self._sources = usage.sources if source is None else lambda: source
        self._parsed: _Parsed = {}
        self._verdicts: dict[str, str | None] = {}

    # What there is

    def found(self) -> Found:
        """Everything that is a skill or was meant to be one, as of now."""
        skills: dict[str, Skill] = {}
        broken: list[Broken] = []
        source_of = self._sources()
        for each in list(self._everything()):
            if isinstance(each, Broken):
                broken.append(each)
            elif (other := skills.get(each.name)) is not None:
                why = f"the name {each.name} is taken by {other.folder}, which is used. Rename one of them."
                broken.append(Broken(each.folder, each.folder / SKILL_FILE, 0, why))
            else:
                skills[each.name] = each if each.external else self._from(each, source_of(each.name))
        ordered = sorted(skills.values(), key=lambda each: (each.category, each.name))
        return Found(tuple(ordered), tuple(sorted(broken, key=lambda each: (str(each.file), each.why))))

    def _from(self, skill: Skill, source: Source) -> Skill:
        """The skill with its source, remembered as such."""
        if skill.source == source:
            return skill
        skill = replace(skill, source=source)
        if (known := self._parsed.get(str(skill.folder))) is not None:
            self._parsed[str(skill.folder)] = (known[0], skill)
        return skill

    def get(self, name: str) -> Skill | None:
        """The usable skill of that name."""
        return next((each for each in self.found().skills if each.name == name), None)

    def index(self, limit: int, first: Collection[str] = ()) -> str:
        """The list for the prompt, at most `limit` characters: the same skills give the same bytes. When not even all
        names fit, those in `first` are told before others. A description that the threat scan does not let pass is
        replaced by the name of the rule."""
        described = self.described()
        words = {skill.name: text for skill, text in described}
        return index([skill for skill, _ in described], limit, lambda skill: words[skill.name], first)

    def described(self) -> list[tuple[Skill, str]]:
        """The usable skills with what a prompt may say of them."""
        skills = self.found().skills
        self._judge([_line(each) for each in skills])
        return [(each, self._shown(each)) for each in skills]

    def _shown(self, skill: Skill) -> str:
        rule = self._verdicts.get(_line(skill))
        return skill.description if rule is None else f"[description hidden: threat scan, rule {rule}]"

    def _judge(self, texts: Sequence[str]) -> None:
        """Scan what was not scanned before: all together, since that is a tenth of the work, and one by one only when
        anything is found."""
        new = [text for text in dict.fromkeys(texts) if text not in self._verdicts]
        clean = verdict("\n\n".join(new)) is None if new else True
        self._verdicts = {text: self._verdicts[text] for text in texts if text in self._verdicts} | {
            text: None if clean else verdict(text) for text in new
        }

    def without_folders(self, text: str) -> str:
        """A text about skills for those whom the machine's folders do not concern: paths begin below them."""
        for root in self._roots:
            text = text.replace(f"{root.path}/", "")
        return text

    # What stands in them

    def view(self, name: str, file: str = "") -> str:
        """The text of a skill's SKILL.md, or of one of its files, with plain line ends. Raises `NoSkill`, `NoFile`,
        `Forbidden`."""
        skill = self._wanted(name)
        file = file or SKILL_FILE
        tree, path = self._inside(skill, file)
        try:
            data = tree.read(path, FILE_BYTES)
        except Unreadable as error:
            raise NoFile(str(error)) from error
        if data is None:
            there = self.files(name)
            listed = f" It has: {', '.join(there[:_MOST_NAMED])}." if there else ""
            raise NoFile(f"The skill {name} has no file {shown(file)}.{listed}")
        try:
            return plain(data.decode("utf-8"))
        except UnicodeDecodeError:
            raise NoFile(f"{file} of the skill {name} is no text ({len(data):,} bytes).") from None

    def files(self, name: str) -> tuple[str, ...]:
        """The skill's files but SKILL.md, relative to it, sorted; hidden ones and links are left out, and what is
        beyond the first thousand. Raises `NoSkill`."""
        skill = self._wanted(name)
        try:
            walked = islice(Tree(_root_of(skill)).walk(skill.place), _MOST_FILES)
            return tuple(path for path, kind in walked if kind == "file" and path != SKILL_FILE)
        except Unreadable as error:
            raise NoSkill(str(error)) from error

    def _wanted(self, name: str) -> Skill:
        if (why := objection_to_name(name)) is not None:
            raise NoSkill(f"There is no such skill: {why}")
        found = self.found()
        skill = next((each for each in found.skills if each.name == name), None)
        if skill is None:
            broken = next((each for each in found.broken if each.name == name), None)
            raise NoSkill(
                f"There is no skill {name}; skills_list names them all."
                if broken is None
                else f"The skill {name} is broken and not used: {broken}"
            )
        return skill

    def _inside(self, skill: Skill, file: str) -> tuple[Tree, str]:
        """Where that file really lies: links are resolved, and what they lead to has to be in the skill's folder. The
        path that comes back is then opened without following any."""
        if (why := objection_to_path(file)) is not None:
            raise Forbidden(f"Not shown: {why}")
        root = Path(os.path.realpath(_root_of(skill)))
        folder = Path(os.path.realpath(skill.folder))
        real = Path(os.path.realpath(folder / file))
        if not folder.is_relative_to(root) or not real.is_relative_to(folder) or real == folder:
            raise Forbidden(f"Not shown: {shown(file)} is a link that leads out of the skill {skill.name}.")
        if (why := objection_to_path(real.relative_to(folder).as_posix())) is not None:
            raise Forbidden(f"Not shown: {why}")
        return Tree(root), real.relative_to(root).as_posix()

    # Looking for them

    def _everything(self) -> Iterator[Skill | Broken]:
        """Every folder of every root, the profile's own first; of one root, those without a category first."""
        met: dict[Path, _Root] = {}
        parsed: _Parsed = {}
        for root in self._roots:
            real = Path(os.path.realpath(root.path))
            if any(real.is_relative_to(other) or other.is_relative_to(real) for other in met):
                yield Broken(root.path, root.path, 0, "it is a folder of skills already, or holds or lies in one.")
                continue
            met[real] = root
            if root.external and not root.path.is_dir():
                yield Broken(root.path, root.path, 0, "this external folder is not there, or no folder.")
                continue
            try:
                yield from self._below(root, parsed)
            except Unreadable as error:
                yield Broken(root.path, root.path, 0, str(error))
        self._parsed = parsed

    def _below(self, root: _Root, parsed: _Parsed) -> Iterator[Skill | Broken]:
        categories: list[str] = []
        for name, kind in root.tree.names(""):
            if name.startswith(".") or kind in ("file", "other"):
                continue
            if kind == "link":
                yield _link(root.path / name)
            elif (one := self._at(root, "", name, parsed)) is not None:
                yield one
            else:
                categories.append(name)
        looked = 0
        for category in categories:
            try:
                inside = [each for each in root.tree.names(category) if not each[0].startswith(".")]
                looked += len(inside)
                if looked > _MOST_FOLDERS:
                    why = f"it holds more than {_MOST_FOLDERS:,} folders; {category} and the next are not looked at."
                    yield Broken(root.path, root.path, 0, why)
                    return
                if inside:
                    yield from self._category(root, category, inside, parsed)
            except Unreadable as error:
                yield Broken(root.path / category, root.path / category, 0, str(error))

    def _category(
        self, root: _Root, category: str, inside: Sequence[tuple[str, Kind]], parsed: _Parsed
    ) -> Iterator[Skill | Broken]:
        folder = root.path / category
        if (why := objection_to_name(category, "name of a category")) is not None:
            yield Broken(folder, folder, 0, why)
            return
        if (stray := _stray(folder, inside)) is not None:
            yield stray
        for name, kind in inside:
            if kind == "link":
                yield _link(folder / name)
            elif kind == "folder":
                one = self._at(root, category, name, parsed)
                if one is not None:
                    yield one
                elif any(True for _ in root.tree.walk(f"{category}/{name}")):
                    yield Broken(folder / name, folder / name, 0, f"there is no {SKILL_FILE} in it.")

    def _at(self, root: _Root, category: str, name: str, parsed: _Parsed) -> Skill | Broken | None:
        """What that folder is; None when it has no SKILL.md. Parsed anew only when the file is another one."""
        folder = f"{root.path}/{category}/{name}" if category else f"{root.path}/{name}"
        try:
            about = os.lstat(f"{folder}/{SKILL_FILE}")  # a path object costs more than the call
        except OSError:
            return None
        stamp = (about.st_mtime_ns, about.st_ctime_ns, about.st_size, about.st_ino)
        known = self._parsed.get(folder)
        if known is None or known[0] != stamp:
            known = (stamp, _read(root, category, name, about))
        parsed[folder] = known
        return known[1]


def _read(root: _Root, category: str, name: str, about: os.stat_result) -> Skill | Broken:
    folder = root.path / category / name
    file = folder / SKILL_FILE
    if stat.S_ISLNK(about.st_mode):
        return _link(file, folder)
    try:
        if (why := objection_to_name(name)) is not None:
            raise Malformed(0, why)
        path = f"{category}/{name}/{SKILL_FILE}" if category else f"{name}/{SKILL_FILE}"
        data = root.tree.read(path, 4 * SKILL_CHARS)
        text = decoded(file, data or b"")
        it = sound(text, name)
    except Malformed as error:
        return Broken(folder, file, error.line, str(error))
    except Unreadable as error:
        return Broken(folder, file, 0, str(error))
    return Skill(name, it.description, folder, category, it.head.fields, it.head.body, external=root.external)


def _line(skill: Skill) -> str:
    """What a prompt would say: a name may begin what a description ends."""
    return f"{skill.name}: {skill.description}"


def _link(path: Path, folder: Path | None = None) -> Broken:
    return Broken(folder or path, path, 0, "it is a link, and links are not followed. Put the folder itself there.")


def _stray(folder: Path, inside: Sequence[tuple[str, Kind]]) -> Broken | None:
    """A folder that was meant to be a skill, by a file with nearly the right name."""
    near = next((name for name, kind in inside if kind == "file" and name.casefold() == SKILL_FILE.casefold()), None)
    return None if near is None else Broken(folder, folder / near, 0, f"it has to be called {SKILL_FILE}.")


def _root_of(skill: Skill) -> Path:
    return skill.folder.parents[skill.place.count("/")]
