"""Files at the prompt: what a line gives, and how it reaches the house."""

from __future__ import annotations

import json
import os
from io import StringIO
from pathlib import Path

import pytest

from platforms.console import protocol
from platforms.console.attach import Given, NoFile, attachment, given
from platforms.console.client import Window
from platforms.console.oneshot import ask
from platforms.console.terminal import converse
from platforms.contract import eventually
from platforms.errors import Refused
from platforms.messages import Attachment
from tests.platforms.console.house import open_house
from tests.platforms.console.test_terminal import sitting


@pytest.fixture
def here(tmp_path: Path) -> Path:
    for name in ("a.txt", "my holiday.png", "it's.txt"):
        (tmp_path / name).write_bytes(b"x")
    return tmp_path


@pytest.mark.parametrize(
    ("line", "name", "words"),
    [
        ("/attach a.txt", "a.txt", ""),
        ("/attach  a.txt what is it?", "a.txt", "what is it?"),
        ("/attach 'my holiday.png' where?", "my holiday.png", "where?"),
        ('/attach "my holiday.png"', "my holiday.png", ""),
        ("/attach my\\ holiday.png where was it?", "my holiday.png", "where was it?"),
        ("/attach my holiday.png where was it?", "my holiday.png", "where was it?"),
        ("/attach it's.txt", "it's.txt", ""),
        ("{here}/a.txt", "a.txt", ""),
        ("'{here}/my holiday.png' ", "my holiday.png", ""),
        ("{here}/my\\ holiday.png look", "my holiday.png", "look"),
        ("file://{here}/my%20holiday.png", "my holiday.png", ""),
    ],
)
def test_lines_that_give_a_file(here: Path, line: str, name: str, words: str) -> None:
    assert given(line.format(here=here), here) == Given(str(here / name), words)


@pytest.mark.parametrize(
    "line", ["hello", "/new", "/etc", "/no/such/file here", "'quoted' words", '"', "/attached", "a.txt"]
)
def test_lines_that_do_not(here: Path, line: str) -> None:
    assert given(line, here) is None


@pytest.mark.parametrize(
    ("line", "why"), [("/attach", "PATH"), ("/attach b.txt", "not there"), ("/attach .", "no file")]
)
def test_a_file_that_is_not_there_is_said_at_once(here: Path, line: str, why: str) -> None:
    with pytest.raises(NoFile, match=why):
        given(line, here)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.png", "picture"), ("a.opus", "voice"), ("a.mp4", "video"), ("a.csv", "document"), ("a", "document")],
)
def test_kinds_go_by_the_name_here(name: str, kind: str) -> None:
    assert attachment(f"/nowhere/{name}").kind == kind


def test_a_window_that_knows_no_files_is_understood() -> None:
    old = json.dumps({"type": "say", "event_id": "e", "text": "hi"}).encode()
    assert protocol.from_client(old) == protocol.Say("e", "hi")
    new = protocol.Say("e", "hi", ("/a b", "/c"))
    assert protocol.from_client(protocol.encode(new)) == new
    with pytest.raises(protocol.ProtocolError, match="files must be paths"):
        protocol.from_client(json.dumps({"type": "say", "event_id": "e", "text": "", "files": [1]}).encode())


async def test_at_a_terminal(here: Path) -> None:
    async with sitting(here) as person:
        person.type(f"/attach {here}/a.txt what is it?\r")
        await eventually(lambda: bool(person.house.heard))
        (event,) = person.house.heard
        assert event.text == "what is it?"
        assert event.attachments == (Attachment("document", "a.txt", "text/plain", 1, str(here / "a.txt")),)
        assert await person.house.adapter.fetch(event.attachments[0]) == b"x"
        person.type("/attach nothing.txt\r")
        await person.sees("nothing.txt is not there")


async def test_in_a_pipe_and_with_ask(here: Path) -> None:
    out, err = StringIO(), StringIO()
    lines = StringIO(f"/attach {here}/a.txt this\n/attach none\nbye\n")
    async with open_house(here) as house:
        async with Window(here, "desk") as window:
            assert await converse(window, stdin=lines, stdout=out, stderr=err, commands={}) == 0
        async with Window(here, "once", "ask") as window:
            assert await ask(window, "", stdout=out, stderr=err, files=[str(here / "a.txt")]) == 0
        assert [(each.text, len(each.attachments)) for each in house.heard] == [("this", 1), ("bye", 0), ("", 1)]
    assert "none is not there" in err.getvalue()


async def test_what_is_no_file_is_refused_and_nobody_hangs(here: Path) -> None:
    os.mkfifo(here / "pipe")
    async with open_house(here) as house:
        for path in (here / "pipe", here, here / "gone"):
            with pytest.raises(Refused):
                await house.adapter.fetch(attachment(str(path)))
