"""`innkeeper refine`: a review asked for at the shell, which waits in the queue for the gateway."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import pytest

from gateway.config.lock import ProfileLock
from gateway.state.review_records import QueuedReview
from gateway.state.store import SqliteStore
from platforms.messages import ChatRef
from tests.cli.shell import Shell
from tests.fakes.past import Talk, had

TOOLS = json.dumps([{"name": "memory", "description": "", "parameters": {}}])
DESK, BENCH = ChatRef("console", "desk"), ChatRef("console", "bench")


T = TypeVar("T")


def stored(innkeeper: Shell, *talks: Talk) -> None:
    asyncio.run(_with(innkeeper, lambda store: had(store, *talks)))


async def _with(innkeeper: Shell, work: Callable[[SqliteStore], Awaitable[T]]) -> T:
    store = await SqliteStore.open(innkeeper.profile.database)
    try:
        return await work(store)
    finally:
        await store.close()


def queued(innkeeper: Shell) -> Sequence[QueuedReview]:
    return asyncio.run(_with(innkeeper, lambda store: store.reviews.queue()))


def test_where_nothing_was_said_there_is_nothing_to_look_back_at(innkeeper: Shell) -> None:
    result = innkeeper("refine")
    assert result.exit_code == 1
    assert "Nothing was said at the console yet" in result.output
    assert "innkeeper sessions list" in result.output


def test_the_last_conversation_at_the_console_waits_for_the_gateway(innkeeper: Shell) -> None:
    talks = (Talk("s1", 3, chat=DESK, tools=TOOLS), Talk("s2", 2, chat=BENCH, tools=TOOLS, title="Garden"))
    stored(innkeeper, *talks, Talk("s3", 1, tools=TOOLS))
    told = innkeeper("refine", "how", "we", "--deploy")
    assert told.exit_code == 0
    assert "It waits for the gateway, which does not run (innkeeper run)" in told.stdout
    assert "s2 «Garden», above all for «how we --deploy»" in told.stdout
    (review,) = queued(innkeeper)
    assert (review.session_id, review.cause, review.focus) == ("s2", "person", "how we --deploy")
    (shown,) = innkeeper.json("reviews")
    assert (shown["state"], shown["why"]) == ("waiting", "the gateway is not running")


def test_any_conversation_by_its_id_for_programs(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("s1", 3, chat=DESK, tools=TOOLS), Talk("t1", 2, tools=TOOLS), Talk("t12", 1, tools=TOOLS))
    made = innkeeper.json("refine", "--session", "t1")
    assert made == {"id": made["id"], "session": "t1", "chat": "telegram:111", "focus": "", "state": "asleep"}
    again = innkeeper.json("refine", "my", "drinks", "--session", "t1")
    assert (again["id"], again["focus"]) == (made["id"], "my drinks"), "one waits for each conversation"
    assert [each.session_id for each in queued(innkeeper)] == ["t1"]


def test_beside_a_running_gateway_it_begins_in_a_moment(innkeeper: Shell) -> None:
    stored(innkeeper, Talk("s1", 3, chat=DESK, tools=TOOLS))
    with ProfileLock(innkeeper.profile):
        assert "The gateway begins in a moment" in innkeeper("refine").stdout
        assert innkeeper.json("refine")["state"] == "soon"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--session", "x"), "There is no session 'x': see innkeeper sessions list"),
        (("--session", "t"), "could be several: t2, t1"),
        (("--session", "t2"), "neither memory nor skills"),
        (("--session", "silent"), "Nothing was said in this session yet."),
        (("x" * 501,), "at most 500 characters"),
    ],
)
def test_there_may_be_nothing_to_look_back_at(innkeeper: Shell, words: tuple[str, ...], why: str) -> None:
    stored(innkeeper, Talk("t1", 3, tools=TOOLS), Talk("t2", 2), Talk("silent", 1, turns=0, tools=TOOLS))
    result = innkeeper("refine", *words)
    assert (result.exit_code, why in result.output) == (1, True), result.output
    assert queued(innkeeper) == []
