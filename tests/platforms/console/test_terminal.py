"""The interactive window: in process through prompt_toolkit's own pipe, and once on a real pseudo-terminal."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import StringIO
from pathlib import Path

from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from platforms.console.client import Window
from platforms.console.terminal import Terminal
from platforms.contract import eventually
from platforms.messages import ChatRef, Outbound
from tests.platforms.console.house import House, open_house

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r")
DESK = ChatRef("console", "desk")


class Sitting:
    """A person at a terminal: types keys, and reads everything that was ever drawn."""

    def __init__(self, keys: PipeInput, drawn: StringIO, house: House, terminal: Terminal) -> None:
        self._keys, self._drawn = keys, drawn
        self.house = house
        self.ending = asyncio.create_task(terminal.run("The inn is open."))

    def type(self, keys: str) -> None:
        self._keys.send_text(keys)

    @property
    def screen(self) -> str:
        return ESCAPES.sub("", self._drawn.getvalue())

    async def sees(self, text: str) -> None:
        try:
            await eventually(lambda: text in self.screen)
        except TimeoutError:
            raise AssertionError(f"{text!r} was never drawn; the screen:\n{self.screen}") from None


@asynccontextmanager
async def sitting(folder: Path, columns: int = 80, colour: bool = True) -> AsyncIterator[Sitting]:
    drawn = StringIO()
    output = Vt100_Output(drawn, lambda: Size(rows=30, columns=columns), term="xterm", enable_cpr=False)
    with create_pipe_input() as keys, create_app_session(input=keys, output=output):
        async with open_house(folder) as house, Window(folder, "desk") as window:
            terminal = Terminal(window, commands={"memory": "what is kept"}, colour=colour)
            person = Sitting(keys, drawn, house, terminal)
            await person.sees("The inn is open.")
            try:
                yield person
            finally:
                person.ending.cancel()
                await asyncio.gather(person.ending, return_exceptions=True)


async def test_a_line_is_said_and_its_answer_scrolls_above_the_prompt(tmp_path: Path) -> None:
    async with sitting(tmp_path) as person:
        person.type("hello\r")
        await person.sees("echo: hello")
        person.type("\x04")
        assert await person.ending == 0


async def test_markdown_is_rendered_block_by_block_while_it_streams(tmp_path: Path) -> None:
    async with sitting(tmp_path) as person:
        person.type("story\r")
        await person.sees("The end, my friend.\n")
        assert "It was late." in person.screen
        assert "print('hello')" in person.screen
        assert "(rewritten)" not in person.screen


async def test_a_choice_is_taken_by_number_or_label_and_only_while_it_is_the_last_word(tmp_path: Path) -> None:
    async with sitting(tmp_path) as person:
        person.type("remember\r")
        await person.sees("[1] Allow  [2] Deny")
        person.type("2\r")
        await person.sees("echo: /memory reject 1a2b")
        assert person.house.heard[-1].pressed
        person.type("2\r")
        await person.sees("echo: 2")
        person.type("remember\r")
        await eventually(lambda: person.screen.count("[2] Deny") >= 2)
        person.type("allow\r")
        await person.sees("echo: /memory approve 1a2b")
        person.type("remember\r")
        await eventually(lambda: person.screen.count("[2] Deny") >= 3)
        person.type(" 2\r")
        await eventually(lambda: person.house.heard[-1].text == "2")
        assert not person.house.heard[-1].pressed


async def test_control_c_stops_a_running_answer_and_otherwise_clears_the_line(tmp_path: Path) -> None:
    async with sitting(tmp_path) as person:
        person.type("slow\r")
        await person.sees("10 %")  # the editor draws only what differs from the line before
        person.type("\x03")
        await person.sees("stopped.")
        assert [event.text for event in person.house.heard] == ["slow", "/stop"]
        person.type("wrong line\x03right line\r")
        await person.sees("echo: right line")


async def test_escape_enter_makes_a_new_line(tmp_path: Path) -> None:
    async with sitting(tmp_path) as person:
        person.type("one\x1b\rtwo\r")
        await eventually(lambda: bool(person.house.heard))
        assert person.house.heard[0].text == "one\ntwo"


async def test_escape_sequences_of_a_model_do_nothing_to_the_terminal(tmp_path: Path) -> None:
    async with sitting(tmp_path) as person:
        await eventually(lambda: person.house.adapter.attended(DESK))
        await person.house.adapter.send(Outbound(DESK, "safe\x1b]0;owned\x07 text\ud83d"))
        await person.sees("safe]0;owned text?")


async def test_a_narrow_terminal_without_colours_shows_everything(tmp_path: Path) -> None:
    async with sitting(tmp_path, columns=12, colour=False) as person:
        person.type("story\r")
        await person.sees("The end, my friend.")
        await person.sees("**late**")


def read_until(terminal: int, screen: str, awaited: str) -> str:
    """Read from a pseudo-terminal until `awaited` was drawn; returns all that was."""
    deadline = time.monotonic() + 20
    while awaited not in screen:
        ready, _, _ = select.select([terminal], [], [], max(deadline - time.monotonic(), 0))
        if not ready:
            raise AssertionError(f"{awaited!r} was never drawn:\n{screen!r}")
        screen += os.read(terminal, 4096).decode("utf-8", "replace")
    return screen


def test_a_real_terminal_from_greeting_to_goodbye(tmp_path: Path) -> None:
    """Keys go in through the kernel's line discipline, and the process ends with 0 on Ctrl-D."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    environment = {**os.environ, "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm"}
    command = [sys.executable, "-m", "tests.platforms.console.window_process", str(tmp_path / "profile")]
    process = subprocess.Popen(command, stdin=child, stdout=child, stderr=child, env=environment)
    os.close(child)
    try:
        screen = read_until(parent, "", "\x1b[?2004h")  # the editor takes keys
        assert "The inn is open." in screen
        os.write(parent, b"hello\r")
        screen = read_until(parent, screen, "echo: hello")
        os.write(parent, b"\x04")
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(parent)
    assert "+hello" in (tmp_path / "profile" / "cache" / "history").read_text()
