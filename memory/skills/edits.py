"""What operations on skills come to, thought through before anything is written (pure but for reading).

All of them or none: each sees what those before it did, the first that fails is named by its number. Making the draft
belongs to `apply`; whether it may be made, to the gate and the guard.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memory.model import Reason
from memory.skills.draft import drafted
from memory.skills.frontmatter import Malformed, plain
from memory.skills.model import (
    MOST_FILES,
    MOST_OPERATIONS,
    SKILL_FILE,
    Found,
    SkillAction,
    SkillDraft,
    SkillOperation,
    SkillRefused,
)
from memory.skills.overlay import Overlay, Reader
from memory.skills.passage import NotOne, replace_passage
from memory.skills.validate import (
    Sound,
    objection_to_name,
    objection_to_new,
    objection_to_new_path,
    objection_to_path,
    objection_to_size,
    objection_to_stored_path,
    shown,
    sound,
)

_EXAMPLE = "It begins like this: ---\\nname: {name}\\ndescription: what it does and when to use it\\n---\\n"


class _No(Exception):
    """One operation cannot be done."""

    def __init__(self, reason: Reason, message: str, closest: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.reason = reason
        self.closest = tuple(closest)


def plan(found: Found, tree: Reader, operations: Sequence[SkillOperation]) -> SkillDraft | SkillRefused:
    """The draft of these operations, given what there is; one without changes when all is as wished already. Raises
    `Unreadable` for files that cannot be read."""
    if not operations:
        return SkillRefused(Reason.INVALID, "There is no operation.")
    if len(operations) > MOST_OPERATIONS:
        words = f"These are {len(operations)} operations; at most {MOST_OPERATIONS} can be done as one."
        return SkillRefused(Reason.INVALID, words)
    batch = _Batch(found, tree)
    for number, operation in enumerate(operations, 1):
        try:
            batch.do(operation)
        except _No as error:
            many = len(operations) > 1
            where = f"Operation {number} of {len(operations)} ({operation.action.value}): " if many else ""
            words = f"{where}{error}{' Nothing was changed.' if many else ''}"
            return SkillRefused(error.reason, words, number if many else None, error.closest)
    return batch.draft([each.action for each in operations])


def plan_install(
    found: Found, tree: Reader, name: str, files: Mapping[str, bytes], category: str = "", *, replaces: bool = False
) -> SkillDraft | SkillRefused:
    """The draft that puts a skill in place which has exactly these files (by path inside it, SKILL.md among them).
    With `replaces` it may take the place of the profile's own skill of that name, wherever that lies. Raises
    `Unreadable`."""
    batch = _Batch(found, tree)
    try:
        new = not replaces or batch.own(name) is None
        place = batch.free_place(name, category) if new else batch.place(name)
        if len(files) > MOST_FILES:
            raise _No(Reason.OVER_LIMIT, f"It has {len(files)} files, at most {MOST_FILES} are allowed.")
        for path, data in sorted(files.items(), key=lambda each: each[0] != SKILL_FILE):
            batch.put(place, path, data)
        if SKILL_FILE not in files:
            raise _No(Reason.INVALID, f"There is no {SKILL_FILE} in it.")
        batch.drop_others(place, files)
    except _No as error:
        return SkillRefused(error.reason, str(error), None, error.closest)
    return batch.draft([SkillAction.CREATE if new else SkillAction.EDIT])


def objection(found: Found, tree: Reader, draft: SkillDraft) -> SkillRefused | None:
    """Why a draft that was thought through earlier cannot be made now, on exactly the files that it was about; None
    when it can. It may come from a file that anybody wrote. Raises `Unreadable`."""
    batch = _Batch(found, tree)
    try:
        batch.repeat(draft)
    except _No as error:
        return SkillRefused(error.reason, f"It cannot be done any more: {error}", None, error.closest)
    now = batch.draft(draft.actions)
    if (now.changes, now.archives, now.pins) == (draft.changes, draft.archives, draft.pins):
        return None
    paths = {*now.pins.items()} ^ {*draft.pins.items()}
    named = ", ".join(sorted({path for path, _ in paths})[:5]) or "what it would do"
    words = f"Since it was put forward, this has changed, or was never recorded: {named}. Nothing was changed."
    return SkillRefused(Reason.CHANGED, words)


class _Batch:
    """The operations so far, and where each skill lies after them."""

    def __init__(self, found: Found, tree: Reader) -> None:
        self._found = found
        self._over = Overlay(tree)
        self._new: dict[str, str] = {}
        self._deleted: set[str] = set()
        self._notes: list[str] = []

    def draft(self, actions: Sequence[SkillAction]) -> SkillDraft:
        over = self._over
        return drafted(over.changes(), actions, over.archives, over.pins(), self._notes)

    def do(self, operation: SkillOperation) -> None:
        try:
            f"{operation.content}{operation.old_text}{operation.file}".encode()
        except UnicodeEncodeError:
            raise _No(Reason.INVALID, "The text holds half a character, which cannot be kept.") from None
        match operation.action:
            case SkillAction.CREATE:
                self._create(operation)
            case SkillAction.EDIT:
                place = self.place(operation.name)
                self._needs_content(operation)
                self._put_skill(place, operation.content)
            case SkillAction.PATCH:
                self._patch(operation)
            case SkillAction.WRITE_FILE:
                self._write_file(operation)
            case SkillAction.REMOVE_FILE:
                self._remove_file(operation)
            case SkillAction.DELETE:
                self.delete(operation.name)

    def repeat(self, draft: SkillDraft) -> None:
        """Do what an earlier draft did, by the same rules."""
        for folder in draft.archives:
            self._same(folder, self.place(folder.rpartition("/")[2]))
            self.delete(folder.rpartition("/")[2])
        for change in draft.changes:
            if change.skill in draft.archives:
                continue
            if change.file == SKILL_FILE and change.before is None:
                category, _, name = change.skill.rpartition("/")
                self._same(change.skill, self.free_place(name, category))
                self._new[name] = change.skill
            else:
                self._same(change.skill, self.place(change.name))
            if change.after is not None:
                self.put(change.skill, change.file, change.after)
            elif change.file == SKILL_FILE:
                raise _No(Reason.INVALID, f"It would leave {change.skill} without {SKILL_FILE}.")
            else:
                self._over.write(change.skill, self._path(change.skill, change.file), None)

    def _same(self, said: str, place: str) -> None:
        if said != place:
            raise _No(Reason.CHANGED, f"The skill lies in {place} and not in {said}.")

    # Where skills lie

    def own(self, name: str) -> str | None:
        """The place of the profile's own usable skill of that name."""
        if name in self._new or name in self._deleted:
            return self._new.get(name)
        return next((each.place for each in self._found.skills if each.name == name and not each.external), None)

    def place(self, name: str) -> str:
        """The place of a skill that may be changed."""
        if (why := objection_to_name(name)) is not None:
            raise _No(Reason.INVALID, why)
        if (place := self.own(name)) is not None:
            return place
        if any(each.name == name for each in self._found.skills) and name not in self._deleted:
            raise _No(Reason.DENIED, f"The skill {name} lies in an external folder, which is read and never changed.")
        broken = next((each for each in self._found.broken if each.name == name), None)
        if broken is not None:
            raise _No(Reason.UNREADABLE, f"The skill {name} is broken, a person has to mend it: {broken}")
        known = sorted({each.name for each in self._found.skills} - self._deleted | set(self._new))
        raise _No(Reason.UNKNOWN, f"There is no skill {name}; skills_list names them all.", _nearest(name, known))

    def free_place(self, name: str, category: str) -> str:
        """Where a new skill of that name may go."""
        if (why := objection_to_name(name)) is not None:
            raise _No(Reason.INVALID, why)
        if category and (why := objection_to_name(category, "name of a category")) is not None:
            raise _No(Reason.INVALID, why)
        taken = {each.name for each in self._found.skills} | {each.name for each in self._found.broken}
        if name in self._new or (name not in self._deleted and name in taken):
            there = self.place(name)  # says why when it is broken or external
            raise _No(Reason.INVALID, f"There is a skill {name} already ({there}). Change it with patch or edit.")
        if name in self._deleted:
            raise _No(Reason.INVALID, f"To write {name} anew, use edit: it cannot be deleted and created at once.")
        if category and self._over.kind(category) not in (None, "folder"):
            raise _No(Reason.INVALID, f"{category} is no folder, so it can be no category.")
        if category and self._over.kind(f"{category}/{SKILL_FILE}") is not None:
            raise _No(Reason.INVALID, f"{category} is a skill, so it can be no category.")
        place = f"{category}/{name}" if category else name
        if self._over.kind(place) not in (None, "folder") or self._over.occupied(place):
            words = "holds other things" if category else "holds other things, or is a category"
            raise _No(Reason.INVALID, f"skills/{place} is there already and {words}. Choose another name.")
        return place

    # Operations

    def delete(self, name: str) -> None:
        self._over.archive(self.place(name))
        if self._new.pop(name, None) is None:
            self._deleted.add(name)

    def _create(self, operation: SkillOperation) -> None:
        place = self.free_place(operation.name, operation.category)
        self._needs_content(operation)
        self._put_skill(place, operation.content)
        self._new[operation.name] = place

    def _patch(self, operation: SkillOperation) -> None:
        place = self.place(operation.name)
        file = operation.file or SKILL_FILE
        path = self._path(place, file)
        if not operation.old_text:
            raise _No(
                Reason.INVALID, f"patch needs old_text: the passage of {shown(file)} that content takes the place of."
            )
        data = self._over.read(path)
        if data is None:
            raise self._no_file(place, file)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            raise _No(Reason.UNREADABLE, f"{shown(file)} is no text, so it cannot be patched.") from None
        done = replace_passage(text, operation.old_text, operation.content)
        if isinstance(done, NotOne) and done.times:
            words = f"old_text stands {done.times} times in {shown(file)}. Quote more around it."
            raise _No(Reason.REPEATED, words)
        if isinstance(done, NotOne):
            words = f"old_text does not stand in {shown(file)}. View it, and quote it exactly."
            raise _No(Reason.NO_MATCH, words, done.closest)
        if done.folded is not None:
            self._notes.append(f"What was replaced in {file} reads exactly: {done.folded}")
        if file == SKILL_FILE:
            self._put_skill(place, done.text)
        else:
            self.put(place, file, done.text.encode())

    def _write_file(self, operation: SkillOperation) -> None:
        place = self.place(operation.name)
        if not operation.file:
            raise _No(Reason.INVALID, "write_file needs file, such as references/notes.md.")
        if (why := objection_to_new_path(operation.file)) is not None:
            raise _No(Reason.INVALID, why)
        self.put(place, operation.file, operation.content.encode())
        if len(self._over.files(place)) > MOST_FILES:
            raise _No(Reason.OVER_LIMIT, f"The skill would have more than {MOST_FILES} files.")

    def _remove_file(self, operation: SkillOperation) -> None:
        place = self.place(operation.name)
        if not operation.file:
            raise _No(Reason.INVALID, "remove_file needs file, such as references/notes.md.")
        path = self._path(place, operation.file)
        if operation.file.casefold() == SKILL_FILE.casefold():
            raise _No(Reason.INVALID, f"Without {SKILL_FILE} it is no skill. To put the skill away, use delete.")
        if self._over.read(path) is None:
            raise self._no_file(place, operation.file)
        self._over.write(place, path, None)

    # Files

    def put(self, place: str, file: str, data: bytes) -> None:
        """Let the skill have this file."""
        if file == SKILL_FILE:
            try:
                self._put_skill(place, data.decode("utf-8"), mend=False)
            except UnicodeDecodeError:
                raise _No(Reason.INVALID, f"{SKILL_FILE} is no UTF-8 text.") from None
            return
        if (why := objection_to_stored_path(file)) is not None or (why := objection_to_size(file, data)) is not None:
            raise _No(Reason.INVALID, why)
        path = self._path(place, file)
        if self._over.kind(path) == "folder":
            raise _No(Reason.INVALID, f"{shown(file)} is a folder.")
        self._over.write(place, path, data)

    def drop_others(self, place: str, files: Mapping[str, bytes]) -> None:
        for file in self._over.files(place):
            if file not in files:
                self._over.write(place, f"{place}/{file}", None)

    def _put_skill(self, place: str, text: str, *, mend: bool = True) -> None:
        """`mend` puts a description in quotes that needs them; what comes from elsewhere stays to the letter."""
        if (why := objection_to_size(SKILL_FILE, text.encode())) is not None:
            raise _No(Reason.OVER_LIMIT, why)
        name = place.rpartition("/")[2]
        it = _sound(text, name)
        if mend and it.head.mended is not None:
            text = it.head.mended
            self._notes.append("The description holds a colon, so it was put in quotes.")
        self._over.write(place, self._path(place, SKILL_FILE), text.encode())

    def _path(self, place: str, file: str) -> str:
        """The path below the skills folder; nothing on the way may be a link, or a file."""
        if (why := objection_to_path(file)) is not None:
            raise _No(Reason.INVALID, why)
        parts = f"{place}/{file}".split("/")
        for number in range(1, len(parts) + 1):
            kind = self._over.kind("/".join(parts[:number]))
            if kind == "link":
                raise _No(Reason.DENIED, f"{shown('/'.join(parts[:number]))} is a link, and links are not followed.")
            if kind == "other" or (kind == "file" and number < len(parts)):
                raise _No(Reason.INVALID, f"{shown('/'.join(parts[:number]))} is no folder, so nothing lies in it.")
        return "/".join(parts)

    def _no_file(self, place: str, file: str) -> _No:
        there = [each for each in self._over.files(place) if each != SKILL_FILE]
        return _No(Reason.UNKNOWN, f"The skill has no file {shown(file)}.", _nearest(file, there))

    def _needs_content(self, operation: SkillOperation) -> None:
        if not operation.content.strip():
            words = f"{operation.action.value} needs content: the whole text of {SKILL_FILE}. "
            raise _No(Reason.INVALID, words + _EXAMPLE.format(name=operation.name))


def _sound(text: str, name: str) -> Sound:
    try:
        it = sound(plain(text), name)
    except Malformed as error:
        example = f" {_EXAMPLE.format(name=name)}" if error.line <= 1 else ""
        raise _No(Reason.INVALID, f"{SKILL_FILE}:{error.line}: {error}{example}") from None
    if (objection := objection_to_new(it)) is not None:
        raise _No(Reason.INVALID, f"{SKILL_FILE}:{objection[0]}: {objection[1]}")
    return it


def _nearest(wanted: str, known: Sequence[str]) -> list[str]:
    from rapidfuzz import fuzz, process  # a quarter of the shell's patience, and rarely needed

    return [each for each, _, _ in process.extract(wanted[:200], known, scorer=fuzz.ratio, limit=3, score_cutoff=40)]
