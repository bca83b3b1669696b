"""A review that is cut off goes on from what was kept: no answer is asked for again, nothing is written twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import StaleEpoch
from gateway.models.client import Request, ToolSchema
from gateway.models.errors import HostDown
from gateway.reviews.assisted_review import AssistedReview
from gateway.reviews.progress import VERSION, Ended, Progress, dumped, loaded
from gateway.reviews.review import Finding, Given, Review
from gateway.state.contract import CHAT, NOON, session
from gateway.state.records import Row
from gateway.state.review_records import QueuedReview
from gateway.state.store import SqliteStore
from gateway.tools.tool import Tool, ToolContext, ToolResult
from gateway.transcript import Message, ToolCall, Usage
from tests.fakes.scripted_model import Scripted, ScriptedModel, Turn
from tests.memory.shelf import USER
from tests.reviews.desks import Desk, Died, Inn, stretches


def adding(content: str, target: str = "memory") -> tuple[str, dict[str, Any]]:
    return ("memory", {"target": target, "action": "add", "content": content})


CREATE = (
    "skill_manage",
    {"action": "create", "name": "deploy-site", "description": "Ships it. Use on Fridays.", "content": "1. Push.\n"},
)
ROUNDS: list[Turn | str] = [
    Turn("I look first.", calls=[("skills_list", {}), adding("One."), adding("Two.")]),
    Turn(calls=[("ping", {}), CREATE]),
    Turn(calls=[("no_such_tool", {})]),
    Turn(calls=[adding("Three.", "user"), ("skill_view", {"name": "deploy-site"})]),
    "Kept four things.",
]
USAGE = Usage(1_000, 900, 20, 1)


def by_round(request: Request) -> Scripted:
    """The next round, by what the request shows of those before it."""
    opening = next(n for n, each in enumerate(request.messages) if each.content.startswith("[Innkeeper] This is"))
    talk = request.messages[opening + 1 :]
    done = sum(each.role == "assistant" or each.content.startswith("[Innkeeper] No tool") for each in talk)
    scripted = ROUNDS[done]
    turn = Turn(scripted) if isinstance(scripted, str) else scripted
    return replace(turn, usage=USAGE)


def ping(told: list[str]) -> Tool:
    async def run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        told.append("ping")
        await asyncio.sleep(0)
        return ToolResult("pong")

    return Tool(ToolSchema("ping", "Pings.", {"type": "object", "properties": {}}), run)


class Try:
    """One review of its own, in a fresh inn."""

    def __init__(self, folder: Path, *, gently: bool) -> None:
        self.told: list[str] = []
        self.inn = Inn(folder, more=[ping(self.told)])
        self.model = ScriptedModel(by_round)
        self.desk = Desk(gently=gently)

    def review(self, desk: Desk, progress: str) -> Review:
        return Review(desk, self.inn.given(self.model, progress=progress, allowed=("ping",)))

    async def cut_at(self, moment: int) -> tuple[Finding, bool]:
        return await stretches(self.desk, self.review, moment)

    @property
    def written(self) -> tuple[list[str], list[str], list[str]]:
        skills = [each.name for each in self.inn.shed.library.found().skills]
        return self.inn.shelf.entries(), self.inn.shelf.entries(USER), skills

    @property
    def twice(self) -> set[str]:
        """Calls that did something and ran more than once."""
        return {
            call
            for call, count in self.inn.ran.items()
            if count > 1 and not call.startswith(("skills_list", "skill_view"))
        }


WHOLE = (["One.", "Two."], ["Three."], ["deploy-site"])


@pytest.mark.parametrize("gently", [True, False], ids=["cancelled", "killed"])
async def test_cut_off_at_any_moment_it_goes_on(tmp_path: Path, gently: bool) -> None:
    moments, lost = 0, 0
    while True:
        one = Try(tmp_path / str(moments), gently=gently)
        found, cut = await one.cut_at(moments)
        if not cut:
            break
        case = f"cut at moment {moments}"
        assert one.twice == set(), case
        assert found.calls == 5, case
        # A kill between an answer and its note is the one loss that there can be: of that answer, or of knowing
        # whether a call ran.
        again = len(one.model.requests) - 5
        assert again <= (0 if gently else 1), case
        if gently:
            assert one.written == WHOLE, case
            assert (found.outcome, found.spent) == ("memory+skill", Usage(5_000, 4_500, 100, 5)), case
            assert one.desk.spent_kept == found.spent, case
            assert [each.input for each in one.desk.booked] == [1_000] * 5, case
        else:
            missing = 4 - sum(len(each) for each in one.written)
            assert missing <= 1, case
            lost += missing
        moments += 1
    assert moments > 40
    assert one.written == WHOLE
    assert lost <= 4, "only where it was about to write"


async def test_a_finished_review_whose_end_was_lost_asks_nothing(tmp_path: Path) -> None:
    one = Try(tmp_path, gently=False)
    first = await one.review(one.desk, "").run()
    again = await one.review(one.desk, one.desk.progress).run()
    assert again == first
    assert len(one.model.requests) == 5


async def test_requests_go_on_byte_for_byte(tmp_path: Path) -> None:
    """Also when the instruction would read otherwise now: the host has read the first one."""
    one = Try(tmp_path, gently=True)
    await one.cut_at(12)
    for before, after in zip(one.model.requests, one.model.requests[1:], strict=False):
        assert after.messages[: len(before.messages)] == before.messages
        assert after.tools == before.tools
    other = Try(tmp_path / "other", gently=True)
    await one.review(Desk(), "").run()
    given = replace(
        other.inn.given(other.model, progress=one.desk.progress, allowed=("ping",)), instruction="Another."
    )
    kept = loaded(one.desk.progress)
    assert kept is not None
    resumed = Review(Desk(), replace(given, review=replace(given.review, progress=dumped(replace(kept, ended=None)))))
    await resumed.run()
    assert not any("Another." in each.content for each in other.model.requests[0].messages)


async def test_a_call_that_may_have_run_is_told_so_and_not_repeated(tmp_path: Path) -> None:
    class KilledBehindTheWrite(Desk):
        async def keep(self, progress: str, spent: Usage) -> None:
            kept = loaded(progress)
            assert kept is not None
            if any(each.role == "tool" and "Saved" in each.content for each in kept.talk):
                raise Died
            await super().keep(progress, spent)

    one = Try(tmp_path, gently=False)
    killed = KilledBehindTheWrite()
    with pytest.raises(Died):
        await one.review(killed, "").run()
    assert one.inn.shelf.entries() == ["One."]
    await one.review(one.desk, killed.progress).run()
    assert one.twice == set()
    assert one.written == WHOLE
    told = [each.content for each in one.model.requests[1].messages if each.role == "tool"]
    assert ["interrupted" in each for each in told] == [False, True, False]


async def test_a_prompt_ends_the_request_on_the_wire(tmp_path: Path) -> None:
    inn = Inn(tmp_path)
    model = ScriptedModel([Turn(["I think", asyncio.Event()]), "nothing"])
    desk = Desk()
    running = asyncio.ensure_future(Review(desk, inn.given(model)).run())
    await model.arrived(1)
    await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (model.active, model.abandoned, desk.progress) == (0, 1, "")
    assert (await Review(desk, inn.given(model)).run()).outcome == "none"


async def test_what_a_slow_tool_answered_is_kept_although_a_prompt_came(tmp_path: Path) -> None:
    """Cancelled in the moment in which the answer is noted: it is noted first."""

    class AskedBehindThePing(Desk):
        async def keep(self, progress: str, spent: Usage) -> None:
            if "pong" in progress and self.runner is not None:
                runner, self.runner = self.runner, None
                runner.cancel()
                await asyncio.sleep(0)
            await super().keep(progress, spent)

    one = Try(tmp_path, gently=True)
    asked = AskedBehindThePing()
    asked.runner = asyncio.ensure_future(one.review(asked, "").run())
    with pytest.raises(asyncio.CancelledError):
        await asked.runner
    assert "pong" in asked.progress
    await one.review(one.desk, asked.progress).run()
    assert (one.told, one.written) == (["ping"], WHOLE)
    assert "interrupted" not in one.desk.progress


async def test_after_a_host_that_failed_it_goes_on_with_the_next_call(tmp_path: Path) -> None:
    inn, desk = Inn(tmp_path), Desk()
    with pytest.raises(HostDown):
        await inn.reviewed(ScriptedModel([Turn(calls=[adding("One.")]), HostDown("gone")]), desk)
    model = ScriptedModel(["Kept it."])
    found = await inn.reviewed(model, Desk(), progress=desk.progress)
    assert (found.outcome, found.calls, inn.shelf.entries()) == ("memory", 2, ["One."])
    assert [each.role for each in model.requests[0].messages][-3:] == ["user", "assistant", "tool"]


async def test_who_lost_the_review_writes_nothing_more(tmp_path: Path) -> None:
    class Lost(Desk):
        async def keep(self, progress: str, spent: Usage) -> None:
            raise StaleEpoch("it went to somebody else")

    inn = Inn(tmp_path)
    with pytest.raises(StaleEpoch):
        await inn.reviewed(ScriptedModel([Turn(calls=[adding("One.")])]), Lost())
    assert (inn.shelf.entries(), inn.ran.total()) == ([], 0)


# The store


async def test_the_queue_keeps_it_over_a_restart(tmp_path: Path) -> None:
    """On the real store: cut off at the third note, taken back by the next process, finished there."""
    path = tmp_path / "state.db"
    store = await SqliteStore.open(path)
    await store.sessions.open(session())
    turn = await store.turns.begin("s1", CHAT, [], [Row("user", "hi")], NOON)
    await store.turns.finish(turn, "answered", NOON, rows=[Row("assistant", "Noted.")])
    await store.reviews.offer("s1", ("memory", "skill"), "cadence", NOON)
    one = Try(tmp_path, gently=False)

    async def stretch(store: SqliteStore, owner: str, cut: int | None) -> Finding:
        (waiting,) = await store.reviews.queue()
        taken = await store.reviews.claim(waiting.id, owner, NOON + 60)
        assert taken is not None
        claimed: QueuedReview = taken

        class Real(Desk):
            async def keep(self, progress: str, spent: Usage) -> None:
                await store.reviews.keep(claimed, progress, spent)
                await self._moment()

        found = await Review(
            Real(cut=cut), replace(one.inn.given(one.model, allowed=("ping",)), review=claimed)
        ).run()
        result = await store.reviews.done(claimed, found.outcome, NOON, host="h", model="m", spent=Usage())
        assert result.spent == found.spent
        return found

    with pytest.raises(Died):
        await stretch(store, "first", 12)
    await store.close()
    store = await SqliteStore.open(path)
    try:
        assert len(await store.reviews.take_back("second", NOON, everyone=True)) == 1
        found = await stretch(store, "second", None)
        assert (found.outcome, found.calls, one.twice) == ("memory+skill", 5, set())
        assert await store.reviews.queue() == []
        assert [each.row.content for each in await store.turns.messages("s1")] == ["hi", "Noted."]
    finally:
        await store.close()


# The note itself

texts = st.text(max_size=20)


@given(texts, texts, st.sampled_from(["", "web"]), st.integers(0, 16))
def test_a_note_comes_back_as_it_was(said: str, argument: str, untrusted: str, calls: int) -> None:
    call = ToolCall("c1", "memory", json.dumps({"content": argument}))
    talk = (
        Message("user", said),
        Message("assistant", said, (call,)),
        Message("tool", "half \ud83d", tool_call_id="c1"),
    )
    spent = Usage(1, 2, 3, 4, 0.5, 1.5)
    one = Progress(
        talk, calls, 1, spent, untrusted, frozenset(("memory",)), "c1", "head", (3, 99), Ended("why", True, said)
    )
    assert loaded(dumped(one)) == one
    assert dumped(one).isascii()


def test_an_id_that_comes_twice_is_two_calls() -> None:
    call = ToolCall("0", "skills_list", "{}")
    asked, answered = Message("assistant", "", (call,)), Message("tool", "x", tool_call_id="0")
    assert Progress((Message("user", "?"), asked, answered)).open_calls == ()
    assert Progress((Message("user", "?"), asked, answered, asked)).open_calls == (call,)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: "",
        lambda text: "{",
        lambda text: "[]",
        lambda text: text.replace(f'"version":{VERSION}', '"version":0'),
        lambda text: text.replace('"talk":', '"tolk":'),
        lambda text: text.replace('"role":"user"', '"rolle":"user"'),
    ],
)
def test_a_note_of_another_kind_begins_the_review_anew(spoil: Callable[[str], str]) -> None:
    text = dumped(Progress((Message("user", "?"),)))
    assert loaded(text) is not None
    assert loaded(spoil(text)) is None


# Assisted


@pytest.mark.parametrize("gently", [True, False], ids=["cancelled", "killed"])
async def test_assisted_it_is_one_call_and_every_addition_once(tmp_path: Path, gently: bool) -> None:
    one, two = "Deploy on Fridays.", "They deploy on Fridays."
    answer = {"keep": [{"target": "memory", "content": one}, {"target": "user", "content": two}]}
    moments = 0
    while True:
        inn = Inn(tmp_path / str(moments))
        model = ScriptedModel(lambda request: Turn(json.dumps(answer), usage=USAGE))
        given = inn.given(model, made=inn.read(assisted=True))

        def review(desk: Desk, progress: str, given: Given = given) -> AssistedReview:
            return AssistedReview(desk, replace(given, review=replace(given.review, progress=progress)))

        found, cut = await stretches(Desk(gently=gently), review, moments)
        assert (inn.shelf.entries(), inn.shelf.entries(USER)) == ([one], [two]), f"cut at moment {moments}"
        assert (found.outcome, found.calls) == ("memory", 1)
        assert len(model.requests) <= (1 if gently else 2)
        if not cut:
            break
        moments += 1
    assert moments > 8
