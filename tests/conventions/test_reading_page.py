"""The page about reading files and outputs that are too large: its example is run as it stands."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from gateway.config.expand import Variables
from gateway.config.extensions import Extensions
from gateway.config.lines import parse
from gateway.config.load import loaded
from gateway.config.sections import OutputSpill
from tests.conventions.source import ROOT
from tests.scenarios.far_tools import answers, calls, far_inn, opened

PAGE = (ROOT / "gateway/docs/reading-files.md").read_text("utf-8")
BLOCK = re.compile(r"^```\w+\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = {match[1]: match[2] for match in BLOCK.finditer(PAGE)}


def settings(notes: Path) -> dict[str, Any]:
    """The example, with this Python for the one of whoever reads it."""
    text = EXAMPLES["config.yaml"]
    held = loaded(parse(text), Variables({"NOTES": str(notes)}), Extensions()).settings
    assert held.agent.file_roots == (str(notes),)
    found: dict[str, Any] = yaml.safe_load(text.replace("${NOTES}", str(notes)))
    found["mcp_servers"]["chronicle"]["command"] = sys.executable
    return found


@pytest.fixture
def notes() -> Iterator[Path]:
    """A folder that is not in memory, where those of tests may lie: that place looks like a device, and is closed."""
    with TemporaryDirectory() as folder:
        yield Path(folder).resolve()


async def test_its_example_shows_a_part_and_reads_on(tmp_path: Path, notes: Path) -> None:
    (home := tmp_path / "home").mkdir()
    (notes / "chronicle.py").write_text(EXAMPLES["chronicle.py"])
    (notes / "plan.md").write_text("Sow the beans in May.\n")
    example = settings(notes)
    async with far_inn(home, example.pop("mcp_servers"), **example) as inn:
        async with opened(inn):
            await inn.says("What happened in 1999?", calls("mcp_chronicle_year", number=1999), "Much.")
            (shown,) = answers(inn)
            assert len(shown) < 800
            assert [f"day {day} of 1999" in shown for day in (1, 200, 365)] == [True, False, True]
            (path,) = re.findall(r"the whole text is in (\S+) …", shown)
            await inn.says("And in summer?", calls("read_file", path=path, offset=200, limit=5), "Guests.")
            read = json.loads(answers(inn)[-1])
            assert ("day 200 of 1999" in read["text"], read["next_offset"]) == (True, 205)
            await inn.says("When do I sow?", calls("search_files", text="beans"), "In May.")
            assert json.loads(answers(inn)[-1])["hits"][0]["text"] == "Sow the beans in May."


def test_its_keys_are_those_of_the_schema() -> None:
    table = PAGE.split("## Outputs that are too large")[1]
    named = {line.split("`")[1] for line in table.splitlines() if line.startswith("| `")}
    assert named == set(OutputSpill.model_fields)
