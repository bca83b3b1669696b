"""What the search tool says when it has not looked at everything: never that there is nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.state.contract_search import indexed
from gateway.state.search_discovery import ENOUGH, TAIL
from gateway.state.store import SqliteStore
from tests.fakes.long_ago import EVERYWHERE, OLD, long_ago
from tests.tools.search_desk import NOON, Desk, texts


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    store = await SqliteStore.open(tmp_path / "state.db")
    yield Desk(store)
    await store.close()


async def test_an_answer_that_came_too_early_never_says_that_nothing_is_there(desk: Desk) -> None:
    await long_ago(desk.store)
    desk.hurry()
    answer = await desk.ask(query=f'"{EVERYWHERE}"')
    while not answer["results"]:
        assert answer["bounded"] is True
        assert "Nothing was found" not in desk.text
        assert "does not mean that there is nothing" in answer["message"]
        assert "before:" in answer["message"]
        answer = await desk.follow(answer["more"])
    assert texts(answer["results"][0]["around"]) == [OLD]
    answer = await desk.ask(query=f'"{EVERYWHERE} zzyzx"')
    assert "bounded" not in answer
    assert answer["message"].startswith("Nothing was found.")


async def test_messages_that_wait_for_the_index_are_no_reason_to_go_on(desk: Desk) -> None:
    await desk.had("s1", "the warranty is in the drawer")
    await desk.had("s2", *("something else" for _ in range(TAIL)))
    answer = await desk.ask(query="warranty")
    assert (answer["results"], answer["bounded"]) == ([], True)
    assert "not in the index yet" in answer["message"]
    assert "Nothing was found" not in desk.text
    assert "more" not in answer
    assert "with more" not in desk.text
    await indexed(desk.store)
    assert (await desk.ask(query="warranty"))["results"]


async def test_the_page_behind_the_last_hit_says_so(desk: Desk) -> None:
    for number in range(ENOUGH):
        await desk.had(f"s{number:03}", "a needle", at=NOON - 1000 - number)
    answer = await desk.ask(query="needle", limit=10)
    while "more" in answer:
        last, answer = answer, await desk.follow(answer["more"])
    assert last["results"]
    assert answer.get("message", "Nothing further was found.") == "Nothing further was found."
