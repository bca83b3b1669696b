"""What a Markdown text looks like in a terminal: readable, nothing lost, nothing that a terminal would obey."""

from __future__ import annotations

import re

import pytest

from platforms.console.render import Painter


def seen(markdown: str) -> str:
    """The text on the screen, without colours and trailing blanks."""
    painted = re.sub(r"\x1b\[[0-9;]*m", "", Painter(lambda: 60, colour=True).markdown(markdown))
    return "\n".join(line.rstrip() for line in painted.strip().split("\n"))


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("<div> & <b>unclosed, 1 < 2", "<div> & <b>unclosed, 1 < 2"),
        ("use `<div>` **now**", "use <div> now"),
        ("2*3*4 and a_b_c and __init__", "2*3*4 and a_b_c and __init__"),
        (r"\(a_1*b*c\) costs \$5", r"\(a_1*b*c\) costs $5"),
        ("**要点：**文字", "要点：文字"),
        ("&lt;!----> `**「a」**b`", "<!----> **「a」**b"),
        ("see ||this||", "see ||this||"),
        ("![plan](https://x.y/a_b.png)", "plan (https://x.y/a_b.png)"),
        ("![](https://x.y/a_b.png)", "https://x.y/a_b.png"),
        ("[rules](https://x.y/__a__) <https://x.y/a_b>", "rules (https://x.y/__a__) https://x.y/a_b"),
        ("- [x] one\n- [ ] two", "• ☑ one\n • ☐ two"),
        ("| a | b |\n|---|--:|\n| **x** | 1 |", "a  b\n ────\n x  1"),
        ("```html\n<p>$5</p> <!-- x -->\n```", "<p>$5</p> <!-- x -->"),
        ("&nbsp;", "&nbsp;"),
        ("&#27;[31mred \x1b[31m", "\ufffd[31mred [31m"),
        ("half \ud83d", "half ?"),
    ],
)
def test_people_read(markdown: str, text: str) -> None:
    assert seen(markdown) == text
