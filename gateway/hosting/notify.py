"""Messages to the service manager, as sd_notify(3) describes them: datagrams of NAME=VALUE lines to its socket.

A manager that cannot be reached is nothing that the gateway fails over.
"""

from __future__ import annotations

import socket

LONGEST = 200
"""Characters of a status line."""


class Notifier:
    """`address` as in NOTIFY_SOCKET: a path, or @NAME for an abstract one. Never blocks, never raises."""

    def __init__(self, address: str) -> None:
        self._address = f"\0{address[1:]}" if address.startswith("@") else address

    def ready(self, status: str) -> bool:
        """The start is over."""
        return self.send("READY=1", f"STATUS={_line(status)}")

    def status(self, text: str) -> bool:
        """What people read in `systemctl status`."""
        return self.send(f"STATUS={_line(text)}")

    def alive(self) -> bool:
        """The sign of life that the watchdog waits for."""
        return self.send("WATCHDOG=1")

    def stopping(self, seconds: float) -> bool:
        """An orderly end has begun, and may take so many seconds."""
        return self.send("STOPPING=1", "STATUS=stopping", f"EXTEND_TIMEOUT_USEC={int(seconds * 1_000_000)}")

    def send(self, *lines: str) -> bool:
        """One datagram; whether it was taken."""
        try:
            with socket.socket(
                socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK
            ) as door:
                door.connect(self._address)
                door.sendall("\n".join(lines).encode("utf-8", "replace"))
                return True
        except (OSError, ValueError):  # a path that is too long, or holds a zero, is a ValueError
            return False


def _line(text: str) -> str:
    """One line, without what would be read as another message."""
    return " ".join(text.split())[:LONGEST]
