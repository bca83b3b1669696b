"""What a review reads: the very bytes of the conversation, or a digest; and whose words make its writes wait."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.agent.conversation import messages
from gateway.agent.fingerprint import noted
from gateway.models.client import HostInfo, Message, ToolCall
from gateway.models.tokens import estimate
from gateway.reviews.budget import expected, input_budget, room
from gateway.reviews.digest import LONGEST_LINE, SUMMARY_CHARS, VERBATIM, digest, first_words, summary
from gateway.reviews.material import Material, material
from gateway.state.contract import NOON, session
from gateway.state.records import Compaction, KeptFile, Row, StoredMessage
from gateway.state.review_records import QueuedReview
from tests.fakes.guesthouse import guesthouse
from tests.fakes.scripted_model import Script, ScriptedModel, Turn
from tests.reviews.desks import queued, stored, talk
from tests.scenarios.props import counter

S = session()


def made(rows: list[StoredMessage], compaction: Compaction | None = None, **more: Any) -> Material:
    given: dict[str, Any] = {"same_model": True, **more}
    review = given.pop("review", None) or queued(rows, after=given.pop("after", 0))
    return material(S, rows, compaction, review, **given)


# A fork


async def read_back(folder: Path, script: Script | ScriptedModel, said: list[str]) -> tuple[ScriptedModel, Material]:
    """Talk in a real house, then make the material out of what it stored."""
    async with guesthouse(folder, script, tools=[counter([])]) as house:
        for text in said:
            await house.adapter.reply_to(text)
        open_session = await house.store.sessions.current("inprocess:c1")
        assert open_session is not None
        rows = await house.store.turns.messages(open_session.id)
        compaction, _ = await house.store.turns.conversation(open_session.id, 0)
        last = house.model.requests[-1]
        review = QueuedReview(1, open_session.id, frozenset(("memory",)), "cadence", 0, rows[-1].id, NOON, NOON)
        sent = noted(last.messages, last.tools, 4321)
        return house.model, material(open_session, rows, compaction, review, same_model=True, sent=sent)


async def test_a_fork_begins_with_the_bytes_that_the_host_was_sent(tmp_path: Path) -> None:
    script: Script = ["Hello.", Turn("I count.", calls=[("count", {"word": "a"})]), "One.", "Bye."]
    model, read = await read_back(tmp_path, script, ["hi", "count the a", "thanks"])
    last = model.requests[-1]
    assert (read.kind, read.prefix) == ("fork", "same")
    assert read.messages[: len(last.messages)] == last.messages
    assert read.messages[len(last.messages) :] == (Message("assistant", "Bye."),)
    assert read.tools == read.offered == last.tools
    assert read.counted == (len(last.messages), 4321)


async def test_a_misfire_and_a_failed_turn_change_no_byte(tmp_path: Path) -> None:
    script: Script = [Turn(calls=[("cuont", {})]), "Sorry.", Turn("Half an", finish="length"), "Yes."]
    model, read = await read_back(tmp_path, script, ["count", "go on", "well?"])
    assert read.prefix == "same"
    assert read.messages[:-1] == model.requests[-1].messages


def test_another_byte_is_seen() -> None:
    rows = talk(6)
    sent = noted(messages(S.prompt, rows[:5]), (), 99)
    assert made(rows, sent=sent).prefix == "same"
    assert made(rows, sent=None).prefix == "unknown"
    other = [replace(rows[0], row=replace(rows[0].row, content="0: We deploy on Mondays.")), *rows[1:]]
    read = made(other, sent=sent)
    assert (read.prefix, read.counted) == ("differs", (0, 0))
    assert made(rows[:4], sent=sent).prefix == "unknown", "a turn that runs has sent more than the review covers"


def test_what_another_model_was_sent_says_nothing_of_this_ones_cache() -> None:
    rows = talk(6)
    sent = noted(messages(S.prompt, rows[:5]), (), 99, "far/large")
    assert made(rows, sent=sent, model="far/large").prefix == "same"
    read = made(rows, sent=sent, model="near/small")
    assert (read.prefix, read.counted) == ("unknown", (0, 0))


def test_rows_of_a_turn_that_came_later_are_left_out() -> None:
    rows = talk(6)
    read = made(rows, review=queued(rows[:4]))
    assert [each.content[0] for each in read.messages[1:]] == ["0", "1", "2", "3"]


def test_pictures_and_assisted_talk_are_as_the_turn_sends_them() -> None:
    file = KeptFile("picture", "cat.png", "image/png", "cache/cat.png")
    call = ToolCall("c", "memory", "{}")
    rows = stored(
        Row("user", "Look.", files=(file,)),
        Row("assistant", "", tool_calls=(call,)),
        Row("tool", "Saved.", tool_call_id="c"),
        Row("assistant", "A cat."),
    )
    assert made(rows).messages[1].pictures

    def blind(shown: tuple[Message, ...]) -> tuple[Message, ...]:
        return tuple(replace(each, pictures=()) for each in shown)

    read = made(rows, shown=blind, assisted=True)
    assert [each.role for each in read.messages] == ["system", "user", "assistant", "user", "assistant"]
    assert not any(each.pictures or each.tool_calls for each in read.messages)
    assert read.tools == ()


# Summaries


def test_a_summary_of_what_was_reviewed_stays() -> None:
    rows = talk(10)
    read = made(rows, Compaction(4, "They talked."), after=6)
    assert read.messages == messages(S.prompt, rows, Compaction(4, "They talked."))
    assert read.fresh == 2


def test_rows_that_no_review_saw_are_read_themselves_and_not_their_summary() -> None:
    rows = talk(10)
    summarised = Compaction(6, "They talked.")
    read = made(rows, summarised, after=2)
    assert (read.kind, read.messages) == ("fork", messages(S.prompt, rows))
    short = made(rows, summarised, after=2, room=expected(read.messages, ()) - 1)
    assert short.kind == "digest"
    assert "They talked." not in "".join(each.content for each in short.messages)


# A digest


def plain(count: int) -> list[Message]:
    return [Message("user" if n % 2 == 0 else "assistant", f"{n}: {'word ' * 30}") for n in range(count)]


def test_of_four_hundred_messages_the_last_24_stay_as_they_are() -> None:
    rows = talk(400, "We deploy on Fridays, " + "and so on " * 20)
    read = made(rows, same_model=False)
    system, first, *rest = read.messages
    assert (read.kind, system, len(rest)) == ("digest", Message("system", S.prompt), VERBATIM - 1)
    last = [each.as_message() for each in rows[-VERBATIM:]]
    assert rest == last[1:]
    head, _, own = first.content.partition("\n[End of the older part]\n\n")
    assert own == last[0].content
    lines = head.splitlines()
    assert lines[0] == "[Innkeeper] The older part of this conversation, 376 messages, by their first words:"
    assert [lines[1][:12], lines[-1][:14]] == ["person: 0: W", "assistant: 375"]
    assert len(lines) == 377
    whole = estimate(messages(S.prompt, rows))
    assert estimate(read.messages) < whole / 4


def test_the_part_that_stays_begins_with_no_result() -> None:
    calls = (ToolCall("a", "memory", "{}"), ToolCall("b", "memory", "{}"))
    results = [Message("tool", "Saved.", tool_call_id=each.id) for each in calls]
    conversation = [*plain(10), Message("assistant", "", calls), *results, *plain(VERBATIM - 1)]
    short = digest(conversation)
    assert len(short) == VERBATIM - 1
    assert not any(each.role == "tool" for each in short)
    assert "assistant: (used memory, memory)\ntool result: Saved." in short[0].content


def test_a_short_conversation_is_no_digest_at_all() -> None:
    conversation = plain(VERBATIM)
    assert digest(conversation) == tuple(conversation)


def test_before_an_answer_the_summary_stands_alone() -> None:
    conversation = plain(VERBATIM + 1)
    short = digest(conversation)
    assert [short[0].role, short[1]] == ["user", conversation[1]]
    assert len(short) == VERBATIM + 1


roles = st.lists(st.sampled_from(["user", "assistant", "calls"]), max_size=80)


@given(roles, st.integers(1, 30))
def test_no_result_is_ever_without_its_call(drawn: list[str], verbatim: int) -> None:
    conversation: list[Message] = []
    for number, role in enumerate(drawn):
        if role == "calls":
            calls = tuple(ToolCall(f"{number}-{each}", "t", "{}") for each in range(1 + number % 3))
            conversation += [Message("assistant", "", calls)]
            conversation += [Message("tool", "r", tool_call_id=each.id) for each in calls]
        else:
            conversation.append(Message("user" if role == "user" else "assistant", f"{number}"))
    short = digest(conversation, verbatim)
    open_calls: list[str] = []
    for each in short:
        if each.role == "tool":
            assert each.tool_call_id in open_calls
        open_calls += [call.id for call in each.tool_calls]
    kept = short[-min(verbatim, len(conversation)) :]
    assert [each.role for each in kept if each.role == "tool"] == [each.role for each in short if each.role == "tool"]
    assert len(short) <= verbatim + 1


def test_the_summary_is_bounded_however_long_the_conversation() -> None:
    many = summary(plain(5_000))
    assert len(many) < SUMMARY_CHARS * 1.5
    assert "still older ones left out" in many
    assert "assistant: 4999" in many


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one", "one"),
        ("one\n\ntwo  three", "one two three"),
        ("one two three four five", "one two three four…"),
        ("記憶" * 20, "記憶" * 8 + "記憶記…"),
        ("", ""),
    ],
)
def test_first_words(text: str, shown: str) -> None:
    assert first_words(text, 20) == shown


def test_the_first_words_of_a_huge_text_cost_nothing() -> None:
    assert first_words(" " * 10_000_000 + "end", LONGEST_LINE) == "…"


def test_where_24_do_not_fit_fewer_do() -> None:
    rows = talk(60, "word " * 400)
    bound = 8_000
    read = made(rows, room=bound)
    assert read.kind == "digest"
    assert expected(read.messages, ()) <= bound
    assert rows[-1].as_message() in read.messages


def test_where_not_even_the_last_one_fits_its_first_words_do() -> None:
    rows = stored(Row("user", "hi"), Row("assistant", "Hello."), Row("user", "Read this: " + "word " * 50_000))
    read = made(rows, room=4_000)
    assert expected(read.messages, ()) <= 4_000
    assert len(read.messages) == 2
    assert "person: Read this: word" in read.messages[1].content


# Whose words


def test_a_document_in_what_is_read_makes_writes_wait() -> None:
    rows = talk(8)
    rows[5] = replace(rows[5], row=replace(rows[5].row, untrusted="web"))
    assert made(rows).untrusted == "web"
    assert made(rows, after=4).untrusted == "web"
    assert made(rows, same_model=False).untrusted == "web"
    assert made(rows, review=queued(rows[:5])).untrusted == ""


def test_also_when_a_review_has_seen_it_before_as_long_as_it_is_read() -> None:
    """A person turned down what the document wanted: the next review must not get it unasked."""
    rows = talk(8)
    rows[0] = replace(rows[0], row=replace(rows[0].row, untrusted="document"))
    rows[6] = replace(rows[6], row=replace(rows[6].row, untrusted="mcp"))
    assert made(rows[:6], after=4).untrusted == "document"
    assert made(rows, after=4).untrusted == "mcp"
    assert made(rows[:6], Compaction(2, "They read a document."), after=4).untrusted == ""


# Budgets


@pytest.mark.parametrize(
    ("configured", "window", "budget"),
    [
        (None, 65_536, 49_152),
        (None, 1_000_000, 600_000),
        (None, None, 120_000),
        (None, 0, 120_000),
        (None, 8_192, 6_144),
        (0, 65_536, None),
        (-1, None, None),
        (30_000, 65_536, 30_000),
        (900_000, 65_536, 900_000),
    ],
)
def test_the_input_budget(configured: int | None, window: int | None, budget: int | None) -> None:
    assert input_budget(configured, window) == budget


def test_one_call_fits_budget_and_window() -> None:
    assert room(49_152, 65_536) == 49_152
    assert room(900_000, 65_536) == 58_982
    assert room(None, None) is None
    assert room(None, 1000) == 900


def test_what_was_counted_is_no_guess() -> None:
    conversation = plain(20)
    guess = estimate(conversation)
    assert expected(conversation, ()) >= 1.3 * guess
    assert expected(conversation, (), (20, guess)) == guess
    assert expected(conversation, (), (19, 1000)) > 1000
    dense = expected(conversation, (), (10, 2 * estimate(conversation[:10])))
    assert dense >= 2 * guess, "a host that counts twice the guess does so for the rest"
    assert expected(conversation, (), (21, 5)) == expected(conversation, ())


def test_an_unknown_window_is_no_hindrance() -> None:
    assert HostInfo().window is None
    assert input_budget(None, HostInfo().window) == 120_000
