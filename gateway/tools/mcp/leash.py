"""Starts a program that dies with its parent. It stands alone on purpose: it imports nothing of the house.

`python -I leash.py PARENT COMMAND ARGUMENT…`: the kernel is asked to end this process when its parent dies (Linux;
elsewhere the end of its input does it), and then it becomes the program.
"""

from __future__ import annotations

import os
import signal
import sys


def main() -> None:
    """Does not return; what keeps the program from starting is said on the standard error."""
    parent, command = int(sys.argv[1]), sys.argv[2]
    if sys.platform.startswith("linux"):
        import ctypes

        pr_set_pdeathsig = 1
        ctypes.CDLL(None, use_errno=True).prctl(pr_set_pdeathsig, signal.SIGKILL)
    if os.getppid() != parent:  # it died before we could ask
        os._exit(0)
    try:
        os.execvp(command, sys.argv[2:])
    except OSError as error:
        sys.stderr.write(f"{command} cannot be started: {error.strerror}\n")
        sys.stderr.flush()
        os._exit(127)


if __name__ == "__main__":
    main()
