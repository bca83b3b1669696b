"""Changing what the journey shows, by the ids of its nodes: through the stores, their checks and their gates.

Entries are removed, skills put away; both can be taken back. Nothing here writes a file.
"""

from __future__ import annotations

from memory.journal import Record
from memory.journey.book import Book
from memory.journey.meant import SKILL, Changed, Done, Unknown, node_of
from memory.journey.model import Node, Timeline
from memory.journey.timeline import title
from memory.model import Action, Author, Change, Operation, Reason, Refused, Target
from memory.skills.journal import Deed
from memory.skills.model import SkillAction, SkillOperation, SkillRefused

RECENT = 20
"""Changes among which an order that is carried out once more looks for its own."""


def text_of(book: Book, node: Node) -> str | Unknown:
    """What `edit` replaces. Raises `FileTrouble`, `SkillTrouble`."""
    if (gone := _gone(node)) is not None:
        return gone
    if node.kind == "skill" and book.skills is not None:
        return book.skills.library.view(_name(node))
    return node.text


def edit(book: Book, node: Node, text: str, by: Author, was: str | None = None) -> Changed | Unknown:
    """Another text for an entry, or another SKILL.md. `was` is the text that the person had before them: when it is
    another one by now, line ends aside, nothing is written."""
    if (gone := _gone(node)) is not None:
        return gone
    if was is not None and not _reads(book, node, was):
        return Changed(node, _overtaken(node), node.store)
    if node.kind == "skill":
        return _skill(book, node, SkillOperation(SkillAction.EDIT, _name(node), text), by)
    return _entry(book, node, Operation(Action.PATCH, text, node.text), by)


def delete(book: Book, node: Node, by: Author, was: str | None = None) -> Changed | Unknown:
    """Remove an entry, put a skill away. `was` as in `edit`."""
    if (gone := _gone(node)) is not None:
        return gone
    if was is not None and not _reads(book, node, was):
        return Changed(node, _overtaken(node), node.store)
    if node.kind == "skill":
        return _skill(book, node, SkillOperation(SkillAction.DELETE, _name(node)), by)
    return _entry(book, node, Operation(Action.REMOVE, old_text=node.text), by)


def undo(book: Book, timeline: Timeline, name: str, by: Author) -> Changed | Unknown:
    """Take back the last change of the node of that id, the change of that id, or for no id the last change of all.
    `timeline` is one with all that is gone."""
    if not name:
        return _undo_last(book, timeline, by)
    records, deeds = book.records(), book.deeds()
    node = node_of(timeline, name)
    if isinstance(node, Node):
        return _undo_of(book, node, records, deeds, by)
    changes = [each for each in records if each.id.startswith(name)]
    crafted = [each for each in deeds if each.id.startswith(name)]
    if len(changes) + len(crafted) != 1:
        return node
    return _taken_back(book, timeline, (changes or crafted)[0], by)


def done_already(book: Book, by: Author) -> Done | None:
    """What this order did before, if it did."""
    if not by.message:
        return None
    mine = (by.origin, by.message, by.who)
    for record in book.records()[-RECENT:]:
        if (record.author.origin, record.author.message, record.author.who) == mine:
            change = record.changes[0]
            return Done(record.id, title(change.after or change.before or ""))
    for deed in book.deeds()[:RECENT]:
        if (deed.author.origin, deed.author.message, deed.author.who) == mine:
            return Done(deed.id, deed.gist)
    return None


