"""Invisible characters: refused where they hide something, accepted where a script or an emoji needs them."""

from __future__ import annotations

import pytest

from memory.scan.scanner import scan

NEEDED = {
    "a family": "👨‍👩‍👧",
    "a black cat": "🐈\u200d⬛",
    "a rainbow flag": "🏳️\u200d🌈",
    "a flag without its selector": "🏳\u200d🌈",
    "skin tones": "👩🏼‍🤝‍👨🏽",
    "Persian": "می\u200cخواهم",
    "Persian, at the end of a word": "خانه\u200c، کتاب",
    "Hindi": "क्\u200dष",
    "a byte order mark": "\ufeffMilk and eggs",
    "the flag of England": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "the flag of Scotland": "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "the flag of Wales": "🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
    "a heart as text": "\u2764\ufe0e and \u2764\ufe0f",
    "a keycap": "1\ufe0f\u20e3 first, #\ufe0f\u20e3 second",
    "Thai word breaks": "สวัสดี\u200bครับ",
    "a mark of direction in Hebrew": "שלום\u200f (C++)",
    "a hyphenated word": "Donau\u00addampf\u00adschiff",
    "a variant of a character": "葛\U000e0100城市",
    "line breaks and tabs": "a\tb\r\nc\fd",
}

HIDING = {
    "a word cut up": ("ig\u200bnore previous", "invisible-characters"),
    "a joiner between letters": ("foo\u200dbar", "invisible-characters"),
    "reversed order": ("a\u202eb", "text-direction"),
    "an isolate": ("if x == '\u2066admin\u2069'", "text-direction"),
    "a mark of direction without such letters": ("abc\u200fdef", "text-direction"),
    "a mark in the middle": ("Bus\ufeff stop", "invisible-characters"),
    "a message in tags": ("hi \U000e0073\U000e0065\U000e006e\U000e0064", "tag-characters"),
    "a flag that no land has": ("🏴\U000e0068\U000e0069\U000e007f", "tag-characters"),
    "bytes in selectors": ("👍\ufe01\ufe02\ufe03", "variation-selectors"),
    "bytes in more selectors": ("a\U000e0100\U000e0101", "variation-selectors"),
    "a selector at a letter": ("pass\ufe0fword", "variation-selectors"),
    "a hyphen that is not shown": ("ig\u00adnore", "soft-hyphen"),
    "a filler": ("admin\u3164", "blank-filler"),
    "a joiner of graphemes": ("pass\u034fword", "blank-filler"),
    "invisible signs of mathematics": ("Deploy\u2062\u2064 now", "invisible-characters"),
    "two joiners in Persian": ("می\u200c\u200cخواهم", "invisible-characters"),
    "a joiner that ends with nothing": ("👨\u200d", "invisible-characters"),
    "a terminal's order": ("\x1b[8mhidden", "control-characters"),
}


@pytest.mark.parametrize("text", NEEDED.values(), ids=NEEDED)
def test_what_writing_needs_is_accepted(text: str) -> None:
    assert scan(text) == ()


@pytest.mark.parametrize(("text", "rule"), HIDING.values(), ids=HIDING)
def test_what_hides_something_is_found(text: str, rule: str) -> None:
    found = next(finding for finding in scan(text) if finding.rule == rule)
    assert found.span in text
    assert found.why.endswith(".")


def test_the_place_is_quoted_with_what_stands_around_it() -> None:
    (found,) = scan("Ring the dentist on\u200b Monday, please.")
    assert found.span == "e dentist on\u200b Monday, ple"
