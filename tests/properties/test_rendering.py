"""Whatever is written goes through splitting and rendering for each platform, and is taken there.

The texts come from seeds, so that a failure is met again with `TEXTS` set to the one seed that it names.
"""

from __future__ import annotations

import random
import re

import pytest

from platforms.adapter import Unit
from platforms.chunking import join, length, split
from platforms.console.render import Painter
from platforms.discord.render import LIMIT as DISCORD
from platforms.discord.render import render as for_discord
from platforms.telegram.entities import CODE, QUOTES, STYLES, Range
from platforms.telegram.render import render as for_telegram
from tests.fakes.telegram.texts import LONGEST_TEXT as TELEGRAM
from tests.fakes.telegram.texts import checked

FAMILY = "👨‍👩‍👧‍👦"
WORDS = [
    *("word ", "snake_case ", "2*3*4 ", "1 < 2 ", "<div> ", "naïve ", "https://x.y/_a_b_ ", "@everyone ", "<@123> "),
    *(
        "漢字を読む。",
        "「はい。」",
        "。",
        "한국어 ",
        "שלום ",
        "مرحبا ",
        "\u202e",
        "e\u0301",
        "क्षि",
        "Z\u0310\u0337" * 9,
    ),
    *(
        "😀",
        FAMILY,
        "👍🏽",
        "❤️",
        "🇯🇵",
        "1️⃣",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
        "\u200d",
        "\u200b",
        "\ufe0f",
        "\ud83d",
        "\ude00",
        "\x00",
        "\x1b[31m",
    ),
    *("\ufdd0", "\ufdd8", "\u00a0", " ", "\t", "&amp;", "&#27;", "&nbsp;", "$5 ", "$x_1^2$", r"\(a*b\) ", "\r\n"),
]
MARKUP = [
    *("**", "*", "_", "__", "***", "`", "``", "~~", "~", "||", "|", "\\", "[", "](", ")", "](https://x.y/a_b)", "!["),
    *("**要点：**", "**bold** ", "||secret|| ", "[^1]", "<!-- ", "<!---->", "-->", "<tg-spoiler>", "`code` ", "$$"),
]
BLOCKS = [
    *(
        "\n",
        "\n\n",
        "\n# ",
        "\n#### ",
        "\n- ",
        "\n  - ",
        "\n1. ",
        "\n   ",
        "\n    ",
        "\n> ",
        "\n>> ",
        "\n---\n",
        "\n===\n",
    ),
    *(
        "\n```\n",
        "\n```py\n",
        "\n   ```sh x=1\n",
        "\n~~~\n",
        "\n````\n",
        "\n- [x] ",
        "\n-# ",
        "\n| a | 漢 |\n|---|--:|\n",
    ),
    *(
        "\n| 1 | 2 |",
        "\n| **x** | [y](https://x.y) | " + "wide " * 15 + "|",
        "\n[1]: https://x.y\n",
        "\n***\n",
        "\n>>> ",
    ),
]


def written(seed: int) -> str:
    """One text: mostly short, some of several parts, some of a single piece over and over."""
    chance = random.Random(seed)
    pieces = chance.choice(
        [WORDS, MARKUP, BLOCKS, WORDS + MARKUP, WORDS + MARKUP + BLOCKS, WORDS * 3 + MARKUP + BLOCKS]
    )
    if chance.random() < 0.05:
        return chance.choice(pieces) * int(10 ** chance.uniform(0, 3.7))
    count = int(10 ** chance.uniform(0, 2.6))
    return "".join(chance.choices(pieces, k=count))[:12_000]


def parts_of(text: str, limit: int, unit: Unit) -> list[str]:
    """The parts that are sent; those of white space alone are not."""
    parts = split(text, limit, unit)
    assert join(parts) == text
    assert all(0 < length(part, unit) <= limit for part in parts)
    return [part for part in parts if part.strip()]


def check_telegram(text: str, limit: int) -> None:
    for part in parts_of(text, limit, "utf16"):
        rendered = for_telegram(part, limit)
        entities = [
            {"type": each.kind, "offset": each.offset, "length": each.length, "url": each.url}
            for each in rendered.ranges
        ]
        kept, _ = checked(rendered.text, entities, limit)  # raises what the server would answer
        assert kept
        check_nesting(rendered.ranges)


def check_nesting(ranges: tuple[Range, ...]) -> None:
    open_ranges: list[Range] = []
    for each in sorted(ranges, key=lambda each: (each.offset, -each.length)):
        while open_ranges and open_ranges[-1].end <= each.offset:
            open_ranges.pop()
        for outer in open_ranges:
            assert each.end <= outer.end, "two ranges cross"
            assert outer.kind not in CODE, "a format in code"
            assert not (outer.kind in QUOTES and each.kind in QUOTES), "a quote in a quote"
            assert not (outer.kind in STYLES and each.kind in CODE), "code in a style"
        open_ranges.append(each)


def check_discord(text: str, limit: int) -> None:
    for part in parts_of(text, limit, "codepoint"):
        rendered = for_discord(part, limit)
        assert rendered.strip()
        assert len(rendered) <= limit
        rendered.encode()
        assert "\x00" not in rendered


def check_console(text: str) -> None:
    painted = Painter(lambda: 60, colour=True).markdown(text)
    bare = re.sub(r"\x1b\[[0-9;]*m", "", painted)
    assert "\x1b" not in bare
    bare.encode()
    assert bool(bare.strip()) == bool(re.sub(r"[\s\x00-\x1f\x7f-\x9f]", "", text))


def check(seeds: range, painted: int) -> None:
    """Each text at the real limits and at a small one, which cuts more; every `painted`th in the terminal."""
    for seed in seeds:
        text = written(seed)
        small = random.Random(seed).randint(64, 400)
        try:
            for limit in (TELEGRAM, small):
                check_telegram(text, limit)
            for limit in (DISCORD, small):
                check_discord(text, limit)
            if seed % painted == 0:
                check_console(text[:2000])
        except Exception as fault:
            raise AssertionError(f"seed {seed}, small limit {small}") from fault


def test_three_hundred_texts_are_taken_everywhere() -> None:
    check(range(300), painted=6)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_ten_thousand_texts_are_taken_everywhere() -> None:
    check(range(300, 10_300), painted=1)
