"""The rules as a table, and that no text makes the search for them long or wrong."""

from __future__ import annotations

import re
import re._constants as constants  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.scan import rules
from memory.scan.needs import Needs, beginnings, needs
from memory.scan.scanner import scan, scan_entries
from tests.bench.scan import samples

WRITTEN = [each for _, table in rules._tables() for each in table]
PATTERNS = sorted({pattern for each in WRITTEN for pattern in (each.pattern, *each.near, each.unless) if pattern})
LONGEST_GAP = 300


def test_rules_have_names_and_reasons() -> None:
    for rule in rules.RULES:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.id)
        assert re.fullmatch(r"[A-Z][^.]{15,110}\.", rule.why)
    assert len(set(rules.RULES)) == len(rules.RULES)


def _repeats(tree: Any) -> Iterator[tuple[int, Any]]:
    """Every repetition of a parsed pattern: how often at most, and what."""
    for code, value in tree:
        if code in (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT):
            yield int(value[1]), value[2]
        for part in value if isinstance(value, tuple | list) else ():
            for inner in part if isinstance(part, list) else (part,):
                if isinstance(inner, parser.SubPattern):
                    yield from _repeats(inner)


def test_no_pattern_can_be_made_to_take_long() -> None:
    """A repetition without a bound is one of single letters, and no such one is repeated itself without a bound."""
    endless = int(constants.MAXREPEAT)
    for pattern in PATTERNS:
        for most, body in _repeats(parser.parse(pattern)):
            if most == endless:
                assert not list(_repeats(body)), pattern
                assert len(body) == 1, pattern
            else:
                assert most <= LONGEST_GAP, pattern


FILLERS = [
    "a",
    " ",
    "ignore all ",
    "<!-- ai ",
    "curl ",
    "send the ",
    "無視",
    "忽略所有",
    "a.",
    "a@",
    ">>",
    "password ",
    "1a",
    "\u200b",
]


@pytest.mark.parametrize("filler", FILLERS)
def test_the_work_grows_with_the_text_and_not_faster(filler: str) -> None:
    scan(filler * 800)
    assert _work(filler * 800) < 3 * _work(filler * 400) + 2000


def _work(text: str) -> int:
    """How many calls a scan makes."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        scan(text)
    finally:
        sys.setprofile(before)
    return calls


@given(st.text(max_size=300))
def test_any_text_is_scanned_and_twice_alike(text: str) -> None:
    found = scan(text)
    assert scan(text) == found
    assert all(finding.span and finding.span in text for finding in found)


@given(st.lists(st.text(max_size=60), max_size=5))
def test_any_entries_are_scanned(entries: list[str]) -> None:
    joined = " ".join(entries)
    for finding in scan_entries(entries):
        assert finding.span in joined


def test_patterns_that_are_left_out_would_not_have_matched() -> None:
    texts = [entry.casefold() for which in ("bad", "good") for _, each in samples(which, "seen") for entry in each]
    words = [(text, beginnings(text)) for text in texts]
    known = [(pattern, needed) for pattern in PATTERNS if (needed := needs(pattern)) is not None]
    for pattern, needed in known:
        wrong = [
            text for text, begins in words if not needed.met(text, begins) and re.search(pattern, text, re.DOTALL)
        ]
        assert wrong == [], pattern
    assert len(known) > len(PATTERNS) * 0.8


@pytest.mark.parametrize(
    ("pattern", "words", "parts"),
    [
        (r"\b(?:send|mails?)\b", {"send", "mail"}, set()),
        (r"\bdrop(?: it)?", {"drop"}, set()),
        (r"\b(?:a|b(?:c|d))", {"a", "b"}, set()),
        (r"send", set(), {"send"}),
        (r"\bsend|[|]x\.ssh/", {"send"}, {"x.ssh/"}),
        (r"(?:un)?lock{2}ed", set(), {"loc"}),
        (r"無視|忘れ", set(), {"無視", "忘れ"}),
    ],
)
def test_what_a_pattern_needs(pattern: str, words: set[str], parts: set[str]) -> None:
    assert needs(pattern) == Needs(frozenset(words), frozenset(parts))


@pytest.mark.parametrize("pattern", [r"\b\w+x", r"\bsend|\d", "(?:send)?", "[ab]"])
def test_what_a_pattern_needs_may_be_unknown(pattern: str) -> None:
    assert needs(pattern) is None


def test_sentences_keep_what_belongs_together_apart() -> None:
    assert scan("The password is in the safe. Send the picture to https://album.example.") == ()
