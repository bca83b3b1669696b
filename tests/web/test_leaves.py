"""A session's rows as its page shows them: a call and its answer are one piece, and long texts are cut."""

from __future__ import annotations

import json
from pathlib import Path

from commands.session_ports import CallView, Entry
from gateway.web.leaves import CALLED, LINES, SAID, leaves, marked, pretty
from tests.web.stage import dashboard_stage
from tests.web.talks import ADAS, talked


def row(number: int, role: str = "assistant", text: str = "", *calls: CallView, **more: object) -> Entry:
    return Entry(number, role, text, 1000.0 + number, calls=calls, **more)  # type: ignore[arg-type]


def test_an_answer_belongs_to_its_call():
    twice = CallView("c1", "memory", '{"a":1}'), CallView("c2", "web", "{}")
    rows = [row(1, "user", "hi"), row(2, "assistant", "", *twice), row(3, "tool", "from two", answers="c2")]
    rows += [row(4, "tool", "from one", answers="c1", untrusted="web"), row(5, "assistant", "done")]
    found = leaves(rows)
    assert [leaf.id for leaf in found] == [1, 2, 5]
    one, two = found[1].calls
    assert one.answer is not None
    assert two.answer is not None
    assert (one.name, one.answer.text, one.answered, one.source) == ("memory", "from one", 4, "from the web")
    assert (two.name, two.answer.text, two.answered, two.source) == ("web", "from two", 3, "")


def test_a_call_with_an_id_that_comes_again_takes_the_next_answer():
    rows = []
    for number in (1, 3):
        rows += [row(number, "assistant", "", CallView("same", f"tool{number}", "{}"))]
        rows += [row(number + 1, "tool", f"answer {number}", answers="same")]
    answers = [leaf.calls[0].answer for leaf in leaves(rows)]
    assert [each and each.text for each in answers] == ["answer 1", "answer 3"]


def test_an_answer_whose_call_is_elsewhere_stands_by_itself():
    (leaf,) = leaves([row(7, "tool", "late", answers="gone", files=("a.txt",))])
    (call,) = leaf.calls
    assert (leaf.role, leaf.said, call.name, call.files) == ("tool", None, "a tool", ("a.txt",))
    assert call.answer is not None
    assert (call.answer.id, call.answer.text) == ("m7-text", "late")


def test_a_call_that_was_never_answered_says_so():
    (leaf,) = leaves([row(1, "assistant", "", CallView("c1", "memory", "no json"))])
    assert (leaf.calls[0].answer, leaf.calls[0].arguments.text) == (None, "no json")


def test_long_texts_are_cut_and_whole_where_wanted():
    long = "x" * (3 * SAID)
    rows = [row(1, "user", long), row(2, "assistant", "", CallView("c", "t", json.dumps({"a": "y" * 3 * CALLED})))]
    cut, call = leaves(rows)[0].said, leaves(rows)[1].calls[0].arguments
    assert cut is not None
    assert (cut.text, cut.more) == ("x" * SAID, 2 * SAID)
    assert len(call.text) <= CALLED
    assert call.more > CALLED
    whole = leaves(rows, whole=True)
    assert whole[0].said is not None
    assert (whole[0].said.text, whole[0].said.more) == (long, 0)
    assert whole[1].calls[0].arguments.more == 0
    assert whole[1].calls[0].arguments.id == call.id


def test_many_lines_are_cut_too_and_a_few_more_are_not():
    lines = "\n".join(str(number) for number in range(3 * LINES))
    said = leaves([row(1, "user", lines)])[0].said
    assert said is not None
    assert said.text.split("\n") == [str(number) for number in range(LINES)]
    assert len(said.text) + said.more == len(lines)
    short = leaves([row(1, "user", "x\n" * (LINES + 2))])[0].said
    assert short is not None
    assert short.more == 0


def test_json_is_spread_out_and_anything_else_left_alone():
    assert pretty('{"a":[1,"ü"]}') == '{\n  "a": [\n    1,\n    "ü"\n  ]\n}'
    for text in ("{broken", "12", "plain", "", "[" * 100_000):
        assert pretty(text) == text


def test_what_was_found_is_marked_unless_nobody_can_tell():
    assert marked("a **b** c", "a b c") == [("a ", False), ("b", True), (" c", False)]
    assert marked("**b**", "b") == [("b", True)]
    assert marked("a ** **b**", "a ** b") == [("a  b", False)]
    assert marked("", "") == []


async def test_the_page_of_one_message_shows_what_its_call_was_answered(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        await talked(stage)
        rows = await stage.app.engine.ports.archive.rows(ADAS)
        ada = await stage.client()
        pages = [(await ada.get(f"/sessions/{ADAS}/messages/{row}")).text for row in rows]
        assert not any("no answer is stored" in page for page in pages)
        assert ["&#34;number&#34;: 79," in page for page in pages] == [False, True, True, False]
        assert ["&#34;query&#34;:" in page for page in pages] == [False, True, False, False]
