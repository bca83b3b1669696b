"""What session_search answers: whole messages within a bound, and the calls that get what is left out. Pure.

Only a snippet is partial. A message that is longer than an answer comes alone; an enormous one, in parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

from gateway.state.search_records import Found, FoundSession, Hit, RecentSession, Said, Stretch
from gateway.tools.patience import dumped
from gateway.tools.search_call import SKIPPED, Browse, Discover, Read, Scroll
from gateway.tools.search_guidance import NAME

ANSWER_CHARS = 8000
"""Characters of one answer, about."""

WHOLE_CHARS = 20_000
"""Characters of a message up to which it comes whole; of longer ones, so many at a time."""

TITLE = 200
"""Characters of a session's title."""

_FRAME, _POINTER = 600, 200
"""Characters for what stands around messages, and for what says where the rest of a hit is."""

BOUNDED = "Older messages were not looked at: more words, before: or after: narrow it down, or go on with more."
UNINDEXED = "Of the messages that are not in the index yet, only the newest were looked at: ask again later."

NONE = "Nothing was found. Try fewer, other or shorter words, or begin* of one."
NO_FURTHER = "Nothing further was found."
UNFINISHED = (
    "This search stopped before the end: nothing so far, which does not mean that there is nothing. Go "
    "on with more, or narrow it down: rarer words, before: or after:."
)
"""What is said where there is no hit. The last one is no answer yet."""

When = Callable[[float], str]
"""A moment in the words of the person's clock."""


@dataclass(slots=True)
class Answer:
    """What the model reads, and what it so got to see: messages, and sessions, also those of which it is told no
    more than their titles."""

    body: dict[str, Any]
    shown: Sequence[tuple[FoundSession, Said]]
    sessions: Sequence[FoundSession]


@dataclass(slots=True)
class _Writer:
    """Takes messages as long as there is room. One that does not fit ends its run: what follows is not shown."""

    when: When
    room: int = ANSWER_CHARS - _FRAME
    shown: list[tuple[FoundSession, Said]] = field(default_factory=list)

    def head(self, session: FoundSession) -> dict[str, Any]:
        named = {"title": _cut(session.title)} if session.title else {}
        times = {"began": self.when(session.started_at), "active": self.when(session.active_at)}
        return {"session_id": session.id, **named, "chat": session.chat, **times}

    def spend(self, value: object) -> None:
        self.room -= len(dumped(value)) + 2

    def take(self, session: FoundSession, said: Said, *, anyway: bool = False) -> bool:
        """Whether there is room for this message; it is taken then."""
        needs = len(dumped(self.message(said))) + 2
        if needs > self.room and not anyway:
            return False
        self.room -= needs
        self.shown.append((session, said))
        return True

    def message(self, said: Said) -> dict[str, Any]:
        return {"id": said.id, "role": said.role, "at": self.when(said.at), "text": said.text}


def discovered(found: Found, call: Discover, when: When) -> Answer:
    """Hits, one a session, with as much of what is around them as there is room for: first what was found itself,
    then what is next to it, then how the sessions begin and end."""
    writer = _Writer(when)
    heads = [{**writer.head(each.session), "message_id": each.message.id, "snippet": each.snippet,
              "matches": each.matches} for each in found.hits]  # fmt: skip
    for head in heads:
        writer.spend(head)
    if found.more is not None:
        writer.spend(call.query)
    writer.room -= _POINTER * len(heads)
    taken: list[set[int]] = [set() for _ in found.hits]
    for number, each in enumerate(found.hits):
        if writer.take(each.session, each.message):
            taken[number].add(each.message.id)
    runs = [_runs(each) for each in found.hits]
    for part in range(2):
        _fill(writer, [(each.session, runs[at][part], taken[at]) for at, each in enumerate(found.hits)])
    results = [
        {**head, **_around(writer, hit, ids), **_left_out(hit, ids)}
        for head, hit, ids in zip(heads, found.hits, taken, strict=True)
    ]
    body: dict[str, Any] = {"success": True, "results": results}
    if not results:
        body["message"] = _nothing(found, call)
    if found.bounded:
        body |= {"bounded": True, "why": UNINDEXED if found.more is None else BOUNDED}
    if found.note:
        body["note"] = found.note
    if found.more is not None:
        body["more"] = _call(query=call.query, limit=call.limit, more=found.more)
    shown = [*writer.shown, *((each.session, each.message) for each in found.hits)]
    return Answer(body, shown, [each.session for each in found.hits])


def _nothing(found: Found, call: Discover) -> str:
    """What an answer without hits says."""
    if found.bounded:
        return UNINDEXED if found.more is None else UNFINISHED
    return NONE if call.more is None else NO_FURTHER


def scrolled(stretch: Stretch, call: Scroll, when: When) -> Answer:
    """A message, and those on both sides of it as far as they fit, the nearest first. The stretch reaches one message
    further than `call.window`, so that it is known where to go on."""
    writer, session = _Writer(when), stretch.session
    head = writer.head(session)
    writer.spend(head)
    at = next(number for number, each in enumerate(stretch.messages) if each.id == call.around)
    anchor = stretch.messages[at]
    text, part = _part(anchor, call.offset, around=call.around, session=session)
    writer.take(session, anchor if not part else replace(anchor, text=text), anyway=True)
    sides = (list(reversed(stretch.messages[:at])), list(stretch.messages[at + 1 :]))
    ids: set[int] = set()
    if not part:
        _fill(writer, [(session, each[: call.window], ids) for each in sides])
    shown = [each for each in stretch.messages if each.id in ids or each is anchor]
    body = {"success": True, **head, "messages": [_said(writer, each, anchor, text) for each in shown], **part}
    for name, side in zip(("earlier", "later"), sides, strict=True):
        following = next((each for each in side if each.id not in ids), None)
        if following is not None:
            body[name] = _call(session_id=session.id, around_message_id=following.id, window=call.window)
    return Answer(body, writer.shown, [session])


