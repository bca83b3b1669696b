"""What waits, as a page shows it: everything that a person decides by, whatever kind of write it is.

A kind of pending writes is one class here and one line in KINDS. Deciding is the commands' part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from commands.context import Context
from commands.pending_words import WHENCE, risk
from commands.ports import Gatehouse, Ports
from commands.skill_pending_words import held
from gateway.web.calls import Called, called, obstacle, progress
from gateway.web.differences import FileDiff, Pieces, by_words, lengthy, of_files, whole
from gateway.web.shares import memory_of
from memory.files import FileTrouble
from memory.gate import DOUBTFUL
from memory.model import Author, Change, Refused
from memory.pending.call_model import PendingCall
from memory.pending.folder import Waiting
from memory.pending.model import PendingWrite
from memory.pending.resolve import Resolver
from memory.pending.skill_model import SkillWrite
from memory.skills.diff import spelt_out
from memory.skills.gated import GUARD, OTHERS
from memory.usage import Usage, usage

OUTSIDE = "untrusted:"

ADVICE = {
    OUTSIDE: "Read it as if whoever wrote that text had asked for it themselves.",
    DOUBTFUL: "What is kept is read by the assistant at the head of every session: an order in it would be followed.",
    GUARD: "Read the files: a skill is followed to the letter, and may hold commands.",
    OTHERS: "Somebody else in that chat may have led the assistant to it.",
}
"""What a risk means for whoever decides, by how its flag begins."""


@dataclass(frozen=True, slots=True)
class Risk:
    """A flag in words, and what to do about it; `short` is what is read first, where the words are many."""

    words: str
    advice: str
    short: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """What a page calls a thing of one kind, and says of its end: sentences about what an approval leads to, where a
    gateway runs and where none does, and what a rejection did. Empty where there is nothing to say."""

    noun: str
    rejected: str
    approved: str = ""
    asleep: str = ""


OF_A_WRITE = Words("write", "Nothing was changed.")
OF_A_CALL = Words(
    "call",
    "It was not called.",
    "The gateway calls it once, and its conversation is told what came of it.",
    "No gateway runs: it is called once, when the gateway runs, and its conversation is told what came of it.",
)


@dataclass(frozen=True, slots=True)
class EntryDiff:
    """One change of an entry; None for a side that there is not."""

    action: str
    left: Pieces | None
    right: Pieces | None


@dataclass(frozen=True, slots=True)
class Room:
    """How full the store of a write is: now, and with it. `rest` is what counts beside the text that can be edited,
    in characters."""

    file: str
    now: Usage
    then: Usage
    rest: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """One write. `seen` names all of it: a decision that carries it is about exactly this. `at` in seconds since the
    epoch. `places` are the files or skills that it is about, `obstacle` why it could not be carried out as things
    are, `text` what can be edited in it, `call` what would be called. `long`: its files or arguments are not in here,
    and so nobody decides by this."""

    kind: str
    words: Words
    id: str
    gist: str
    action: str
    places: tuple[str, ...]
    at: float
    author: Author
    whence: str
    auto: bool
    seen: str
    risks: tuple[Risk, ...] = ()
    entries: tuple[EntryDiff, ...] = ()
    archives: tuple[str, ...] = ()
    files: tuple[FileDiff, ...] = ()
    obstacle: str = ""
    room: Room | None = None
    call: Called | None = None
    text: str | None = None
    long: bool = False

    @property
    def path(self) -> str:
        """Its page."""
        return f"/pending/{self.kind}/{self.id}"


class WriteKind(Protocol):
    """A kind of pending writes. `name` is also the command that decides them, `history` the page of what was made."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def history(self) -> str: ...
    @property
    def words(self) -> Words: ...

    def gate(self, ports: Ports) -> Gatehouse[Any, Any] | None:
        """Where they wait; None where they cannot."""

    def sheet(self, ports: Ports, write: Any, *, among: bool = False) -> Sheet:
        """`among`: it is shown with others, where very long files are left out. Reads files: off the event loop."""

    def kept(self, context: Context, change: str) -> bool:
        """Whether the person finds that change in their history. Reads files."""

    def since(self, ports: Ports, name: str, *, live: bool) -> str:
        """What an approval has led to by now, where it is no change at once; a sentence or nothing. `live`: a gateway
        runs. Reads files."""


class MemoryWrites:
    """Writes to memory."""

    name, title, history, words = "memory", "Memory", "/memory/history", OF_A_WRITE

    def gate(self, ports: Ports) -> Gatehouse[Any, Any] | None:
        return ports.pending

    def sheet(self, ports: Ports, write: PendingWrite, *, among: bool = False) -> Sheet:
        assert ports.pending is not None, "a write of this kind waits"
        resolver = ports.pending.resolver
        texts = [each.after for each in write.changes if each.after is not None]
        text = texts[0] if len(write.changes) == 1 and texts else None
        obstacle, room = _room(resolver, write, text)
        return Sheet(
            **_common(self, write, resolver.pendings.mark(write)),
            gist=write.gist,
            action=write.action,
            places=(write.file,),
            auto=write.unattended,
            entries=tuple(map(entry_diff, write.changes)),
            obstacle=obstacle,
            room=room,
            text=text,
        )

    def kept(self, context: Context, change: str) -> bool:
        memory = memory_of(context)
        return memory is not None and any(each.id == change for each in memory.stores.history())

    def since(self, ports: Ports, name: str, *, live: bool) -> str:
        return ""


