"""What a review reads: the conversation as its model had it, byte for byte, or a digest of it; pure.

Owns the check that the two are the same. What is asked about it stands in `prompts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gateway.agent.assisted import as_text
from gateway.agent.conversation import messages
from gateway.agent.fingerprint import fingerprint
from gateway.models.client import ToolSchema
from gateway.reviews.budget import Counted, expected
from gateway.reviews.digest import VERBATIM, digest
from gateway.state.records import Compaction, Session, StoredMessage
from gateway.state.review_records import QueuedReview
from gateway.tools.toolset import load_schemas
from gateway.transcript import Message

Prefix = Literal["same", "differs", "unknown"]
Shown = Callable[[tuple[Message, ...]], tuple[Message, ...]]
"""What becomes of a conversation before it is sent."""


@dataclass(frozen=True, slots=True)
class Material:
    """`messages` and `tools` begin each request. `offered` are the session's tools, also where none is sent because
    the model cannot call any. `untrusted` says where text came from that nobody vouches for; `prefix` whether the
    host was sent these very bytes before. `fresh`: messages of people that no review has seen, where one has seen
    those before them; else 0."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...]
    kind: Literal["fork", "digest"]
    untrusted: str
    prefix: Prefix
    offered: tuple[ToolSchema, ...]
    fresh: int
    counted: Counted = (0, 0)


def material(
    session: Session,
    rows: Sequence[StoredMessage],
    compaction: Compaction | None,
    review: QueuedReview,
    *,
    same_model: bool,
    room: int | None = None,
    shown: Shown = lambda conversation: conversation,
    assisted: bool = False,
    sent: Mapping[str, Any] | None = None,
    model: str = "",
) -> Material:
    """What this review reads. `rows` are all rows of the session (`turns.messages(session_id)`), `compaction` its
    newest summary, `room` the tokens that one call may read (`budget.room`). `shown` is what a turn makes of a
    conversation before it sends it (pictures left out); `assisted`: the model cannot call tools, and gets calls as
    words. `sent` is the session's fact about its last request (`agent.fingerprint.SENT`); it says nothing of another
    `model` (`host/model`) than the one that got it. A conversation that does not fit comes as a digest."""
    seen = [each for each in rows if each.id <= review.upto]
    offered = load_schemas(session.tools)
    tools = () if assisted else offered
    fresh = sum(each.row.role == "user" and bool(each.row.content) and each.id > review.after > 0 for each in seen)
    # A summary of what no review has seen would keep from it what is to be kept; so the rows are taken themselves.
    former = compaction if compaction is not None and compaction.upto_message_id <= review.after else None
    if same_model:
        made = shown(messages(session.prompt, seen, former))
        made = as_text(made) if assisted else made
        mine = sent is not None and sent.get("by", "") in ("", model)
        prefix, counted = _compared(made, tools, sent if mine else None)
        if room is None or expected(made, tools, counted) <= room:
            above = former.upto_message_id if former is not None else 0
            doubt = _untrusted([each for each in seen if each.id > above], review.after)
            return Material(made, tools, "fork", doubt, prefix, offered, fresh, counted)
    system, *talk = messages(session.prompt, seen)
    short = _fitting(system, as_text(tuple(talk)) if assisted else talk, tools, room)
    return Material(short, tools, "digest", _untrusted(seen, review.after), "unknown", offered, fresh)


def _compared(
    made: tuple[Message, ...], tools: Sequence[ToolSchema], sent: Mapping[str, Any] | None
) -> tuple[Prefix, Counted]:
    """Whether the conversation begins with what was sent last, and how many tokens that had."""
    if sent is None or not 0 < sent["n"] <= len(made):  # a turn that began meanwhile has sent more than this
        return "unknown", (0, 0)
    if fingerprint(made[: sent["n"]], tools) != sent["sum"]:
        return "differs", (0, 0)
    return "same", (sent["n"], sent.get("in", 0))


def _untrusted(replayed: Sequence[StoredMessage], after: int) -> str:
    """Where text came from that nobody vouches for. Rows that a review before has seen count as long as they are
    replayed: what a document wished for in that review, and a person turned down, it would get in this one."""
    unseen = (each.row.untrusted for each in replayed if each.id > after and each.row.untrusted)
    return next(unseen, "") or next((each.row.untrusted for each in replayed if each.row.untrusted), "")


def _fitting(
    system: Message, talk: Sequence[Message], tools: Sequence[ToolSchema], room: int | None
) -> tuple[Message, ...]:
    """The digest with as many whole messages as there is room for; with none where not even the last one fits."""
    short: tuple[Message, ...] = (system,)
    for verbatim in _fewer(VERBATIM):
        short = (system, *digest(talk, verbatim))
        if room is None or expected(short, tools) <= room:
            break
    return short


def _fewer(count: int) -> Iterator[int]:
    while count > 0:
        yield count
        count //= 2
    yield 0