def _said(writer: _Writer, each: Said, anchor: Said, text: str) -> dict[str, Any]:
    message = writer.message(each)
    return {**message, "text": text} if each is anchor else message


def has_read(stretch: Stretch, call: Read, when: When) -> Answer:
    """A session from its beginning, or from behind a message, as far as there is room."""
    writer, session = _Writer(when), stretch.session
    head = writer.head(session)
    writer.spend(head)
    messages: list[dict[str, Any]] = []
    last, part = call.after, dict[str, str]()
    for each in stretch.messages:
        text, part = _part(each, 0, around=each.id, session=session)
        if (part and messages) or not writer.take(session, each, anyway=not messages):
            part = {}
            break
        messages.append({**writer.message(each), "text": text})
        last = each.id
        if part:
            break
    body = {"success": True, **head, "messages": messages, **part}
    if not messages:
        body["message"] = "There is nothing behind that message." if call.after else "Nothing was said in it."
    if stretch.earlier and messages:
        body["earlier"] = _call(session_id=session.id, around_message_id=messages[0]["id"])
    if stretch.later or len(messages) < len(stretch.messages):
        body["later"] = _call(session_id=session.id, after=last)
    return Answer(body, writer.shown, [session])


def browsed(sessions: Sequence[RecentSession], call: Browse, when: When) -> Answer:
    """Recent sessions, with how they begin and end as far as there is room. One more than `call.limit` of them
    says that there are older ones."""
    writer, listed = _Writer(when), sessions[: call.limit]
    heads = [writer.head(each.session) for each in listed]
    for head in heads:
        writer.spend(head)
    taken: list[set[int]] = [set() for _ in listed]
    for run in ("first", "last"):
        ends = [getattr(each, run) if run == "first" else each.last[::-1] for each in listed]
        _fill(writer, [(each.session, ends[at][:1], taken[at]) for at, each in enumerate(listed)])
    results = [
        {**head, "messages": [writer.message(said) for said in _once(each.first, each.last) if said.id in ids]}
        for head, each, ids in zip(heads, listed, taken, strict=True)
    ]
    body: dict[str, Any] = {"success": True, "sessions": results}
    if not results:
        body["message"] = "There is no earlier session." if not call.skip else "There are no older ones."
    if len(sessions) > len(listed) and call.skip + call.limit < SKIPPED:
        body["more"] = _call(limit=call.limit, more=str(call.skip + call.limit))
    return Answer(body, writer.shown, [each.session for each in listed])


def _fill(writer: _Writer, runs: Iterable[tuple[FoundSession, Sequence[Said], set[int]]]) -> None:
    """Take from several runs by turns, from each until one message does not fit; into the ids that go with it."""
    going = [(session, iter(run), ids) for session, run, ids in runs]
    while going:
        left = []
        for session, run, ids in going:
            said = next((each for each in run if each.id not in ids), None)
            if said is not None and writer.take(session, said):
                ids.add(said.id)
                left.append((session, run, ids))
        going = left


def _runs(hit: Hit) -> tuple[list[Said], list[Said]]:
    """What is around a hit, by nearness; then the ends of its session, from the outside."""
    near = _alternating(reversed(hit.before), hit.after)
    return list(near), list(_alternating(hit.first, reversed(hit.last)))


def _alternating(one: Iterable[Said], other: Iterable[Said]) -> Iterator[Said]:
    return (each for pair in zip_longest(one, other) for each in pair if each is not None)


def _around(writer: _Writer, hit: Hit, ids: set[int]) -> dict[str, Any]:
    """The messages that are shown, each once, in the order of saying."""
    around = [*hit.before, hit.message, *hit.after]
    near = {each.id for each in around}
    parts = {
        "first": [each for each in hit.first if each.id not in near],
        "around": around,
        "last": [each for each in hit.last if each.id not in near and each not in hit.first],
    }
    shown = {name: [writer.message(each) for each in part if each.id in ids] for name, part in parts.items()}
    return {name: part for name, part in shown.items() if part}


def _left_out(hit: Hit, ids: set[int]) -> dict[str, str]:
    missing = [
        each for each in _once(hit.first, hit.before, [hit.message], hit.after, hit.last) if each.id not in ids
    ]
    if not missing:
        return {}
    what = f"{len(missing)} message{'' if len(missing) == 1 else 's'}, too long for this answer"
    return {"left_out": f"{what}: {_call(session_id=hit.session.id, around_message_id=hit.message.id)}"}


def _once(*runs: Sequence[Said]) -> list[Said]:
    return list({each.id: each for run in runs for each in run}.values())


def _part(said: Said, offset: int, *, around: int, session: FoundSession) -> tuple[str, dict[str, str]]:
    """A message's text, and nothing else when that is all of it; else which part of it that is, and how to go on."""
    length = len(said.text)
    start = min(offset, max(0, length - 1))
    if not start and length <= WHOLE_CHARS:
        return said.text, {}
    end = min(length, start + WHOLE_CHARS)
    part = {"part": f"Characters {start + 1:,} to {end:,} of {length:,} of message {said.id}."}
    if end < length:
        part["more"] = _call(session_id=session.id, around_message_id=around, window=0, offset=end)
    return said.text[start:end], part


def _cut(title: str) -> str:
    return title if len(title) <= TITLE else f"{title[: TITLE - 1]}…"


def _call(**arguments: Any) -> str:
    return f"{NAME} {dumped(arguments)}"
