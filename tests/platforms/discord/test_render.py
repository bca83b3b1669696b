"""What a Markdown text looks like on Discord: its own Markdown, nothing lost, and never longer than it may be."""

from __future__ import annotations

import pytest

from platforms.discord.render import LIMIT, render


@pytest.mark.parametrize(
    "text",
    [
        "**bold** *italic* ~~gone~~ `code_x` ||secret||",
        "old_table_name, a_b_c https://x.y/__z__",
        "<div> & <b>unclosed, 1 < 2, [x](y",
        "# One\n## Two\n### Three\ntext",
        "- a\n  - b\n    - c\n1. one\n   1. two",
        "```python\nprint(2*3*4)\n```",
        "> said\n> more\n\nafter",
        "[the rules](https://x.y/__a__) and <https://x.y/a_b>",
        "**要点：**文字**「引用」**です",
        "$x_1 * y_2$ and $5, US$5 and US$6",
        "5 * 3 * 2",
        "@everyone @here <@123> <#4> <:na_me:5> <t:6:R>",
        "C:\\new_folder",
        "`<!---->` and <!-- a remark -->",
        "[^1]\n\n[^1]: a note",
        "```\n```",
        "&nbsp;",
    ],
)
def test_what_discord_shows_alike_stays_as_it_was_written(text: str) -> None:
    assert render(text) == text


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("2*3*4 is 24", r"2\*3\*4 is 24"),
        ("2 ** 3 ** 4", r"2 \*\* 3 \*\* 4"),
        ("if a || b || c", r"if a \|\| b \|\| c"),
        ("__init__ is __bold__", r"\_\_init\_\_ is **bold**"),
        ("*a and _b and `", r"\*a and \_b and \`"),
        ("_a é_b é", r"\_a é_b é"),
        (r"\(a_1*b\) and \[x^2\]", r"\\(a_1\*b\\) and \\[x^2\\]"),
        ("&lt;!----> x", "<!----> x"),
        ("-# no footnote", r"\-# no footnote"),
        ("&lt;b&gt; &amp; &#42;a&#42;", r"<b> & \*a\*"),
        ("* a\n  + b\n    - c", "- a\n  - b\n    - c"),
        ("- [x] one\n- [ ] two", "- ☑ one\n- ☐ two"),
        ("#### Deep **bold** `x` ##\ntext", "**Deep bold `x`**\ntext"),
        ("Title\n---\nb", "## Title\nb"),
        ("a\n\n***\n\nb", "a\n\n———\n\nb"),
        ("a\\\nb", "a\nb"),
        (">a\n>>> b\nlazy", "> a\n> > > b\n> lazy"),
        ("> ~~~py\n> x\n> ~~~", "> ```py\n> x\n> ```"),
        ("1. a\n   ```sh\n   ls\n     -l\n   ```\n2. b", "1. a\n```sh\nls\n  -l\n```\n2. b"),
        ("~~~~md\n```py\nx\n```\n~~~~", "```md\n``\u200b`py\nx\n``\u200b`\n```"),
        ("```c++ title=x\nint a;", "```c++\nint a;\n```"),
        ("![plan](https://x.y/a.png) ![](https://x.y/b_c.png)", "[plan](https://x.y/a.png) https://x.y/b_c.png"),
        ("[![plan](https://x.y/a.png)](https://x.y)", "[plan](https://x.y)"),
        ("[a][1] [1]\n\n[1]: https://x.y", "[a](https://x.y) [1](https://x.y)\n\n[1]: https://x.y"),
        ("half of a pair: \ud83d, nothing: \x00\r\n&#27;", "half of a pair: \ufffd, nothing: \ufffd\n\ufffd"),
    ],
)
def test_what_discord_would_show_otherwise_is_put_in_its_words(markdown: str, text: str) -> None:
    assert render(markdown) == text


def test_a_table_is_aligned_where_it_fits_a_phone() -> None:
    table = "Look:\n| Room | Beds |\n|---|--:|\n| **Attic** | 2 |\n| 屋根 | 10 |\n\nSo."
    aligned = "Room  | Beds\n------+-----\nAttic |    2\n屋根  |   10"
    assert render(table) == f"Look:\n```\n{aligned}\n```\n\nSo."


def test_a_wide_table_is_a_list_for_each_row() -> None:
    table = "| Room | Notes |\n|---|---|\n| Attic | " + "cold " * 12 + "|\n| Hall | see [it](https://x.y/a_b) |\n"
    listed = "**Room**: Attic\n- **Notes**: " + "cold " * 12
    assert render(table) == f"{listed.strip()}\n\n**Room**: Hall\n- **Notes**: see [it](https://x.y/a_b)"


def test_what_would_grow_past_the_limit_is_shown_as_written() -> None:
    stars = "2*3 " * 500
    assert len(stars) == LIMIT
    assert render(stars) == stars
    table = "| a | b |\n|---|---|\n" + "| 1 | 2*3 |\n" * 30 + "| " + "long " * 8 + " | 2 |\n"
    assert render(table, len(table) + 10) == f"```\n{table.strip()}\n```"


def test_more_than_fits_is_cut_and_nothing_is_nothing() -> None:
    assert render("a" * 3000) == "a" * LIMIT
    assert render("") == ""
    assert render(" \n") == " \n"
