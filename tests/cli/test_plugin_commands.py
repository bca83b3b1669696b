"""A plugin's command at the shell, as it is started there: called by its name, named in the help, and left out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from gateway.plugins.template import write
from tests.conventions.source import ROOT

POINTS = """\
[innkeeper.commands]
mycommand = innkeeper_mycommand:spec
many = many:specs
status = many:taken
gone = nowhere:spec
"""
MANY = """\
from dataclasses import replace

from innkeeper_mycommand import spec

specs = [replace(spec, name="ring", help="rings\\nthe bell"), replace(spec, name="hush", shell=False)]
taken = replace(spec, name="status")
"""
LONELY = "[innkeeper.tools]\ncount = never_imported:tools\n"


@dataclass
class Terminal:
    """`innkeeper` in a process of its own, with packages beside it."""

    home: Path
    packages: Path

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        path = [self.packages, self.packages / "innkeeper-mycommand" / "src", ROOT]
        return subprocess.run(
            [sys.executable, "-m", "gateway.cli.main", *words],
            capture_output=True,
            text=True,
            check=False,
            env={
                "PATH": os.environ.get("PATH", ""),
                "INNKEEPER_HOME": str(self.home),
                "PYTHONPATH": os.pathsep.join(map(str, path)),
            },
        )

    def said(self, *words: str) -> str:
        ran = self(*words)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def wrong(self, *words: str) -> str:
        ran = self(*words)
        assert ran.returncode == 2, ran.stdout
        return " ".join(ran.stderr.split())


def announced(packages: Path, points: str) -> None:
    """A package of these entry points, installed as far as Python can tell."""
    metadata = packages / "motley-1.2.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: Motley.Crew\nVersion: 1.2\n")
    (metadata / "entry_points.txt").write_text(points)


@pytest.fixture
def innkeeper(tmp_path: Path) -> Terminal:
    home, packages = tmp_path / "home", tmp_path / "packages"
    announced(packages, POINTS)
    write("command", "mycommand", packages)
    (packages / "many.py").write_text(MANY)
    return Terminal(home, packages)


def test_it_is_called_by_its_name(innkeeper: Terminal) -> None:
    assert innkeeper.said("mycommand", "Ada") == "Good day, Ada.\n"
    assert innkeeper.said("ring", "Ada") == "Good day, Ada.\n"
    assert "Usage: innkeeper mycommand" in innkeeper.said("mycommand", "--help")
    assert "Good day" not in innkeeper.said("status")


def test_the_help_names_it_among_the_others(innkeeper: Terminal) -> None:
    for words in (("--help",), ("-p", "nope", "--help")):
        lines = [line.strip() for line in innkeeper.said(*words).splitlines()]
        named = [line.split("  ", 1) for line in lines]
        ours = [each for each in named if each[0] in ("mycommand", "ring", "hush", "gone", "many")]
        there = [["ring", "Rings the bell."], ["mycommand", "Says good day to somebody."]]
        assert [[name, help.strip()] for name, help in ours] == ([] if "-p" in words else there)
        assert len([each for each in named if each[0] == "status"]) == 1


def test_a_mistyped_one_is_shown_the_right_one(innkeeper: Terminal) -> None:
    assert "There is no command 'mycomand', did you mean mycommand?" in innkeeper.wrong("mycomand")
    assert "There is no command 'hush'" in innkeeper.wrong("hush")


def test_one_that_is_disabled_stays_out_and_is_said_to_be(innkeeper: Terminal) -> None:
    innkeeper.said("plugins", "disable", "mycommand")
    told = innkeeper.wrong("mycommand", "Ada")
    assert "The command 'mycommand' is disabled. It comes back with: innkeeper plugins enable mycommand" in told
    assert "mycommand" not in innkeeper.said("--help")
    innkeeper.said("plugins", "enable", "mycommand")
    innkeeper.said("plugins", "disable", "motley-crew")
    assert "innkeeper plugins enable Motley.Crew" in innkeeper.wrong("mycommand", "Ada")
    innkeeper.said("plugins", "enable", "motley-crew")
    assert innkeeper.said("mycommand", "Ada") == "Good day, Ada.\n"


def test_it_is_off_in_the_profile_that_turns_it_off_alone(innkeeper: Terminal) -> None:
    innkeeper.said("profile", "create", "desk")
    innkeeper.said("-p", "desk", "plugins", "disable", "mycommand")
    assert "is disabled" in innkeeper.wrong("-p", "desk", "mycommand", "Ada")
    assert "mycommand" not in innkeeper.said("-p", "desk", "--help")
    assert innkeeper.said("mycommand", "Ada") == "Good day, Ada.\n"


def test_one_that_cannot_be_imported_says_where_to_look(innkeeper: Terminal) -> None:
    assert "innkeeper plugins info gone" in innkeeper.wrong("gone")
    assert "mycommand" in innkeeper.said("--help")


def test_the_help_imports_no_plugin_of_another_kind(tmp_path: Path) -> None:
    announced(tmp_path / "packages", LONELY)
    (tmp_path / "packages" / "never_imported.py").write_text("print('imported')\n")
    alone = Terminal(tmp_path / "home", tmp_path / "packages")
    assert "imported" not in alone.said("--help")
    assert not alone.home.exists()


def test_a_name_that_is_taken_at_the_shell_is_said_to_be(tmp_path: Path) -> None:
    home, packages = tmp_path / "home", tmp_path / "packages"
    announced(packages, "[innkeeper.commands]\nloud = loud:specs\nmycommand = innkeeper_mycommand:spec\n")
    write("command", "mycommand", packages)
    (packages / "loud.py").write_text(
        "from dataclasses import replace\nfrom innkeeper_mycommand import spec\n"
        'specs = [replace(spec, name="run"), replace(spec, name="din", aliases=("doctor",)),'
        ' replace(spec, name="config", shell=False)]\n'
    )
    innkeeper = Terminal(home, packages)
    why = "innkeeper run, innkeeper doctor at the shell are the house's own: /run, /doctor for chats alone"
    (line,) = [each for each in innkeeper.said("plugins", "list").splitlines() if "command loud" in each]
    assert (line[0], why in line) == ("✅", True)
    assert why in innkeeper.said("plugins", "info", "loud")
    assert [each["shell"] for each in json.loads(innkeeper.said("plugins", "info", "loud", "--json"))] == [why]
    assert "at the shell" not in innkeeper.said("plugins", "info", "mycommand")