def _undo_of(book: Book, node: Node, records: list[Record], deeds: list[Deed], by: Author) -> Changed | Unknown:
    """The last change of a node that stands; how it came is no change of it, but that this was taken back is one."""
    if node.kind == "skill":
        name = _name(node)
        touched = [each for each in deeds if name in (*each.patched, *each.archived)]
        deed = next((each for each in touched if each.undoes is None and not _undone(each, deeds)), None)
        if deed is not None:
            return _taken_back_deed(book, node, deed, by)
        if node.state == "archived" and book.skills is not None:
            return Changed(node, book.skills.caretaker.restore(name, by))
    else:
        steps = set(book.steps(node.id))
        mine = [each for each in records if each.id in steps and each.undone_by is None]
        if node.state == "removed":
            mine = [each for each in mine if any(_removes(change, node) for change in each.changes)]
            if not mine:  # somebody took it out of the file by hand
                return _entry(book, node, Operation(Action.ADD, node.text), by)
            return _taken_back_record(book, node, mine[-1], by)
        stands = [each for each in mine if each.undoes is None]
        if stands:
            return _taken_back_record(book, node, stands[-1], by)
    return Unknown(f"Nothing about {node.id} was changed that could be taken back.")


def _removes(change: Change, node: Node) -> bool:
    return change.after is None and change.before == node.text


def _undo_last(book: Book, timeline: Timeline, by: Author) -> Changed | Unknown:
    deeds = book.deeds()
    records = [each for each in book.records() if not each.undoes and not each.undone_by]
    crafted = [each for each in deeds if not each.undoes and not _undone(each, deeds)]
    standing: list[Record | Deed] = [*records[-1:], *crafted[:1]]
    if not standing:
        return Unknown("There is nothing to take back.")
    return _taken_back(book, timeline, max(standing, key=lambda each: each.time), by)


def _taken_back(book: Book, timeline: Timeline, change: Record | Deed, by: Author) -> Changed:
    """`timeline` tells which node it was about."""
    if isinstance(change, Deed):
        names = {f"{SKILL}{name}" for name in change.names}
        return _taken_back_deed(book, next((each for each in timeline.nodes if each.id in names), None), change, by)
    texts = {each.after if each.after is not None else each.before for each in change.changes}
    about = [each for each in timeline.nodes if each.store == change.file and each.text in texts]
    return _taken_back_record(book, about[0] if about else None, change, by)


def _taken_back_record(book: Book, node: Node | None, record: Record, by: Author) -> Changed:
    outcome = book.shelf.holding(record.target, record.file).undo(by, record.id)
    return Changed(node, outcome, record.file)


def _taken_back_deed(book: Book, node: Node | None, deed: Deed, by: Author) -> Changed:
    assert book.skills is not None, "a change of skills was found"
    return Changed(node, book.skills.store.undo(by, deed.id))


def _undone(deed: Deed, deeds: list[Deed]) -> bool:
    """Whether it was taken back, for good; `deeds` are the newest first."""
    gone: set[str] = set()
    for each in deeds:
        if each.undoes is not None and each.id not in gone:
            gone.add(each.undoes)
    return deed.id in gone


def _entry(book: Book, node: Node, operation: Operation, by: Author) -> Changed:
    target = _target(node)
    stores = book.shelf.holding(target, node.store)
    return Changed(node, stores.apply(target, [operation], by), node.store)


def _skill(book: Book, node: Node, operation: SkillOperation, by: Author) -> Changed:
    assert book.skills is not None, "a skill was found"
    return Changed(node, book.skills.store.apply([operation], by))


def _reads(book: Book, node: Node, was: str) -> bool:
    """Whether that is its text; line ends are no difference, since forms and messengers send their own."""
    text = text_of(book, node)
    return isinstance(text, str) and _unix(text) == _unix(was)


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _overtaken(node: Node) -> Refused | SkillRefused:
    words = "It was changed meanwhile; nothing was written. Look at it again."
    if node.kind == "skill":
        return SkillRefused(Reason.CHANGED, words)
    return Refused(_target(node), Reason.CHANGED, words)


def _gone(node: Node) -> Unknown | None:
    if node.state not in ("removed", "archived"):
        return None
    what = "was removed" if node.state == "removed" else "was put away"
    return Unknown(f"{node.id} {what}; /journey undo {node.id} brings it back.")


def _target(node: Node) -> Target:
    return Target.MEMORY if node.kind == "memory" else Target.USER


def _name(node: Node) -> str:
    return node.id.removeprefix(SKILL)
