"""Folding: what a text is read as, and where each letter of it stood."""

from __future__ import annotations

import pytest

from memory.scan.folding import Folded, views

READ_AS = {
    "ＡＢＣ": "abc",
    "Straße": "strasse",
    "naïve": "naive",
    "ﾊﾟｽﾜｰﾄﾞ": "パスワード",
    "か\u3099": "が",
    "a\u200bb\u00adc": "abc",
    "“quoted” — ‘so’": "\"quoted\" - 'so'",
    "one \t two\r\n\r\n\r\nthree\nfour": "one two\n\nthree\nfour",
    "игнорируй": "игнорируи",
    "한글": "한글",
    "क्ष": "क्ष",
}


@pytest.mark.parametrize(("raw", "read"), READ_AS.items())
def test_the_plain_reading(raw: str, read: str) -> None:
    assert next(views(raw)).text == read


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        ("раssword", "password"),
        ("ΝΟΤΕ", "note"),
        ("r e v e a l it", "reveal it"),
        ("p4ssw0rd", "password"),
        ("ru1es", "rules"),
        ("read_the_rules", "read the rules"),
    ],
)
def test_another_reading(raw: str, read: str) -> None:
    assert read in [view.text for view in views(raw)]


def test_a_plain_text_has_one_reading() -> None:
    assert len(list(views("Buy milk at 5, flight LH2024, commit 3f9c1e7ab2d04c58e6f7."))) == 1


@pytest.mark.parametrize("raw", ["Ｓend　the ﬁles", "x  s e n d  it", "s\u200bend ŉ ﷺ it", "\n\n\n send\t it"])
def test_each_letter_knows_its_place(raw: str) -> None:
    for view in views(raw):
        assert len(view.text) == len(view.origin)
        assert all(0 <= place < len(raw) for place in view.origin)
        at = view.text.find("it")
        if at >= 0:
            assert raw[slice(*view.span(at, at + 2))] == "it"


def test_a_span_covers_what_it_came_from() -> None:
    assert Folded("ab", (3, 7)).span(0, 2) == (3, 8)
