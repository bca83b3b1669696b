"""The template: what it makes works as it is, and it never touches what is there."""

from __future__ import annotations

import asyncio
import os
import sys
import tomllib
from pathlib import Path

import pytest

from gateway.config.plugins import GROUPS
from gateway.plugins.template import ENTRIES, NotMade, write
from tests.conventions.source import ROOT

WORDS = ("NAME_", "PACKAGE_", "CLASS_", "KIND_", "ENTRY_")


@pytest.mark.parametrize("kind", ENTRIES)
def test_names_are_filled_in_everywhere_and_the_right_door_is_announced(tmp_path: Path, kind: str) -> None:
    made = write(kind, "kiosk", tmp_path)
    assert made.folder == tmp_path / "innkeeper-kiosk"
    assert {"pyproject.toml", "README.md", "src/innkeeper_kiosk/__init__.py", "tests/test_kiosk.py"} <= set(
        made.files
    )
    for name in made.files:
        text = (made.folder / name).read_text()
        assert [word for word in WORDS if word in text or word in name] == []
        assert [line for line in text.splitlines() if len(line) > 120] == []
    project = tomllib.loads((made.folder / "pyproject.toml").read_text())["project"]
    (group,) = project["entry-points"]
    assert (group, list(project["entry-points"][group])) == (GROUPS[kind], ["kiosk"])


async def test_the_tests_of_all_kinds_pass_as_generated(tmp_path: Path) -> None:
    folders = [write(kind, f"my{kind}", tmp_path).folder for kind in ENTRIES]
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\nfilterwarnings = error\n"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", str(tmp_path)),
        cwd=tmp_path,
        env={
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": os.pathsep.join([*(str(each / "src") for each in folders), str(ROOT)]),
        },
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said = (await process.communicate())[0].decode()
    assert process.returncode == 0, said
    assert "failed" not in said


@pytest.mark.parametrize(
    ("kind", "name", "why"),
    [
        ("planet", "kiosk", "is no kind of plugin"),
        *(
            ("tool", name, "is no name for a plugin")
            for name in ("", "x", "Kiosk", "my-kiosk", "1st", "class", "a/b")
        ),
        *(("tool", name, "is no name for a plugin") for name in ("../up", "kiosk\n", "é" * 3, "k" * 31)),
        ("platform", "telegram", "is a name of the house"),
        *(("command", name, "is a name of the house") for name in ("status", "reset", "learning")),
        ("tool", "memory", "is a name of the house"),
        ("provider", "honcho", "is a name of the house"),
    ],
)
def test_names_that_cannot_be_are_refused_and_nothing_is_written(
    tmp_path: Path, kind: str, name: str, why: str
) -> None:
    with pytest.raises(NotMade, match=why):
        write(kind, name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_exists_is_never_overwritten(tmp_path: Path) -> None:
    mine = tmp_path / "innkeeper-kiosk"
    mine.mkdir()
    (mine / "README.md").write_text("mine")
    with pytest.raises(NotMade, match="exists already"):
        write("tool", "kiosk", tmp_path)
    assert [(each.name, each.read_text()) for each in mine.iterdir()] == [("README.md", "mine")]
    (tmp_path / "innkeeper-stand").symlink_to(tmp_path / "nowhere")
    with pytest.raises(NotMade, match="exists already"):
        write("tool", "stand", tmp_path)
    with pytest.raises(NotMade, match="there is no folder"):
        write("tool", "booth", tmp_path / "absent")
