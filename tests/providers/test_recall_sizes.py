"""Recalls of every size under every setting, as a model reads them. `-s` prints the table."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from gateway.config.sections import Hooks, OutputSpill
from gateway.models.client import HostInfo
from tests.fakes.scripted_model import ScriptedModel
from tests.providers.houses import inn, with_parrot
from tests.providers.houses import read as read_by

PREVIEW = 2_000


class Row(NamedTuple):
    """`whole`: all of it is read, and there is no file; else head, tail and the path of a file are."""

    characters: int
    previews: bool
    recalls: bool
    whole: bool


TABLE = [
    Row(characters, previews, recalls, characters == 99_000 and not (previews and recalls))
    for characters in (99_000, 100_001, 5_000_000)
    for previews, recalls in ((True, False), (True, True), (False, False), (False, True))
]


def text(characters: int) -> str:
    """Numbered lines, so that it is seen which of them arrive."""
    lines = "".join(f"{number:07} a plain fact\n" for number in range(characters // 21 + 1))
    return lines[: characters - 1] + "."


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.characters}-{row.previews}-{row.recalls}")
async def test_a_recall_of_that_size(tmp_path: Path, row: Row) -> None:
    said = text(row.characters)
    assert len(said) == row.characters
    hooks = Hooks(output_spill=OutputSpill(enabled=row.previews))
    own = with_parrot({"prefetch_spill_enabled": row.recalls}, says=said).model_copy(update={"hooks": hooks})
    async with inn(tmp_path, ["Yes."], own) as house:
        assert await house.adapter.reply_to("What do you know?", seconds=60) == "Yes."
        (read,) = read_by(house)
    folder = tmp_path / "cache" / "spill"
    files = list(folder.iterdir()) if folder.exists() else []
    body = read[read.index(">\n") + 2 : read.rindex("\n</")]
    print(
        f"\n{row.characters:>9,} | output_spill.enabled {row.previews!s:5} | prefetch_spill_enabled {row.recalls!s:5}"
        f" | read {len(body):>6,} characters | {len(files)} file"
    )
    if row.whole:
        assert body == said
        assert files == []
        return
    (path,) = files
    assert path.read_text() == said
    assert str(path) in body
    head, tail = re.split(r"\n\[… .* …\]\n", body)
    assert said.startswith(head)
    assert said.endswith(tail)
    assert len(head) + len(tail) == PREVIEW


async def test_a_model_with_a_small_window_is_not_drowned(tmp_path: Path) -> None:
    model = ScriptedModel(["Yes."], info=HostInfo(window=8192))
    async with inn(tmp_path, model, with_parrot(says=text(50_000))) as house:
        assert await house.adapter.reply_to("What do you know?") == "Yes."
        (said,) = read_by(house)
    assert len(said) < 4_000
