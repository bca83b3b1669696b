"""What is read from the text of a query, and which messages it then fits."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.state.search_fold import aligned, fold
from gateway.state.search_match import judge, snippet
from gateway.state.search_prepare import WORD, prepared, sign_words, words
from gateway.state.search_query import Query, parse

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()
TEXTS = st.text(
    st.one_of(
        st.characters(codec="utf-8"),
        st.sampled_from("aeiouxyz \n.,-+#'\"/_@*京都会議のカガﾊﾟ한국ไทयीéÅßσςİıжё👩\u200d💻🇩🇪\u0301\u200b"),
    ),
    max_size=40,
)


def asked(text: str) -> Query:
    return parse(text, NOON, UTC)


def fits(query: str, text: str) -> bool:
    return judge(asked(query), fold(text)) is not None


def at(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> float:
    return datetime(year, month, day, hour, minute, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("query", "either", "without"),
    [
        ("two words", [["two", "words"]], []),
        ('say "in one go" twice', [["say", "in one go", "twice"]], []),
        ("cats -dogs", [["cats"]], ["dogs"]),
        ('cats -"small dogs"', [["cats"]], ["small dogs"]),
        ("left-pad", [["left-pad"]], []),
        ("--force", [["--force"]], []),
        ("-5", [["-5"]], []),
        ("a OR b", [["a"], ["b"]], []),
        ("a b OR c -d", [["a", "b"], ["c"]], ["d"]),
        ("OR a OR", [["a"]], []),
        ("OR", [["or"]], []),
        ("this AND that NOT", [["this", "and", "that", "not"]], []),
        ("“fancy” quotes", [["fancy", "quotes"]], []),
        ('"open', [["open"]], []),
        ("(really?)", [["really"]], []),
        (".NET C++, C#.", [[".net", "c++", "c#"]], []),
        ("after:noon", [["after:noon"]], []),
        ("before:", [["before"]], []),
        ("?!", [], []),
        ("->", [["->"]], []),
        ('""', [], []),
    ],
)
def test_a_text_is_read(query: str, either: list[list[str]], without: list[str]) -> None:
    read = asked(query)
    assert [[term.text for term in group] for group in read.either] == either
    assert [term.text for term in read.without] == without


def test_operators_with_a_value_that_means_something() -> None:
    read = asked('tea after:2026-03 before:2026-11-30 in:telegram:1 from:"Ada L" in:discord')
    assert (read.after, read.before) == (at(2026, 3, 1), at(2026, 11, 30))
    assert (read.places, read.sender, read.role) == (("telegram:1", "discord"), "ada l", None)
    assert asked("from:assistant").role == "assistant"
    assert asked("after:yesterday").after == at(2026, 11, 29)
    assert asked("after:today").after == at(2026, 11, 30)
    assert asked("after:2025 after:2026").after == at(2026, 1, 1)
    assert asked("after:2026-11-30T09:30").after == at(2026, 11, 30, 9, 30)
    for text in ("after:2026-13-45", "before:0000", "before:99999", "after:soon"):
        assert asked(text).after is asked(text).before is None
        assert not asked(text).empty


def test_an_asterisk_at_the_end_stands_for_the_rest_of_a_word() -> None:
    assert fits("conc*", "concatenate")
    assert not fits("conc", "concatenate")
    assert not fits("catenate*", "concatenate")
    assert not fits("2*3", "2 and 3")
    assert fits("2*3", "2*3")


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("strasse", "Straße"),
        ("muller", "Müller"),
        ("ＡＢＣ", "abc"),
        ("ﾊﾞｯｸ", "バックアップ"),
        ("οδος", "ΟΔΌΣ"),
        ("ёлка", "елка"),
        ("can’t", "can't"),
        ("istanbul", "İstanbul"),
        ("soft", "so\u00adft"),
        ("한국", "한국어로"),
        ("redis", "更新redis缓存"),
        ("हिन्दी", "यह हिन्दी है"),
    ],
)
def test_ways_of_writing_the_same(query: str, text: str) -> None:
    assert fits(query, text)
    assert fits(text, query) or query != text


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("c", "cc"),
        ("cat", "concatenate"),
        ("c++", "c"),
        (".net", "net"),
        ("v1.2", "v1.20"),
        ("🇪🇺", "🇩🇪🇺🇸"),
        ("👩", "👩\u200d💻"),
        ("が", "か"),
        ("दिन", "दिनांक"),
    ],
)
def test_what_looks_alike_and_is_not_the_same(query: str, text: str) -> None:
    assert not fits(query, text)


@given(TEXTS, TEXTS, TEXTS)
def test_the_index_has_every_word_of_what_a_message_holds(before: str, term: str, after: str) -> None:
    """Whatever fits a message is found by the words and signs that the index was given for it."""
    text = f"{before} {term}{after}"
    listed = WORD.findall(prepared(text, 7, 1, 2))
    for group in asked(term).either:
        for each in group:
            if each.prefix or next(each.spots(fold(text)), None) is None:
                continue
            wanted = words(each.text)
            assert any(listed[at : at + len(wanted)] == wanted for at in range(len(listed) + 1)), wanted
            if len(wanted) <= 1:
                assert {sign for chunk in each.chunks for sign in sign_words(chunk)} <= set(listed)


@given(TEXTS)
def test_preparing_is_repeatable_and_folding_is_final(text: str) -> None:
    assert prepared(text, 7, 1, 2) == prepared(text, 7, 1, 2)
    assert fold(fold(text)) == fold(text)
    assert "\0" not in prepared(text.replace("\0", ""), 7, 1, 2)


@given(TEXTS, TEXTS)
def test_any_text_is_a_query_and_has_a_snippet(query: str, text: str) -> None:
    read = asked(query)
    judged = judge(read, fold(text))
    if judged is not None:
        assert len(snippet(text, judged.held, 20)) <= 20 + 2 + 4 * max(1, len(judged.held))


@given(TEXTS)
def test_places_in_the_folded_text_lead_back(text: str) -> None:
    folded, places = aligned(text)
    assert len(places) == len(folded) + 1
    assert places == sorted(places)
    assert places[-1] == len(text)


def test_a_snippet_shows_what_was_found() -> None:
    text = "word " * 100 + "the Größe of it " + "word " * 100
    judged = judge(asked("grosse"), fold(text))
    assert judged is not None
    shown = snippet(text, judged.held, 80)
    assert "the **Größe** of it" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) < 90
    assert snippet("all of it", judge(asked("of"), "all of it").held, 80) == "all **of** it"  # type: ignore[union-attr]