class SkillWrites:
    """Changes of skills."""

    name, title, history, words = "skills", "Skills", "/skills/history", OF_A_WRITE

    def gate(self, ports: Ports) -> Gatehouse[Any, Any] | None:
        return ports.skill_pending

    def sheet(self, ports: Ports, write: SkillWrite, *, among: bool = False) -> Sheet:
        assert ports.skill_pending is not None, "a write of this kind waits"
        draft = write.draft
        long = among and lengthy(draft.changes)
        refused = ports.skills.store.rehearse(draft) if ports.skills is not None else None
        return Sheet(
            **_common(self, write, ports.skill_pending.resolver.pendings.mark(write)),
            gist=write.gist,
            action=write.action,
            places=draft.names,
            auto=write.unattended,
            archives=tuple(f"{each}/ is put away, with {held(write, each)}" for each in draft.archives),
            files=() if long else tuple(of_files(draft.changes)),
            long=long,
            obstacle=refused.message if refused is not None else "",
        )

    def kept(self, context: Context, change: str) -> bool:
        skills = context.ports.skills
        return skills is not None and any(each.id == change for each in skills.store.history())

    def since(self, ports: Ports, name: str, *, live: bool) -> str:
        return ""


class ToolCalls:
    """Calls of other programs' tools. They change nothing that is kept here, and so have no history."""

    name, title, history, words = "tools", "Tools", "", OF_A_CALL

    def gate(self, ports: Ports) -> Gatehouse[Any, Any] | None:
        return ports.call_pending

    def sheet(self, ports: Ports, write: PendingCall, *, among: bool = False) -> Sheet:
        assert ports.call_pending is not None, "a call waits"
        shown = called(write, among=among)
        return Sheet(
            **_common(self, write, ports.call_pending.resolver.pendings.mark(write)),
            gist=spelt_out(write.gist),
            action="call",
            places=(),
            auto=write.unattended,
            call=shown,
            long=shown.arguments is None,
            obstacle=obstacle(ports.tools, write),
        )

    def kept(self, context: Context, change: str) -> bool:
        return False

    def since(self, ports: Ports, name: str, *, live: bool) -> str:
        assert ports.call_pending is not None, "a call waited"
        return progress(ports.call_pending, name, live=live)


KINDS: Sequence[WriteKind] = (MemoryWrites(), SkillWrites(), ToolCalls())


def kind_of(name: str) -> WriteKind | None:
    return next((each for each in KINDS if each.name == name), None)


def entry_diff(change: Change) -> EntryDiff:
    """A change of an entry with the whole text before and after."""
    match change.before, change.after:
        case str(before), str(after):
            left, right = by_words(before, after)
            return EntryDiff(change.action.value, left, right)
        case before, after:
            sides = [whole(each) if each is not None else None for each in (before, after)]
            return EntryDiff(change.action.value, sides[0], sides[1])


def with_text(entries: Sequence[str], change: Change, text: str) -> tuple[str, ...]:
    """The entries of a store once this text stands in the change's place."""
    if change.before is not None and change.before in entries:
        return tuple(text if each == change.before else each for each in entries)
    return (*entries, text)


def _room(resolver: Resolver, write: PendingWrite, text: str | None) -> tuple[str, Room | None]:
    """Why it could not be carried out now, if so; and how full its store is and would be."""
    try:
        store = resolver.store(write)
        entries, limit = store.entries(write.target), store.limit(write.target)
        checked = store.rehearse(write.target, write.changes)
    except (FileTrouble, ValueError) as error:
        return str(error), None
    if text is not None:
        after = with_text(entries, write.changes[0], text)
    else:
        after = entries if isinstance(checked, Refused) else checked.after
    then = usage(after, limit)
    room = Room(write.file, usage(entries, limit), then, then.chars - len(text or ""))
    return (checked.message if isinstance(checked, Refused) else ""), room


def _common(kind: WriteKind, write: Waiting, seen: str) -> dict[str, Any]:
    return {
        "kind": kind.name,
        "words": kind.words,
        "id": write.id,
        "at": write.created_at,
        "author": write.author,
        "whence": WHENCE[write.author.origin.value].removesuffix("'s"),
        "seen": seen,
        "risks": tuple(map(_risk, write.author.flags)),
    }


def _risk(flag: str) -> Risk:
    def quoted(text: str) -> str:
        return f"“{spelt_out(text)}”"

    words = risk(flag, quoted)
    advice = next((text for begins, text in ADVICE.items() if flag.startswith(begins)), "")
    short = f"Text from outside ({quoted(flag.removeprefix(OUTSIDE))})" if flag.startswith(OUTSIDE) else ""
    return Risk(f"{words[:1].upper()}{words[1:]}.", advice, short)
