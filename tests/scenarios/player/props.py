"""What is shown, given and kept in the transcript: a plan with a table and much code, a picture, a poem, an entry."""

from __future__ import annotations

import re
import struct
import zlib
from typing import Any

from tests.fakes.openai_server import Step
from tests.scenarios.player.stage import Shown

TEA = "Ada drinks green tea."
POEM = "An inn at night,\na lamp, a key.\n"
CODE = tuple(f"room_{number:03} = Bed(width={90 + number % 7}, lamp={number % 2 == 0})" for number in range(1, 301))
TABLE = (("Room", "Beds", "View"), ("Attic", "1", "the roofs"), ("Garden", "2", "the well"), ("Gate", "12", "all"))
_ROWS = "\n".join(f"| {' | '.join(row)} |" for row in TABLE[1:])
PLAN = f"""Here is the plan for the **three houses**.

| {" | ".join(TABLE[0])} |
| --- | ---: | --- |
{_ROWS}

And as a *program*:

```python
{chr(10).join(CODE)}
```

That is the plan."""
_CELLS = " ".join(cell for row in TABLE for cell in row)
PLAN_WORDS = (
    f"Here is the plan for the three houses. {_CELLS} And as a program: {' '.join(CODE)} That is the plan.".split()
)
"""What is to be read, tables and code included, without what draws them."""

_DRAWN = re.compile(r"[-|+─━┼]+")
PICTURE_NAME = "lamp.png"


def picture() -> bytes:
    """A small picture, whole enough for whoever looks at its head: 8 × 8, grey, PNG."""
    head = struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + bytes(range(row, row + 8)) for row in range(8))
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def streamed(text: str, pieces: int, delay: float) -> Step:
    """An answer that comes in so many pieces, so many seconds apart."""
    size = len(text) // pieces + 1
    return Step(pieces=[text[at : at + size] for at in range(0, len(text), size)], delay=delay)


def keeps(content: str) -> Step:
    """The model asks to keep an entry about the person."""
    return _call("memory", {"target": "user", "action": "add", "content": content})


def gives(name: str, content: str) -> Step:
    """The model hands over a file that it wrote."""
    return _call("send_file", {"name": name, "content": content})


def _call(tool: str, arguments: dict[str, Any]) -> Step:
    return Step(calls=[{"name": tool, "arguments": arguments}])


def words_of(shown: list[Shown]) -> list[str]:
    """All that the messages say, without what draws tables."""
    return [word for each in shown for word in each.text.split() if _DRAWN.fullmatch(word) is None]


def code_of(shown: list[Shown]) -> tuple[str, ...]:
    """The lines of code that stand in type of one width, in order."""
    fixed = "\n".join(part for each in shown for part in each.fixed)
    return tuple(line.strip() for line in fixed.splitlines() if line.strip().startswith("room_"))


def columns_of(shown: list[Shown]) -> list[set[int]]:
    """Where the cells of each column of the table begin or end, counted in characters of their line; one place for a
    column that stands straight. A row that is not on one line of its own, in type of one width, is an error."""
    lines = [line for each in shown for part in each.fixed for line in part.splitlines()]
    straight: list[set[int]] = [set() for _ in TABLE[0]]
    for row in TABLE:
        (line,) = [each for each in lines if each.split("|")[0].split()[:1] == [row[0]]]
        at = 0
        for number, cell in enumerate(row):
            at = line.index(cell, at)
            straight[number].add(at + len(cell) if number == 1 else at)
    return straight
