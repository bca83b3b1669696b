"""Long questions that give way are read in portions; nothing else is."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from gateway.models.client import Message, ReadingProgress, Request, Usage
from gateway.models.host_state import REVIEW
from gateway.models.portions import LONGEST, PORTION, ReadAhead, portions
from tests.fakes.scripted_model import ScriptedModel, Turn


def asked(text: str, task: str = REVIEW) -> Request:
    return Request((Message("system", "Be kind."), Message("user", text)), session="s", task=task, max_tokens=400)


@given(st.text(alphabet="ab ü記", max_size=1500))
def test_each_portion_goes_a_little_further_and_stays_short_of_the_end(text: str) -> None:
    whole = asked(text)
    read = ""
    for each in portions(whole):
        *before, last = each.messages
        assert (tuple(before), each.max_tokens, each.session) == (whole.messages[:-1], 1, "s")
        assert text.startswith(last.content)
        assert 0 < len(last.content) - len(read) <= PORTION
        read = last.content
    assert len(text) - len(read) <= PORTION


def test_chats_and_what_is_very_long_are_read_whole() -> None:
    text = "word " * 400
    assert list(portions(asked(text)))
    assert not list(portions(asked(text, "chat")))
    assert not list(portions(asked("word " * LONGEST)))


async def test_what_portions_read_counts_as_read_and_their_answers_are_nobodys() -> None:
    costs = [Usage(700, 600, 1, 1, seconds=0.5), Usage(740, 690, 1, 1, seconds=0.5)]
    model = ScriptedModel([Turn("I", usage=each, before=[ReadingProgress(1, 2)]) for each in costs])
    ahead = ReadAhead(asked("word " * 80))
    assert [each async for each in ahead.stream(model)] == [ReadingProgress(1, 2)] * 2
    whole = Usage(800, 730, 50, 1, seconds=1.0)
    assert ahead.counted(whole) == replace(whole, cached=600, seconds=2.0)
    assert ReadAhead(asked("short")).counted(whole) == whole
