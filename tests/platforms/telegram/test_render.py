"""What a Markdown text looks like on Telegram: readable, nothing lost, and never longer than it may be."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from platforms.chunking import length, split
from platforms.telegram.render import plain, render
from tests.fakes.telegram.texts import checked

LIMIT = 4096


def shown(markdown: str) -> tuple[str, list[tuple[str, str]]]:
    """The text, and each formatted part with its format."""
    rendered = render(markdown, LIMIT)
    raw = rendered.text.encode("utf-16-le")
    return rendered.text, [
        (each.kind, raw[each.offset * 2 : (each.offset + each.length) * 2].decode("utf-16-le"))
        for each in rendered.ranges
    ]


@pytest.mark.parametrize(
    ("markdown", "text", "formats"),
    [
        ("**old_table_name**", "old_table_name", [("bold", "old_table_name")]),
        ("a_b_c https://x.y/__z__", "a_b_c https://x.y/__z__", []),
        ("*   **要点**：…", "• 要点：…", [("bold", "要点")]),
        ("<div> & <b>unclosed", "<div> & <b>unclosed", []),
        ("1 < 2", "1 < 2", []),
        ("`", "`", []),
        ("[x](y", "[x](y", []),
        ("# Rooms\ntext", "Rooms\ntext", [("bold", "Rooms")]),
        ("use `<div>` now", "use <div> now", [("code", "<div>")]),
        ("```html\n<p>$5</p>\n```", "<p>$5</p>", [("pre", "<p>$5</p>")]),
        ("**https://x.y/a_b** c", "https://x.y/a_b c", [("bold", "https://x.y/a_b")]),
        ("$x$ and $5$", "$x$ and $5$", []),
        ("if a || b || c", "if a || b || c", []),
        ("a ||secret|| and ||これ||です", "a secret and これです", [("spoiler", "secret"), ("spoiler", "これ")]),
        ("**要点：**文字**「引用」**です", "要点：文字「引用」です", [("bold", "要点："), ("bold", "「引用」")]),
        ("`**「a」**b` **「a」**b", "**「a」**b **「a」**b", [("code", "**「a」**b")]),
        (r"\(a_1*b*c_2\) and $$x^2_1 * y_2$$", r"\(a_1*b*c_2\) and $$x^2_1 * y_2$$", []),
        (r"it costs \$5, a \< b", "it costs $5, a < b", []),
        ("&lt;!----> **b**", "<!----> b", [("bold", "b")]),
        ("__init__ is __bold__", "__init__ is bold", [("bold", "bold")]),
        ("**use `x` now**", "use x now", [("bold", "use "), ("code", "x"), ("bold", " now")]),
        ("> a\n> > b", "a\nb", [("blockquote", "a\nb")]),
        ("![plan](https://x.y/a.png) ![](https://x.y/b.png)", "plan ▣", [("text_link", "plan"), ("text_link", "▣")]),
        ("`![](https://x.y)`", "![](https://x.y)", [("code", "![](https://x.y)")]),
        ("&#27;[31m \x00", "\ufffd[31m \ufffd", []),
        ("2*3*4 is 24", "2*3*4 is 24", []),
        ("[^1]\n\n[^1]: a note", "[^1]\n\n[^1]: a note", []),
        ("> said\n\nand *done*", "said\n\nand done", [("blockquote", "said"), ("italic", "done")]),
        ("- [x] one\n- [ ] two", "☑ one\n☐ two", []),
        ("[the rules](https://x.y/__a__)", "the rules", [("text_link", "the rules")]),
        ("😀 **bold 😀** 漢", "😀 bold 😀 漢", [("bold", "bold 😀")]),
        ("half of a pair: \ud83d", "half of a pair: \ufffd", []),
    ],
)
def test_people_read(markdown: str, text: str, formats: list[tuple[str, str]]) -> None:
    assert shown(markdown) == (text, formats)


def test_links_keep_their_address_and_others_become_words() -> None:
    assert [each.url for each in render("[a](https://x.y/__a__)", LIMIT).ranges] == ["https://x.y/__a__"]
    for elsewhere in ("see [a](./notes.md)", "![a]()", "![a](tg://emoji?id=5368324170671202286)"):
        assert render(elsewhere, LIMIT).ranges == ()


def test_a_code_block_keeps_its_language() -> None:
    (block,) = render("```python\nprint(1)\n```", LIMIT).ranges
    assert (block.kind, block.language) == ("pre", "python")


@pytest.mark.parametrize("markdown", ["[](x)", "```\n```", "&nbsp;"])
def test_what_formatting_would_empty_is_shown_as_written(markdown: str) -> None:
    assert render(markdown, LIMIT) == plain(markdown)


def test_what_formatting_would_grow_past_the_limit_is_shown_as_written() -> None:
    numbered = "1. a\n" * 30
    assert length(render(numbered, 100_000).text, "utf16") > length(numbered, "utf16"), "the numbers are counted up"
    assert render(numbered, length(numbered, "utf16")) == plain(numbered)


def test_a_table_is_aligned_where_it_fits_a_phone() -> None:
    rendered = render("| Room | Beds |\n|---|--:|\n| **Attic** | 2 |\n| 屋根 | 10 |\n", LIMIT)
    assert rendered.text == "Room  | Beds\n------+-----\nAttic |    2\n屋根  |   10"
    assert [each.kind for each in rendered.ranges] == ["pre"]


def test_a_wide_table_is_a_list_for_each_row() -> None:
    rows = "| Room | What is to be said |\n|---|---|\n| Attic | " + "cold " * 20 + "|\n| Hall | [plan](https://x.y) |"
    rendered = render(rows, LIMIT)
    assert rendered.text.startswith("Room: Attic\n• What is to be said: cold")
    assert rendered.text.endswith("\n\nRoom: Hall\n• What is to be said: plan")
    assert "https://x.y" in [each.url for each in rendered.ranges]


def test_a_table_that_would_grow_past_the_limit_stays_readable_as_code() -> None:
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 30 + "| " + "long " * 10 + " | 2 |"
    rendered = render(table, length(table, "utf16"))
    assert (rendered.text, [each.kind for each in rendered.ranges]) == (table, ["pre"])


@pytest.mark.parametrize(
    "text", ["😀" * 2049, "😀" * 5000, "a" * 4095 + "👨‍👩‍👧", "a" * 4095 + "e\u0301", "**a** " * 3000]
)
def test_every_part_fits_after_rendering(text: str) -> None:
    parts = split(text, LIMIT, "utf16")
    assert "".join(parts) == text
    for part in parts:
        rendered = render(part, LIMIT)
        assert 0 < length(rendered.text, "utf16") <= LIMIT


PIECES = st.sampled_from(
    [
        *(
            "**",
            "*",
            "_",
            "__",
            "`",
            "```\n",
            "\n",
            "\n\n",
            "- ",
            "1. ",
            "# ",
            "> ",
            "| a | b |\n|---|---|\n",
            "||",
            "~~",
        ),
        *("<b>", "[", "](", ")", "https://x.y/_a_", "😀", "漢字", "word", " ", "&amp;", "\\", "$", "---\n", "!"),
        *("\ud83d", "e\u0301"),
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join), st.integers(20, 80))
def test_whatever_a_model_writes_is_taken_by_telegram(markdown: str, limit: int) -> None:
    if length(markdown, "utf16") > limit or not markdown.strip():
        return
    rendered = render(markdown, limit)
    assert rendered.text.strip()
    assert length(rendered.text, "utf16") <= limit
    entities = [
        {"type": each.kind, "offset": each.offset, "length": each.length, "url": each.url} for each in rendered.ranges
    ]
    checked(rendered.text, entities)  # raises what the server would answer
