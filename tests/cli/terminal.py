"""A terminal of so many columns and lines, in which a command runs, and what somebody sees in it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Mapping
from dataclasses import dataclass

COMMAND = (
    "import fcntl, os, signal, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    # A terminal heeds Ctrl-C, whatever whoever runs the tests made of it.
    " signal.signal(signal.SIGINT, signal.SIG_DFL); signal.pthread_sigmask(signal.SIG_SETMASK, []);"
    " os.execv(sys.executable, [sys.executable, '-m', 'gateway.cli.main', *sys.argv[1:]])"
)
LOOK = 0.1
"""Seconds between two looks at whether it has ended."""

_STEP = re.compile(r"\x1b\[(\??[\d;]*)([A-Za-z])|\r|\n|[^\x1b\r\n]+")


@dataclass
class Ran:
    """What was written to the terminal, and how the command ended."""

    code: int
    written: str
    columns: int
    echoes: bool
    """Whether what is typed shows after the end."""

    @property
    def screen(self) -> list[str]:
        """The lines as they stand at the end, trailing blanks left out."""
        return self._drawn()[0]

    @property
    def cursor_shown(self) -> bool:
        return self.written.rfind("\x1b[?25h") > self.written.rfind("\x1b[?25l")

    @property
    def wraps(self) -> bool:
        return self.written.rfind("\x1b[?7h") > self.written.rfind("\x1b[?7l")

    @property
    def cursor_line(self) -> int:
        return self._drawn()[1]

    def _drawn(self) -> tuple[list[str], int]:
        lines, row, column = [""], 0, 0
        for step in _STEP.finditer(self.written):
            argument, order = step[1], step[2]
            if step[0] == "\r":
                column = 0
            elif step[0] == "\n":
                row += 1
                lines += [""] * (row + 1 - len(lines))
            elif order == "A":
                row = max(0, row - int(argument or 1))
            elif order == "K":
                lines[row] = lines[row][:column]
            elif order == "J":
                lines[row:] = [lines[row][:column]]
            elif not order:
                lines[row] = lines[row][:column].ljust(column) + step[0] + lines[row][column + len(step[0]) :]
                column = min(self.columns - 1, column + len(step[0]))  # where lines do not wrap
        return [each.rstrip() for each in lines], row


def in_terminal(
    *words: str,
    environment: Mapping[str, str],
    columns: int = 60,
    lines: int = 24,
    press: tuple[str, Callable[[str], bool]] | None = None,
) -> Ran:
    """Run `innkeeper` with these words. `press` is typed once what was written so far satisfies its condition."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env=dict(environment),
    )
    written = b""
    try:
        while process.poll() is None or select.select([ours], [], [], 0)[0]:
            if not select.select([ours], [], [], LOOK)[0]:
                continue
            written += os.read(ours, 65_536)
            if press is not None and press[1](written.decode(errors="replace")):
                os.write(ours, press[0].encode())
                press = None
        echoes = bool(termios.tcgetattr(theirs)[3] & termios.ECHO)
    finally:
        process.kill()
        os.close(ours)
        os.close(theirs)
    return Ran(process.wait(), written.decode(), columns, echoes)
